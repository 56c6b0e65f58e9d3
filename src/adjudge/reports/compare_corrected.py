"""By how much people would find B better: the judge's own difference, the corrected one, and which of them to quote."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from adjudge.records import Scale
from adjudge.reports.agree_figures import as_passes
from adjudge.reports.agree_labels import Reading
from adjudge.reports.agree_rows import Label, by_case, in_one_kind
from adjudge.reports.agree_selection import Selection, select_pairs
from adjudge.reports.compare_match import Pair
from adjudge.stats.corrected import FEWEST_LABELS, Corrected, JudgedCase
from adjudge.stats.corrected_differences import corrected_difference, differences
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.paired import Comparison, compare
from adjudge.store import LabelDraw

Of = Literal["pass rate", "mean score"]
Quote = Literal["ppi", "naive"]
_RATE = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class SideLabels:
    """What people said of one run's answers, on the judge's scale, and how they came to be asked."""

    labels: Sequence[Label] = ()
    draws: Sequence[LabelDraw] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedDifference:
    """One difference, two ways. Above 0, B is better."""

    of: Of
    naive: Estimate
    """The judge's own, over the cases that could have been drawn."""
    ppi: Corrected | Undefined
    quote: Quote
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What labels of both runs' answers say of the difference that the judge finds."""

    differences: tuple[CorrectedDifference, ...]
    labelled_a: int
    """Cases judged in both runs with a label of A's answer."""
    labelled_b: int
    labelled_both: int
    selection: Selection
    tuned_on: int = 0
    """Cases left out because the judge was tuned on their labels."""

    @property
    def used(self) -> int:
        """Cases labelled on both sides whose chance of that is known."""
        return len(self.selection.chances)


def correct_difference(
    pairs: Sequence[Pair],
    a: SideLabels,
    b: SideLabels,
    reading: Reading,
    *,
    primary: Comparison | None,
    lower_is_better: bool = False,
    seed: int = 0,
) -> Correction | Undefined:
    """`primary` is the comparison of all pairs by score, which is not made again where it is the same."""
    tuned_on = {label.case_id for label in (*a.labels, *b.labels) if label.tuning}
    known = len(pairs)
    pairs = [pair for pair in pairs if pair.case_id not in tuned_on]
    primary = primary if len(pairs) == known else None
    one_kind = in_one_kind([*a.labels, *b.labels], reading)
    met = {pair.case_id for pair in pairs}
    said_a, said_b = (
        {case_id: given for case_id, given in by_case(part).items() if case_id in met}
        for part in (one_kind[: len(a.labels)], one_kind[len(a.labels) :])
    )
    selection = select_pairs(met, said_a, said_b, a.draws, b.draws)
    if not selection.chances:
        counted = f"{len(said_a)} of A's answers and {len(said_b)} of B's to the cases compared have a label"
        return Undefined(
            why=f"{selection.words} ({counted}); `adjudge agree A --next 100 --with B` draws cases for both"
        )
    framed = [pair for pair in pairs if pair.case_id in selection.frame]
    sign = -1.0 if lower_is_better else 1.0
    passes_a, passes_b = as_passes(said_a, reading), as_passes(said_b, reading)
    found = []
    if _scored(pairs, (said_a, said_b), reading):
        same = primary if len(framed) == len(pairs) else None
        found.append(
            _difference(
                "mean score",
                framed,
                said_a,
                said_b,
                selection,
                scale=reading.scale,
                sign=sign,
                known=same,
                seed=seed,
            )
        )
    if passes_a is not None and passes_b is not None:
        ruled = [pair for pair in framed if pair.passed_a is not None and pair.passed_b is not None]
        if ruled:
            found.append(
                _difference("pass rate", ruled, passes_a, passes_b, selection, scale=_RATE, seed=seed)
            )
    if not found:
        return Undefined(why="people gave passes and fails, and the judge has no pass rule in both runs")
    return Correction(
        differences=tuple(found),
        labelled_a=len(said_a),
        labelled_b=len(said_b),
        labelled_both=len(said_a.keys() & said_b.keys()),
        selection=selection,
        tuned_on=known - len(pairs),
    )


def _scored(pairs: Sequence[Pair], sides: Sequence[Mapping[str, Sequence[Label]]], reading: Reading) -> bool:
    """Whether labels are scores; those at the two ends of the scale, with a rule that tells them apart, are passes."""
    said = [label.says for side in sides for given in side.values() for label in given]
    if any(isinstance(each, bool) for each in said):
        return False
    if reading.passes is None or reading.scale is None:
        return True
    ends = {reading.scale.low, reading.scale.high}
    return not (
        all(each in ends for each in said) and all(pair.a in ends and pair.b in ends for pair in pairs)
    )


def _difference(
    of: Of,
    pairs: Sequence[Pair],
    said_a: Mapping[str, Sequence[Label]],
    said_b: Mapping[str, Sequence[Label]],
    selection: Selection,
    *,
    scale: Scale | None,
    sign: float = 1.0,
    known: Comparison | None = None,
    seed: int,
) -> CorrectedDifference:
    rows = differences(
        {
            pair.case_id: _case(pair.cluster, _value(pair, of, "a"), said_a.get(pair.case_id))
            for pair in pairs
        },
        {
            pair.case_id: _case(pair.cluster, _value(pair, of, "b"), said_b.get(pair.case_id))
            for pair in pairs
        },
        selection.chances,
        sign=sign,
    )
    comparison = known or compare([(row.cluster, row.judge) for row in rows], scale, seed=seed)
    assert comparison is not None  # there is a pair, or there would be no label
    ppi = corrected_difference(rows, None if scale is None else scale.high - scale.low)
    quote, why = _choose(comparison.difference, ppi, selection)
    return CorrectedDifference(of=of, naive=comparison.difference, ppi=ppi, quote=quote, why=why)


def _case(cluster: Hashable, judge: float, said: Sequence[Label] | None) -> JudgedCase:
    return JudgedCase(
        judge=judge, person=fmean(float(label.says) for label in said) if said else None, cluster=cluster
    )


def _value(pair: Pair, of: Of, side: Literal["a", "b"]) -> float:
    if of == "mean score":
        return pair.a if side == "a" else pair.b
    return (pair.passed_a if side == "a" else pair.passed_b) or 0.0


def _choose(naive: Estimate, ppi: Corrected | Undefined, selection: Selection) -> tuple[Quote, str]:
    own = "it is the judge's own difference, which is the people's only if its errors are alike on both sides"
    if isinstance(ppi, Undefined):
        return "naive", f"{own}: {ppi.why}"
    if ppi.labels < FEWEST_LABELS:
        return "naive", f"{own}, and {ppi.labels} cases labelled on both sides are too few to say"
    if selection.missing:
        return (
            "naive",
            (
                f"{own}; {selection.missing} drawn cases are not labelled on both sides yet, so the corrected one is not to "
                "be quoted"
            ),
        )
    if selection.kind == "all":
        return "ppi", "every case compared has labels on both sides, so it is the people's own difference"
    why = (
        "it holds whatever errors the judge makes on either side, if every drawn case was labelled and the judge was not "
        "tuned on these labels, because the cases were drawn with known chances"
    )
    if not ppi.estimate.low <= naive.value <= ppi.estimate.high:
        why += "; the judge's own difference lies outside its interval"
    return "ppi", why
