"""An explained score as rows: the words for every kind of step, the same on a page, in a terminal and in the API."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from adjudge.analysis.outcomes import FAILURES
from adjudge.analysis.scores.expressions import operand_values, with_values
from adjudge.analysis.scores.figures import Decider, Explanation
from adjudge.analysis.scores.numbers import comparison_details, exact_text, number_text
from adjudge.documents.records_json import records_json
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.records import Failed, Forced, Json, Judge, Judgement
from adjudge.scoring import normalize
from adjudge.scoring.numbers import percent
from adjudge.scoring.rationale import CoverageScore, decimals
from adjudge.scoring.scale import plain
from adjudge.scoring.steps import (
    ExpressionStep,
    FieldStep,
    FlagStep,
    ItemStep,
    LinesStep,
    MarginStep,
    MismatchStep,
    NumberStep,
    PointsStep,
    Step,
    VetoStep,
)
from adjudge.scoring.text import as_text, clipped, fold
from adjudge.text import visible

RowKind = Literal[
    "fact", "conclusion", "term", "organization", "reference",  # what was looked for, and whether it was found
    "ratio", "formula", "exact", "rounding",
    "number", "flag", "margin",
    "field", "points", "values", "expression",
    "measured", "rule", "lines", "score", "stored", "unknown",
    "normalized", "passes", "probability",
    "outcome", "next",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreRow:
    """One line of an explanation, each text as a person reads it; texts of a case are untouched."""

    kind: RowKind
    label: str
    value: str
    explanation: str = ""
    number: float | None = None
    """The value, where it is a number."""
    holds: bool | None = None
    """Matched, agrees, passes; None where it is neither so nor not so."""
    details: tuple[tuple[str, str], ...] = ()
    """What it was decided from, by name: `quote`, `evidence`, `why`, `expected`, `as read` …"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreRows:
    """How a judgement came to its score, or why it has none."""

    steps: tuple[ScoreRow, ...]
    """In order; the number of the last one is the stored score. Of a failure: what happened and what to do."""
    after: tuple[ScoreRow, ...] = ()
    """Where the score stands on its scale, and whether it passes."""
    agrees: bool | None = None
    """Whether the scorer gives the score that is stored; None where it could not be run."""

    def as_json(self) -> dict[str, Json]:
        found = records_json(self)
        assert isinstance(found, dict)
        return found


def score_rows(explained: Explanation) -> ScoreRows:
    judgement = explained.judgement
    outcome = judgement.outcome
    if isinstance(outcome, Failed):
        return ScoreRows(steps=tuple(failure_rows(judgement, outcome)))
    rows = [*source_rows(explained)]
    for step in explained.steps:
        rows += step_rows(step, explained)
    if explained.measured is not None:
        rows.append(
            ScoreRow(
                kind="measured",
                label="measured",
                value=number_text(explained.measured),
                explanation="The model measures its rating before rounding it to the scale; this is the exact score, which "
                "means are taken over.",
                number=explained.measured,
            )
        )
    stored = outcome.score.value
    rows.append(
        ScoreRow(
            kind="stored",
            label="stored score",
            value=number_text(stored),
            explanation=f"The scorer gives {number_text(explained.computed or 0.0)} today. The stored score was made by "
            "another version of it, and stands; run the case again to have it scored anew.",
            number=stored,
        )
        if explained.agrees is False
        else ScoreRow(kind="score", label="score", value=number_text(stored), number=stored)
    )
    after = tuple(standing_rows(explained, exact=outcome.score.exact))
    return ScoreRows(steps=tuple(rows), after=after, agrees=explained.agrees)


def source_rows(explained: Explanation) -> Iterator[ScoreRow]:
    """What comes before the steps, or stands in their place."""
    match explained.source:
        case "computed" | "failed":
            if explained.reference is not None:
                yield ScoreRow(
                    kind="reference",
                    label="reference",
                    value=f"{explained.reference or 'one'} of {explained.references}",
                    explanation="Each reference has a checklist of its own; the one that is covered best counts.",
                )
        case "rule":
            yield from unasked_rows(explained.judgement, explained.judge)
        case "no_judge":
            yield _unknown("The judge's file is not in this store any more.")
        case "no_case":
            yield _unknown(
                "The case is not in this store any more, so the scorer cannot be run over it again."
            )
        case "other_version":
            yield _unknown(
                f"Scored by {explained.scorer}, which this version of adjudge no longer has. The stored score stands; run "
                "the case again to have it scored by the present version."
            )
        case "not_computable":
            yield _unknown(
                "The scorer of this version of adjudge refuses the stored verdict. The stored score stands."
            )
        case _:
            assert_never(explained.source)


