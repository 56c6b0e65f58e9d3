"""The sentences of a corrected difference: both figures, what they rest on, and which of them to quote."""

from adjudge.reports.compare_corrected import CorrectedDifference, Correction
from adjudge.reports.compare_words import counted, show_interval
from adjudge.reports.format import show_count
from adjudge.stats.intervals import Undefined

NOT_DECIDING = "the test above, and the gates, are of the judge's own difference"


def corrected_lines(correction: Correction | Undefined) -> list[str]:
    """One line where nothing could be corrected: why."""
    if isinstance(correction, Undefined):
        return [f"not corrected by people's labels: {correction.why}"]
    lines = [line for each in correction.differences for line in _difference(each)]
    selection = correction.selection
    lines.append(
        f"labels: of {show_count(correction.labelled_a)} of A's answers and {show_count(correction.labelled_b)} of B's, "
        f"both for {counted(correction.labelled_both, 'case')}; {selection.words}"
    )
    rest = [
        f"{show_count(count)} {words}"
        for count, words in (
            (selection.missing, "drawn and not labelled on both sides yet"),
            (selection.unknown, "labelled on both sides by another way, and not used"),
            (selection.outside, "not there to be drawn, and not in these figures"),
            (correction.tuned_on, "left out, because the judge was tuned on their labels"),
        )
        if count
    ]
    if rest:
        lines.append(f"cases: {', '.join(rest)}")
    return [*lines, NOT_DECIDING]


def _difference(each: CorrectedDifference) -> list[str]:
    judge = f"difference of the {each.of}: the judge's own {show_interval(each.naive)}"
    if isinstance(each.ppi, Undefined):
        return [judge, f"quote the judge's own: {each.why}"]
    estimate = each.ppi.estimate
    lines = [
        f"{judge}; corrected {show_interval(estimate)}, {estimate.method}",
        f"the corrected one estimates {each.ppi.target}",
    ]
    if estimate.warning:
        lines.append(f"warning: {estimate.warning}")
    which = "the corrected one" if each.quote == "ppi" else "the judge's own"
    return [*lines, f"quote {which}: {each.why}"]
