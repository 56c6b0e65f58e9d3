"""A comparison in words: the verdict, the cases that changed, the statistics; methods and notes as details."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from adjudge.analysis.comparison.alike import describe_difference
from adjudge.analysis.comparison.figures import (
    UNIT_SCALE,
    ChangedCase,
    ChangedCases,
    ComparedSide,
    ComparedSlice,
    JudgeComparison,
    JudgedAnswer,
    NotComputed,
)
from adjudge.analysis.comparison.labels_document import agreement_facts, correction_facts
from adjudge.analysis.comparison.plan import MIN_UNITS
from adjudge.analysis.comparison.runs import RunComparison
from adjudge.analysis.comparison.wording import (
    in_clusters,
    show_counts,
    show_difference,
    show_interval,
    show_p,
    show_result,
)
from adjudge.documents.document import (
    Block,
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Heading,
    Intervals,
    Plot,
    PlottedInterval,
    Quote,
    Span,
    Table,
    Text,
    Tone,
    fact,
)
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    counted,
    show_count,
    show_mean,
    show_number,
    show_percent,
    show_rate,
)
from adjudge.records import IN_CODE
from adjudge.stats.clusters import MIN_CLUSTERS
from adjudge.stats.intervals import Estimate
from adjudge.stats.paired import Comparison

_FINDINGS: dict[str, tuple[str, Tone]] = {
    "better": ("B is better", "good"),
    "worse": ("B is worse", "bad"),
    "inconclusive": ("Inconclusive", "warning"),
    "not_measured": ("Not measured", "warning"),
}
_NOT_COMPUTED = {
    "clustered": "it is for independent cases, and these come in clusters",
    "no_pass_rule": "no case has a pass rule in both runs",
    "tied_repeats": "repeats are tied between pass and fail",
    "no_discordant_pairs": "no case passes in one run only",
    "all_differences_zero": "all differences are 0",
    "too_few": "too few cases differ",
}


# ---- two runs ----


def comparison_document(compared: RunComparison, *, margin: float | None = None) -> Document:
    """`margin`: say also whether B is worse by as much."""
    title: tuple[Span, ...] = ("compare ", Quote(compared.a.run), " (A) with ", Quote(compared.b.run), " (B)")
    facts = list(run_facts(compared))
    blocks: list[Block] = [each for each in facts if each.tone == "warning"]
    for judge in compared.judges:
        if len(compared.judges) == 1:
            title = (*title, " · ", judge_title(judge))
        else:
            blocks.append(Heading(text=judge_title(judge)))
        blocks += judge_document(judge, margin=margin).blocks
    blocks += [each for each in facts if each.tone != "warning"]
    reading = "cases are matched by id; differences are B - A; intervals are 95 %"
    blocks.append(fact("how_to_read", "Note", reading, detail=True))
    return Document(title=title, blocks=tuple(blocks))


def run_facts(compared: RunComparison) -> Iterator[Fact]:
    """What holds for all judges: runs that are not whole, and what else differs between them."""
    for letter, run in (("A", compared.a), ("B", compared.b)):
        if run.partial is not None:
            label, _, counts = str(run.partial).partition(" ")
            text = (f"{counts}: run ", Quote(run.run), f" ({letter}) is {run.state} and lacks cases")
            yield fact("partial", label, text, "warning")
    for difference in compared.across:
        yield fact("across", "Across", Quote(describe_difference(difference)), "warning")
    for difference in compared.settings:
        yield fact("setting", "Settings", Quote(describe_difference(difference)))
    other = compared.other_contents
    if other is not None:
        found = f"{other.count} of {counted(other.checked, 'case')} checked have another question or reference in B"
        example = (f"{found} than in A under the same id, such as ", Quote(other.example))
        yield fact("other_contents", "Warning", example, "warning")


def judge_title(judge: JudgeComparison) -> Quote:
    """`correctness`, or `strict@3f9c2a against lenient@1d0b77`."""
    if judge.a.judge == judge.b.judge:
        return Quote(judge.a.judge.rpartition("@")[0])
    return Quote(f"{judge.a.judge} against {judge.b.judge}")


def judge_document(judge: JudgeComparison, *, margin: float | None = None) -> Document:
    """One judge's part; on a page its facts are found by their kind."""
    comparison = judge.comparison
    blocks: list[Block] = [_finding(judge)]
    if comparison is not None:
        if margin is not None:
            blocks.append(_margin(comparison.difference, margin))
        known = judge.finding != "inconclusive"
        blocks.append(fact("detectable", "Detectable", detectable_text(judge), detail=known))
        blocks += [*_warnings(judge, comparison), *_changes(judge)]
    blocks += [_sides(judge), *_left_out(judge), *_notes(judge)]
    if judge.slices:
        blocks += _slices(judge.slices, judge.slices_omitted)
    if judge.agreement is not None:
        blocks += agreement_facts(judge.agreement, same_judge=judge.same_judge)
    if judge.correction is not None:
        blocks += correction_facts(judge.correction)
    if comparison is not None:
        blocks += _methods(judge, comparison)
    return Document(title=judge_title(judge), blocks=tuple(blocks))


