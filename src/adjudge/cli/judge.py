"""`adjudge judge`: judge one case and print what came out."""

import asyncio
from contextlib import AbstractAsyncContextManager, aclosing

import click
import orjson

from adjudge.cli.config import ANY
from adjudge.cli.console import plain, print_json, tell
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import (
    Pairs,
    as_mapping,
    as_option,
    as_parameters,
    flag,
    json_option,
    model_options,
    pass_option,
)
from adjudge.dataset import read_cases
from adjudge.documents.rows import result_row
from adjudge.errors import SettingsError
from adjudge.records import Failed, Json, Judgement
from adjudge.reports.contract import as_contract
from adjudge.runs.plan import make_plan
from adjudge.runs.session import Session, open_session


@click.command("judge", short_help="Judge one case and print what came out.")
@click.argument("judge")
@flag("--question", config=ANY, help="What was asked.")
@flag("--response", config=ANY, help="What is to be judged.")
@flag("--reference", config=ANY, multiple=True, help="What was expected; repeated: any one suffices.")
@flag("--context", config=ANY, multiple=True, help="What the answer could draw on; may be repeated.")
@flag("--tool-calls", config=ANY, help="The tool calls, as JSON; `[]` says that none were made.")
@flag("--focus", config=ANY, help="What to weigh most.")
@flag(
    "--set",
    "sets",
    config=ANY,
    cls=Pairs,
    help="Any other input of the judge, `name=value`; may be repeated.",
)
@model_options
@pass_option
@as_option
@json_option
def command(
    *,
    judge: str,
    question: str | None,
    response: str | None,
    reference: tuple[str, ...],
    context: tuple[str, ...],
    tool_calls: str | None,
    focus: str | None,
    sets: tuple[tuple[str, str], ...],
    model: str | None,
    base_url: str | None,
    temperature: float | None,
    max_output_tokens: int | None,
    param: tuple[tuple[str, str], ...],
    pass_rule: str | None,
    form: str,
    as_json: bool,
) -> int:
    """Judge one case with JUDGE, a built-in judge's name or a judge file."""
    case: dict[str, Json] = {
        "id": "case",
        "question": question,
        "response": response,
        "reference": _one_or_many(reference),
        "context": _one_or_many(context),
        "tool_calls": _read_tool_calls(tool_calls),
        "focus": focus,
    }
    plan = make_plan(
        [judge],
        sets=as_mapping(sets, "--set"),
        passes=pass_rule,
        temperature=temperature,
        max_output_tokens=max_output_tokens,
        parameters=as_parameters(param),
        jobs=1,
    )
    loaded = plan.judges[0]
    judgement = asyncio.run(
        _judge_one(open_session(plan, source=[case], model=model, base_url=base_url), case)
    )
    if as_json:
        print_json(result_row(judgement, "judge"))
    elif isinstance(judgement.outcome, Failed):
        tell(f"{judgement.outcome.kind}: {judgement.outcome.message}")
    elif form == "contract":
        click.echo(as_contract(loaded, judgement))
    else:
        _print(judgement)
    return EXIT_NOT_MEASURED if isinstance(judgement.outcome, Failed) else 0


async def _judge_one(opened: AbstractAsyncContextManager[Session], case: dict[str, Json]) -> Judgement:
    async with opened as session:
        (judge,) = session.plan.judges
        tell(f"model {session.model} · {judge.name}@{judge.hash}")
        async with aclosing(session.judge(read_cases([case]))) as stream:
            (judgement,) = [judgement async for judgement in stream]
        return judgement


def _print(judgement: Judgement) -> None:
    passed = {True: ", passed", False: ", not passed", None: ""}[judgement.passed]
    exact = "" if judgement.exact == judgement.score else f" (exactly {judgement.exact:.4g})"
    click.echo(f"score {judgement.score:g}{exact}{passed}")
    if judgement.reason:
        click.echo(plain(judgement.reason))
    for note in judgement.notes:
        click.echo(plain(f"note: {note}"))


def _one_or_many(texts: tuple[str, ...]) -> Json:
    return None if not texts else texts[0] if len(texts) == 1 else list(texts)


def _read_tool_calls(text: str | None) -> Json:
    if text is None:
        return None
    try:
        calls: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SettingsError(
            "--tool-calls", f"is not JSON: {error}", "give a JSON list; `[]` says that none were made"
        ) from None
    return calls
