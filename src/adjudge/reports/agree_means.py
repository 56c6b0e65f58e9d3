"""What people would say on average: the judge's own mean, the corrected ones, and which of them to quote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from adjudge.records import Scale
from adjudge.reports.agree_rows import Label, Verdict
from adjudge.reports.agree_selection import Selection
from adjudge.stats.corrected import FEWEST_LABELS, Corrected, JudgedCase, naive_mean, ppi_mean, rogan_gladen
from adjudge.stats.intervals import Estimate, Undefined

Quote = Literal["ppi", "naive", "none"]
_RATE = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class IfMissing:
    """PPI++, had every drawn case without a label got the lowest label, or the highest."""

    low: Estimate
    high: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Means:
    """One mean of the run, three ways."""

    of: Literal["pass rate", "mean score"]
    naive: Corrected | Undefined
    rogan_gladen: Corrected | Undefined | None
    """None for a mean that is no rate."""
    ppi: Corrected | Undefined
    quote: Quote
    why: str
    if_missing: IfMissing | Undefined | None = None
    """None where no drawn case lacks a label."""


def pass_rate_means(
    cases: Mapping[str, Sequence[Verdict]], labels: Mapping[str, Sequence[Label]], selection: Selection
) -> Means | None:
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
    return _means("pass rate", rows, _RATE, _rogan_gladen(list(rows.values())), selection)


def score_means(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    selection: Selection,
    scale: Scale | None,
) -> Means | None:
    """Of scores that people gave on the judge's own scale."""
    rows = {
        verdicts[0].case_id: _row([verdict.score for verdict in verdicts], verdicts, labels, selection)
        for verdicts in _framed(cases, selection)
    }
    return _means("mean score", rows, scale, None, selection) if rows else None


def _framed(cases: Mapping[str, Sequence[Verdict]], selection: Selection) -> list[Sequence[Verdict]]:
    return [verdicts for case_id, verdicts in cases.items() if case_id in selection.frame]


def _row(
    said: Sequence[float],
    verdicts: Sequence[Verdict],
    labels: Mapping[str, Sequence[Label]],
    selection: Selection,
) -> JudgedCase:
    first = verdicts[0]
    given = labels.get(first.case_id)
    known = selection.kind == "unknown" or first.case_id in selection.chances
    return JudgedCase(
        judge=fmean(said),
        person=fmean(float(label.says) for label in given) if given and known else None,
        probability=selection.chances.get(first.case_id),
        cluster=first.cluster,
    )


def _rogan_gladen(rows: Sequence[JudgedCase]) -> Corrected | Undefined:
    split = sum(row.judge not in (0.0, 1.0) for row in rows)
    if split:
        return Undefined(why=f"the repeats of {split} cases differ, and it knows only passes and fails")
    split = sum(row.person not in (None, 0.0, 1.0) for row in rows)
    if split:
        return Undefined(why=f"people differ on {split} cases, and it knows only passes and fails")
    return rogan_gladen(rows)


def _means(
    of: Literal["pass rate", "mean score"],
    rows: Mapping[str, JudgedCase],
    scale: Scale | None,
    by_errors: Corrected | Undefined | None,
    selection: Selection,
) -> Means:
    judged = list(rows.values())
    naive, ppi = naive_mean(judged, scale), ppi_mean(judged, scale)
    quote, why = _choose(naive, by_errors, ppi, selection)
    return Means(
        of=of,
        naive=naive,
        rogan_gladen=by_errors,
        ppi=ppi,
        quote=quote,
        why=why,
        if_missing=_if_missing(rows, scale, selection) if selection.missing else None,
    )


def _if_missing(
    rows: Mapping[str, JudgedCase], scale: Scale | None, selection: Selection
) -> IfMissing | Undefined:
    """How far the missing labels could move the mean, whatever made people leave those cases."""
    if scale is None:
        return Undefined(
            why="the judge's scale is not known, so the missing labels have no lowest or highest"
        )
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
    naive: Corrected | Undefined,
    by_errors: Corrected | Undefined | None,
    ppi: Corrected | Undefined,
    selection: Selection,
) -> tuple[Quote, str]:
    if isinstance(naive, Undefined):
        return "none", naive.why
    if isinstance(ppi, Undefined):
        return (
            "naive",
            f"it is the judge's own mean, which is the people's only if its errors cancel: {ppi.why}",
        )
    if ppi.labels < FEWEST_LABELS:
        return (
            "naive",
            f"it is the judge's own mean, and {ppi.labels} labels are too few to say how far off it is",
        )
    if selection.missing:
        drawn = len(selection.if_complete)
        return (
            "none",
            (
                f"{selection.missing} of {drawn} drawn cases have no label yet, and PPI++ supposes that these are like the "
                "labelled ones: label the rest (`--next 0` writes them), or quote the bounds"
            ),
        )
    if selection.kind == "all":
        return (
            "ppi",
            "every judged case has a label, so it is the people's own mean and owes the judge nothing",
        )
    why = (
        "it holds whatever errors the judge makes, if every drawn case was labelled and the judge was not tuned on these "
        "labels, because the cases were drawn with known chances"
    )
    if isinstance(by_errors, Corrected):
        apart = by_errors.estimate.low > ppi.estimate.high or by_errors.estimate.high < ppi.estimate.low
        why += "; Rogan-Gladen estimates the same mean from the judge's two error rates"
        why += ", and does not agree: look at the labels" if apart else ", and agrees"
    if not ppi.estimate.low <= naive.estimate.value <= ppi.estimate.high:
        why += "; the judge's own mean lies outside its interval"
    return "ppi", why
