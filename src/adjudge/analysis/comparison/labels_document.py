"""What people's labels say of a comparison, in words: who agrees more with them, and the corrected difference."""

from collections.abc import Iterator, Mapping

from adjudge.analysis.comparison.corrected import CorrectedDifference, Correction, LabelCounts, NotCorrected
from adjudge.analysis.comparison.people import AgreementComparison
from adjudge.analysis.comparison.wording import show_counts, show_interval, show_result
from adjudge.documents.document import Command, Fact, Quote, Span, fact
from adjudge.documents.numbers import counted, show_count, show_mean, show_rate
from adjudge.stats.intervals import Undefined
from adjudge.stats.selection import SelectionKind

_NOT_CORRECTED = {
    "judges_differ": "A and B have different judges, and a label answers one judge's question",
    "scales_differ": "the judge has a different scale in each run",
    "same_responses": "both runs judged the same responses; --labels says which run agrees more with people",
    "no_pass_rule": "the labels are passes and fails, and the judge has no pass rule in both runs",
}

_ESTIMATES = "how much better people would rate B, on average over the cases that these were drawn from"

_SELECTED: Mapping[SelectionKind, str] = {
    "all": "every case judged in both runs has labels on both sides",
    "random": "a uniform random sample",
    "draw": "drawn with known sampling probabilities",
    "separate_draws": "drawn for each run alone, with known sampling probabilities",
    "no_label": "no case has labels on both sides",
    "unknown": "how the labelled cases were chosen is not known for both runs",
    "same_seed": "each run's cases were drawn alone and by the same seed, so the chance of labels on both sides is unknown",
}


def agreement_facts(agreement: AgreementComparison, *, same_judge: bool) -> Iterator[Fact]:
    """Which judge people would rather have; with one judge in both runs, on whose answers it does better."""
    comparison = agreement.comparison
    left_out = show_counts(
        (
            (agreement.not_judged, "not judged in both runs"),
            (agreement.unusable, "without a label for both sides, or on which people are tied"),
            (agreement.unknown, "of cases that are not in both runs"),
        )
    )
    if comparison is None:
        labelled = counted(agreement.labelled, "labelled case")
        text = f"of {labelled}, {left_out}" if agreement.labelled else "no case of both runs has a label"
        yield fact("agreement", "Labels", f"agreement with people was not measured: {text}", "warning")
        return
    text = "neither was shown to agree more with people"
    if comparison.significant:
        more = "B" if comparison.difference.value > 0 else "A"
        text = (
            f"the judge agrees more with people in {more}"
            if same_judge
            else f"{more} agrees more with people"
        )
    text = f"{text}: {show_result(comparison)}"
    if not comparison.significant and comparison.detectable is not None:
        text += f"; a true difference of {comparison.detectable:.3f} is shown in 4 of 5 comparisons"
    yield fact("agreement", "Labels", text)
    show, meaning = show_mean, "mean of 1 - |score - label| / the scale's length"
    if agreement.shares:
        show, meaning = show_rate, "share of cases judged as people did"
    cases = counted(comparison.difference.n, "labelled case")
    text = f"A {show(agreement.a)}, B {show(agreement.b)} of {cases} ({meaning})"
    yield fact("agreement_sides", "Labels", text)
    if left_out:
        yield fact("agreement_left_out", "Labels", f"left out: {left_out}")


def correction_facts(correction: Correction | NotCorrected) -> Iterator[Fact]:
    if isinstance(correction, NotCorrected):
        yield fact("not_corrected", "Corrected", ("not by people's labels: ", *_not_corrected(correction)))
        return
    selection = correction.selection
    for each in correction.differences:
        yield from _corrected(each, selection.missing)
    labels = f"{_label_counts(correction.labelled)}; {_SELECTED[selection.kind]}"
    yield fact("correction_labels", "Corrected", labels)
    left_out = show_counts(
        (
            (selection.missing, "drawn and not labelled on both sides yet"),
            (selection.unknown, "labelled on both sides, not by a draw, and not used"),
            (selection.outside, "not there when the draw was made, and not in these figures"),
            (correction.tuned_on, "left out, because the judge was tuned on their labels"),
        )
    )
    if left_out:
        yield fact("correction_left_out", "Corrected", f"cases: {left_out}")
    conditions = (
        "the corrected difference holds if every drawn case was labelled and the judge was not tuned on these labels; the finding and the "
        "gates are of the judge's own difference"
    )
    yield fact("correction_conditions", "Corrected", conditions, detail=True)


def _corrected(each: CorrectedDifference, missing: int) -> Iterator[Fact]:
    own = f"{show_interval(each.naive)} by the judge"
    ppi = each.ppi
    if isinstance(ppi, Undefined):
        yield fact("corrected", "Corrected", f"{each.of} {own}")
        yield fact(
            "quote", "Corrected", f"quote the judge's own difference, reported as the judge's: {ppi.why}"
        )
        return
    estimate = ppi.estimate
    text = f"{each.of} {show_interval(estimate)} by people's labels, {own}"
    yield fact("corrected", "Corrected", text)
    if estimate.warning:
        yield fact("warning", "Corrected", estimate.warning, "warning")
    outside = not estimate.low <= each.naive.value <= estimate.high
    why = {
        "few_labels": f"{ppi.labels} cases labelled on both sides are too few",
        "labels_missing": f"{missing} drawn cases are not labelled on both sides yet",
        "all_labelled": "every case has labels on both sides, so it is what people say",
        "drawn": "it holds whatever errors the judge makes on either side"
        + ("; the judge's own lies outside its interval" if outside else ""),
    }[each.why]
    which = (
        "the corrected difference"
        if each.quote == "ppi"
        else "the judge's own difference, reported as the judge's"
    )
    yield fact("quote", "Corrected", f"quote {which}: {why}")
    method = f"{estimate.method}; estimates {_ESTIMATES}"
    yield fact("correction_method", "Corrected", method, detail=True)


def _not_corrected(correction: NotCorrected) -> tuple[Span, ...]:
    if correction.problem is not None:
        return (Quote(correction.problem),)
    if correction.selection is not None and correction.labelled is not None:
        counts = _label_counts(correction.labelled)
        draws = (
            Command("adjudge agree A --next 100 --uniform 1"),
            Command("adjudge agree B --next 100 --uniform 1"),
        )
        return (
            f"{_SELECTED[correction.selection.kind]} ({counts}); ",
            draws[0],
            " and ",
            draws[1],
            " draw the same cases",
        )
    return (_NOT_CORRECTED[correction.reason],)


def _label_counts(labelled: LabelCounts) -> str:
    a, b = show_count(labelled.a), show_count(labelled.b)
    return f"labels of {a} of A's answers and {b} of B's, of both for {counted(labelled.both, 'case')}"
