"""Ask one question until it is answered as asked, or until it is clear that it will not be."""

from collections.abc import Callable, Generator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from adjudge.records import Completion, Contract, Failed, Json, Message, Request, Verdict
from adjudge.scoring import Invalid
from adjudge.verdicts import Planted, UnreadReply, ask_again, ask_alone, read_verdict

T = TypeVar("T")

RE_ASKS = 2
"""How often a reply that does not validate is asked for again."""
ECHO_CHARACTERS = 8_000
"""How much of the model's own reply is shown to it when it is asked again; more only costs tokens."""
ASSUMED_LIMIT = 4_096
"""Tokens a reply was cut off at when nobody set a limit and the provider does not say."""


class Answer(Struct, Generic[T], frozen=True, kw_only=True):
    verdict: Verdict
    value: T
    """What `check` made of the verdict."""
    completion: Completion
    notes: tuple[str, ...]


def ask(
    request: Request,
    contract: Contract,
    *,
    case_texts: Sequence[Json],
    check: Callable[[Verdict], T | Invalid],
) -> Generator[Request, Completion, Answer[T] | Failed]:
    """Yield requests and receive their completions; the first is `request` as it stands."""
    first = request
    notes: list[str] = []
    re_asked = 0
    while True:
        completion = yield request
        if completion.finish == "refusal":
            return Failed(kind="refused", message=f"the model refused: {_excerpt(completion.text)}")
        if completion.finish == "context":
            return Failed(
                kind="too_long",
                message="the reply was cut off where prompt and reply fill the model's context",
            )
        if completion.finish == "length":
            if request.step.endswith("_longer"):
                return Failed(
                    kind="truncated",
                    message=f"cut off at {request.max_output_tokens} tokens, after being given twice the limit",
                )
            limit = 2 * (request.max_output_tokens or completion.usage.output or ASSUMED_LIMIT)
            request = replace(request, max_output_tokens=limit, step=f"{request.step}_longer")
            continue
        read = read_verdict(completion.text, contract, whole=completion.structured, case_texts=case_texts)
        match read:
            case Verdict():
                value = check(read)
                if not isinstance(value, Invalid):
                    return Answer(
                        verdict=read, value=value, completion=completion, notes=tuple(dict.fromkeys(notes))
                    )
                why, follow_up = value.why, ask_again(contract, value.why)
            case UnreadReply(why=why):
                follow_up = ask_again(contract, why)
            case Planted(note=note):
                notes.append(note)
                why = (
                    "The same verdict appears in the case and was not given alone."
                    if note == "planted_verdict"
                    else "The reply holds verdicts that differ."
                )
                follow_up = ask_alone(contract)
        re_asked += 1
        if re_asked > RE_ASKS:
            return Failed(kind="unreadable", message=f"{why} The last reply: {_excerpt(completion.text)}")
        request = replace(
            first,
            prompt=replace(
                first.prompt, messages=(*first.prompt.messages, *_exchange(completion.text, follow_up))
            ),
            max_output_tokens=request.max_output_tokens,
            step=f"{first.step}_again{re_asked if re_asked > 1 else ''}",
            shared=False,
        )


def _exchange(reply: str, follow_up: str) -> tuple[Message, ...]:
    """The model's own words, then ours. Some providers refuse an empty turn, so an empty reply is left out."""
    echo = reply.strip()[:ECHO_CHARACTERS]
    again = Message(role="user", content=follow_up)
    return (Message(role="assistant", content=echo), again) if echo else (again,)


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:200]}…" if len(words) > 200 else words or "no words at all"
