"""`adjudge show RUN CASE`: how a stored case was judged, call by call."""

import click
import orjson

from adjudge.cli.console import plain
from adjudge.cli.stored import find_run, stored
from adjudge.errors import InputError
from adjudge.records import Failed, Json, Judgement
from adjudge.reports.rows import result_row


def show_case(where: str, run: str, case_id: str, *, as_json: bool) -> None:
    with stored(where) as store:
        record = find_run(store, run)
        judgements = store.judgement(record.run_id, case_id)
    if not judgements:
        raise InputError(
            f"run {record.run_id}",
            f"has no case `{case_id}`",
            f"`adjudge export {record.run_id} -o -` lists its rows",
        )
    if as_json:
        rows = [
            {**result_row(judgement, record.run_id), "prompts_and_replies": _calls(judgement)}
            for judgement in judgements
        ]
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        return
    for judgement in judgements:
        _print(judgement)


def _calls(judgement: Judgement) -> list[Json]:
    return [
        {
            "step": call.request.step,
            "messages": [
                {"role": message.role, "content": message.content} for message in call.request.prompt.messages
            ],
            "reply": call.completion.text,
        }
        for call in judgement.calls
    ]


def _print(judgement: Judgement) -> None:
    outcome = judgement.outcome
    repeat = f", repeat {judgement.repeat}" if judgement.repeat else ""
    click.echo(
        plain(
            f"case {judgement.case_id}, {judgement.judge}@{judgement.judge_hash}, {judgement.model}{repeat}"
        )
    )
    if isinstance(outcome, Failed):
        click.echo(plain(f"{outcome.kind}: {outcome.message}"))
    else:
        click.echo(f"score {outcome.score.value:g}, exactly {outcome.score.exact:.6g}")
        click.echo(plain(orjson.dumps(dict(judgement.verdict), option=orjson.OPT_INDENT_2).decode()))
    for note in judgement.notes:
        click.echo(plain(f"note: {note}"))
    for call in judgement.calls:
        for message in call.request.prompt.messages:
            click.echo(f"\n--- {call.request.step}: {message.role} ---")
            click.echo(plain(message.content))
        click.echo(f"\n--- {call.request.step}: reply ---")
        click.echo(plain(call.completion.text))