def _unknown(why: str) -> ScoreRow:
    return ScoreRow(kind="unknown", label="steps", value="not known", explanation=why)


def step_rows(step: Step, explained: Explanation) -> Iterator[ScoreRow]:
    decider = explained.decider
    match step:
        case FieldStep():
            yield ScoreRow(
                kind="field",
                label=f"`{step.field}` of the verdict",
                value=clipped(as_text(step.value)),
                explanation="The score is what the model put into this field; it is not computed."
                if decider == "model"
                else "The score is the mean of the scale under the model's probabilities, rounded.",
                number=float(step.number),
            )
        case MismatchStep():
            yield ScoreRow(
                kind="lines",
                label="the verdict's own lines",
                value=f"said {plain(step.stated)}, the lines give {decimals(step.computed)}",
                explanation="The model's counts and its score do not match. `score: coverage_rationale` in the judge file "
                "would make the counts decide.",
            )
        case PointsStep():
            yield ScoreRow(kind="field", label=f"`{step.field}` of the verdict", value=clipped(step.label))
            listed = ", ".join(f"{clipped(label, 40)} {plain(worth)}" for label, worth in step.points.items())
            yield ScoreRow(
                kind="points",
                label=f"points for {clipped(step.label, 40)}",
                value=plain(step.worth),
                explanation=f"The judge file gives points for each label: {listed}.",
                number=step.worth,
            )
        case ExpressionStep():
            yield from expression_rows(step)
        case FlagStep():
            yield flag_row(step, decider)
        case MarginStep():
            yield margin_row(step)
        case NumberStep():
            yield number_row(step)
        case VetoStep():
            yield veto_row(step, decider)
        case ItemStep():
            yield item_row(step, explained.judgement.notes)
        case LinesStep():
            yield ScoreRow(
                kind="lines",
                label="the verdict's own lines",
                value="k of n, as the model counted them",
                explanation="The model gave counts and no items, so they cannot be checked one by one.",
                details=tuple((f"line {number}", line) for number, line in enumerate(step.lines, 1)),
            )
        case CoverageScore():
            yield from formula_rows(step, decider)
        case _:
            assert_never(step)


def expression_rows(step: ExpressionStep) -> Iterator[ScoreRow]:
    tree = step.expression.tree
    yield ScoreRow(
        kind="expression",
        label="expression",
        value=step.expression.text,
        explanation="The judge file computes the score from the verdict.",
        details=tuple(operand_values(tree, step.values).items()),
    )
    yield ScoreRow(
        kind="values",
        label="with the values in it",
        value=f"{with_values(tree, step.values)} = {exact_text(step.result)}",
        number=float(step.result),
    )
    if step.exact != step.result:
        yield ScoreRow(
            kind="exact",
            label="exactly",
            value=exact_text(step.exact),
            explanation="Before rounding; a half goes up.",
            number=float(step.exact),
        )


# ---- correctness ----

VETOES = {
    "contradicts": ("contradicts the expected output", "does not contradict the expected output"),
    "misses_critical": ("misses something critical", "misses nothing critical"),
}
VETOES_BY_RULE = {
    "contradicts": "the model gives less than 50 % that the response agrees, and it shares words with the expected answer",
    "misses_critical": "the model gives less than 50 % that the response agrees, and it shares no word with the expected "
    "answer",
}
"""When the embedded judge sets a flag."""


def flag_row(flag: FlagStep, decider: Decider) -> ScoreRow:
    says = {
        "model": f"The model says that the response {VETOES[flag.name][not flag.value]}.",
        "code": "The model was not asked: the expected answer is a number, which is compared in code.",
        "rule": f"The model was not asked; set by rule when {VETOES_BY_RULE[flag.name]}.",
    }
    return ScoreRow(
        kind="flag",
        label=flag.name,
        value="true" if flag.value else "false",
        explanation=says[decider],
        holds=not flag.value,
    )


