"""`adjudge agree`: how far a judge agrees with people, what they would say on average, and what to label next."""

from pathlib import Path

import click

from adjudge.cli.agree_both import write_next_of_both
from adjudge.cli.agree_next import Next, write_next
from adjudge.cli.config import ANY, INSIDE, never
from adjudge.cli.console import plain, print_json, tell
from adjudge.cli.labels import find_labels
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import Pairs, as_mapping, flag, json_option, store_option
from adjudge.cli.stored import find_run, stored
from adjudge.errors import SettingsError
from adjudge.reports.agree import EPSILON, Asked
from adjudge.reports.agree_given import judged_in, report_on
from adjudge.reports.agree_json import agree_json
from adjudge.reports.agree_text import agree_text
from adjudge.stats.labelling import LEAST_UNIFORM


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
    help="Draw N cases to label, with known chances, into a file to fill in; 0 writes those not labelled yet again.",
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
    help="The share of a draw that prefers no case to another.",
)
@flag("--seed", config=ANY, type=int, default=0, show_default=True, help="Of the bootstrap and of draws.")
@store_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    run: str,
    labels: str | None,
    only: str | None,
    label_map: tuple[tuple[str, str], ...],
    annotator: str | None,
    adjudicators: tuple[str, ...],
    slices: tuple[str, ...],
    disagreements: int,
    random_sample: bool,
    epsilon: float,
    no_keep: bool,
    forget: bool,
    next_count: int | None,
    other: str | None,
    to_label: str,
    uniform: float,
    seed: int,
    store: str,
    as_json: bool,
) -> None:
    """Hold the verdicts of RUN (a name, the start of an id, or `last`) against what people said.

    LABELS is a JSONL, CSV or other case file of `case_id`, `label` and, where known, `annotator` and `explanation`; its
    labels are stored. A row whose `run` names another run is stored for that one. Without LABELS, those stored for these
    cases count, else the cases' own `label` or `annotators` column.
    """
    _check(run, labels, next_count=next_count, other=other, forget=forget, no_keep=no_keep)
    with stored(store) as opened:
        record = find_run(opened, run)
        judged = judged_in(
            opened, record, judge=only, label_map=as_mapping(label_map, "--label-map"), slices=slices
        )
        verdicts, reading = judged
        if forget:
            count = opened.remove_labels(record.run_id, verdicts.judge, annotator=annotator)
            tell(f"removed {count} labels of {verdicts.judge}")
            return
        if next_count is not None:
            drawing = Next(count=next_count, path=to_label, uniform_share=uniform, seed=seed, as_json=as_json)
            if other is None:
                write_next(opened, record.run_id, verdicts, reading, drawing)
            else:
                write_next_of_both(opened, record.run_id, verdicts, reading, drawing, other=other)
            return
        given = find_labels(opened, record.run_id, judged, path=labels, annotator=annotator, keep=not no_keep)
        asked = Asked(
            slices=slices,
            disagreements=disagreements,
            random_sample=random_sample,
            epsilon=epsilon,
            adjudicators=adjudicators,
            seed=seed,
        )
        report = report_on(opened, record.run_id, judged, given, asked)
    if as_json:
        print_json(agree_json(report))
    else:
        click.echo(plain(agree_text(report)), nl=False)
    if not report.labelled:
        tell("no case has both a verdict and a label: agreement could not be measured")
        ctx.exit(EXIT_NOT_MEASURED)


def _check(
    run: str,
    labels: str | None,
    *,
    next_count: int | None,
    other: str | None,
    forget: bool,
    no_keep: bool,
) -> None:
    if labels is None and Path(run).suffix and Path(run).is_file():
        raise SettingsError(
            f"adjudge agree {run}", "names a file where the run should stand", f"adjudge agree last {run}"
        )
    if next_count is not None and (labels is not None or forget):
        raise SettingsError(
            "--next",
            "draws cases and reads no labels",
            "give LABELS in a call of its own, before or after the draw",
        )
    if other is not None and next_count is None:
        raise SettingsError(
            "--with", "is about a draw for two runs", "say how many cases: --next 100 --with RUN"
        )
    if forget and labels is not None:
        raise SettingsError("--forget", "removes labels and reads none", "leave out LABELS")
    if no_keep and labels is None:
        raise SettingsError("--no-keep", "is about the labels of a file", "name the file: RUN LABELS")