def _finding(judge: JudgeComparison) -> Fact:
    label, tone = _FINDINGS[judge.finding]
    if judge.comparison is None:
        return fact("finding", label, "no case was judged in both runs", tone)
    text = show_result(judge.comparison)
    if judge.finding == "inconclusive":
        text += ": neither run was shown to be better"
    evidence = in_clusters(judge.pairs, judge.clusters)
    return Fact(kind="finding", label=label, text=text, tone=tone, aside=evidence)


def verdict(judge: JudgeComparison, name_b: str) -> Fact:
    """The finding as one sentence about B by its name, with the evidence as its aside."""
    label, tone = _FINDINGS[judge.finding]
    comparison = judge.comparison
    if comparison is None:
        return fact("verdict", label, "no case was judged in both runs", tone)
    difference, unit = comparison.difference, DifferenceUnit.of(judge)
    amount = f"{unit.signed(difference.value)}{unit.word}"
    text: Text = ("No clear difference: ", amount)
    if judge.finding in {"better", "worse"}:
        text = (Quote(name_b), f" is {judge.finding}: ", amount)
    sides = [unit.figure(side) for _, side in _letters(judge)]
    evidence = (
        f"95 % interval {unit.signed(difference.low)} to {unit.signed(difference.high)}",
        show_p(comparison.p),
        f"{difference.method.partition(',')[0]} over {in_clusters(judge.pairs, judge.clusters)}",
        " → ".join(sides) if all(sides) else "",
    )
    return Fact(kind="verdict", text=text, tone=tone, aside=" · ".join(filter(None, evidence)))


def difference_plot(judge: JudgeComparison) -> Plot | None:
    """The difference with its interval, then each slice's; None where nothing bounds it."""
    unit, rows = DifferenceUnit.of(judge), []
    parts = [("all cases" if judge.slices else "", judge.comparison)]
    parts += [(f"{part.column}={part.value}", part.comparison) for part in judge.slices]
    for name, comparison in parts:
        figure = None if comparison is None else comparison.difference
        if figure is not None and isfinite(figure.low) and isfinite(figure.high):
            value, low, high = (unit.scaled(each) for each in (figure.value, figure.low, figure.high))
            label = unit.signed(figure.value)
            rows.append(PlottedInterval(name=name, value=value, low=low, high=high, label=label))
    if not rows:
        return None
    reach = 1.15 * max(abs(end) for row in rows for end in (row.low, row.high)) or 1.0
    drawn = Intervals(rows=tuple(rows), axis=(-reach, reach), zero=0.0, zero_label="no difference")
    caption = "; ".join(
        f"{row.name or 'difference'} {row.label}, {row.low:.3g} to {row.high:.3g}" for row in rows
    )
    return Plot(kind="difference", figure=drawn, caption=f"Difference with its 95 % interval: {caption}")


