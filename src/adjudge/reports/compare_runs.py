"""Two stored runs held against each other: their judges paired, their cases matched, each pair compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from adjudge.analysis.summary.stored import judges_of
from adjudge.errors import InputError, SettingsError
from adjudge.records import NOTHING, Judge, Scale
from adjudge.reports.agree_labels import reading_of
from adjudge.reports.compare import Compared, Flip, Names, compare_matched
from adjudge.reports.compare_alike import Alike, JudgePair, find_alike
from adjudge.reports.compare_labels import (
    SaidOfBoth,
    find_correction,
    read_said,
    refuse_strange,
    some_cases,
)
from adjudge.reports.compare_match import Matching
from adjudge.reports.compare_people import compare_with_people
from adjudge.store import RunRecord, Store

OWN_LABELS = "cases"


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedRuns:
    comparisons: tuple[Compared, ...]
    """One for each judge."""
    notes: tuple[str, ...]
    across: tuple[str, ...]
    """What differs between the runs all the same."""


def compare_runs(
    store: Store,
    a: RunRecord,
    b: RunRecord,
    *,
    only: Sequence[str] = (),
    across: bool = False,
    columns: Sequence[str] = (),
    labels: str | None = None,
    label_map: Mapping[str, str] = NOTHING,  # type: ignore[assignment]  # an empty mapping has values of every type
    flips: int = 10,
    seed: int = 0,
) -> ComparedRuns:
    """`labels` is a file, or `cases` for the cases' own: which side agrees more with them."""
    runs = Runs(store=store, a=a, b=b)
    alike = find_alike(a.plan, b.plan, only)
    _refuse(runs, alike, across=across)
    matched = _match(runs, alike.pairs, columns)
    said = None if labels in {None, OWN_LABELS} else _said(runs, matched, str(labels), label_map)
    looked = _look(runs, matched[0].matching, labelled=said is not None and said.unnamed)
    comparisons = tuple(
        _compare(
            runs,
            each,
            seed=seed,
            flips=flips,
            labels=said,
            label_map=label_map,
            with_people=labels is not None,
        )
        for each in matched
    )
    return ComparedRuns(
        comparisons=comparisons,
        notes=(*_states(runs), *alike.noted, *looked),
        across=alike.refused if across else (),
    )


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


def _said(runs: Runs, matched: Sequence[Matched], path: str, label_map: Mapping[str, str]) -> SaidOfBoth:
    said = read_said(
        runs.store,
        path,
        (runs.a.run_id, runs.b.run_id),
        [each.judge_a.name for each in matched],
        matched[0].matching.cases.keys(),
    )
    readings = [
        reading_of(judge.name, judge, seen.verdicts, label_map)
        for each in matched
        for judge, seen in (
            (each.judge_a, each.matching.seen["a"]),
            (each.judge_b, each.matching.seen["b"]),
        )
    ]
    refuse_strange(path, said, readings)
    return said


def _match(runs: Runs, pairs: Sequence[JudgePair], columns: Sequence[str]) -> list[Matched]:
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
            measure="normalized" if normalized else "score", columns=columns, keep_labels=True
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
    labels: SaidOfBoth | None,
    label_map: Mapping[str, str],
    with_people: bool,
) -> Compared:
    people = None
    if with_people:
        people = compare_with_people(
            each.matching,
            None if labels is None else labels.a,
            None if labels is None else labels.b,
            judge_a=each.judge_a,
            judge_b=each.judge_b,
            normalized=each.normalized,
            label_map=label_map,
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
    corrected = find_correction(
        runs.store,
        compared,
        each.matching,
        judge_a=each.judge_a,
        judge_b=each.judge_b,
        label_map=label_map,
        seed=seed,
    )
    return replace(compared, flips=replace(compared.flips, shown=shown), corrected=corrected)


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
        f"{run.partial}: run {run.run_id} is {run.state} and does not hold all its cases"
        for run in (runs.a, runs.b)
        if run.partial is not None
    ]


def _look(runs: Runs, matching: Matching, *, labelled: bool) -> list[str]:
    """Two files that number their rows match by id whatever they ask; a look at some cases tells."""
    ids = [case_id for case_id, case in matching.cases.items() if case.a is not None and case.b is not None]
    looked_at, other = 0, []
    for case_id, a, b in some_cases(runs.store, runs.a.run_id, runs.b.run_id, ids):
        looked_at += 1
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
    found = f"{len(other)} of {looked_at} cases looked at ask something else, or have another reference, in B"
    return [f"{found} than in A under the same id, such as {other[0]}"]
