"""Ask a model once what a prompt does not say."""

from collections.abc import Callable
from dataclasses import replace

from adjudge.dataset import read_cases
from adjudge.errors import ModelNameError
from adjudge.judges.proposals import asked_case, asker
from adjudge.options import RunOptions, option
from adjudge.records import Judge, Judgement
from adjudge.runs.find_model import is_embedded, one_model
from adjudge.runs.plan import make_plan
from adjudge.runs.replay import REPLAY
from adjudge.runs.session import open_session


async def ask_about(
    judge: Judge, keys: tuple[str, ...], options: RunOptions, *, announce: Callable[[str], None]
) -> Judgement:
    """What the model says about these keys of the judge's front matter, as the verdict of one case; nothing is kept.

    `announce` gets the model's name before it is asked.
    """
    asking = asker(keys)
    model = one_model(options)
    if isinstance(model, str) and (is_embedded(model) or model == REPLAY):
        raise ModelNameError(
            f"model {model}",
            "cannot say what a prompt means",
            f"name one that answers any prompt, such as `{option('--model', 'openai:gpt-…')}`; `adjudge models` lists them",
        )
    plan = make_plan([asking], replace(options, store=None, jobs=1, columns={}, variables={}))
    case = asked_case(judge)
    answered: list[Judgement] = []
    async with open_session(plan, [case]) as session:
        announce(session.model)
        await session.run(read_cases([case]), answered.append)
    return answered[0]