@dataclass(frozen=True, slots=True)
class DifferenceUnit:
    """How a difference is written: passes and fails in points of 100, other scores as they are."""

    points: bool

    @classmethod
    def of(cls, judge: JudgeComparison) -> "DifferenceUnit":
        ruled = judge.a.pass_rate is not None and judge.b.pass_rate is not None
        return cls(points=ruled and judge.scale == UNIT_SCALE and judge.changes.of == "pass")

    @property
    def word(self) -> str:
        return " points" if self.points else ""

    def scaled(self, difference: float) -> float:
        return 100 * difference if self.points else difference

    def signed(self, difference: float) -> str:
        if not isfinite(difference):
            return show_difference(difference).replace("-", "−")
        text = f"{self.scaled(difference):+.{1 if self.points else 2}f}".replace("-", "−")
        return text if text.strip("+−0.") else text[1:]

    def figure(self, side: ComparedSide) -> str:
        if self.points:
            return "" if side.pass_rate is None else show_percent(side.pass_rate.value)
        return "" if side.mean is None else show_number(side.mean.value)


def _margin(difference: Estimate, margin: float) -> Fact:
    if difference.low > -margin:
        return fact("margin", "Margin", f"B is not worse than A by {margin:g} or more", "good")
    if difference.high < -margin:
        return fact("margin", "Margin", f"B is worse than A by more than {margin:g}", "bad")
    return fact("margin", "Margin", f"cannot tell whether B is worse than A by {margin:g}", "warning")


def detectable_text(judge: JudgeComparison) -> str:
    """What so many cases could have shown."""
    comparison, evidence = judge.comparison, in_clusters(judge.pairs, judge.clusters)
    if comparison is None or (comparison.difference.clusters or judge.pairs) < MIN_UNITS:
        return f"{evidence} are too few to show any difference: it takes {MIN_UNITS}"
    if comparison.detectable is None:
        return "unknown: the differences do not vary"
    return (
        f"{evidence} show a true difference of {comparison.detectable:.3f} in 4 of 5 comparisons (80 % power)"
    )


def _warnings(judge: JudgeComparison, comparison: Comparison) -> Iterator[Fact]:
    text = comparison.difference.warning
    if (comparison.difference.clusters or judge.pairs) < MIN_CLUSTERS:
        evidence = in_clusters(judge.pairs, judge.clusters)
        text = f"{evidence}: an interval over fewer than {MIN_CLUSTERS} is unreliable"
    if text:
        yield fact("warning", "Warning", text, "warning")


# ---- changed cases ----


def _changes(judge: JudgeComparison) -> Iterator[Block]:
    changes = judge.changes
    yield _changed(judge, "Regressions", changes.regressions, "bad")
    yield _changed(judge, "Improvements", changes.improvements, "good")
    if changes.of == "pass" and changes.regressions.count + changes.improvements.count:
        yield from _judged_again(judge)


def _judged_again(judge: JudgeComparison) -> Iterator[Fact]:
    """How many of the changes come from the judge, and not from the answers."""
    again = judge.judged_again
    if isinstance(again, Estimate):
        at_most = "at most " if max(judge.a.repeats, judge.b.repeats) > 1 else ""
        low, high = round(again.low * judge.pairs), round(again.high * judge.pairs)
        text = f"judging the same answers again would change {at_most}about {again.value * judge.pairs:,.0f} of {counted(judge.pairs, 'case')}"
        yield fact(
            "judged again", "Noise", f"{text} ({show_count(low)} to {show_count(high)}, 95 % interval)"
        )
    elif {*judge.a.models, *judge.b.models} != {IN_CODE}:
        text = "not known how many of these changes judging the same answers again would make: no case was judged twice"
        yield fact("judged again", "Noise", text)


