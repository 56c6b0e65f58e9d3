"""`adjudge show RUN CASE`: how a stored case was judged, and how its score was computed, call by call and step by step."""

import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
import orjson

from adjudge.cli.console import plain, print_document, print_json
from adjudge.cli.stored import find_run, stored
from adjudge.documents.records_json import records_json
from adjudge.documents.rows import result_row
from adjudge.errors import InputError
from adjudge.records import Failed, Json, Judged, Judgement, Scale, is_jury

if TYPE_CHECKING:
    from adjudge.analysis.scores import ScoreRows

WIDTH_WITHOUT_TERMINAL = 110


def show_case(where: str, run: str, case_id: str, *, as_json: bool) -> None:
    from adjudge.analysis.scores import case_fields, explain_score, score_rows
    from adjudge.analysis.summary.stored import judges_of

    with stored(where) as store:
        record = find_run(store, run)
        judgements = store.judgement(record.run_id, case_id)
        fitting = [] if judgements or not case_id else store.case_ids_from(record.run_id, case_id)
        if len(fitting) == 1:
            (case_id,) = fitting
            judgements = store.judgement(record.run_id, case_id)
        judgements.sort(key=lambda each: not is_jury(each.model))  # its votes after it
        case = store.case(record.run_id, case_id)
        judges = {(judge.name, judge.hash): judge for judge in judges_of(store, record)}
    if len(fitting) > 1:
        named = ", ".join(f"`{each}`" for each in fitting)
        raise InputError(case_id, f"is the start of several cases: {named}", "give more of the id")
    if not judgements:
        raise InputError(
            f"run {record.run_id}",
            f"has no case `{case_id}`",
            f"`adjudge export {record.run_id} -o -` lists its cases",
        )
    explained: list[tuple[Judgement, ScoreRows]] = []
    for judgement in judgements:
        judge = judges.get((judgement.judge, judgement.judge_hash))
        fields: Mapping[str, Json] | None = None
        if judge is not None and case is not None:
            fields = case_fields(judge, case, record.plan)
        explained.append(
            (judgement, score_rows(explain_score(judgement, judge, fields, judgements=judgements)))
        )
    if as_json:
        rows = [
            {
                **result_row(judgement, record.run_id),
                "scoring": scoring.as_json(),
                "prompts_and_replies": _calls(judgement),
            }
            for judgement, scoring in explained
        ]
        print_json(rows)
        return
    for judgement, scoring in explained:
        _print(judgement, scoring)


def _calls(judgement: Judgement) -> list[Json]:
    return [
        {
            "step": call.request.step,
            "messages": [
                {"role": message.role, "content": records_json(message.content)}
                for message in call.request.prompt.messages
            ],
            "reply": records_json(call.completion.text),
        }
        for call in judgement.calls
    ]


def _print(judgement: Judgement, scoring: "ScoreRows") -> None:
    from adjudge.analysis.scores import score_lines

    outcome = judgement.outcome
    repeat = f", repeat {judgement.repeat}" if judgement.repeat else ""
    click.echo(
        plain(
            f"case {judgement.case_id}, {judgement.judge}@{judgement.judge_hash}, {judgement.model}{repeat}"
        )
    )
    if isinstance(outcome, Failed):
        click.echo(plain(f"{outcome.kind}: {outcome.message}"))
    elif not isinstance(outcome, Judged):
        click.echo(f"score {outcome.score.value:g}, exactly {outcome.score.exact:.6g}")
        click.echo("\nHow the score was computed:")
    for line in score_lines(scoring, _width()):
        click.echo(line)
    if not isinstance(outcome, Failed):
        click.echo("\nThe verdict:")
        click.echo(plain(orjson.dumps(records_json(judgement.verdict), option=orjson.OPT_INDENT_2).decode()))
    for note in judgement.notes:
        click.echo(plain(f"note: {note}"))
    for call in judgement.calls:
        if not call.request.prompt.messages and call.completion.usage.input == 0:
            click.echo(f"\n--- {call.request.step}: made in code, no model read anything ---")
        for message in call.request.prompt.messages:
            click.echo(f"\n--- {call.request.step}: {message.role} ---")
            click.echo(plain(message.content))
        click.echo(f"\n--- {call.request.step}: reply ---")
        click.echo(plain(call.completion.text))


def _width() -> int:
    if not sys.stdout.isatty():
        return WIDTH_WITHOUT_TERMINAL
    return shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns


def show_failed(where: str, run: str, *, as_json: bool) -> None:
    from adjudge.analysis.summary.case_lists import failed_document
    from adjudge.analysis.summary.run import failed_cases, stored_cases
    from adjudge.analysis.summary.stored import judges_of

    with stored(where) as store:
        record = find_run(store, run)
        cases = stored_cases(store, record, failed_cases(store, record))
        judges = judges_of(store, record)
    binary = {f"{judge.name}@{judge.hash}" for judge in judges if judge.scale == Scale(low=0, high=1)}
    if as_json:
        print_json({"run": record.run_id, "cases": records_json(cases)})
    else:
        print_document(failed_document(record.name or record.run_id, cases, binary))
