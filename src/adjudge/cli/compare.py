"""`adjudge compare`: two runs over the same cases, and whether one is better."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import click
import orjson

from adjudge.cli.compare_gates import ComparisonGates
from adjudge.cli.console import tell, use_colour
from adjudge.cli.options import flag, json_option, store_option
from adjudge.cli.report import judges_of
from adjudge.cli.stored import find_run, stored
from adjudge.dataset.labels import read_labels
from adjudge.errors import InputError, SettingsError
from adjudge.records import Json, Judge, Scale
from adjudge.reports.compare import Compared, Flip, Names, compare_matched
from adjudge.reports.compare_alike import Alike, JudgePair, find_alike
from adjudge.reports.compare_json import comparison_json
from adjudge.reports.compare_match import Matching
from adjudge.reports.compare_people import compare_with_people
from adjudge.store import RunRecord, Store

OWN_LABELS = "cases"
_LOOKED_AT = 20
"""Matched cases whose questions are compared, to notice ids that mean something else in the other run."""


@click.command("compare", short_help="Say whether one run is better than another.")
@click.argument("a")
@click.argument("b")
@flag(
    "--only",
    multiple=True,
    metavar="JUDGE",
    help="Compare only this judge, or JUDGE_OF_A=JUDGE_OF_B; may be repeated.",
)
@flag("--across", is_flag=True, help="Compare although judges, their versions or models differ.")
@flag(
    "--slice", "slices", multiple=True, metavar="COLUMN", help="Compare by metadata column; may be repeated."
)
@flag(
    "--labels",
    metavar="FILE",
    help="Say which of two judges agrees more with these labels; `cases`: with the cases' own.",
)
@flag(
    "--flips",
    type=click.IntRange(0, 10_000),
    default=10,
    show_default=True,
    help="How many cases that came out otherwise to list.",
)
@flag("--fail-on-regression", is_flag=True, help="Exit 1 when B is worse, p at most 0.05.")
@flag(
    "--margin",
    type=click.FloatRange(0, min_open=True),
    metavar="D",
    help="Exit 1 unless the lower end of the interval of B - A is above -D.",
)
@flag(
    "--inconclusive",
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help="`fail`: exit 3 when too few cases were compared to tell.",
)
@flag(
    "--max-error-rate",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Exit 3 when more of the matched cases have no pair; 0.05 with a gate.",
)
@flag("--seed", type=int, default=0, show_default=True, help="Of the random flips, where not all are tried.")
@store_option
@json_option
def command(
    *,
    a: str,
    b: str,
    only: tuple[str, ...],
    across: bool,
    slices: tuple[str, ...],
    labels: str | None,
    flips: int,
    fail_on_regression: bool,
    margin: float | None,
    inconclusive: str,
    max_error_rate: float | None,
    seed: int,
    store: str,
    as_json: bool,
) -> None:
    """Say whether run B is better than run A, case by case.

    A and B are names, starts of ids, or `last`. Cases are matched by id, and the repeats of a case averaged.
    Differences are B - A, turned round where lower is better.
    """
    gates = ComparisonGates.of(
        on_regression=fail_on_regression,
        margin=margin,
        inconclusive_fails=inconclusive == "fail",
        max_error_rate=max_error_rate,
    )
    columns = tuple(dict.fromkeys(name.removeprefix("metadata.") for name in slices))
    said = _labels(labels)
    with stored(store) as opened:
        runs = Runs(store=opened, a=find_run(opened, a), b=find_run(opened, b))
        alike = find_alike(runs.a.plan, runs.b.plan, only)
        _refuse(runs, alike, across=across)
        matched = _match(runs, alike.pairs, columns, keep_labels=labels == OWN_LABELS)
        looked = _look(runs, matched[0].matching, labelled=said is not None)
        comparisons = [
            _compare(runs, each, seed=seed, flips=flips, labels=said, with_people=labels is not None)
            for each in matched
        ]
        notes = [*_states(runs), *alike.noted, *looked]
    across_words = alike.refused if across else ()
    if as_json:
        found = comparison_json(comparisons, notes=notes, across=across_words)
        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    else:
        _print(comparisons, [*(f"compared across: {words}" for words in across_words), *notes], margin)
    raise click.exceptions.Exit(gates.judge(comparisons, tell))


@dataclass(frozen=True, kw_only=True, slots=True)
class Runs:
    store: Store
    a: RunRecord
    b: RunRecord


@dataclass(frozen=True, kw_only=True, slots=True)
class Matched:
    """One judge's cases of both runs, and how their scores are to be taken."""

    pair: JudgePair
    judge_a: Judge
    judge_b: Judge
    normalized: bool
    matching: Matching