def _changed(judge: JudgeComparison, label: str, changed: ChangedCases, tone: Tone) -> CaseList:
    text = f"{show_count(changed.count)} of {counted(judge.pairs, 'case')}" if changed.count else "none"
    some = len(changed.cases) < changed.count
    return CaseList(
        kind=label.lower(),
        label=label,
        text=f"{text}, {len(changed.cases)} listed" if some else text,
        cases=tuple(_case_entry(judge, each, worse="B" if tone == "bad" else "A") for each in changed.cases),
        aside=("all: ", Command(f"--flips {changed.count}")) if some else "",
        tone=tone if changed.count else "plain",
    )


def _case_entry(judge: JudgeComparison, changed: ChangedCase, *, worse: str) -> CaseEntry:
    """With both answers, and the judge's reason for the worse verdict."""
    answers = {"A": changed.a, "B": changed.b}
    lines = [(letter, each.response) for letter, each in answers.items() if each.response is not None]
    reason = answers[worse].reason
    if reason:
        lines.append((f"judge on {worse}", reason))
    change = f"{show_verdict(judge, changed.a)} → {show_verdict(judge, changed.b)}"
    return CaseEntry(case_id=changed.case_id, question=changed.question, lines=tuple(lines), change=change)


def show_verdict(judge: JudgeComparison, answer: JudgedAnswer) -> str:
    """`pass`, `fail (2)`, or the score alone."""
    if answer.passed is None:
        return f"{answer.score:g}"
    word = "pass" if answer.passed else "fail"
    ends = () if judge.scale is None else (judge.scale.low, judge.scale.high)
    return word if answer.score in ends else f"{word} ({answer.score:g})"


# ---- statistics ----


def _sides(judge: JudgeComparison) -> Table:
    same = judge.a.models == judge.b.models
    header = ("", "Run", *(() if same else ("Model",)), "Cases", "Mean", "Pass rate")
    rows: list[tuple[Text, ...]] = []
    for letter, side in _letters(judge):
        models = () if same else (Quote(", ".join(side.models) or NOTHING_TO_SHOW),)
        figures = (show_count(side.cases), show_mean(side.mean), show_rate(side.pass_rate))
        rows.append((letter, Quote(side.run), *models, *figures))
    return Table(kind="sides", header=header, rows=tuple(rows), numeric=(len(header) - 3,))


def _left_out(judge: JudgeComparison) -> Iterator[Fact]:
    """What could not be compared, and what it could have done to the difference."""
    if judge.not_judged:
        a, b = (show_counts((n, kind) for kind, n in side.not_judged.items()) for _, side in _letters(judge))
        cases = counted(judge.not_judged, "matched case")
        text = f"{cases} not judged in both runs: A {a or 'none'}; B {b or 'none'}"
        yield fact("not_judged", "Left out", text, "warning")
        if judge.bounds is not None:
            low, high = show_difference(judge.bounds.low), show_difference(judge.bounds.high)
            yield fact(
                "bounds", "Left out", f"the difference is between {low} and {high} (95 %), depending on them"
            )
    unmatched = show_counts((side.unmatched, f"only in {letter}") for letter, side in _letters(judge))
    if unmatched:
        yield fact("unmatched", "Left out", f"cases of one run: {unmatched}")
    unread = show_counts((side.unread_rows, f"in {letter}") for letter, side in _letters(judge))
    if unread:
        yield fact("unread_rows", "Left out", f"rows that could not be read: {unread}")


