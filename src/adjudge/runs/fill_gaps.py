"""Ask a model what a prompt does not say, about the prompt alone or with its reply to one case."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from msgspec.structs import replace as replace_fields

from adjudge.dataset import read_cases
from adjudge.errors import ModelNameError
from adjudge.judges.proposals import asked_case, asker
from adjudge.options import RunOptions, option
from adjudge.procedures.case import WHOLE_REPLY
from adjudge.records import BadRow, Case, Failed, Judge, Judgement
from adjudge.runs.find_model import is_embedded, one_model
from adjudge.runs.plan import make_plan
from adjudge.runs.replay import REPLAY
from adjudge.runs.session import open_session
from adjudge.verdicts.read import UnreadReply, read_verdict


async def ask_about(
    judge: Judge,
    keys: tuple[str, ...],
    options: RunOptions,
    *,
    announce: Callable[[str], None],
    reply: str | None = None,
) -> Judgement:
    """What the model says about these keys of the judge's front matter, as the verdict of one case; nothing is kept.

    `announce` gets the model's name before it is asked; `reply` is what the prompt was answered with.
    """
    case = asked_case(judge, reply)
    alone = replace(options, columns={}, variables={})
    return await _ask(asker(keys, with_reply=reply is not None), read_cases([case]), alone, announce)


async def ask_case(
    judge: Judge, case: Case, options: RunOptions, *, announce: Callable[[str], None]
) -> str | Failed:
    """What the model replies to the prompt about a case, all of it; nothing is kept."""
    whole = replace_fields(
        judge, contract=WHOLE_REPLY, score=None, scale=None, passes=None, ratings=(), pair=None
    )
    outcome = await _ask(whole, [case], options, announce)
    return outcome.outcome if isinstance(outcome.outcome, Failed) else str(outcome.verdict["reply"])


def why_unread(judge: Judge, reply: str) -> str | None:
    """Why the judge's contract cannot read this reply; None where it can, or where it would ask for another form."""
    if judge.format_message is not None:
        return None
    found = read_verdict(reply, judge.contract or WHOLE_REPLY, whole=False, case_texts=())
    return found.why if isinstance(found, UnreadReply) else None


async def _ask(
    judge: Judge, rows: Iterable[Case | BadRow], options: RunOptions, announce: Callable[[str], None]
) -> Judgement:
    model = one_model(options)
    if isinstance(model, str) and (is_embedded(model) or model == REPLAY):
        raise ModelNameError(
            f"model {model}",
            "cannot say what a prompt means",
            f"name one that answers any prompt, such as `{option('--model', 'openai:gpt-…')}`; `adjudge models` lists them",
        )
    plan = make_plan([judge], replace(options, store=None, jobs=1))
    answered: list[Judgement] = []
    async with open_session(plan, []) as session:
        announce(session.model)
        await session.run(iter(rows), answered.append)
    return answered[0]
