"""Answers written in a file: `scripted:FILE`, for tests, docs and demos that need no model.

One JSON object per line:

    {"case_id": "c1", "reply": {"score": 4, "reason": "…"}}            answers every call of case c1
    {"case_id": "c1", "judge": "coverage", "replies": ["…", "…"]}      answers them one after another, then no more
    {"case_id": "c2", "status": 429}                                   fails as an HTTP status would
    {"case_id": "c3", "reply": "I can't help", "finish": "refusal"}    or "length"
    {"match": "text in the prompt", "reply": "…"}                      any case whose prompt holds the text

Also `step` (`items`, `verdict` …), `usage` (`{"input": 10, "output": 5}`), `model` (the snapshot it claims to be),
`structured`, and `logprobs` (`[["Score: ", 0], ["4", -0.4, {"4": -0.4, "3": -1.2}]]`: the reply's tokens with their
log-probabilities, and those of likely tokens in their place). A reply that is not a string is dumped as JSON; an entry of `replies` may carry its own
`{"text": …, "finish": …, "status": …}`. Several rows for one case and judge queue in order; when the last of them is a
`reply` it goes on answering. A row that names judge or step goes before one that does not. With `--repeat`, rows of
`reply` start again for each repeat, `replies` go on.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import ModelNameError, RejectedError
from adjudge.models.keys import sent_parts, wire_key
from adjudge.models.providers.failures import error_for_status
from adjudge.models.providers.parameters import ProviderError
from adjudge.models.providers.wire import count
from adjudge.records import Completion, Finish, ModelClient, Request, TokenLogprob, Usage

KEYS = frozenset(
    {
        "case_id",
        "judge",
        "step",
        "match",
        "reply",
        "replies",
        "finish",
        "status",
        "usage",
        "model",
        "structured",
        "logprobs",
    }
)
ENTRY_KEYS = frozenset({"text", "reply", "finish", "status", "usage", "model", "structured", "logprobs"})
FINISHES: Mapping[Any, Finish] = {"stop": "stop", "length": "length", "refusal": "refusal"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedReply:
    """One answer, or with a status one failure."""

    text: str = ""
    finish: Finish = "stop"
    status: int = 200
    usage: Usage = Usage()  # noqa: RUF009 - frozen, so one may serve all
    model: str | None = None
    structured: bool = False
    logprobs: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptRow:
    case_id: str | None
    judge: str | None
    step: str | None
    match: str | None
    replies: tuple[ScriptedReply, ...]
    repeats: bool
    """Written as `reply`: answers every call."""


class ScriptAddress(NamedTuple):
    """What a row answers; None is any."""

    case_id: str | None
    match: str | None
    judge: str | None
    step: str | None


class ScriptError(ValueError):
    """What is wrong with a row, in words that follow `file line n:`."""


class Script:
    """Rows in order, and how far each address has been used up."""

    def __init__(self, rows: Iterable[ScriptRow]) -> None:
        self._rows: dict[ScriptAddress, list[ScriptRow]] = {}
        self._used: dict[tuple[ScriptAddress, int], int] = {}
        self.size = 0
        for row in rows:
            self._rows.setdefault(ScriptAddress(row.case_id, row.match, row.judge, row.step), []).append(row)
            self.size += 1
        self._matches = list(dict.fromkeys(a.match for a in self._rows if a.match is not None))

    def find(
        self, *, case_id: str | None, prompt: str, judge: str = "", step: str = ""
    ) -> ScriptAddress | None:
        """The most particular rows for a call: those of the case, then those whose text stands in the prompt."""
        judges = list(dict.fromkeys([judge, judge.partition("@")[0]]))
        wanted = [(row_judge, row_step) for row_judge in (*judges, None) for row_step in (step, None)]
        if case_id is not None:
            for match in (*(text for text in self._matches if text in prompt), None):
                for row_judge, row_step in wanted:
                    if (address := ScriptAddress(case_id, match, row_judge, row_step)) in self._rows:
                        return address
        for match in (text for text in self._matches if text in prompt):
            for row_judge, row_step in wanted:
                if (address := ScriptAddress(None, match, row_judge, row_step)) in self._rows:
                    return address
        return None

    def take(self, address: ScriptAddress, *, repeat: int = 0) -> ScriptedReply | None:
        """The next answer; None when `replies` have run out."""
        rows = self._rows[address]
        key = (address, repeat if all(row.repeats for row in rows) else 0)
        used = self._used.get(key, 0)
        self._used[key] = used + 1
        answers = [reply for row in rows for reply in row.replies]
        if used < len(answers):
            return answers[used]
        return answers[-1] if rows[-1].repeats else None


def case_key(script: str, request: Request) -> str:
    """Where words are scripted for a case, the case is part of the question."""
    asked = f"{request.case_id}\0{request.judge}\0{request.step}\0".encode("utf-8", "surrogatepass")
    return wire_key("scripted", script, asked + sent_parts(request), request)


class ScriptClient(ModelClient):
    """A model whose words are written in a file; it refuses to improvise."""

    answers_by_case = True
    is_free = True

    def __init__(self, path: Path, script: Script, digest: str = "") -> None:
        self.name = f"scripted:{path}"
        self._path = path
        self._script = script
        self._known_by = f"script {digest}"
        """What stands for an address: another script under the same name is another model."""
        self.base_url = self._known_by

    def __repr__(self) -> str:
        return f"<ScriptClient {self.name}>"

    def request_key(self, request: Request) -> str:
        return case_key(self._known_by, request)

    async def complete(self, request: Request) -> Completion:
        prompt = "\n".join(message.content for message in request.prompt.messages)
        address = self._script.find(
            case_id=request.case_id, prompt=prompt, judge=request.judge, step=request.step
        )
        if address is None:
            raise RejectedError(
                f"the script has no reply for case {request.case_id}, judge {request.judge} "
                f"({self._script.size} rows in {self._path})"
            )
        reply = self._script.take(address, repeat=request.repeat)
        if reply is None:
            raise RejectedError(
                f"the script has no more replies for case {request.case_id}, judge {request.judge} ({self._path})"
            )
        if reply.status >= 400:
            message = reply.text or f"HTTP {reply.status}"
            raise error_for_status(
                ProviderError(status=reply.status, message=message),
                f"{self.name} answered {reply.status}: {message}",
            )
        return Completion(
            text=reply.text,
            finish=reply.finish,
            structured=reply.structured,
            model_snapshot=reply.model,
            usage=reply.usage,
            logprobs=reply.logprobs,
            cost=Decimal(0),  # known, unlike the price of a model nobody lists: nothing was bought
        )

    async def close(self) -> None:
        """Nothing is open."""


def open_script(path: Path) -> ScriptClient:
    rows = read_script(path)
    return ScriptClient(path, Script(rows), sha256(path.read_bytes()).hexdigest()[:16])


def read_script(path: Path) -> list[ScriptRow]:
    """The rows of a script file; `ModelNameError` names the file and line of the first that is wrong."""
    where = f"scripted:{path}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ModelNameError(
            where,
            f"cannot be read ({error.strerror or type(error).__name__})",
            "check the path of the script file",
        ) from None
    except UnicodeDecodeError:
        raise ModelNameError(where, "is not UTF-8 text", "save the script as UTF-8 JSONL") from None
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(parse_row(json.loads(line)))
        except (ValueError, RecursionError) as error:
            problem = str(error) if isinstance(error, ScriptError) else "is not one line of JSON"
            raise ModelNameError(
                f"{path} line {number}",
                problem,
                'a row is {"case_id": "…", "reply": "…"}, with "replies": […], "judge", "finish" or "status" as needed',
            ) from None
    if not rows:
        raise ModelNameError(where, "has no rows", 'write one such as {"case_id": "…", "reply": "…"}')
    return rows


def parse_row(found: Any) -> ScriptRow:
    if not isinstance(found, dict):
        raise ScriptError(f"found {_kind(found)}, wanted an object")
    unknown = sorted(found.keys() - KEYS)
    if unknown:
        raise ScriptError(f"has an unknown key {unknown[0][:40]!r}; known are {', '.join(sorted(KEYS))}")
    case_id = found.get("case_id")
    if isinstance(case_id, int) and not isinstance(case_id, bool):
        case_id = str(case_id)
    match, judge, step = (_text(found, key) for key in ("match", "judge", "step"))
    if case_id is None and match is None:
        raise ScriptError("has neither `case_id` nor `match`")
    if case_id is not None and not isinstance(case_id, str):
        raise ScriptError(f"has {_kind(case_id)} as `case_id`, wanted a string")
    if "reply" in found and "replies" in found:
        raise ScriptError("has both `reply` and `replies`")
    defaults = {
        key: found[key]
        for key in ("finish", "status", "usage", "model", "structured", "logprobs")
        if key in found
    }
    if "replies" in found:
        entries = found["replies"]
        if not isinstance(entries, list) or not entries:
            raise ScriptError("has `replies` that are not a list of at least one")
        replies: Sequence[ScriptedReply] = [parse_entry(entry, defaults) for entry in entries]
    elif "reply" in found:
        replies = [_reply(found["reply"], defaults)]
    elif "status" in found or found.get("finish") == "refusal":
        replies = [_reply("", defaults)]
    else:
        raise ScriptError("has neither `reply` nor `replies` nor `status`")
    return ScriptRow(
        case_id=case_id,
        judge=judge,
        step=step,
        match=match,
        replies=tuple(replies),
        repeats="replies" not in found,
    )


def parse_entry(entry: Any, defaults: Mapping[str, Any]) -> ScriptedReply:
    """One of `replies`: words, a JSON verdict, or words with a finish or a status of their own."""
    if isinstance(entry, dict) and entry and entry.keys() <= ENTRY_KEYS:
        own = {key: value for key, value in entry.items() if key not in {"text", "reply"}}
        text_keys = [key for key in ("text", "reply") if key in entry]
        status = own.get("status")
        if (
            len(text_keys) == 1
            or (not text_keys and isinstance(status, int))
            or own.get("finish") in FINISHES
        ):
            return _reply(entry[text_keys[0]] if text_keys else "", {**defaults, **own})
    return _reply(entry, defaults)


def _reply(text: Any, settings: Mapping[str, Any]) -> ScriptedReply:
    if text is None:
        raise ScriptError("has null as a reply, wanted text or a JSON object")
    finish, status = settings.get("finish", "stop"), settings.get("status", 200)
    if not isinstance(finish, str) or finish not in FINISHES:
        raise ScriptError('has a `finish` that is not "length" or "refusal"')
    if not isinstance(status, int) or isinstance(status, bool) or not (status == 200 or 400 <= status <= 599):
        raise ScriptError("has a `status` that is not 200 or an HTTP error from 400 to 599")
    structured = settings.get("structured", False)
    if not isinstance(structured, bool):
        raise ScriptError("has a `structured` that is not true or false")
    return ScriptedReply(
        text=text if isinstance(text, str) else json.dumps(text, ensure_ascii=False),
        finish=FINISHES[finish],
        status=status,
        usage=_usage(settings.get("usage", {})),
        model=_text(settings, "model"),
        structured=structured,
        logprobs=_logprobs(settings.get("logprobs", [])),
    )


def _logprobs(found: Any) -> tuple[TokenLogprob, ...]:
    try:
        return tuple(
            TokenLogprob(
                token=str(token),
                logprob=float(logprob),
                alternatives=tuple((text, float(each)) for known in more for text, each in known.items()),
            )
            for token, logprob, *more in found
        )
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ScriptError(
            "has `logprobs` that are not a list of [token, log-probability, {token: log-probability}]"
        ) from None


def _usage(found: Any) -> Usage:
    if not isinstance(found, dict) or not found.keys() <= {"input", "output", "cached"}:
        raise ScriptError("has a `usage` that is not an object of `input`, `output`, `cached`")
    if any(count(number) is None for number in found.values()):
        raise ScriptError("has a `usage` with something that is not a number of tokens")
    return Usage(**found)


def _text(found: Mapping[str, Any], key: str) -> str | None:
    value = found.get(key)
    if value is not None and (not isinstance(value, str) or not value):
        raise ScriptError(f"has {_kind(value)} as `{key}`, wanted text")
    return value


def _kind(found: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    if found == "":
        return "empty text"
    return names.get(type(found), "a number")
