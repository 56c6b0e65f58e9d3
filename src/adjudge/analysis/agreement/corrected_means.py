"""What people would say on average: the judge's own mean, the corrected ones, and which of them to quote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, NamedTuple, TypeVar

from adjudge.analysis.agreement.verdicts import CaseVerdict
from adjudge.labels.label_set import LabelsByCase
from adjudge.records import Scale
from adjudge.stats.corrected import (
    MIN_LABELS,
    Corrected,
    JudgedCase,
    UnjudgedCase,
    naive_mean,
    ppi_mean,
    rogan_gladen,
)
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population as stated
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
_Row = TypeVar("_Row", JudgedCase, UnjudgedCase)


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanPopulation:
    """The cases that a corrected mean is the mean of; the judge's own mean is that of the judged ones."""

    judged: int
    unjudged: int = 0
    """Cases that the judge was asked about and gave no verdict on, in the mean by their labels alone."""
    left_out: int = 0
    """Such cases that are not in the mean: too few of them have labels."""

    @property
    def cases(self) -> int:
        return self.judged + self.unjudged


class Unjudged(NamedTuple):
    """The cases without a verdict, and how those of them with a label were chosen."""

    clusters: Mapping[str, str]
    """Case id -> its cluster."""
    selection: Selection


ALL_JUDGED = Unjudged(
    clusters={}, selection=Selection(kind="no_label", chances={}, frame=frozenset(), unknown=0)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class IfMissing:
    """PPI++, had every drawn case without a label got the lowest label, or the highest."""

    low: Estimate = field(metadata=stated("those that could be drawn for labels", "case"))
    high: Estimate = field(metadata=stated("those that could be drawn for labels", "case"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SplitCases:
    """Rogan-Gladen knows only passes and fails, and these cases are both."""

    by: Literal["repeats", "people"]
    cases: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectedMean:
    """One mean of the run, three ways."""

    of: MeanKind
    population: MeanPopulation
    """Of PPI++; the other two are means of its judged cases."""
    naive: Corrected | Undefined = field(metadata=stated("judged, and could be drawn for labels", "case"))
    rogan_gladen: Corrected | Undefined | SplitCases | None = field(
        metadata=stated("judged, and could be drawn for labels", "case")
    )
    """None for a mean that is no rate."""
    ppi: Corrected | Undefined = field(
        metadata=stated("those that could be drawn for labels, counted in `population`", "case")
    )
    quote: Quoted
    reason: QuoteReason
    naive_outside: bool = False
    """Whether the judge's own mean lies outside the interval of PPI++, where that is quoted."""
    if_missing: IfMissing | Undefined | Literal["no_scale"] | None = None
    """None where no drawn case lacks a label."""
    if_left_out: IfMissing | Literal["no_scale"] | None = None
    """PPI++ of all cases asked, had those left out the lowest labels, or the highest; None where none is left out."""


def pass_rate_means(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    selection: Selection,
    unjudged: Unjudged = ALL_JUDGED,
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
    by_errors = _rogan_gladen(list(rows.values()))
    return _means(
        "pass_rate",
        _Rows(rows, _unjudged_rows(unjudged, labels)),
        _RATE,
        by_errors,
        selection=selection,
        unjudged=unjudged,
    )


def score_means(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    selection: Selection,
    scale: Scale | None,
    unjudged: Unjudged = ALL_JUDGED,
) -> CorrectedMean | None:
    """Of scores that people gave on the judge's own scale."""
    rows = {
        verdicts[0].case_id: _row([verdict.score for verdict in verdicts], verdicts, labels, selection)
        for verdicts in _framed(cases, selection)
    }
    if not rows:
        return None
    return _means(
        "mean_score",
        _Rows(rows, _unjudged_rows(unjudged, labels)),
        scale,
        None,
        selection=selection,
        unjudged=unjudged,
    )


def _framed(cases: Mapping[str, Sequence[CaseVerdict]], selection: Selection) -> list[Sequence[CaseVerdict]]:
    return [verdicts for case_id, verdicts in cases.items() if case_id in selection.frame]


def _row(
    values: Sequence[float],
    verdicts: Sequence[CaseVerdict],
    labels: LabelsByCase,
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


def _unjudged_rows(unjudged: Unjudged, labels: LabelsByCase) -> dict[str, UnjudgedCase]:
    chances, known = unjudged.selection.chances, unjudged.selection.is_known
    rows = {}
    for case_id, cluster in unjudged.clusters.items():
        mine = labels.get(case_id) if not known or case_id in chances else None
        if case_id in unjudged.selection.frame:
            rows[case_id] = UnjudgedCase(
                person=fmean(float(label.meaning) for label in mine) if mine else None,
                probability=chances.get(case_id),
                cluster=cluster,
            )
    return rows


class _Rows(NamedTuple):
    """By case."""

    judged: Mapping[str, JudgedCase]
    unjudged: Mapping[str, UnjudgedCase]

    def ppi(self, scale: Scale | None) -> Corrected | Undefined:
        return ppi_mean(list(self.judged.values()), scale, unjudged=list(self.unjudged.values()))


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
    rows: _Rows,
    scale: Scale | None,
    by_errors: Corrected | Undefined | SplitCases | None,
    *,
    selection: Selection,
    unjudged: Unjudged,
) -> CorrectedMean:
    """Of all cases asked; of the judged ones alone, where too few of the others have labels that may speak for them."""
    naive, ppi = naive_mean(list(rows.judged.values()), scale), rows.ppi(scale)
    left_out, missing = 0, selection.missing + unjudged.selection.missing
    if isinstance(ppi, Undefined) and rows.unjudged:
        judged = rows._replace(unjudged={})
        alone = judged.ppi(scale)
        if isinstance(alone, Corrected):
            ppi, left_out, missing, rows = alone, len(rows.unjudged), selection.missing, judged
    kinds = {selection.kind, *([unjudged.selection.kind] if rows.unjudged else [])}
    quote, reason = _choose(naive, ppi, missing=missing, all_labelled=kinds == {"all"})
    outside = False
    if (
        reason == "known_chances"
        and not rows.unjudged
        and isinstance(ppi, Corrected)
        and isinstance(naive, Corrected)
    ):
        low, high = ppi.estimate.low, ppi.estimate.high
        outside = not low <= naive.estimate.value <= high
    complete = {**selection.if_complete, **unjudged.selection.if_complete}
    return CorrectedMean(
        of=of,
        population=MeanPopulation(judged=len(rows.judged), unjudged=len(rows.unjudged), left_out=left_out),
        naive=naive,
        rogan_gladen=by_errors,
        ppi=ppi,
        quote=quote,
        reason=reason,
        naive_outside=outside,
        if_missing=_if_missing(rows, scale, complete) if missing else None,
        if_left_out=_if_left_out(ppi, scale, left_out) if isinstance(ppi, Corrected) and left_out else None,
    )


def _if_left_out(ppi: Corrected, scale: Scale | None, left_out: int) -> IfMissing | Literal["no_scale"]:
    if scale is None:
        return "no_scale"
    found, share = ppi.estimate, ppi.estimate.n / (ppi.estimate.n + left_out)
    low, high = (
        replace(
            found,
            value=share * found.value + (1.0 - share) * end,
            low=share * found.low + (1.0 - share) * end,
            high=share * found.high + (1.0 - share) * end,
            n=found.n + left_out,
        )
        for end in (scale.low, scale.high)
    )
    return IfMissing(low=low, high=high)


def _if_missing(
    rows: _Rows, scale: Scale | None, if_complete: Mapping[str, float]
) -> IfMissing | Undefined | Literal["no_scale"]:
    """How far the missing labels could move the mean, whatever made people leave those cases."""
    if scale is None:
        return "no_scale"
    ends = []
    for label in (scale.low, scale.high):
        found = _Rows(_fill(rows.judged, label, if_complete), _fill(rows.unjudged, label, if_complete)).ppi(
            scale
        )
        if isinstance(found, Undefined):
            return found
        ends.append(found.estimate)
    return IfMissing(low=ends[0], high=ends[1])


def _fill(rows: Mapping[str, _Row], label: float, if_complete: Mapping[str, float]) -> dict[str, _Row]:
    return {
        case_id: replace(row, person=label if row.person is None else row.person, probability=chance)
        if (chance := if_complete.get(case_id)) is not None
        else row
        for case_id, row in rows.items()
    }


def _choose(
    naive: Corrected | Undefined, ppi: Corrected | Undefined, *, missing: int, all_labelled: bool
) -> tuple[Quoted, QuoteReason]:
    if isinstance(naive, Undefined):
        return "none", "nothing_judged"
    if isinstance(ppi, Undefined):
        return "naive", "not_correctable"
    if ppi.labels < MIN_LABELS:
        return "naive", "few_labels"
    if missing:
        return "none", "labels_missing"
    return "ppi", "all_labelled" if all_labelled else "known_chances"