def _notes(judge: JudgeComparison) -> Iterator[Fact]:
    if judge.lower_is_better:
        text = "lower is better on this scale, so the difference is A - B: above 0, B is better"
        yield fact("direction", "Note", text)
    if judge.normalized:
        text = "the judges' scales differ, so scores were put on a scale of 0 to 1, 1 being best"
        yield fact("normalized", "Note", text)
    if judge.pass_rules_differ:
        cases = counted(judge.pass_rules_differ, "case")
        text = f"{cases} with the same score in both pass in one run only: the pass rules (--pass) differ"
        yield fact("pass_rules", "Note", text)
    if judge.clusters_differ:
        cases = counted(judge.clusters_differ, "case")
        yield fact("clusters_differ", "Note", f"{cases} have another cluster in B than in A: A's was used")
    a, b = judge.a.snapshots, judge.b.snapshots
    if a and b and set(a) != set(b):
        ran = ("the provider ran ", Quote(", ".join(a)), " in A and ", Quote(", ".join(b)), " in B")
        yield fact("snapshots", "Note", (*ran, ": the difference may be the model's own"))
    for letter, side in _letters(judge):
        if side.repeats > 1:
            text = f"{letter} judged each case {side.repeats} times; a case counts once, with its mean, and changes by majority"
            if side.repeats_not_scored:
                text += f"; {counted(side.repeats_not_scored, 'repeat')} without a score left out"
            yield fact("repeats", "Note", text, detail=True)


def _methods(judge: JudgeComparison, comparison: Comparison) -> Iterator[Fact]:
    """Which judge, how p and the interval were made, and the tests that do not decide."""
    for letter, side in _letters(judge):
        names = Quote(f"{letter} {side.judge} · {', '.join(side.models) or NOTHING_TO_SHOW}")
        yield fact("judge", "Judge", names, detail=True)
    error = f", p known to ±{2 * comparison.p_error:.3f}" if comparison.p_error >= 0.000_25 else ""
    yield fact("method", "Test", f"{comparison.difference.method}{error}", detail=True)
    size, tests = comparison.effect_size, judge.secondary
    text = "unknown: the differences do not vary" if size is None else f"{size:+.2f} (Cohen's d_z)"
    yield fact("effect_size", "Effect size", text, detail=True)
    passes = f"only A passed {show_count(tests.only_a_passed)}, only B {show_count(tests.only_b_passed)}"
    yield fact(
        "secondary", "Secondary", f"McNemar (mid-p): {_secondary(tests.mcnemar)} ({passes})", detail=True
    )
    yield fact("secondary", "Secondary", f"Wilcoxon (Pratt): {_secondary(tests.wilcoxon)}", detail=True)


def _secondary(p: float | NotComputed) -> str:
    if not isinstance(p, NotComputed):
        return show_p(p)
    cases = "" if p.cases is None else f" in {counted(p.cases, 'case')}"
    return f"not computed: {_NOT_COMPUTED[p.reason]}{cases}"


def _slices(slices: Sequence[ComparedSlice], omitted: Mapping[str, int]) -> Iterator[Block]:
    header = ("Slice", "Cases", "Difference", "p (Holm)", "Detectable", "Finding")
    yield Table(kind="slices", header=header, rows=tuple(map(_slice_row, slices)), numeric=(1,))
    for column, count in omitted.items():
        text = (f"not shown: {show_count(count)} further values of ", Quote(column))
        yield fact("slices_omitted", "Slices", text)
    many = counted(len(slices), "slice")
    method = f"{many} tested together: p by Holm's method, intervals each slice's own"
    yield fact("slices_method", "Slices", method, detail=True)


def _slice_row(part: ComparedSlice) -> tuple[Text, ...]:
    difference, least = part.comparison.difference, part.comparison.detectable
    units = difference.clusters or difference.n
    remark = "too few" if units < MIN_CLUSTERS else ""
    return (
        Quote(f"{part.column}={part.value}"),
        show_count(difference.n),
        show_interval(difference),
        show_p(part.p_holm).removeprefix("p = ").removeprefix("p "),
        NOTHING_TO_SHOW if least is None or units < MIN_UNITS else f"{least:.3f}",
        remark if part.finding == "inconclusive" else _FINDINGS[part.finding][0],
    )


def _letters(judge: JudgeComparison) -> tuple[tuple[str, ComparedSide], tuple[str, ComparedSide]]:
    return ("A", judge.a), ("B", judge.b)
