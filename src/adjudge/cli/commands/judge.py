"""`adjudge judge`: judge one case and print what came out."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import click
import orjson

from adjudge.analysis.contract import as_contract
from adjudge.cli.console import plain, print_json, print_message
from adjudge.cli.interrupts import plan_judges
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import CaseFields, RunOutput
from adjudge.dataset import read_cases
from adjudge.documents.rows import result_row
from adjudge.errors import SettingsError
from adjudge.options import RunOptions
from adjudge.records import Failed, Json, Judged, Judgement
from adjudge.runs.find_model import one_model
from adjudge.runs.session import Session, open_session
from adjudge.text import as_text


def command(*, judge: str, case: CaseFields, options: RunOptions, output: RunOutput) -> int:
    row: dict[str, Json] = {
        "id": "case",
        "question": case.question,
        "response": case.response,
        "reference": _one_or_many(case.reference),
        "context": _one_or_many(case.context),
        "tool_calls": _read_tool_calls(case.tool_calls),
        "focus": case.focus,
    }
    one_model(options)
    plan = plan_judges([judge], replace(options, jobs=1, store=None))
    judgement = asyncio.run(_judge_one(open_session(plan, [row]), row))
    if output.as_json:
        print_json(result_row(judgement, "judge"))
    elif isinstance(judgement.outcome, Failed):
        print_message(f"{judgement.outcome.kind}: {judgement.outcome.message}")
    elif output.form == "contract":
        click.echo(as_contract(plan.named[0], judgement))
    else:
        _print(judgement)
    return EXIT_NOT_MEASURED if isinstance(judgement.outcome, Failed) else 0


async def _judge_one(opened: AbstractAsyncContextManager[Session], case: dict[str, Json]) -> Judgement:
    async with opened as session:
        (judge,) = session.plan.named
        asked = f"model {session.model}" if session.plan.asks_model else "no model is asked"
        print_message(f"{asked} · {judge.name}@{judge.hash}")
        judged: list[Judgement] = []
        await session.run(read_cases([case]), judged.append)
        return judged[-1]  # behind those of its parts, where it is a combination


def _print(judgement: Judgement) -> None:
    if isinstance(judgement.outcome, Judged):
        for name, value in judgement.verdict.items():
            click.echo(plain(f"{name}: {as_text(value)}"))
        for note in judgement.notes:
            click.echo(plain(f"note: {note}"))
        return
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
