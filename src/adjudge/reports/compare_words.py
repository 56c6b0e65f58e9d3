"""The sentences of a comparison: what was found, how far it reaches, and what was left out."""

from collections.abc import Mapping, Sequence
from math import isfinite

from adjudge.reports.compare import Compared, Flip, Side, Slice
from adjudge.reports.compare_people import People
from adjudge.reports.compare_plan import FEWEST_UNITS
from adjudge.reports.format import NOTHING_TO_SHOW, shorten, show_count, show_mean, show_rate, visible
from adjudge.stats.clusters import FEWEST_CLUSTERS
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.paired import Comparison

LONGEST_REASON = 160


def show_difference(value: float) -> str:
    """A signed difference with three decimals."""
    if not isfinite(value):
        return "+∞" if value > 0 else "-∞"
    text = f"{value:+.3f}"
    return "0.000" if text in {"-0.000", "+0.000"} else text


def show_p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def show_interval(estimate: Estimate) -> str:
    """`+0.070 [+0.021, +0.119]`."""
    return f"{show_difference(estimate.value)} [{show_difference(estimate.low)}, {show_difference(estimate.high)}]"


def finding(compared: Compared, margin: float | None = None) -> str:
    """The one sentence to quote."""
    comparison = compared.comparison
    if comparison is None:
        return "not measured: no case was judged in both runs"
    shown = f"{show_interval(comparison.difference)}, {show_p(comparison.p)}"
    if margin is not None:
        low, high = comparison.difference.low, comparison.difference.high
        if low > -margin:
            if low > 0:
                return f"B is better: {shown}"
            less = "B is worse than A, by less than" if high < 0 else "B is not worse than A by as much as"
            return f"{less} {margin:g}: {shown}"
        if high < -margin:
            return f"B is worse than A by more than {margin:g}: {shown}"
        if compared.finding != "worse":
            return f"inconclusive: B may or may not be worse by {margin:g}: {shown}. {detectable(compared)}"
    match compared.finding:
        case "better" | "worse" as which:
            return f"B is {which}: {shown}"
        case _:
            return f"inconclusive: neither run was shown to be better: {shown}. {detectable(compared)}"


def detectable(compared: Compared) -> str:
    comparison = compared.comparison
    if comparison is None:
        return "Nothing could have been shown."
    if (comparison.difference.clusters or compared.pairs) < FEWEST_UNITS:
        return f"{evidence(compared)} can show no difference, however large: it takes {FEWEST_UNITS}."
    if isinstance(comparison.detectable, Undefined):
        return f"What could have been shown is not known: {comparison.detectable.why}."
    return (
        f"{evidence(compared)} would show a true difference of {comparison.detectable:.3f} "
        "in 4 of 5 such comparisons, and smaller ones less often."
    )


def evidence(compared: Compared) -> str:
    cases = counted(compared.pairs, "case")
    return cases if compared.clusters is None else f"{cases} in {counted(compared.clusters, 'cluster')}"


def counted(count: int, noun: str) -> str:
    return f"{show_count(count)} {noun}{'' if count == 1 else 's'}"


def how(comparison: Comparison) -> str:
    """How p and the interval were made."""
    error = f", p known to ±{2 * comparison.p_error:.3f}" if comparison.p_error >= 0.000_25 else ""
    return f"{comparison.difference.method}{error}"


def facts(compared: Compared) -> list[str]:
    """What stands beneath the table: all of it true whatever was found."""
    lines: list[str] = []
    comparison = compared.comparison
    if compared.turned:
        lines.append("lower is better on this scale, so the difference is A - B: above 0, B is better")
    if compared.normalized:
        lines.append("the judges' scales differ, so scores were put on a scale of 0 to 1, 1 being best")
    if comparison is not None:
        size = comparison.effect_size
        shown = f"unknown: {size.why}" if isinstance(size, Undefined) else f"{size:+.2f} standard deviations"
        lines.append(f"effect size: {shown} of the paired differences (Cohen's d_z)")
        if compared.finding in {"better", "worse"}:
            lines.append(f"detectable: {detectable(compared)}")
        if (comparison.difference.clusters or compared.pairs) < FEWEST_CLUSTERS:
            lines.append(
                f"warning: {evidence(compared)}: an interval over fewer than {FEWEST_CLUSTERS} is unreliable"
            )
        elif comparison.difference.warning:
            lines.append(f"warning: {comparison.difference.warning}")
    lines += left_out(compared)
    lines.append(secondary(compared))
    if compared.ruled_otherwise:
        lines.append(
            f"{counted(compared.ruled_otherwise, 'case')} of the same score in both pass in one run only: "
            "the runs had different pass rules (--pass)"
        )
    if compared.clusters_differ:
        lines.append(
            f"{counted(compared.clusters_differ, 'case')} of another cluster in B than in A: A's was used"
        )
    for name, side in (("A", compared.a), ("B", compared.b)):
        if side.repeats > 1:
            lost = (
                f"; {counted(side.repeats_lost, 'repeat')} without a score left out"
                if side.repeats_lost
                else ""
            )
            lines.append(f"{name} judged each case {side.repeats} times; a case's mean counts once{lost}")
    if (
        compared.a.snapshots
        and compared.b.snapshots
        and set(compared.a.snapshots) != set(compared.b.snapshots)
    ):
        lines.append(
            f"the provider ran {_names(compared.a.snapshots)} in A and {_names(compared.b.snapshots)} in B: "
            "a difference may be the model's own"
        )
    return lines


