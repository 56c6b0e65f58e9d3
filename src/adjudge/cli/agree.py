"""`adjudge agree`: how far a judge agrees with people, what they would say on average, and what to label next."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from adjudge.analysis.agreement.document import agreement_document, note_text, task_notes
from adjudge.analysis.agreement.draws import (
    TO_FILL_IN,
    DrawRequest,
    LabellingTask,
    Side,
    next_of_both,
    next_to_label,
)
from adjudge.analysis.agreement.figures import EPSILON, AgreementOptions, agreement_of
from adjudge.analysis.agreement.label_files import find_labels
from adjudge.analysis.agreement.verdicts import Judged, RunVerdicts, judged_in
from adjudge.analysis.summary.stored import judges_of
from adjudge.cli.config import ANY, INSIDE, never
from adjudge.cli.console import print_document, print_json, tell
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import Pairs, as_mapping, flag, json_option, store_option, verbose_option
from adjudge.cli.stored import find_run, stored
from adjudge.documents.writers import csv_table, json_line
from adjudge.errors import InputError, SettingsError, StoreError
from adjudge.records import Json
from adjudge.stats.labelling import LEAST_UNIFORM
from adjudge.store import Store

_FORMS = (".jsonl", ".csv")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreeFlags:
    """What was asked for on the command line."""

    only: str | None
    label_map: tuple[tuple[str, str], ...]
    annotator: str | None
    adjudicators: tuple[str, ...]
    slices: tuple[str, ...]
    disagreements: int
    random_sample: bool
    epsilon: float
    no_keep: bool
    forget: bool
    next_count: int | None
    other: str | None
    to_label: str
    uniform: float
    seed: int
    store: str
    verbose: bool
    as_json: bool


@click.command("agree", short_help="Say how far a judge agrees with people.")
@click.argument("run", default="last")
@click.argument("labels", required=False)
@flag(
    "--only", config=ANY, metavar="JUDGE", help="Which judge, where the run has several: NAME or NAME@HASH."
)
@flag(
    "--label-map",
    "label_map",
    config=ANY,
    cls=Pairs,
    help="What a label on another scale stands for: `good=1`, `bad=fail`, `unsure=skip`; may be repeated.",
)
@flag("--annotator", config=ANY, metavar="NAME", help="Who gave the labels of rows that name nobody.")
@flag(
    "--adjudicator",
    "adjudicators",
    config=ANY,
    multiple=True,
    metavar="NAME",
    help="An annotator who settled what others said: their label is the case's, and they are not compared with the "
    "others; may be repeated.",
)
@flag(
    "--slice",
    "slices",
    config=ANY,
    multiple=True,
    metavar="COLUMN",
    help="Agreement by metadata column; may be repeated.",
)
@flag(
    "--disagreements",
    config=ANY,
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many cases to list on which judge and people differ most.",
)
@flag(
    "--random-sample",
    config=ANY,
    is_flag=True,
    help="The labelled cases are a uniform random sample of the run's: use them to correct its means.",
)
@flag(
    "--epsilon",
    config=ANY,
    type=click.FloatRange(0, 1),
    default=EPSILON,
    show_default=True,
    help="How much worse than a person the alt-test lets the judge be; 0.1 where crowd workers labelled.",
)
@flag("--no-keep", config=ANY, is_flag=True, help="Look at LABELS alone, and store nothing.")
@flag(
    "--forget",
    config=never("it removes labels"),
    is_flag=True,
    help="Remove the stored labels of this run's cases (of --annotator alone, if given).",
)
@flag(
    "--next",
    "next_count",
    config=ANY,
    type=click.IntRange(0),
    metavar="N",
    help="Draw N cases to label, with known sampling probabilities, into a file to fill in; 0 writes those not labelled yet again.",
)
@flag(
    "--with",
    "other",
    config=ANY,
    metavar="RUN",
    help="With --next: one draw for both runs, to correct their difference; the file asks for both answers, unnamed.",
)
@flag(
    "--to-label",
    "-o",
    config=INSIDE,
    default="to_label.jsonl",
    show_default=True,
    metavar="FILE",
    help="That file: .jsonl, .csv, or - for stdout.",
)
@flag(
    "--uniform",
    config=ANY,
    type=click.FloatRange(LEAST_UNIFORM, 1),
    default=LEAST_UNIFORM,
    show_default=True,
    help="The share of a draw that is sampled uniformly.",
)
@flag("--seed", config=ANY, type=int, default=0, show_default=True, help="Of the bootstrap and of draws.")
@store_option
@verbose_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, run: str, labels: str | None, **values: Any) -> None:
    """Hold the verdicts of RUN (a name, the start of an id, or `last`) against what people said.

    LABELS is a JSONL, CSV or other case file of `case_id`, `label` and, where known, `annotator` and `explanation`; its
    labels are stored. A row whose `run` names another run is stored for that one. Without LABELS, those stored for these
    cases count, else the cases' own `label` or `annotators` column.
    """
    flags = AgreeFlags(**values)
    _check(run, labels, flags)
    with stored(flags.store) as opened:
        record = find_run(opened, run)
        label_map = as_mapping(flags.label_map, "--label-map")
        judged = judged_in(opened, record, judge=flags.only, label_map=label_map, slices=flags.slices)
        if flags.forget:
            count = opened.remove_labels(record.run_id, judged.verdicts.judge, annotator=flags.annotator)
            tell(f"removed {count} labels of {judged.verdicts.judge}")
            return
        if flags.next_count is not None:
            _check_path(flags.to_label)
            _write_task(_draw(opened, record.run_id, judged, flags), judged, flags)
            return
        found = find_labels(
            opened, record.run_id, judged, path=labels, annotator=flags.annotator, keep=not flags.no_keep
        )
        for note in found.notes:
            tell(note_text(note, labels or ""))
        options = AgreementOptions(
            slices=flags.slices,
            disagreements=flags.disagreements,
            random_sample=flags.random_sample,
            epsilon=flags.epsilon,
            adjudicators=flags.adjudicators,
            seed=flags.seed,
        )
        report = agreement_of(opened, record.run_id, judged, found.labels, options)
    if flags.as_json:
        print_json(report)
    else:
        print_document(agreement_document(report), verbose=flags.verbose)
    if not report.labelled:
        tell("no case has both a verdict and a label: agreement could not be measured")
        ctx.exit(EXIT_NOT_MEASURED)


def _check(run: str, labels: str | None, flags: AgreeFlags) -> None:
    if labels is None and Path(run).suffix and Path(run).is_file():
        raise SettingsError(
            f"adjudge agree {run}", "names a file where the run should stand", f"adjudge agree last {run}"
        )
    if flags.next_count is not None and (labels is not None or flags.forget):
        raise SettingsError(
            "--next",
            "draws cases and reads no labels",
            "give LABELS in a call of its own, before or after the draw",
        )
    if flags.other is not None and flags.next_count is None:
        raise SettingsError(
            "--with", "is about a draw for two runs", "say how many cases: --next 100 --with RUN"
        )
    if flags.forget and labels is not None:
        raise SettingsError("--forget", "removes labels and reads none", "leave out LABELS")
    if flags.no_keep and labels is None:
        raise SettingsError("--no-keep", "is about the labels of a file", "name the file: RUN LABELS")


# ---- --next --------------------------------------------------------------------------------------------------


def _draw(store: Store, run_id: str, judged: Judged, flags: AgreeFlags) -> LabellingTask:
    request = DrawRequest(
        count=flags.next_count or 0, uniform_share=flags.uniform, seed=flags.seed, at=datetime.now(UTC)
    )
    if flags.other is None:
        return next_to_label(store, run_id, judged.verdicts, request)
    record = find_run(store, flags.other)
    if record.run_id == run_id:
        raise SettingsError(
            "--with", f"run {run_id} is both runs", "name the run that it is to be compared with"
        )
    names = [judge.name for judge in judges_of(store, record)]
    if judged.verdicts.judge not in names:
        raise InputError(
            f"run {record.run_id}",
            f"was not judged by {judged.verdicts.judge}",
            f"its judges are {', '.join(names) or 'none'}; a label is of one judge's question",
        )
    other = judged_in(store, record, judge=judged.verdicts.judge).verdicts
    return next_of_both(
        store, _side(store, run_id, judged.verdicts), _side(store, record.run_id, other), request
    )


def _side(store: Store, run_id: str, verdicts: RunVerdicts) -> Side:
    return Side(run_id, verdicts, store.draws(run_id, verdicts.judge))


def _write_task(task: LabellingTask, judged: Judged, flags: AgreeFlags) -> None:
    path = flags.to_label
    for note in task_notes(task):
        tell(note)
    if not task.rows:
        tell("all of them are labelled on both sides already: there is no file to fill in")
        return
    _write_rows(path, task.rows)
    tell(f"label: {judged.scale.wanted()}")
    if path == "-":
        return
    leave = ", and leave `run` as it is" if task.other else ""
    tell(f"fill in `label` in {path}{leave}; then: adjudge agree {task.run_id} {path}")
    if task.other:
        tell(f"and then: adjudge compare {task.run_id} {task.other}")
    if flags.as_json:
        print_json(
            {
                "run": task.run_id,
                "with": task.other,
                "judge": task.judge,
                "file": path,
                "rows": len(task.rows),
                "cases": task.cases,
                "sampling_probabilities": task.chances,
            }
        )


def _check_path(path: str) -> None:
    if path == "-":
        return
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMS:
        raise SettingsError(
            path, f"`{suffix}` is not a format to label in", f"name a file that ends in {', '.join(_FORMS)}"
        )
    if Path(path).exists():  # it may hold an hour of somebody's work
        raise SettingsError(path, "is there already", "name another file with -o, or move it away")


def _write_rows(path: str, rows: Sequence[Mapping[str, Json]]) -> None:
    if path.lower().endswith(".csv"):  # with what is filled in last, whatever the rows have in between
        names = dict.fromkeys(name for row in rows for name in row if name not in TO_FILL_IN)
        data = csv_table([*names, *TO_FILL_IN], rows)
    else:
        data = b"".join(json_line(dict(row)) for row in rows)
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with Path(path).open("xb") as file:
            file.write(data)
    except OSError as error:
        raise StoreError(
            f"{path}: could not be written ({error.strerror})\n\n"
            "hint: the draw is stored: `--next 0 -o FILE` writes it elsewhere"
        ) from None
