"""`adjudge compare`: two runs over the same cases, and whether one is better."""

from typing import Any

import click

from adjudge.cli.config import ANY, INSIDE
from adjudge.cli.console import print_document, print_json, tell
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import Pairs, as_mapping, flag, json_option, store_option, verbose_option
from adjudge.cli.stored import find_run, stored

GATES = ("on_regression", "margin", "inconclusive", "max_error_rate")


@click.command("compare", short_help="Say whether one run is better than another.")
@click.argument("a")
@click.argument("b")
@flag(
    "--only",
    config=ANY,
    multiple=True,
    metavar="JUDGE",
    help="Compare only this judge, or JUDGE_OF_A=JUDGE_OF_B; may be repeated.",
)
@flag("--across", config=ANY, is_flag=True, help="Compare although judges, their versions or models differ.")
@flag(
    "--slice",
    "columns",
    config=ANY,
    multiple=True,
    metavar="COLUMN",
    help="Compare by metadata column; may be repeated.",
)
@flag(
    "--labels",
    config=INSIDE,
    metavar="FILE",
    help="Say which of two judges agrees more with these labels; `cases`: with the cases' own.",
)
@flag(
    "--label-map",
    "label_map",
    config=ANY,
    cls=Pairs,
    help="What a label on another scale stands for: `good=1`, `bad=fail`, `unsure=skip`; may be repeated.",
)
@flag(
    "--flips",
    "listed",
    config=ANY,
    type=click.IntRange(0, 10_000),
    default=5,
    show_default=True,
    help="How many regressions, and how many improvements, to list.",
)
@flag(
    "--fail-on-regression",
    "on_regression",
    config=ANY,
    is_flag=True,
    help="Exit 1 when B is worse, p at most 0.05.",
)
@flag(
    "--margin",
    config=ANY,
    type=click.FloatRange(0, min_open=True),
    metavar="D",
    help="Exit 1 unless the lower end of the interval of B - A is above -D.",
)
@flag(
    "--inconclusive",
    config=ANY,
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help="`fail`: exit 3 when too few cases were compared to tell.",
)
@flag(
    "--max-error-rate",
    config=ANY,
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Exit 3 when more of the matched cases have no pair; 0.05 with a gate.",
)
@flag(
    "--seed",
    config=ANY,
    type=int,
    default=0,
    show_default=True,
    help="Of the random permutations, where not all are tried.",
)
@store_option
@json_option
@verbose_option
def command(*, a: str, b: str, store: str, as_json: bool, verbose: bool, **flags: Any) -> None:
    """Say whether run B is better than run A, case by case.

    A and B are names, starts of ids, or `last`. Cases are matched by id, and the repeats of a case averaged.
    Differences are B - A, reversed where lower is better.
    """
    from adjudge.analysis.comparison.document import comparison_document
    from adjudge.analysis.comparison.runs import ComparisonOptions, compare_runs
    from adjudge.cli.compare_gates import ComparisonGates

    flags["label_map"] = as_mapping(flags["label_map"], "--label-map")
    gates = ComparisonGates(**{name: flags.pop(name) for name in GATES})
    options = ComparisonOptions(**flags)
    with stored(store) as opened:
        run_a, run_b = find_run(opened, a), find_run(opened, b)
        compared = compare_runs(opened, run_a, run_b, options)
    if as_json:
        print_json(compared)
    else:
        print_document(comparison_document(compared, margin=gates.margin), verbose=verbose)
    code = gates.judge(compared.judges, tell)
    for run in (run_a, run_b):
        if run.partial is not None and gates.gated:
            tell(
                f"not measured: {run.partial} in run {run.run_id}; finish it with the command that started it"
            )
            code = EXIT_NOT_MEASURED
    raise click.exceptions.Exit(code)