def margin_row(step: MarginStep) -> ScoreRow:
    pure = (
        "The question is pure calculation, so the margin is 2 % and not 4 %."
        if step.calculation
        else "The question is not pure calculation (that would be 2 %)."
    )
    return ScoreRow(
        kind="margin",
        label="margin",
        value=f"m = {exact_text(step.margin)} ({percent(step.margin)})",
        explanation=f"{pure} A number agrees when |response − expected| ≤ m · |expected|, the bound included; years, dates, "
        "times, ordinals, versions and identifiers have no margin.",
        number=float(step.margin),
    )


def number_row(number: NumberStep) -> ScoreRow:
    comparison = number.comparison
    response = "nothing" if number.response is None else clipped(number.response, 60)
    difference = comparison.difference
    return ScoreRow(
        kind="number",
        label=f"{response} against {clipped(number.expected, 60)}",
        value="agrees" if comparison.agrees else "does not agree",
        explanation="" if number.critical else "Not critical, so it does not decide.",
        number=None if difference is None or difference >= 10**6 else float(difference),
        holds=comparison.agrees,
        details=(
            ("expected", number.expected),
            ("response", number.response or "nothing was quoted"),
            *comparison_details(number),
            ("result", comparison.how),
            ("critical", "yes: it decides" if number.critical else "no"),
        ),
    )


def veto_row(step: VetoStep, decider: Decider) -> ScoreRow:
    if step.vetoes:
        found = "; ".join(veto_text(veto, decider) for veto in step.vetoes)
        enough = "That alone" if len(step.vetoes) == 1 else "One of these"
        why = f"{found[0].upper()}{found[1:]}. {enough} is enough for a 0."
    else:
        agreed = {0: "and no number is critical", 1: "and the critical number agrees"}
        numbers = agreed.get(step.critical, f"and all {step.critical} critical numbers agree")
        why = {
            "model": f"Nothing contradicts, nothing critical is missing, {numbers}.",
            "code": "The expected number agrees.",
            "rule": "The model gives 50 % or more that the response agrees with the expected answer.",
        }[decider]
    value = 0 if step.vetoes else 1
    return ScoreRow(
        kind="rule",
        label="rule",
        value=str(value),
        explanation=why,
        number=float(value),
        holds=not step.vetoes,
    )


def veto_text(veto: FlagStep | NumberStep, decider: Decider) -> str:
    if isinstance(veto, NumberStep):
        return f"the critical number {clipped(veto.expected, 40)} does not agree"
    return f"the response {VETOES[veto.name][0]}" if decider == "model" else VETOES_BY_RULE[veto.name]


# ---- coverage ----

ITEM_KINDS: Mapping[str, RowKind] = {"facts": "fact", "conclusions": "conclusion", "terms": "term"}


def item_row(item: ItemStep, notes: Sequence[str]) -> ScoreRow:
    repeats = fold(item.quote).rstrip(".") == fold(item.text).rstrip(".")
    quote = "" if repeats else item.quote  # nothing that the item itself does not say
    details = [("why", item.why), ("quote", quote), ("evidence", item.evidence)]
    explanation = ""
    if f"evidence_not_found:{item.item_id}" in notes:
        explanation = (
            "The model called it matched, but its evidence does not stand in the response: it does not count."
        )
    elif item.found == "code":
        explanation = "Found in the response by code; the model was not asked."
        details = [("quote", quote)]
    return ScoreRow(
        kind=ITEM_KINDS[item.category],
        label=f"{item.item_id} {item.text}",
        value="matched" if item.matched else "missed",
        explanation=explanation,
        holds=item.matched,
        details=tuple((name, text) for name, text in details if text),
    )