def _refuse(runs: Runs, alike: Alike, *, across: bool) -> None:
    if runs.a.run_id == runs.b.run_id and all(pair.a == pair.b for pair in alike.pairs):
        raise InputError(
            f"run {runs.a.run_id}",
            "is both A and B",
            "name two runs (`adjudge runs` lists them), or two of its judges: --only JUDGE=OTHER --across",
        )
    if alike.refused and not across:
        raise InputError(
            f"runs {runs.a.run_id} and {runs.b.run_id}",
            f"were not judged alike: {'; '.join(alike.refused)}",
            "judge both with the same judge and model, since a difference could be theirs; "
            "or add --across to compare all the same, or --only JUDGE for one they share",
        )


def _labels(source: str | None) -> dict[str, list[Json]] | None:
    """Case -> what each person said; None: nothing was given, or the cases have their own."""
    if source is None or source == OWN_LABELS:
        return None
    said: dict[str, list[Json]] = {}
    for row in read_labels(source):
        if row.label is not None:
            said.setdefault(row.case_id, []).append(row.label)
    return said


def _match(
    runs: Runs, pairs: Sequence[JudgePair], columns: Sequence[str], *, keep_labels: bool
) -> list[Matched]:
    known_a = {f"{judge.name}@{judge.hash}": judge for judge in judges_of(runs.store, runs.a)}
    known_b = {f"{judge.name}@{judge.hash}": judge for judge in judges_of(runs.store, runs.b)}
    matched = []
    for pair in pairs:
        judge_a, judge_b = _known(known_a, pair.a, runs.a), _known(known_b, pair.b, runs.b)
        normalized = (judge_a.scale, judge_a.better) != (judge_b.scale, judge_b.better)
        if normalized and (judge_a.scale is None or judge_b.scale is None):
            raise InputError(
                f"{pair.a} and {pair.b}",
                "cannot be put on one scale: one of them has none",
                "say the scale in the judge file (`scale: [0, 1]`), and judge again",
            )
        matching = Matching(
            measure="normalized" if normalized else "score", columns=columns, keep_labels=keep_labels
        )
        matched.append(
            Matched(pair=pair, judge_a=judge_a, judge_b=judge_b, normalized=normalized, matching=matching)
        )
    for side, run in (("a", runs.a), ("b", runs.b)):
        wanted = {(each.judge_a if side == "a" else each.judge_b).name: each.matching for each in matched}
        for judgement in runs.store.judgements(run.run_id):
            matching_of = wanted.get(judgement.judge)
            if matching_of is not None:
                matching_of.add("a" if side == "a" else "b", judgement)
    for each in matched:
        _check(runs, each.matching)
    return matched


def _known(judges: Mapping[str, Judge], reference: str, run: RunRecord) -> Judge:
    if reference not in judges:
        raise InputError(
            f"run {run.run_id}", f"its judge {reference} is no longer in the store", "judge the cases again"
        )
    return judges[reference]


