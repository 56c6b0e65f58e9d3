"""Agreement with people in words: the figures as a document, and what became of label files and draws."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from adjudge.analysis.agreement.coefficients import AnnotatorFigures, Coefficients, ThresholdSearch
from adjudge.analysis.agreement.corrected_means import CorrectedMean, IfMissing, MeanPopulation, SplitCases
from adjudge.analysis.agreement.figures import AgreementReport, Disagreement, LabelSample
from adjudge.analysis.agreement.label_files import FileNote
from adjudge.analysis.agreement.labelling_task import LabellingTask
from adjudge.analysis.agreement.stored_labels import LabelSource, UnusableColumn
from adjudge.documents.document import (
    Block,
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Gauge,
    Quote,
    Span,
    Table,
    Text,
    Tone,
    command_of,
    fact,
    join,
    spans,
)
from adjudge.documents.numbers import counted, show_count, show_percent, show_percent_range, whole
from adjudge.errors import install_command
from adjudge.labels.label_scale import Meaning
from adjudge.records import DrawBasis
from adjudge.stats.ceiling import AltTest
from adjudge.stats.corrected import Corrected
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.selection import Response
from adjudge.stats.thresholds import Trial
from adjudge.text import shorten

COEFFICIENTS = {
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
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall": "Kendall's tau-b",
    "mean_absolute_error": "mean absolute error",
}
"""What each coefficient is called, in the order in which they are shown."""
_IN_SLICES = {
    "passes": ("accuracy", "kappa"),
    "scores": ("accuracy", "within_one_step", "mean_absolute_error", "spearman"),
}
_KINDS = {"passes": "pass or fail", "scores": "score"}
_SOURCES = {
    "store": "the store",
    "file": "",
    "file_and_store": " and the store",
    "label_column": "the cases' own label column",
    "annotators_column": "the cases' own annotators column",
    "both_columns": "the cases' own annotators and label columns",
}
_UNUSABLE = {
    "off_scale": "not on the judge's scale",
    "zeros_and_ones": "all 0 or 1 where the scale has more",
    "not_annotators": "the column `annotators` cannot be read",
}
_BASES: Mapping[DrawBasis, str] = {
    "probability": "the less sure the judge is",
    "threshold": "the nearer the score is to the pass threshold",
}
_NO_TRIAL = {
    "weighted_labels": "not searched: the draw prefers uncertain cases; `--next N --uniform 1` draws labels for it",
    "no_threshold": "not searched: the pass rule is not one comparison of the score with a number",
    "two_scores": "not searched: the judge gives at most two different scores",
}
_NAMED = 8
_WINNERS = {1.0: "A", 0.5: "tie", 0.0: "B"}


def agreement_document(report: AgreementReport) -> Document:
    """How far they agree and on how much that rests, the matrix and the cases to read; then the coefficients."""
    title = ("agreement with people · ", Quote(report.judge), " · run ", Quote(report.run))
    return Document(title=title, aside=Quote(report.model), blocks=tuple(_blocks(report)))


def _blocks(report: AgreementReport) -> Iterator[Block]:
    for coefficients in report.agreement:
        yield from _headline(coefficients, compares=report.compares)
    if report.without_ties is not None:
        yield from _headline(report.without_ties, compares=True, label="without ties")
    yield from _labels(report)
    yield from _sample(report.sample, report.run)
    for coefficients in report.agreement:
        if coefficients.confusion:
            yield _confusion(coefficients, compares=report.compares)
    if report.disagreements:
        yield _disagreements(report)
    for coefficients in report.agreement:
        yield from _coefficients(coefficients, compares=report.compares)
    yield from _criteria(report)
    yield from _slices(report)
    for mean in report.means:
        yield from _mean(mean, report.sample)
    if report.among_people is not None:
        yield from _annotators(report.among_people)
    if report.threshold is not None and report.labelled:
        yield from _threshold(report.threshold)
    commands = [command_of("show", report.run, each.case_id) for each in report.disagreements[:1]]
    if report.sample.missing or report.sample.kind in {"unknown", "no_label"}:
        commands.insert(0, command_of("agree", report.run, "--next", "0" if report.sample.missing else "50"))
    if commands:
        yield fact("next", "Next", join(" · ", commands))


# ---- how far, and on how much it rests -----------------------------------------------------------------------


def _headline(coefficients: Coefficients, *, compares: bool, label: str | None = None) -> Iterator[Block]:
    kind, rows = label or ("winner" if compares else _KINDS[coefficients.kind]), coefficients.rows
    several = " labels" if rows != coefficients.cases else ""
    for name, words, count in (
        ("accuracy", kind, coefficients.agreed),
        ("within_one_step", "within 1 step", None if compares else coefficients.within_one),
    ):
        figure = coefficients.figures.get(name)
        if isinstance(figure, Estimate) and count is not None:
            yield Gauge(
                kind=name,
                label=words,
                value=show_percent(figure.value),
                interval=f"{show_percent_range(figure.low, figure.high)} (95 %)",
                counts=f"{show_count(count)} of {show_count(rows)}{several} agree",
                share=figure.value,
                low=figure.low,
                high=figure.high,
            )
    if not rows:
        yield fact("not_measured", kind, "not measured: no case has both a verdict and a label", "bad")
    elif "accuracy" not in coefficients.figures:
        error = coefficients.figures["mean_absolute_error"]
        yield fact("mean_absolute_error", kind, f"mean absolute error {_value(error)}")


def _labels(report: AgreementReport) -> Iterator[Fact]:
    text: list[Span] = [
        f"{show_count(report.labels)} on {show_count(report.labelled)} of {counted(report.judged, 'judged case')}"
    ]
    for source in report.sources:
        text += [
            " and " if len(text) > 1 else ", from ",
            *spans(_source(source, counted=len(report.sources) > 1)),
        ]
    people = [name for name in report.annotators if name not in report.adjudicators]
    if any(people):
        text += [", by ", *spans(_names(people))]
    if report.adjudicators:
        text += ["; adjudicated by ", *spans(_names(report.adjudicators))]
    yield fact("labels", "Labels", tuple(text))
    if report.partial_labels:
        words = counted(report.partial_labels, "label")
        yield fact("partial_labels", "In part", f"{words}, counted by criterion or rating alone")
    if report.not_judged:
        outcomes = ", ".join(f"{show_count(count)} {kind}" for kind, count in report.not_judged.items())
        words = f"{show_count(sum(report.not_judged.values()))} ({outcomes})"
        if report.labelled_not_judged:
            words += f"; {show_count(report.labelled_not_judged)} with a label, {_unjudged_labels(report)}"
        yield fact("not_judged", "Not judged", words, "warning")
    for kind, count, words in (
        (
            "labels_of_other_cases",
            report.labels_of_other_cases,
            "labels of cases that this run does not have",
        ),
        ("tuned_on", report.tuned_on, "cases whose labels the judge was tuned on (`split` is `tune`)"),
        ("seen_verdict", report.seen_verdict, "labels given after seeing the verdict"),
        (
            "own_labels_replaced",
            report.own_labels_replaced,
            "of the cases' own labels: the same annotator has a stored label, given later",
        ),
    ):
        if count:
            yield fact(kind, "Left out", f"{show_count(count)} {words}")
    if report.own_labels_unusable is not None:
        yield fact("own_labels_unusable", "Left out", _unusable(report.own_labels_unusable), "warning")


def _unjudged_labels(report: AgreementReport) -> str:
    used = report.labels_alone
    if not any(mean.population.unjudged and isinstance(mean.ppi, Corrected) for mean in report.means):
        return "not used"
    rest = report.labelled_not_judged - used
    return "used in the mean alone" + (f", {show_count(rest)} not used" if rest else "")


def _source(source: LabelSource, *, counted: bool) -> Text:
    count = f" ({show_count(source.labels)})" if counted else ""
    file = (Quote(source.file),) if source.file else ()
    return (*file, f"{_SOURCES[source.kind]}{count}")


def _unusable(column: UnusableColumn) -> Text:
    examples = join(", ", [Quote(shorten(each, 40)) for each in column.examples])
    seen = (" (", *spans(examples), ")") if column.examples else ()
    means = ("; ", Command("--label-map"), " says what labels mean")
    return ("the cases' own labels: ", _UNUSABLE[column.kind], *seen, *means)


def _sample(sample: LabelSample, run: str) -> Iterator[Fact]:
    tone: Tone = "plain"
    match sample.kind:
        case "all":
            text: Text = "every judged case has a label"
        case "random":
            text = f"uniform random sample (--random-sample); sampling probability {sample.probability:.3g}"
        case "no_label":
            text = "no judged case has a label"
        case "unknown":
            tone = "warning"
            text = (
                "how these cases were chosen is unknown, so they cannot correct the means; ",
                command_of("agree", run, "--next", "50"),
                " draws cases with known sampling probabilities, ",
                Command("--random-sample"),
                " declares these a random sample",
            )
        case _:
            text = f"{drawn_how(sample.basis, sample.uniform_share)}, with known sampling probabilities"
    yield fact("sample", "Sample", text, tone, detail=sample.kind in {"all", "no_label"})
    if sample.weighted:
        weights = "each label is weighted by one over its sampling probability: the figures are estimates for the whole run"
        yield fact("weighted", "Sample", f"{weights}, the confusion matrix has plain counts")
    if sample.missing:
        missing = f"{counted(sample.missing, 'drawn case')} without a label yet"
        words = f"{missing}; the figures assume that they are like the labelled cases of their draw"
        yield fact("labels_missing", "Sample", words, "warning")
        for each in sample.responses:
            if each.drawn:
                yield fact("response", "Sample", _response(each))
    if sample.kind == "draw" and sample.unknown:
        where = "not used" if sample.weighted else "used for agreement, not for the corrected means"
        words = f"{counted(sample.unknown, 'labelled case')} chosen in another way: {where}"
        yield fact("not_drawn", "Sample", words)
    if sample.outside:
        words = f"{counted(sample.outside, 'case')} judged after the draw: not in the corrected means"
        yield fact("outside_the_draw", "Sample", words)


def _response(response: Response) -> str:
    half = response.of.replace("_", " ")
    of = f"draw {response.draw}" if response.of == "draw" else f"the {half} half"
    share = response.labelled / response.drawn
    return f"{of}: {show_count(response.labelled)} of {show_count(response.drawn)} labelled ({show_percent(share, 0)})"


# ---- matrix, cases, coefficients -----------------------------------------------------------------------------


def _confusion(coefficients: Coefficients, *, compares: bool) -> Table:
    is_pass = coefficients.kind == "passes"
    names = [
        _WINNERS[each] if compares and each in _WINNERS else label_text(bool(each) if is_pass else each)
        for each in coefficients.labels
    ]
    counts = coefficients.confusion
    used = [at for at in range(len(names)) if any(counts[at]) or any(row[at] for row in counts)]
    totals = [sum(row[column] for row in counts) for column in used]
    lines = [(f"judge: {names[at]}", [counts[at][column] for column in used]) for at in used]
    return Table(
        kind="confusion",
        caption=f"Confusion matrix, {'winner' if compares else _KINDS[coefficients.kind]}",
        header=("", *(f"people: {names[at]}" for at in used), "all"),
        rows=tuple(
            (name, *map(show_count, row), show_count(sum(row))) for name, row in [*lines, ("all", totals)]
        ),
        numeric=tuple(range(1, len(used) + 2)),
    )


def _disagreements(report: AgreementReport) -> CaseList:
    some = len(report.disagreements)
    fewer = f", {show_count(some)} shown" if some < report.disagreeing else ""
    return CaseList(
        kind="disagreements",
        label="Disagreements",
        text=f"{show_count(report.disagreeing)}{fewer}, farthest apart first",
        cases=tuple(_entry(each, compares=report.compares) for each in report.disagreements),
        aside=command_of("show", report.run, "CASE"),
        tone="bad",
    )


def _entry(each: Disagreement, *, compares: bool) -> CaseEntry:
    said = [*each.people[:_NAMED], each.judge]
    *people, judge = [
        _WINNERS.get(label, label_text(label)) if compares else label_text(label) for label in said
    ]
    lines = [(f"people: {', '.join(people)} · judge: {judge}", "")]
    texts = (
        ("answer", each.response),
        ("judge", each.reason),
        *(("people", text) for text in each.explanations[:3]),
    )
    lines += [(word, text) for word, text in texts if text]
    sure = (f"{show_percent(each.probability, 0)} sure",) if each.probability is not None else ()
    return CaseEntry(case_id=each.case_id, question=each.question, lines=tuple(lines), marks=sure)


def label_text(label: Meaning) -> str:
    return ("pass" if label else "fail") if isinstance(label, bool) else f"{whole(label)}"


def _coefficients(coefficients: Coefficients, *, compares: bool) -> Iterator[Block]:
    known = {
        name: each for name, each in coefficients.figures.items() if not compares or name != "within_one_step"
    }
    figures = {words: known[name] for name, words in COEFFICIENTS.items() if name in known}
    several = f" of {counted(coefficients.cases, 'case')}" if coefficients.cases != coefficients.rows else ""
    kind, n = _KINDS[coefficients.kind], show_count(coefficients.rows)
    yield _estimates(
        "coefficients", f"Coefficients, {kind} (n = {n} verdicts with a label{several})", figures
    )
    yield from _methods(figures.values())
    if coefficients.missing_extra:
        yield _missing_extra(coefficients.missing_extra, "more coefficients need")


def _criteria(report: AgreementReport) -> Iterator[Block]:
    """Criteria of a rubric and ratings, each as a slice would be."""
    for kind, caption, header, found in (
        (
            "criteria",
            "By criterion",
            ("criterion", "points", "n"),
            [(each.criterion, f"{each.points:g}", each.coefficients) for each in report.criteria],
        ),
        (
            "ratings",
            "By rating",
            ("rating", "by", "n"),
            [(each.name, _KINDS[each.kind], each.coefficients) for each in report.ratings],
        ),
    ):
        if not found:
            continue
        known = {name for *_, coefficients in found for name in coefficients.figures}
        wanted = dict.fromkeys(name for names in _IN_SLICES.values() for name in names)
        names = [name for name in wanted if name in known]
        rows: list[tuple[Text, ...]] = []
        for text, what, coefficients in found:
            cells = [coefficients.figures.get(name) for name in names]
            values = [_value(cell) if isinstance(cell, Estimate) else "none" for cell in cells]
            rows.append(
                (Quote(shorten(" ".join(text.split()), 60)), what, show_count(coefficients.rows), *values)
            )
        yield Table(
            kind=kind,
            caption=caption,
            header=(*header, *(COEFFICIENTS[name] for name in names)),
            rows=tuple(rows),
            numeric=tuple(range(1, len(names) + 3)),
        )


def _slices(report: AgreementReport) -> Iterator[Block]:
    if not report.slices:
        return
    known = {name for each in report.slices for name in each.coefficients.figures}
    names = [name for name in _IN_SLICES[report.kind] if name in known]
    rows: list[tuple[Text, ...]] = []
    for each in report.slices:
        cells = [each.coefficients.figures.get(name) for name in names]
        values = [_value(cell) if isinstance(cell, Estimate) else "none" for cell in cells]
        value = (Quote(each.column), " = ", Quote(shorten(each.value, 40)))
        rows.append((value, show_count(each.coefficients.rows), *values))
    yield Table(
        kind="slices",
        caption="By slice",
        header=("slice", "n", *(COEFFICIENTS[name] for name in names)),
        rows=tuple(rows),
        numeric=tuple(range(1, len(names) + 2)),
    )
    if report.slices_left_out:
        yield fact("slices_left_out", "", f"{show_count(report.slices_left_out)} smaller slices left out")
    chance = (
        "one in 20 intervals misses by chance: the most striking slice is something to check, not a finding"
    )
    yield fact("many_slices", "", chance, detail=True)


# ---- what people would say on average ------------------------------------------------------------------------


def _mean(mean: CorrectedMean, sample: LabelSample) -> Iterator[Block]:
    population = mean.population
    judged = f", {show_count(population.judged)} judged" if population.unjudged else ""
    figures: dict[str, Corrected | Undefined | SplitCases] = {f"naive (the judge alone{judged})": mean.naive}
    if mean.rogan_gladen is not None:
        figures[f"Rogan-Gladen{f' ({judged[2:]})' if judged else ''}"] = mean.rogan_gladen
    figures[f"PPI++{f' (all {show_count(population.cases)} asked)' if judged else ''}"] = mean.ppi
    estimates = {
        name: figure.estimate if isinstance(figure, Corrected) else figure for name, figure in figures.items()
    }
    of = "Pass rate" if mean.of == "pass_rate" else "Mean score"
    caption = f"{of} of {_population(population)}: the judge's own and corrected"
    yield _estimates("means", caption, estimates)
    for figure in figures.values():
        if isinstance(figure, Corrected) and figure.sensitivity and figure.specificity:
            sensitivity = f"sensitivity {_value(figure.sensitivity)} (of the cases people pass)"
            specificity = f"specificity {_value(figure.specificity)} (of the cases people fail)"
            yield fact("error_rates", "", f"{sensitivity}, {specificity}")
    if mean.if_missing is not None:
        yield fact("if_missing", "Bounds", _bounds(mean))
    if mean.if_left_out is not None:
        yield fact("if_left_out", "Bounds", _left_out(mean, mean.if_left_out), "warning")
    yield fact("quote", "Quote", _quote(mean, sample))
    yield from _methods(estimates.values(), each=True)


def _population(population: MeanPopulation) -> str:
    if population.unjudged:
        strata = (
            f"{show_count(population.judged)} judged, {show_count(population.unjudged)} without a verdict"
        )
        return f"all {show_count(population.cases)} cases asked ({strata})"
    alone = " alone" if population.left_out else ""
    return f"the {counted(population.judged, 'judged case')}{alone}"


def _left_out(mean: CorrectedMean, found: IfMissing | Literal["no_scale"]) -> str:
    count = counted(mean.population.left_out, "case")
    left_out = f"{count} without a verdict not in the mean: too few have labels that may speak for them"
    if found == "no_scale":
        return left_out
    low, high = ("fail", "pass") if mean.of == "pass_rate" else ("the lowest score", "the highest score")
    cases = show_count(mean.population.cases + mean.population.left_out)
    bounds = f"of all {cases} cases asked {_value(found.low)} if people gave them {low}, {_value(found.high)} if {high}"
    return f"{left_out}; {bounds}"


def _bounds(mean: CorrectedMean) -> str:
    found = mean.if_missing
    if not isinstance(found, IfMissing):
        why = found.why if isinstance(found, Undefined) else "the judge's scale is unknown"
        return f"none for the missing labels: {why}"
    low, high = ("fail", "pass") if mean.of == "pass_rate" else ("the lowest score", "the highest score")
    return f"PPI++ {_value(found.low)} if every missing label were {low}, {_value(found.high)} if {high}"


def _quote(mean: CorrectedMean, sample: LabelSample) -> str:
    match mean.reason:
        case "nothing_judged":
            return "none: no case was judged"
        case "not_correctable":
            why = mean.ppi.why if isinstance(mean.ppi, Undefined) else ""
            return f"the naive mean, reported as the judge's; it is people's mean only if its errors cancel: {why}"
        case "few_labels":
            labels = mean.ppi.labels if isinstance(mean.ppi, Corrected) else 0
            return f"the naive mean, reported as the judge's: {labels} labels are too few to say how far off it is"
        case "labels_missing":
            missing = f"none: {counted(sample.missing, 'drawn case')} without a label, and PPI++ assumes that they are"
            return f"{missing} like the labelled ones; label the rest (`--next 0` writes them), or quote the bounds"
        case "all_labelled":
            return (
                f"PPI++, of {_population(mean.population)}: every one has a label, so it is people's own mean"
            )
        case "known_chances":
            holds = f"PPI++, of {_population(mean.population)}: valid whatever errors the judge makes, if every drawn case"
            holds += " was labelled and the judge was not"
            outside = "; the judge's own mean lies outside its interval" if mean.naive_outside else ""
            return f"{holds} tuned on these labels{outside}"


# ---- people among themselves, and another pass rule ----------------------------------------------------------


def _annotators(found: AnnotatorFigures) -> Iterator[Block]:
    if found.ceiling is not None:
        figures = {
            "pairs of people who agree": found.ceiling.pairs_agreed,
            "Krippendorff's alpha": found.ceiling.alpha,
            "a person and the consensus of the others": found.ceiling.consensus_agreed,
            "the judge and that consensus": found.ceiling.judge_consensus_agreed,
        }
        shared = counted(found.ceiling.cases, "labelled case")
        caption = f"Agreement among {found.ceiling.annotators} annotators ({shared} with two labels or more, unweighted)"
        yield _estimates("annotators", caption, figures)
        yield from _methods(figures.values())
    elif found.missing_extra:
        yield _missing_extra(found.missing_extra, "agreement among annotators needs")
    alt = found.alt_test
    if isinstance(alt, Undefined):
        yield fact("alt_test", "Alt-test", f"not computed: {alt.why}")
        return
    words = f"the judge {'may' if alt.passed else 'may not'} replace a person (epsilon {alt.epsilon:g}): it wins against"
    tone: Tone = "good" if alt.passed else "warning"
    yield fact(
        "alt_test",
        "Alt-test",
        f"{words} {show_percent(alt.winning_rate, 0)} of the annotators, 50 % needed",
        tone,
    )
    yield _alt_test_table(alt)


def _alt_test_table(alt: AltTest) -> Table:
    rows: list[tuple[Text, ...]] = [
        (
            _name(each.annotator),
            "won" if each.won else "not won",
            show_percent(each.judge_advantage, 0),
            show_percent(each.annotator_advantage, 0),
            f"{each.p:.3g}",
            show_count(each.cases),
        )
        for each in alt.each
    ]
    rows += [(_name(each), "too few shared cases", "", "", "", "") for each in alt.skipped]
    return Table(
        kind="alt_test",
        caption=f"Alt-test: at least as close to the others as the annotator left out in {show_percent(alt.advantage, 0)} of cases",
        header=("annotator", "judge", "judge closer", "annotator closer", "p", "n"),
        rows=tuple(rows),
        numeric=(2, 3, 4, 5),
        detail=True,
    )


def _threshold(found: ThresholdSearch) -> Iterator[Fact]:
    trial = found.trial
    if not isinstance(trial, Trial):
        words = f"no better one found: {trial.why}" if isinstance(trial, Undefined) else _NO_TRIAL[found.kind]
        yield fact("threshold", "Pass rule", words, detail=True)
        return
    gain, better = trial.gain.difference, found.kind == "better"
    change = f"{gain.value * 100:+.1f} % [{gain.low * 100:+.1f}, {gain.high * 100:+.1f}] of labels"
    words = f"`{found.proposed}` instead of `{found.current}` agrees with {change}"
    words = words if better else f"no better one shown; the best other: {words}"
    yield fact("threshold", "Pass rule", words, "good" if better else "plain", detail=not better)
    if better:
        use = (Command(f"adjudge run … --pass '{found.proposed}'"), " applies it, with no new calls")
        yield fact("threshold_use", "Pass rule", use)
    halves = (
        f"chosen on {show_count(trial.chosen_on)} labels, tried on the {show_count(trial.tested_on)} others"
    )
    yield fact("method", "Pass rule", f"{halves} ({gain.method})", detail=True)
    if gain.warning:
        yield fact("warning", "Pass rule", gain.warning, "warning", detail=not better)


# ---- label files and draws -----------------------------------------------------------------------------------


def note_text(note: FileNote, file: str) -> str:
    """What became of some rows of a label file, for stderr or an answer."""
    of_run = f" of run {note.run_id}" if note.run_id else ""
    match note.kind:
        case "unlabelled":
            return f"{file}: {note.rows} rows{of_run} have no label yet"
        case "stored":
            replaced = f", {note.replaced} in place of older ones" if note.replaced else ""
            return f"stored {note.rows} labels{of_run}{replaced}"
        case "unknown_cases":
            return f"{file}: {note.rows} labels{of_run} are of cases that it does not have: left out"
        case "other_run":
            return f"{file}: {note.rows} rows are of run {note.run_id}: left out, as --no-keep stores nothing"
        case "read_only":
            return f"the store is read-only: the labels of {file} are not stored, and only they are used"


def drawn_how(basis: Sequence[DrawBasis], uniform_share: float) -> str:
    """What made one case likelier than another."""
    if uniform_share >= 1.0 or not basis:
        return "uniform sample"
    likelier = " or ".join(_BASES[each] for each in basis)
    return f"likelier {likelier} ({show_percent(uniform_share, 0)} uniform)"


def task_notes(task: LabellingTask) -> Iterator[str]:
    """What was drawn, what was not, and what waits for a label."""
    draw = task.draw
    if draw is None:
        yield f"{task.waiting} cases were drawn before and have no label yet"
        return
    least, most = min(task.chances.values()), max(task.chances.values())
    yield (
        f"drew {len(draw.chosen)} of {len(task.chances)} cases judged by {draw.judge} (draw {draw.number}, seed {draw.seed}), "
        f"{drawn_how(draw.basis, draw.uniform_share)}; sampling probabilities after this draw {least:.3g} to {most:.3g}"
    )
    if task.unjudged:
        without = f"{counted(task.unjudged, 'case')} without a verdict among them"
        most = (len(draw.chosen) + 1) // 2
        yield without if task.unjudged > most else f"{without}, half of the draw at most"
    if task.waiting:
        yield f"{task.waiting} cases of earlier draws have no label yet: `--next 0` writes them again"


# ---- parts ---------------------------------------------------------------------------------------------------


def _estimates(kind: str, caption: str, figures: Mapping[str, Estimate | Undefined | SplitCases]) -> Table:
    rows = []
    for name, figure in figures.items():
        match figure:
            case Estimate(value=value, low=low, high=high):
                rows.append((name, f"{value:.3f}", f"{low:.3f} to {high:.3f}"))
            case Undefined(why=why):
                rows.append((name, "none", why))
            case SplitCases(by=by, cases=cases):
                who = "its repeats" if by == "repeats" else "people"
                rows.append((name, "none", f"{who} differ on {counted(cases, 'case')}"))
    header = ("", "value", "95 % interval")
    return Table(kind=kind, caption=caption, header=header, rows=tuple(rows), numeric=(1,))


def _methods(figures: Iterable[Estimate | Undefined | SplitCases], *, each: bool = False) -> Iterator[Fact]:
    """How most of the intervals were made, or all of them, and why some may hold less often than they claim."""
    estimates = [figure for figure in figures if isinstance(figure, Estimate)]
    for warning in dict.fromkeys(figure.warning for figure in estimates if figure.warning):
        yield fact("warning", "Warning", warning, "warning")
    methods = Counter(figure.method for figure in estimates)
    clusters = {figure.clusters for figure in estimates if figure.clusters is not None}
    over = f", over {show_count(*clusters)} clusters" if len(clusters) == 1 and not each else ""
    for method in list(methods) if each else [name for name, _ in methods.most_common(1)]:
        yield fact("method", "", f"95 % interval: {method}{over}", detail=True)


def _missing_extra(extra: str, words: str) -> Fact:
    text = (f"{words} the `{extra}` extra: ", Command(install_command(extra)))
    return fact("missing_extra", "", text, "warning")


def _value(figure: Estimate | Undefined) -> str:
    if isinstance(figure, Undefined):
        return f"none: {figure.why}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _names(annotators: Sequence[str]) -> Text:
    more = [f"and {len(annotators) - _NAMED} more"] if len(annotators) > _NAMED else []
    return join(", ", [*(_name(each) for each in annotators[:_NAMED]), *more])


def _name(annotator: str) -> Span:
    return Quote(shorten(annotator, 40)) if annotator else "unnamed"