def formula_rows(computed: CoverageScore, decider: Decider) -> Iterator[ScoreRow]:
    counts, exact = computed.counts, computed.exact
    seen = "as the model sees it" if decider == "model" else "as the places of the matched passages tell"
    yield ScoreRow(
        kind="organization",
        label="organization",
        value="matched" if counts.organized else "mismatched",
        explanation=f"Whether the response puts things in the reference's order, {seen}: 1 or 0.",
        holds=counts.organized,
    )
    yield ratio_row("facts", counts.matched_facts, counts.facts)
    yield ratio_row("conclusions", counts.matched_conclusions, counts.conclusions)
    yield ratio_row("terms", counts.matched_terms, counts.terms)
    names = " + ".join(f"{part.weight} × {part.name.removesuffix('_ratio')}" for part in computed.summands)
    yield ScoreRow(
        kind="formula", label="formula", value=f"5 × ({names})", explanation=why_this_formula(computed)
    )
    numbers = " + ".join(f"{part.weight} × {exact_text(part.ratio)}" for part in computed.summands)
    yield ScoreRow(
        kind="formula",
        label="with the numbers in it",
        value=f"5 × ({numbers}) = 5 × {exact_text(exact / 5)}",
    )
    written, short = exact_text(exact), decimals(exact)
    yield ScoreRow(
        kind="exact",
        label="exactly",
        value=written if "/" not in written or Fraction(short) == exact else f"{written} ≈ {short}",
        number=float(exact),
    )
    yield ScoreRow(
        kind="rounding",
        label="rounded",
        value=str(computed.rounded),
        explanation="To the nearest whole number; a half goes up.",
        number=float(computed.rounded),
    )


def ratio_row(name: str, matched: int, total: int) -> ScoreRow:
    """`2/3 ≈ 0.6667`, `1/2 = 0.5`."""
    left_out = name == "conclusions" and not total
    if total:
        short = decimals(Fraction(matched, total))
        value = f"{matched}/{total} {'=' if Fraction(short) == Fraction(matched, total) else '≈'} {short}"
    else:
        value = f"0 of 0: {'left out, because there are none' if left_out else '1, because there were none to match'}"
    number = None if left_out else matched / total if total else 1.0
    return ScoreRow(kind="ratio", label=f"{name} matched", value=value, number=number)


def why_this_formula(computed: CoverageScore) -> str:
    counts = computed.counts
    if counts.facts >= 1 and counts.matched_facts == 0:
        none = (
            f"None of the {counts.facts} facts was matched"
            if counts.facts > 1
            else "The only fact was not matched"
        )
        return f"{none}: then conclusions and organization count for nothing. This rule goes before the other two."
    if counts.conclusions:
        return "The reference has conclusions, so facts weigh 0.4 and conclusions 0.3."
    return "The reference has no conclusions, so facts weigh 0.7."


# ---- by rule, and not at all ----


def unasked_rows(judgement: Judgement, judge: Judge | None) -> Iterator[ScoreRow]:
    outcome = judgement.outcome
    assert not isinstance(outcome, Failed)
    reason = outcome.reason if isinstance(outcome, Forced) else judgement.reason or ""
    yield ScoreRow(
        kind="outcome",
        label="what happened",
        value="scored by rule",
        explanation=f"{reason} No model was asked.",
    )
    value = number_text(outcome.score.value)
    if "empty_response" not in judgement.notes:
        why = f"The judge file forces the score {value} when a required input is absent (`when_missing:`)."
    elif judge is not None and judge.when_empty == "lowest":
        worst = "highest" if judge.better == "lower" else "lowest"
        why = f"A blank response is an answer, and gets the worst score of the scale, its {worst}: {value}."
    else:
        why = f"The judge file gives a blank response the score {value}."
    yield ScoreRow(kind="rule", label="rule", value=value, explanation=why, number=outcome.score.value)


def advice_row(judgement: Judgement) -> ScoreRow:
    if "empty_response" in judgement.notes:
        return ScoreRow(
            kind="next",
            label="what to do next",
            value="Find out why the system gave no answer.",
            explanation="`when_empty:` in the judge file says what a blank response is worth.",
        )
    return ScoreRow(
        kind="next",
        label="what to do next",
        value="Fill in what is missing.",
        explanation="Or name its column with `--map input=column`; then run the same command again. The report gives the "
        "mean with and without such rows.",
    )


def failure_rows(judgement: Judgement, failed: Failed) -> Iterator[ScoreRow]:
    advice = FAILURES[failed.kind]
    details = [("message", failed.message)]
    if failed.error_kind:
        details.append(("kind", failed.error_kind))
    if judgement.attempts:
        details.append(("attempts", str(judgement.attempts)))
    if failed.maybe_billed:
        details.append(("cost", "unknown: the answer was lost on its way and may be billed"))
    yield ScoreRow(
        kind="outcome",
        label="what happened",
        value=failed.kind,
        explanation=f"{advice.means[0].upper()}{advice.means[1:]}. It is counted as not judged, and is no 0.",
        details=tuple(details),
    )
    retry = f"`--retry {failed.kind}` asks such cases again; otherwise the stored reply is used again."
    yield ScoreRow(
        kind="next",
        label="what to do next",
        value=f"{advice.do[0].upper()}{advice.do[1:]}.",
        explanation=retry if failed.kind in {"unreadable", "truncated", "refused"} else "",
    )