def secondary(compared: Compared) -> str:
    """The tests that do not decide; none where cases come in clusters, which they know nothing of."""
    passed = (
        f"only A passed {show_count(compared.only_a_passed)}, only B {show_count(compared.only_b_passed)}"
    )
    if compared.clusters is not None and isinstance(compared.wilcoxon, Undefined):
        return f"{passed}; McNemar and Wilcoxon not computed: {compared.wilcoxon.why}"
    return (
        f"secondary, beside the test that decides: McNemar (mid-p) {_secondary(compared.mcnemar)} ({passed}); "
        f"Wilcoxon (Pratt) {_secondary(compared.wilcoxon)}"
    )


def left_out(compared: Compared) -> list[str]:
    """What could not be compared, and what it could have done to the difference."""
    lines = []
    if compared.lost:
        lines.append(
            f"{counted(compared.lost, 'matched case')} not judged in both runs: "
            f"A {outcomes(compared.a.lost)}; B {outcomes(compared.b.lost)}"
        )
        if compared.bounds is not None:
            low, high = show_difference(compared.bounds.low), show_difference(compared.bounds.high)
            lines.append(
                f"the difference, had those been as bad for B as the scale allows: {low}; as good: {high}"
            )
    alone = [f"{show_count(side.alone)} only in {name}" for name, side in _sides(compared) if side.alone]
    if alone:
        lines.append(f"cases without a partner, left out: {', '.join(alone)}")
    unread = [f"{show_count(side.no_id)} in {name}" for name, side in _sides(compared) if side.no_id]
    if unread:
        lines.append(f"rows that could not be read, and so not matched: {', '.join(unread)}")
    return lines


def outcomes(kinds: Mapping[str, int]) -> str:
    """`2 unreadable, 1 refused`."""
    return ", ".join(f"{show_count(count)} {kind}" for kind, count in kinds.items()) or "none"


def people_lines(people: People | Undefined, *, one_judge: bool = False) -> list[str]:
    """Which judge people would rather have; with one judge in both runs, on whose answers it does better."""
    if isinstance(people, Undefined):
        return [f"agreement with people was not measured: {people.why}"]
    show = show_rate if people.shares else show_mean
    comparison = people.comparison
    if comparison.significant:
        more = "B" if comparison.difference.value > 0 else "A"
        verdict = (
            f"the judge agrees more with people in {more}" if one_judge else f"{more} agrees more with people"
        )
    elif isinstance(comparison.detectable, Undefined):
        verdict = "inconclusive: neither was shown to agree more with people"
    else:
        verdict = (
            "inconclusive: neither was shown to agree more with people; a true difference of "
            f"{comparison.detectable:.3f} would have been in 4 of 5 such comparisons"
        )
    meaning = (
        "the share of cases judged as people did"
        if people.shares
        else "1 - |score - label| / the scale's length, averaged"
    )
    lines = [
        f"{verdict}: {show_interval(comparison.difference)}, {show_p(comparison.p)}",
        f"A {show(people.a)}, B {show(people.b)} over {counted(people.cases, 'labelled case')}: {meaning}",
    ]
    rest = [
        f"{show_count(count)} {words}"
        for count, words in (
            (people.lost, "not judged in both runs"),
            (people.unusable, "without a label for both sides, or on which people are tied"),
            (people.unknown, "of cases that are not in both runs"),
        )
        if count
    ]
    return [*lines, f"labels left out: {', '.join(rest)}"] if rest else lines


def slice_name(part: Slice) -> str:
    return visible(f"{part.column}={part.value}")


def slices_line(slices: Sequence[Slice], left: Mapping[str, int]) -> str:
    many = f"{counted(len(slices), 'slice')} tested together: p by Holm's method, intervals each slice's own"
    more = [f"{show_count(count)} further values of {visible(column)}" for column, count in left.items()]
    return f"{many}; not shown: {', '.join(more)}" if more else many


def flip_line(flip: Flip) -> str:
    """`case q17: 1 -> 0 (-1.000, now fails)`, on one line."""
    turned = ""
    if flip.passed_a is not None and flip.passed_b is not None and flip.passed_a is not flip.passed_b:
        turned = ", now passes" if flip.passed_b else ", now fails"
    return visible(
        f"case {flip.case_id}: {flip.a:g} -> {flip.b:g} ({show_difference(flip.difference)}{turned})"
    )


def reason_line(side: str, reason: str | None) -> str | None:
    return None if not reason else visible(shorten(f"{side}: {reason}", LONGEST_REASON))


def flips_heading(compared: Compared) -> str:
    flips = compared.flips
    what = "turned between pass and fail" if flips.kind == "passes" else "changed their score"
    total = flips.better + flips.worse
    heading = f"{show_count(total)} of {counted(compared.pairs, 'case')} {what}: {show_count(flips.worse)} worse, {show_count(flips.better)} better"
    return (
        f"{heading}; the {len(flips.shown)} largest" if len(flips.shown) < total and flips.shown else heading
    )


def model_of(side: Side) -> str:
    return visible(", ".join(side.models)) or NOTHING_TO_SHOW


def _names(names: Sequence[str]) -> str:
    return visible(", ".join(names))


def _secondary(p: float | Undefined) -> str:
    return f"not computed ({p.why})" if isinstance(p, Undefined) else show_p(p)


def _sides(compared: Compared) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("A", compared.a), ("B", compared.b)