def _check(runs: Runs, matching: Matching) -> None:
    if not any(True for _ in matching.in_both()):
        ids = [
            ", ".join(islice((case_id for case_id, case in matching.cases.items() if getattr(case, side)), 3))
            for side in ("a", "b")
        ]
        raise InputError(
            f"runs {runs.a.run_id} and {runs.b.run_id}",
            f"have no case in common: A has {ids[0] or 'none'} …, B has {ids[1] or 'none'} …",
            "cases are matched by `id`, or without one by question, reference and context: use the same in both files",
        )
    known = matching.metadata_columns
    for column in matching.columns:
        if column not in known:
            raise SettingsError(
                "--slice",
                f"no case has `{column}` in its metadata",
                f"the columns are {', '.join(known)}" if known else "give the cases a `metadata` object",
            )


def _compare(
    runs: Runs,
    each: Matched,
    *,
    seed: int,
    flips: int,
    labels: Mapping[str, Sequence[Json]] | None,
    with_people: bool,
) -> Compared:
    people = None
    if with_people:
        people = compare_with_people(
            each.matching,
            labels,
            judge_a=each.judge_a,
            judge_b=each.judge_b,
            normalized=each.normalized,
            seed=seed,
        )
    compared = compare_matched(
        each.matching,
        a=Names(run=runs.a.run_id, judge=each.pair.a),
        b=Names(run=runs.b.run_id, judge=each.pair.b),
        scale=Scale(low=0.0, high=1.0) if each.normalized else each.judge_a.scale,
        normalized=each.normalized,
        lower_is_better=each.judge_a.better == "lower" and not each.normalized,
        seed=seed,
        most_flips=flips,
        people=people,
    )
    shown = tuple(_with_reasons(runs, each, flip) for flip in compared.flips.shown)
    return replace(compared, flips=replace(compared.flips, shown=shown))


def _with_reasons(runs: Runs, each: Matched, flip: Flip) -> Flip:
    return replace(
        flip,
        reason_a=_reason(runs.store, runs.a, flip.case_id, each.judge_a.name),
        reason_b=_reason(runs.store, runs.b, flip.case_id, each.judge_b.name),
    )


def _reason(store: Store, run: RunRecord, case_id: str, judge: str) -> str | None:
    found = store.judgement(run.run_id, case_id, judge)
    return next((judgement.reason for judgement in found if judgement.reason), None)


def _states(runs: Runs) -> list[str]:
    return [
        f"run {run.run_id} is {run.state}: it may not hold all its cases yet"
        for run in (runs.a, runs.b)
        if run.state != "finished"
    ]


def _look(runs: Runs, matching: Matching, *, labelled: bool) -> list[str]:
    """Two files that number their rows match by id whatever they ask; a look at some cases tells."""
    ids = [case_id for case_id, case in matching.cases.items() if case.a is not None and case.b is not None]
    looked_at = ids[:: max(1, len(ids) // _LOOKED_AT)][:_LOOKED_AT]
    other = []
    for case_id in looked_at:
        a, b = runs.store.case(runs.a.run_id, case_id), runs.store.case(runs.b.run_id, case_id)
        if a is None or b is None:
            continue
        if labelled and a.fields.get("response") != b.fields.get("response"):
            raise InputError(
                "--labels",
                f"case {case_id} has another response in B than in A, and one label cannot be of both",
                "give each file its own column `label`, judge again and use --labels cases",
            )
        if any(a.fields.get(field) != b.fields.get(field) for field in ("question", "reference")):
            other.append(case_id)
    if not other:
        return []
    found = f"{len(other)} of {len(looked_at)} cases looked at ask something else, or have another reference, in B"
    return [f"{found} than in A under the same id, such as {other[0]}"]


def _print(comparisons: Sequence[Compared], notes: Sequence[str], margin: float | None) -> None:
    from adjudge.reports.compare_text import comparison_text

    width = shutil.get_terminal_size((140, 24)).columns if sys.stdout.isatty() else 140
    text = comparison_text(comparisons, notes=notes, margin=margin, width=width, color=use_colour(sys.stdout))
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding), nl=False)