# ---- where it stands ----


def standing_rows(explained: Explanation, *, exact: float) -> Iterator[ScoreRow]:
    judgement, judge = explained.judgement, explained.judge
    if explained.source == "rule":
        yield advice_row(judgement)
    if judge is not None:
        if judge.scale is not None:
            yield scale_row(judge, exact)
        values = {**judgement.verdict, "score": judgement.score, "exact": exact}
        yield pass_row(judge, values, judgement.passed)
    if judgement.probability is not None:
        yield ScoreRow(
            kind="probability",
            label="probability",
            value=f"{judgement.probability:.3f}",
            explanation="Set by rule for numbers compared in code, unless the model is surer; not how likely it is right."
            if explained.decider == "code"
            else "How likely the model itself holds this verdict to be; not how likely it is right.",
            number=judgement.probability,
        )


def scale_row(judge: Judge, exact: float) -> ScoreRow:
    assert judge.scale is not None
    low, high = plain(judge.scale.low), plain(judge.scale.high)
    share = normalize(judge.scale, judge.better, exact)
    filled = f"({plain(exact)} − {low}) ÷ ({high} − {low})"
    turned = f"1 − {filled}, because lower is better" if judge.better == "lower" else filled
    return ScoreRow(
        kind="normalized",
        label=f"on the scale {low} to {high}",
        value="none: the scale has no width" if share is None else f"{share:.4g}",
        explanation="" if share is None else f"{turned}: the share of the scale that it reaches.",
        number=share,
    )


def pass_row(judge: Judge, values: Mapping[str, Json], passed: bool | None) -> ScoreRow:  # noqa: FBT001 - the stored value
    """The rule with the numbers in it; what was stored stands where the rule is not known any more."""
    words = {True: "yes", False: "no", None: "not known"}
    holds = passed
    if judge.passes is None:
        words[None] = "no rule"
        explanation = "The judge file has no `passes:`; `--pass 'score >= 4'` gives one for a run."
        if passed is not None:
            explanation += " The stored judgement was made under a rule that the store does not have."
    else:
        expression = parse_expression(judge.passes)
        try:
            found = bool(expression.evaluate(values))
        except EvaluationError as error:
            explanation = f"The rule `{judge.passes}` cannot be computed: {error}."
        else:
            holds = found if passed is None else passed
            filled = f"{with_values(expression.tree, values)} {'holds' if found else 'does not hold'}"
            explanation = f"The rule is `{judge.passes}`: {filled}."
            if found != holds:
                explanation += f" Stored: {words[passed]}, under another rule."
    return ScoreRow(kind="passes", label="passes", value=words[holds], explanation=explanation, holds=holds)


# ---- as lines of text ----

INDENT = "    "
LISTED = frozenset({"fact", "conclusion", "term", "number"})
"""Rows with long labels: what became of them goes first."""
MARKS = {True: "+", False: "-", None: " "}


def score_lines(rows: ScoreRows, width: int = 100) -> list[str]:
    """One line a row, `+` where it holds and `-` where it does not, its reasons below it; safe for a terminal."""
    return [line for row in (*rows.steps, *rows.after) for line in _row_lines(row, width)]


def _row_lines(row: ScoreRow, width: int) -> Iterator[str]:
    named = f"{row.value}: {row.label}" if row.kind in LISTED else f"{row.label}: {row.value}"
    yield from _wrapped(named, width, INDENT, first=f"{MARKS[row.holds]} ")
    for name, text in row.details:
        yield from _wrapped(f"{name}: {text}", width, INDENT * 2, first=INDENT)
    if row.explanation:
        yield from _wrapped(row.explanation, width, INDENT, first=INDENT)


def _wrapped(text: str, width: int, indent: str, *, first: str) -> list[str]:
    lines = textwrap.wrap(
        visible(" ".join(text.split())),
        width=max(width, 40),
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    # once more: where a line begins has changed what its first signs mean to a build service
    return [visible(line) for line in lines]
