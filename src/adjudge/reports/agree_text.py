"""Agreement with people in words and columns, for a terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from adjudge.reports.agree import AgreeReport, Disagreement
from adjudge.reports.agree_figures import Agreement, People
from adjudge.reports.agree_labels import Meaning
from adjudge.reports.agree_means import Means
from adjudge.reports.format import shorten, show_count, visible, whole
from adjudge.stats.ceiling import AltTest, Ceiling
from adjudge.stats.corrected import Corrected
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.thresholds import Trial

NAMES = {
    "accuracy": "accuracy (same label)",
    "within_one_step": "within one step",
    "precision": "precision of passes",
    "recall": "recall of passes",
    "f1": "F1 of passes",
    "macro_f1": "F1, mean over labels",
    "mcc": "Matthews correlation",
    "kappa": "Cohen's kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear weights",
    "ac2_quadratic": "Gwet's AC2, quadratic weights",
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall": "Kendall's tau-b",
    "mean_absolute_error": "mean absolute error",
}
"""What each figure is called, in the order in which they are shown."""
_IN_SLICES = {
    "pass or fail": ("accuracy", "kappa"),
    "score": ("accuracy", "within_one_step", "mean_absolute_error", "spearman"),
}
_LONGEST = 300


def agree_text(report: AgreeReport) -> str:
    blocks = [
        _head(report),
        *(_agreement(each) for each in report.agreements),
        _people(report.people, weighted=any(each.weighted for each in report.agreements)),
        _threshold(report),
        *(_means(each) for each in report.means),
        _slices(report),
        _disagreements(report),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(report: AgreeReport) -> list[str]:
    lines = [
        f"{visible(report.judge)}@{report.judge_hash}, {visible(report.model)}, run {visible(report.run_id)}",
        f"labels: {_counts(report)}, from {visible(report.source)}{_by(report)}",
    ]
    if report.replaced:
        lines.append(
            f"  {show_count(report.replaced)} of the cases' own labels are left out: the same annotator has a stored "
            "label of the case, which was given later"
        )
    if report.refused:
        lines.append(f"  the cases' own labels are left out: {_one_line(report.refused)}")
    if report.not_judged:
        outcomes = ", ".join(f"{count} {kind}" for kind, count in report.not_judged.items())
        beside = (
            f"; {show_count(report.labelled_not_judged)} of them have a label, and are in no figure below"
            if report.labelled_not_judged
            else ""
        )
        lines.append(f"not judged: {show_count(sum(report.not_judged.values()))} ({outcomes}){beside}")
    if report.elsewhere:
        lines.append(f"left out: {show_count(report.elsewhere)} labels of cases that this run does not have")
    if report.tuned_on:
        lines.append(
            f"left out: {show_count(report.tuned_on)} cases whose labels the judge was tuned on (`split` is `tune`); "
            "they are in no figure below"
        )
    if report.seen_verdict:
        lines.append(
            f"left out: {show_count(report.seen_verdict)} labels that were given after seeing the verdict"
        )
    selection = report.selection
    if selection.words:
        lines.append(f"chosen: {selection.words}")
    if selection.missing:
        lines.append(
            f"  {show_count(selection.missing)} drawn cases have no label yet; the figures suppose that these are like "
            "the labelled ones of their draw. Labelled so far:"
        )
        lines += [
            f"    {each.of}: {show_count(each.labelled)} of {show_count(each.drawn)} ({each.labelled / each.drawn:.0%})"
            for each in report.responses
            if each.drawn
        ]
    if selection.kind == "draw" and selection.unknown:
        lines.append(
            f"  {show_count(selection.unknown)} further labelled cases were chosen nobody knows how: "
            + (
                "they are in no figure below"
                if selection.weights
                else "they are in the agreement and not in the corrected means"
            )
        )
    if selection.outside:
        lines.append(
            f"  {show_count(selection.outside)} cases were not there to be drawn, and are not in the means"
        )
    return lines


def _counts(report: AgreeReport) -> str:
    on = f"{show_count(report.labelled)} of {show_count(report.judged)} judged cases"
    return f"{show_count(report.labels)} on {on}"


def _by(report: AgreeReport) -> str:
    people = [name for name in report.annotators if name not in report.adjudicators]
    by = f", by {_names(people)}" if any(people) else ""
    return f"{by}; settled by {_names(report.adjudicators)}" if report.adjudicators else by


def _names(annotators: Sequence[str]) -> str:
    named = [visible(shorten(name, 40)) or "nobody named" for name in annotators]
    return ", ".join(named[:8]) + (f" and {len(named) - 8} more" if len(named) > 8 else "")


def _agreement(agreement: Agreement) -> list[str]:
    title = "Passes and fails" if agreement.kind == "pass or fail" else "Scores"
    several = f" of {show_count(agreement.cases)} cases" if agreement.cases != agreement.rows else ""
    lines = [f"{title} (n = {show_count(agreement.rows)} verdicts beside labels{several})"]
    if agreement.weighted:
        lines.append(
            "  of the whole run: each label counts with one over its chance, because the draw prefers doubtful cases"
        )
    shown = {NAMES.get(name, name): agreement.figures[name] for name in NAMES if name in agreement.figures}
    lines += _figures(shown)
    if agreement.missing_extra:
        lines.append(f"  more figures: {_one_line(agreement.missing_extra)}")
    if agreement.confusion:
        lines += ["", *_confusion(agreement)]
        if agreement.weighted:
            lines.append("  (counts of labelled cases, not weighted)")
    return lines


def _figures(figures: Mapping[str, Estimate | Undefined]) -> list[str]:
    """One a line; what most intervals have in common is said once, below."""
    if not figures:
        return []
    width = max(map(len, figures))
    methods = Counter(figure.method for figure in figures.values() if isinstance(figure, Estimate))
    usual = max(methods, key=lambda method: methods[method], default=None)
    lines = []
    for name, figure in figures.items():
        if isinstance(figure, Undefined):
            lines.append(f"  {name:<{width}}  none: {_one_line(figure.why)}")
            continue
        aside = [] if figure.method == usual else [figure.method]
        lines.append(f"  {name:<{width}}  {_interval(figure)}{_aside(aside)}")
    estimates = [figure for figure in figures.values() if isinstance(figure, Estimate)]
    if usual is not None:
        clusters = sorted({figure.clusters for figure in estimates if figure.clusters is not None})
        over = f", over {show_count(clusters[0])} clusters" if len(clusters) == 1 else ""
        lines.append(f"  95% intervals: {usual}{over}")
    lines += [f"  warning: {text}" for text in dict.fromkeys(e.warning for e in estimates if e.warning)]
    return lines


def _confusion(agreement: Agreement) -> list[str]:
    used = [
        at
        for at in range(len(agreement.labels))
        if any(agreement.confusion[at]) or any(row[at] for row in agreement.confusion)
    ]
    cells = [["judge \\ people", *(agreement.labels[at] for at in used), "all"]]
    for row in used:
        counts = [agreement.confusion[row][column] for column in used]
        cells.append([agreement.labels[row], *map(show_count, counts), show_count(sum(counts))])
    totals = [sum(row[column] for row in agreement.confusion) for column in used]
    cells.append(["all", *map(show_count, totals), show_count(sum(totals))])
    return _columns(cells)


def _people(people: People | None, *, weighted: bool) -> list[str]:
    if people is None:
        return []
    lines = ["People beside people"]
    if isinstance(people.ceiling, Ceiling):
        figures = {
            "pairs of people who agree": people.ceiling.pairs_agreed,
            "Krippendorff's alpha": people.ceiling.alpha,
            "a person and the consensus of the others": people.ceiling.consensus_agreed,
            "the judge and that same consensus": people.ceiling.judge_consensus_agreed,
        }
        lines[0] += (
            f" ({people.ceiling.annotators} annotators, {show_count(people.ceiling.cases)} cases with two labels or more)"
        )
        lines += _figures(figures)
        lines.append(
            "  hold the judge against the consensus, not against pairs: one label is noisier than several, so a good"
        )
        lines.append("  judge can agree with people more often than two of them agree with each other")
    else:
        lines.append(f"  none: {_one_line(people.ceiling.why)}")
    lines += _alt_test(people.alt_test)
    if weighted:
        lines.append(
            "  these are of the labelled cases as they stand, which are more doubtful than the run's"
        )
    return lines


def _alt_test(found: AltTest | Undefined) -> list[str]:
    if isinstance(found, Undefined):
        return [f"  may the judge take the place of a person (alt-test)? not asked: {_one_line(found.why)}"]
    answer = "yes" if found.passed else "no"
    lines = [
        f"  may the judge take the place of a person (alt-test, epsilon {found.epsilon:g})? {answer}",
        f"    it wins against {found.winning_rate:.0%} of the annotators; 50% are needed",
        f"    in {found.advantage:.0%} of cases it is as near to the others as the annotator left out, or nearer",
    ]
    lines += [
        f"    {visible(shorten(one.annotator, 40)) or 'nobody named'}: {'won' if one.won else 'not won'}, judge "
        f"{one.judge_advantage:.0%}, annotator {one.annotator_advantage:.0%}, p = {one.p:.3g}, n = {one.cases}"
        for one in found.each
    ]
    if found.skipped:
        lines.append(f"    left out, with too few shared cases: {', '.join(map(visible, found.skipped))}")
    return lines


def _threshold(report: AgreeReport) -> list[str]:
    found = report.better_threshold
    if found is None or not report.labelled:
        return []
    if isinstance(found, Undefined) or report.threshold is None:
        why = found.why if isinstance(found, Undefined) else "the pass rule has no threshold"
        return [f"A better pass rule: none found: {_one_line(why)}"]
    return _trial(report, found)


def _trial(report: AgreeReport, found: Trial) -> list[str]:
    assert report.threshold is not None
    gain = found.gain.difference
    proposed = report.threshold.written(found.proposed)
    said = f"`{proposed}` instead of `{report.rule}`"
    lines = [
        f"A better pass rule: {said if found.better else f'not shown; the best other was {said}'}",
        f"  chosen on {show_count(found.chosen_on)} labels and tried on the {show_count(found.tested_on)} others",
        f"  agreement with people there: {gain.value:+.1%} [{gain.low:+.1%}, {gain.high:+.1%}] ({gain.method})",
    ]
    if found.better:
        lines.append(f"  judge again with `--pass '{proposed}'`; nothing is asked twice")
    return lines + _warnings([gain])


def _means(means: Means) -> list[str]:
    lines = [f"{'Pass rate' if means.of == 'pass rate' else 'Mean score'}, as the judge has it and corrected"]
    shown = [("naive (the judge alone)", means.naive), ("PPI++", means.ppi)]
    if means.rogan_gladen is not None:
        shown.insert(1, ("Rogan-Gladen", means.rogan_gladen))
    width = max(len(name) for name, _ in shown)
    for name, found in shown:
        if isinstance(found, Undefined):
            lines.append(f"  {name:<{width}}  none: {_one_line(found.why)}")
            continue
        aside = [f"n = {show_count(found.estimate.n)}", found.estimate.method]
        lines.append(f"  {name:<{width}}  {_interval(found.estimate)}{_aside(aside)}")
        if found.sensitivity and found.specificity:
            lines.append(
                f"  {'':<{width}}  of what people pass it passes {_interval(found.sensitivity)}, of what they fail it fails "
                f"{_interval(found.specificity)}"
            )
    targets = dict.fromkeys(found.target for _, found in shown if isinstance(found, Corrected))
    for target in targets:
        names = [name for name, found in shown if isinstance(found, Corrected) and found.target == target]
        lines.append(f"  {' and '.join(names)}: {target}")
    if isinstance(means.if_missing, Undefined):
        lines.append(f"  bounds for the missing labels: none: {_one_line(means.if_missing.why)}")
    elif means.if_missing is not None:
        ends = ("fail", "pass") if means.of == "pass rate" else ("the lowest score", "the highest score")
        low, high = means.if_missing.low, means.if_missing.high
        lines.append(
            f"  bounds for the missing labels: PPI++ {_interval(low)} if all were {ends[0]}, {_interval(high)} if all "
            f"were {ends[1]}"
        )
    quote = {"ppi": "PPI++", "naive": "the naive mean, as the judge's", "none": "none"}[means.quote]
    lines.append(f"  quote {quote}: {means.why}")
    estimates = [found.estimate for _, found in shown if isinstance(found, Corrected)]
    return lines + _warnings(estimates)


def _slices(report: AgreeReport) -> list[str]:
    if not report.slices:
        return []
    names = [
        name for name in _IN_SLICES[report.kind] if any(name in s.agreement.figures for s in report.slices)
    ]
    cells = [["slice", "n", *(NAMES[name] for name in names)]]
    for each in report.slices:
        value = f"{visible(each.column)} = {visible(shorten(each.value, 40))}"
        cells.append(
            [
                value,
                show_count(each.agreement.rows),
                *(_cell(each.agreement.figures.get(name)) for name in names),
            ]
        )
    left_out = (
        f", {show_count(report.slices_left_out)} smaller ones left out" if report.slices_left_out else ""
    )
    return [
        "By slice",
        *_columns(cells, first_left=True),
        f"  {len(report.slices)} slices{left_out}; of 20 intervals one misses by chance alone, so take the most striking",
        "  slice for a question, not for a finding",
    ]


def _cell(figure: Estimate | Undefined | None) -> str:
    return _interval(figure) if isinstance(figure, Estimate) else "none"


def _disagreements(report: AgreeReport) -> list[str]:
    if not report.disagreements:
        return []
    how = f"`adjudge show {visible(report.run_id)} CASE` shows how one was judged"
    shown = f"{len(report.disagreements)} of {show_count(report.disagreeing)}"
    lines = [f"Disagreements to read, farthest first ({shown}; {how})"]
    for each in report.disagreements:
        lines += _disagreement(each)
    return lines


def _disagreement(each: Disagreement) -> list[str]:
    people = ", ".join(_said(says) for says in each.people[:8])
    sure = f", {each.probability:.0%} sure" if each.probability is not None else ""
    lines = [f"  {visible(shorten(each.case_id, 80))}: judge {_said(each.judge)}{sure}; people {people}"]
    if each.reason:
        lines.append(f"    judge: {visible(shorten(each.reason, _LONGEST))}")
    lines += [f"    people: {visible(shorten(text, _LONGEST))}" for text in each.explanations[:3]]
    return lines


def _said(says: Meaning) -> str:
    return ("pass" if says else "fail") if isinstance(says, bool) else f"{whole(says)}"


def _interval(figure: Estimate) -> str:
    low, high = (f"{value:.3f}" for value in (figure.low, figure.high))
    return f"{figure.value:.3f} [{low}, {high}]"


def _aside(parts: Iterable[str]) -> str:
    said = "; ".join(parts)
    return f"  ({said})" if said else ""


def _warnings(estimates: Iterable[Estimate]) -> list[str]:
    return [
        f"  warning: {text}" for text in dict.fromkeys(each.warning for each in estimates if each.warning)
    ]


def _columns(cells: Sequence[Sequence[str]], *, first_left: bool = False) -> list[str]:
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    return [
        "  "
        + "  ".join(
            f"{cell:<{width}}" if first_left and not at else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _one_line(text: str) -> str:
    return text.replace("\n\nhint: ", ": ").replace("\n", " ")
