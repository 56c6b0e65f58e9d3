"""`adjudge report`: the figures of a stored run."""

import sys
from dataclasses import replace

import click
import orjson

from adjudge.cli.console import use_colour
from adjudge.cli.options import json_option, store_option
from adjudge.cli.stored import find_run, stored
from adjudge.judges import parse_judge
from adjudge.records import Judge
from adjudge.reports.report import Report
from adjudge.reports.summary import Tally
from adjudge.store import RunRecord, Store


@click.command("report", short_help="Print the figures of a stored run.")
@click.argument("run", default="last")
@store_option
@json_option
def command(*, run: str, store: str, as_json: bool) -> None:
    """Print the figures of RUN: a name, the start of an id, or `last`."""
    with stored(store) as opened:
        record = find_run(opened, run)
        tally = Tally(judges_of(opened, record))
        for judgement in opened.judgements(record.run_id):
            tally.add(judgement)
    said = record.plan.get("current_date")
    report = Report(summaries=tally.summaries(), current_date=str(said) if said else None)
    if as_json:
        click.echo(orjson.dumps(report.to_json(), option=orjson.OPT_INDENT_2))
    else:
        report.print(colour=use_colour(sys.stdout))


def judges_of(store: Store, record: RunRecord) -> list[Judge]:
    """The judges as they were: their files are kept with the run."""
    named = record.plan.get("judges")
    judges = []
    for reference in named if isinstance(named, list) else []:
        name, _, judge_hash = str(reference).rpartition("@")
        kept = store.judge_text(judge_hash)
        if kept is not None:
            judges.append(replace(parse_judge(kept[1], name=name), name=name, hash=judge_hash))
    return judges
