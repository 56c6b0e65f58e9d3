"""What people would say on average: the judge's own mean, the corrected ones, and which of them to quote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

from adjudge.analysis.agreement.labels import Label
from adjudge.analysis.agreement.verdicts import CaseVerdict
from adjudge.records import Scale
from adjudge.stats.corrected import FEWEST_LABELS, Corrected, JudgedCase, naive_mean, ppi_mean, rogan_gladen
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population
from adjudge.stats.selection import Selection

Quoted = Literal["ppi", "naive", "none"]
QuoteReason = Literal[
    "nothing_judged",
    "not_correctable",  # PPI++ says why
    "few_labels",
    "labels_missing",  # of drawn cases
    "all_labelled",
    "known_chances",
]
MeanKind = Literal["pass_rate", "mean_score"]
_RATE = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class IfMissing:
    """PPI++, had every drawn case without a label got the lowest label, or the highest."""

    low: Estimate = field(metadata=population("those that could be drawn for labels", "case"))
    high: Estimate = field(metadata=population("those that could be drawn for labels", "case"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SplitCases:
    """Rogan-Gladen knows only passes and fails, and these cases are both."""

    by: Literal["repeats", "people"]
    cases: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedMean:
    """One mean of the run, three ways."""

    of: MeanKind
    naive: Corrected | Undefined = field(metadata=population("those that could be drawn for labels", "case"))
    rogan_gladen: Corrected | Undefined | SplitCases | None = field(
        metadata=population("those that could be drawn for labels", "case")
    )
    """None for a mean that is no rate."""
    ppi: Corrected | Undefined = field(metadata=population("those that could be drawn for labels", "case"))
    quote: Quoted
    reason: QuoteReason
    rogan_gladen_agrees: bool | None = None
    """Whether its interval and that of PPI++ overlap, where PPI++ is quoted and both are there."""
    naive_outside: bool = False
    """Whether the judge's own mean lies outside the interval of PPI++, where that is quoted."""
    if_missing: IfMissing | Undefined | Literal["no_scale"] | None = None
    """None where no drawn case lacks a label."""


def pass_rate_means(
    cases: Mapping[str, Sequence[CaseVerdict]], labels: Mapping[str, Sequence[Label]], selection: Selection
) -> CorrectedMean | None:
    """Of passes and fails; None when the run has no pass rule."""
    rows = {
        verdicts[0].case_id: _row(
            [float(verdict.passed) for verdict in verdicts if verdict.passed is not None],
            verdicts,
            labels,
            selection,
        )
        for verdicts in _framed(cases, selection)
        if any(verdict.passed is not None for verdict in verdicts)
    }
    if not rows:
        return None
    return _means("pass_rate", rows, _RATE, _rogan_gladen(list(rows.values())), selection)


def score_means(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: Mapping[str, Sequence[Label]],
    selection: Selection,
    scale: Scale | None,
) -> CorrectedMean | None:
    """Of scores that people gave on the judge's own scale."""
    rows = {
        verdicts[0].case_id: _row([verdict.score for verdict in verdicts], verdicts, labels, selection)
        for verdicts in _framed(cases, selection)
    }
    return _means("mean_score", rows, scale, None, selection) if rows else None


def _framed(cases: Mapping[str, Sequence[CaseVerdict]], selection: Selection) -> list[Sequence[CaseVerdict]]:
    return [verdicts for case_id, verdicts in cases.items() if case_id in selection.frame]


def _row(
    values: Sequence[float],
    verdicts: Sequence[CaseVerdict],
    labels: Mapping[str, Sequence[Label]],
    selection: Selection,
) -> JudgedCase:
    first = verdicts[0]
    mine = labels.get(first.case_id)
    usable = not selection.is_known or first.case_id in selection.chances
    return JudgedCase(
        judge=fmean(values),
        person=fmean(float(label.meaning) for label in mine) if mine and usable else None,
        probability=selection.chances.get(first.case_id),
        cluster=first.cluster,
    )


def _rogan_gladen(rows: Sequence[JudgedCase]) -> Corrected | Undefined | SplitCases:
    split = sum(row.judge not in (0.0, 1.0) for row in rows)
    if split:
        return SplitCases(by="repeats", cases=split)
    split = sum(row.person not in (None, 0.0, 1.0) for row in rows)
    if split:
        return SplitCases(by="people", cases=split)
    return rogan_gladen(rows)


def _means(
    of: MeanKind,
    rows: Mapping[str, JudgedCase],
    scale: Scale | None,
    by_errors: Corrected | Undefined | SplitCases | None,
    selection: Selection,
) -> CorrectedMean:
    judged = list(rows.values())
    naive, ppi = naive_mean(judged, scale), ppi_mean(judged, scale)
    quote, reason = _choose(naive, ppi, selection)
    agrees, outside = None, False
    if reason == "known_chances" and isinstance(ppi, Corrected) and isinstance(naive, Corrected):
        low, high = ppi.estimate.low, ppi.estimate.high
        if isinstance(by_errors, Corrected):
            agrees = by_errors.estimate.low <= high and by_errors.estimate.high >= low
        outside = not low <= naive.estimate.value <= high
    return CorrectedMean(
        of=of,
        naive=naive,
        rogan_gladen=by_errors,
        ppi=ppi,
        quote=quote,
        reason=reason,
        rogan_gladen_agrees=agrees,
        naive_outside=outside,
        if_missing=_if_missing(rows, scale, selection) if selection.missing else None,
    )


def _if_missing(
    rows: Mapping[str, JudgedCase], scale: Scale | None, selection: Selection
) -> IfMissing | Undefined | Literal["no_scale"]:
    """How far the missing labels could move the mean, whatever made people leave those cases."""
    if scale is None:
        return "no_scale"
    ends = []
    for label in (scale.low, scale.high):
        filled = [
            replace(row, person=label if row.person is None else row.person, probability=chance)
            if (chance := selection.if_complete.get(case_id)) is not None
            else row
            for case_id, row in rows.items()
        ]
        found = ppi_mean(filled, scale)
        if isinstance(found, Undefined):
            return found
        ends.append(found.estimate)
    return IfMissing(low=ends[0], high=ends[1])


def _choose(
    naive: Corrected | Undefined, ppi: Corrected | Undefined, selection: Selection
) -> tuple[Quoted, QuoteReason]:
    if isinstance(naive, Undefined):
        return "none", "nothing_judged"
    if isinstance(ppi, Undefined):
        return "naive", "not_correctable"
    if ppi.labels < FEWEST_LABELS:
        return "naive", "few_labels"
    if selection.missing:
        return "none", "labels_missing"
    return "ppi", "all_labelled" if selection.kind == "all" else "known_chances"
