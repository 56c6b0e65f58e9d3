"""By how much people would find B better: the judge's own difference, the corrected one, and which of them to quote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal, NamedTuple

from adjudge.analysis.agreement.stored_labels import STORED, draws_elsewhere, place_kept
from adjudge.analysis.comparison.matching import Letter, Matching, Pair
from adjudge.errors import InputError
from adjudge.labels.label_scale import LabelScale, label_scale_of
from adjudge.labels.label_set import (
    Label,
    LabelsByCase,
    as_passes,
    by_case,
    in_one_kind,
    merge_labels,
    own_labels,
)
from adjudge.records import Case, Json, Judge, LabelDraw, Scale
from adjudge.stats.corrected import MIN_LABELS, Corrected, JudgedCase, corrected_difference, differences
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.paired import Comparison, compare
from adjudge.stats.populations import population
from adjudge.stats.selection import Selection, SelectionKind, select_pairs
from adjudge.store import KeptLabel, Store

CHECKED_CASES = 20
Of = Literal["pass rate", "mean score"]
_RATE = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedDifference:
    """One difference, two ways. Above 0, B is better."""

    of: Of
    naive: Estimate = field(metadata=population("those that could be drawn for labels in both runs", "case"))
    """The judge's own, over the cases that could have been drawn."""
    ppi: Corrected | Undefined = field(
        metadata=population("those that could be drawn for labels in both runs", "case")
    )
    quote: Literal["ppi", "naive"]
    why: Literal["not_corrected", "few_labels", "labels_missing", "all_labelled", "drawn"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelCounts:
    """Cases judged in both runs with a label of A's answer, of B's, of both."""

    a: int
    b: int
    both: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSelection:
    """How the labelled cases were chosen, and how many of them can stand for the others."""

    kind: SelectionKind
    used: int
    """Cases labelled on both sides whose chance of that is known."""
    missing: int
    """Drawn, and not labelled on both sides yet."""
    unknown: int
    """Labelled on both sides, with a chance that is not known."""
    outside: int
    """Judged, and not there when the draw was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What labels of both runs' answers say of the difference that the judge finds."""

    differences: tuple[CorrectedDifference, ...]
    labelled: LabelCounts
    selection: LabelSelection
    tuned_on: int = 0
    """Cases left out because the judge was tuned on their labels."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotCorrected:
    """There are labels, and they cannot correct the difference."""

    reason: Literal[
        "judges_differ",
        "scales_differ",
        "same_responses",
        "selection_unknown",
        "no_pass_rule",
        "labels_unreadable",
    ]
    labelled: LabelCounts | None = None
    selection: LabelSelection | None = None
    problem: str | None = None
    """With `labels_unreadable`: the message of the error, which quotes the labels."""


class SideLabels(NamedTuple):
    """What people said of one run's answers, on the judge's scale, and how they came to be asked."""

    labels: Sequence[Label] = ()
    draws: Sequence[LabelDraw] = ()


def correct_difference(
    pairs: Sequence[Pair],
    a: SideLabels,
    b: SideLabels,
    label_scale: LabelScale,
    *,
    primary: Comparison | None,
    lower_is_better: bool = False,
    seed: int = 0,
) -> Correction | NotCorrected:
    """`primary` is the comparison of all pairs by score, which is not made again where it is the same."""
    tuned_on = {label.case_id for label in (*a.labels, *b.labels) if label.tuning}
    known = len(pairs)
    pairs = [pair for pair in pairs if pair.case_id not in tuned_on]
    one_kind = in_one_kind([*a.labels, *b.labels], label_scale)
    ids = {pair.case_id for pair in pairs}
    labels_a, labels_b = (
        {case_id: labels for case_id, labels in by_case(part).items() if case_id in ids}
        for part in (one_kind[: len(a.labels)], one_kind[len(a.labels) :])
    )
    labelled = LabelCounts(a=len(labels_a), b=len(labels_b), both=len(labels_a.keys() & labels_b.keys()))
    selection = select_pairs(ids, labels_a, labels_b, a.draws, b.draws)
    if not selection.chances:
        return NotCorrected(reason="selection_unknown", labelled=labelled, selection=_selected(selection))
    framed = [pair for pair in pairs if pair.case_id in selection.frame]
    found = []
    if _are_scores(pairs, (labels_a, labels_b), label_scale):
        rows = _rows(framed, "mean score", (labels_a, labels_b), selection, -1.0 if lower_is_better else 1.0)
        same = primary if len(framed) == known else None
        found.append(_difference("mean score", rows, label_scale.scale, selection, known=same, seed=seed))
    passes_a, passes_b = as_passes(labels_a, label_scale), as_passes(labels_b, label_scale)
    ruled = [pair for pair in framed if pair.passed_a is not None and pair.passed_b is not None]
    if passes_a is not None and passes_b is not None and ruled:
        rows = _rows(ruled, "pass rate", (passes_a, passes_b), selection, 1.0)
        found.append(_difference("pass rate", rows, _RATE, selection, seed=seed))
    if not found:
        return NotCorrected(reason="no_pass_rule", labelled=labelled)
    return Correction(
        differences=tuple(found),
        labelled=labelled,
        selection=_selected(selection),
        tuned_on=known - len(pairs),
    )


def _selected(selection: Selection) -> LabelSelection:
    return LabelSelection(
        kind=selection.kind,
        used=len(selection.chances),
        missing=selection.missing,
        unknown=selection.unknown,
        outside=selection.outside,
    )


def _are_scores(pairs: Sequence[Pair], sides: Sequence[LabelsByCase], label_scale: LabelScale) -> bool:
    """Whether labels are scores; those at the two ends of the scale, with a rule that tells them apart, are passes."""
    values = [label.meaning for side in sides for labels in side.values() for label in labels]
    if any(isinstance(value, bool) for value in values):
        return False
    if label_scale.passes is None or label_scale.scale is None:
        return True
    ends = {label_scale.scale.low, label_scale.scale.high}
    return not (
        all(value in ends for value in values) and all(pair.a in ends and pair.b in ends for pair in pairs)
    )


def _rows(
    pairs: Sequence[Pair],
    of: Of,
    labels: tuple[LabelsByCase, LabelsByCase],
    selection: Selection,
    sign: float,
) -> list[JudgedCase]:
    def cases(letter: Letter, labels: LabelsByCase) -> dict[str, JudgedCase]:
        people = {
            case_id: fmean(float(label.meaning) for label in several) for case_id, several in labels.items()
        }
        return {
            pair.case_id: JudgedCase(
                judge=_value(pair, of, letter), person=people.get(pair.case_id), cluster=pair.cluster
            )
            for pair in pairs
        }

    return differences(cases("a", labels[0]), cases("b", labels[1]), selection.chances, sign=sign)


def _difference(
    of: Of,
    rows: Sequence[JudgedCase],
    scale: Scale | None,
    selection: Selection,
    *,
    known: Comparison | None = None,
    seed: int,
) -> CorrectedDifference:
    comparison = known or compare([(row.cluster, row.judge) for row in rows], scale, seed=seed)
    assert comparison is not None  # there is a pair, or there would be no label
    ppi = corrected_difference(rows, None if scale is None else scale.high - scale.low)
    why: Literal["not_corrected", "few_labels", "labels_missing", "all_labelled", "drawn"]
    if isinstance(ppi, Undefined):
        why = "not_corrected"
    elif ppi.labels < MIN_LABELS:
        why = "few_labels"
    elif selection.missing:
        why = "labels_missing"
    else:
        why = "all_labelled" if selection.kind == "all" else "drawn"
    quote: Literal["ppi", "naive"] = "ppi" if why in {"all_labelled", "drawn"} else "naive"
    return CorrectedDifference(of=of, naive=comparison.difference, ppi=ppi, quote=quote, why=why)


def _value(pair: Pair, of: Of, letter: Letter) -> float:
    if of == "mean score":
        return pair.a if letter == "a" else pair.b
    return (pair.passed_a if letter == "a" else pair.passed_b) or 0.0


# ---- from the store, and the cases' own ----


def find_correction(
    store: Store,
    matching: Matching,
    sides: tuple[tuple[str, Judge], tuple[str, Judge]],
    *,
    primary: Comparison,
    label_map: Mapping[str, str],
    seed: int,
) -> Correction | NotCorrected | None:
    """What the labels known of both runs (`sides`: id and judge) say of the difference; None when there are none."""
    (run_a, judge_a), (run_b, judge_b) = sides
    kept = [store.labels(run, judge.name) for run, judge in sides]
    own = [_own_columns(matching, "a"), _own_columns(matching, "b")]
    if not any(kept) and not any(each.labels or each.annotators for each in own):
        return None
    if judge_a.name != judge_b.name:
        return NotCorrected(reason="judges_differ")
    if matching.normalized:
        return NotCorrected(reason="scales_differ")
    pairs = list(matching.pairs())
    ids = [pair.case_id for pair in pairs]
    if all(
        a is not None and b is not None and a.answers_like(b)
        for _, a, b in some_cases(store, (run_a, run_b), ids)
    ):
        return NotCorrected(reason="same_responses")
    seen = matching.traits["a"].verdicts | matching.traits["b"].verdicts
    label_scale = label_scale_of(judge_a.name, judge_a, seen, label_map)
    try:
        a, b = (
            _side_labels(store, run, labels, columns, label_scale)
            for (run, _), labels, columns in zip(sides, kept, own, strict=True)
        )
        return correct_difference(
            pairs,
            a,
            b,
            label_scale,
            primary=primary,
            lower_is_better=judge_a.better == "lower",
            seed=seed,
        )
    except InputError as error:  # labels that mean nothing here do not stop a comparison that was not of them
        return NotCorrected(reason="labels_unreadable", problem=f"{error.problem}; {error.hint}")


class _OwnColumns(NamedTuple):
    """What the cases themselves hold of labels: case -> label, case -> what several people said."""

    labels: dict[str, Json]
    annotators: dict[str, Json]


def _own_columns(matching: Matching, letter: Letter) -> _OwnColumns:
    found = {
        case_id: side for case_id, case in matching.cases.items() if (side := case.side(letter)) is not None
    }
    return _OwnColumns(
        {case_id: side.label for case_id, side in found.items() if side.label is not None},
        {case_id: side.annotators for case_id, side in found.items() if side.annotators is not None},
    )


def _side_labels(
    store: Store, run_id: str, kept: Sequence[KeptLabel], own: _OwnColumns, label_scale: LabelScale
) -> SideLabels:
    stored = place_kept(kept, label_scale, STORED)
    return SideLabels(
        labels=merge_labels(stored, own_labels(own.labels, own.annotators, label_scale).labels).labels,
        draws=store.draws(run_id, label_scale.judge) or draws_elsewhere(store, kept),
    )


def some_cases(
    store: Store, runs: tuple[str, str], ids: Sequence[str]
) -> Iterator[tuple[str, Case | None, Case | None]]:
    """Twenty at most, spread over all, as they stood in each run."""
    for case_id in ids[:: max(1, len(ids) // CHECKED_CASES)][:CHECKED_CASES]:
        yield case_id, store.case(runs[0], case_id), store.case(runs[1], case_id)
