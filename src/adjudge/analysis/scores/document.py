"""An explained score as rows: the words for every kind of step, the same on a page, in a terminal and in the API."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Literal, assert_never

from adjudge.analysis.jury.figures import votes_of
from adjudge.analysis.outcomes import FAILURES, what_to_do
from adjudge.analysis.scores.expressions import operand_values, with_values
from adjudge.analysis.scores.figures import Decider, Explanation, Source
from adjudge.analysis.scores.numbers import comparison_details, exact_text, number_text
from adjudge.documents.numbers import show_percent
from adjudge.documents.records_json import records_json
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.records import (
    Failed,
    Forced,
    Json,
    Judge,
    Judged,
    Judgement,
    Score,
    Scored,
    ScoreDistribution,
    is_cascade,
    is_jury,
    jury_rule,
)
from adjudge.scoring import example_pass_rule
from adjudge.scoring.claims import UNFOUND
from adjudge.scoring.numbers.compare import percent
from adjudge.scoring.rationale import CoverageScore, decimals
from adjudge.scoring.scale import plain
from adjudge.scoring.steps import (
    CheckStep,
    ClaimStep,
    CriterionStep,
    ExpressionStep,
    FieldStep,
    FlagStep,
    ItemStep,
    LinesStep,
    MarginStep,
    MismatchStep,
    NumberStep,
    OrderStep,
    PairStep,
    PointsStep,
    RubricStep,
    ShareStep,
    Step,
    VetoStep,
)
from adjudge.scoring.text import clipped, fold
from adjudge.text import as_text, visible

MAX_LIKELY = 12
"""Scores listed of a distribution."""
RowKind = Literal[
    "criterion", "claim", "fact", "conclusion", "term", "reference", "counts", "formula",
    "vote", "check", "flag", "margin", "number", "field", "points", "expression", "values", "exact", "lines", "pair",
    "measured", "rule", "score", "stored", "unknown", "passes", "probability", "expected", "repeats", "outcome", "next",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One line of an explanation, each text as a person reads it; texts of a case are untouched."""

    kind: RowKind
    label: str
    value: str
    explanation: str = ""
    holds: bool | None = None
    """Matched, agrees, passes; None where it is neither so nor not so."""
    details: tuple[tuple[str, str], ...] = ()
    """What it was decided from, by name: `quote`, `evidence`, `why`, `expected`, `as read` …"""


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """How a judgement came to its score and whether it passes; of a failure: what happened and what to do."""

    steps: tuple[ScoreRow, ...]
    agrees: bool | None = None
    """Whether the scorer gives the score that is stored; None where it could not be run."""

    def as_json(self) -> dict[str, Json]:
        found = records_json(self)
        assert isinstance(found, dict)
        return found


def score_rows(explained: Explanation) -> ScoreRows:
    judgement = explained.judgement
    if isinstance(judgement.outcome, Failed):
        return ScoreRows((*vote_rows(judgement), *failure_rows(judgement, judgement.outcome)))
    rows = [*vote_rows(judgement), *source_rows(explained)]
    for step in explained.steps:
        rows += step_rows(step, explained)
    if isinstance(judgement.outcome, Judged):
        return ScoreRows(tuple(rows))
    return ScoreRows((*rows, *result_rows(explained, judgement.outcome.score)), explained.agrees)


JURY_RULES: Mapping[str, str] = {
    "majority": "The verdict that most of the votes are for.",
    "mean": "The mean of the votes.",
    "median": "The median of the votes.",
}


def vote_rows(judgement: Judgement) -> Iterator[ScoreRow]:
    """Of a jury: each vote, and the rule that made one verdict of them."""
    if not is_jury(judgement.model):
        return
    for vote in votes_of(judgement):
        said = "" if vote.score is None else number_text(vote.score)
        label = f"{vote.ballot} ({said})" if isinstance(vote.ballot, str) else said
        left_out = "" if vote.score is not None else "Left out: it has no vote."
        yield ScoreRow(
            "vote",
            f"vote of {vote.model}",
            label or vote.outcome.replace("_", " "),
            left_out,
            holds=vote.passed,
        )
    if is_cascade(judgement.model):
        decided = not isinstance(judgement.outcome, Failed)
        yield ScoreRow(
            "rule",
            "cascade",
            "decided" if decided else "undecided",
            "The first model that was sure enough decided, and those after it were not asked."
            if decided
            else "No model was sure enough.",
        )
        return
    rule = jury_rule(judgement.model)
    yield ScoreRow("rule", "jury", rule, JURY_RULES.get(rule, ""))


def result_rows(explained: Explanation, score: Score) -> Iterator[ScoreRow]:
    judgement, judge = explained.judgement, explained.judge
    if explained.measured is not None:
        why = "Measured by the model before rounding to the scale; means are taken over this exact score."
        yield ScoreRow("measured", "measured", number_text(explained.measured), why)
    if explained.agrees is False:
        why = "The scorer now gives another score. The stored score is kept; run the case again to score it again."
        yield ScoreRow("stored", "stored score", number_text(score.value), why)
    else:
        yield ScoreRow("score", "score", number_text(score.value))
    if explained.source == "rule":
        yield advice_row(judgement)
    if judge is not None:
        yield pass_row(
            judge, {**judgement.verdict, "score": score.value, "exact": score.exact}, judgement.passed
        )
    if judgement.probability is not None:
        why = (
            "Set by rule for numbers compared in code, unless the model is surer; not how likely it is right."
            if explained.decider == "code"
            else "The model's own probability for this verdict; not how likely it is right."
        )
        yield ScoreRow("probability", "probability", f"{judgement.probability:.3f}", why)
    if judgement.distribution is not None:
        yield expected_row(judgement.distribution)
    scores = [each.score for each in explained.repeats if each.score is not None]
    if len(scores) > 1:
        yield repeats_row(scores, len(explained.repeats))


def expected_row(found: ScoreDistribution) -> ScoreRow:
    """The mean of the score over what the model could as well have written."""
    likely = sorted(found.shares, key=lambda item: -item[1])[:MAX_LIKELY]
    listed = tuple((number_text(score), show_percent(share)) for score, share in sorted(likely))
    why = "The mean of the scale under the probabilities of the score's tokens."
    if found.off_scale >= 0.0005:
        why += f" {show_percent(found.off_scale)} was for something off the scale, and is left out."
    return ScoreRow("expected", "expected score", f"{found.expected:.4g}", why, details=listed)


def repeats_row(scores: Sequence[float], judged: int) -> ScoreRow:
    counts = Counter(scores)
    listed = tuple(
        (number_text(score), f"{count} of {len(scores)}") for score, count in sorted(counts.items())
    )
    why = f"The scores of this case over its {judged} repeats."
    if len(scores) < judged:
        why += f" {judged - len(scores)} had no score."
    return ScoreRow(
        "repeats", "mean of the repeats", f"{fsum(scores) / len(scores):.4g}", why, details=listed
    )


UNKNOWN: Mapping[Source, str] = {
    "no_judge": "The judge's file is no longer in this store.",
    "no_case": "The case is no longer in this store, so the scorer cannot be run over it again.",
    "other_version": "Scored by {scorer}, which this version of adjudge no longer has. The stored score is kept; run the case "
    "again to score it with the present version.",
    "not_computable": "The scorer of this version of adjudge refuses the stored verdict. The stored score is kept.",
}


def source_rows(explained: Explanation) -> Iterator[ScoreRow]:
    """What comes before the steps, or stands in their place."""
    if explained.reference is not None:
        which = f"{explained.reference or 'one'} of {explained.references}"
        why = "Each reference has a checklist of its own; the one that is covered best counts."
        yield ScoreRow("reference", "reference", which, why)
    if explained.source == "no_score":
        why = "No one number of the verdict is the score. `score:` in the judge file would make one of it."
        yield ScoreRow("outcome", "what happened", "judged, not scored", why)
    if explained.source == "rule":
        yield from unasked_rows(explained.judgement, explained.judge)
    if explained.source in UNKNOWN:
        yield ScoreRow(
            "unknown", "steps", "not known", UNKNOWN[explained.source].format(scorer=explained.scorer)
        )


def step_rows(step: Step, explained: Explanation) -> Iterator[ScoreRow]:
    decider = explained.decider
    match step:
        case FieldStep():
            why = (
                "The score is what the model put into this field; it is not computed."
                if decider == "model"
                else "The score is the mean of the scale under the model's probabilities, rounded."
            )
            yield ScoreRow("field", f"`{step.field}` of the verdict", clipped(as_text(step.value)), why)
        case MismatchStep():
            values = f"said {plain(step.stated)}, the lines give {decimals(step.computed)}"
            why = "The model's counts and its score do not match; `score: coverage_rationale` would make the counts decide."
            yield ScoreRow("lines", "the verdict's own lines", values, why)
        case PointsStep():
            label = clipped(step.label, 40)
            listed = ", ".join(f"{clipped(name, 40)} {plain(worth)}" for name, worth in step.points.items())
            yield ScoreRow("field", f"`{step.field}` of the verdict", label)
            yield ScoreRow(
                "points", f"points for {label}", plain(step.worth), f"Points in the judge file: {listed}."
            )
        case ExpressionStep():
            yield from expression_rows(step)
        case OrderStep(first=first):
            exchanged = "" if first == "a" else "The answers were exchanged: what the reply calls A is B."
            yield ScoreRow("pair", "order", f"{first.upper()} first", exchanged)
        case PairStep():
            said = f"A first: {_better(step.a_first)}; B first: {_better(step.b_first)}"
            changed = (
                ""
                if step.a_first == step.b_first
                else "The verdict changed with the order, so it counts as a tie."
            )
            yield ScoreRow("pair", "both orders", said, changed)
            yield ScoreRow("pair", "winner", step.winner, "1 for A, 0 for B, 0.5 for a tie.")
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
            why = "The model gave counts and no items, so they cannot be checked one by one."
            lines = tuple((f"line {number}", line) for number, line in enumerate(step.lines, 1))
            yield ScoreRow(
                "lines", "the verdict's own lines", "k of n, as the model counted", why, details=lines
            )
        case CoverageScore():
            yield from formula_rows(step, decider)
        case CheckStep():
            yield check_row(step)
        case CriterionStep():
            yield criterion_row(step)
        case RubricStep():
            yield rubric_row(step)
        case ClaimStep():
            yield claim_row(step, explained.judgement.notes)
        case ShareStep():
            value = f"{step.supported} / {step.claims} = {exact_text(Fraction(step.supported, step.claims))}"
            yield ScoreRow("counts", "supported", value, "Claims that the context supports, over all claims.")
        case _:
            assert_never(step)


def _better(winner: str) -> str:
    return "tie" if winner == "tie" else f"{winner.upper()} is better"


# ---- rubric ----


def criterion_row(step: CriterionStep) -> ScoreRow:
    worth = f"{plain(step.points)} of {plain(step.points)}" if step.met else f"0 of {plain(step.points)}"
    if step.points < 0:
        worth = plain(step.points) if step.met else "0, as it should be"
    return ScoreRow(
        "criterion",
        f"{step.number} {step.criterion}",
        f"{'met' if step.met else 'not met'}, {worth}",
        holds=step.met is (step.points > 0),
        details=(("why", step.why),) if step.why else (),
    )


def rubric_row(step: RubricStep) -> ScoreRow:
    raw = step.earned / step.possible if step.possible else step.share
    kept = "" if raw == step.share else f" → {exact_text(step.share)}"
    value = f"{plain(step.earned)} / {plain(step.possible)} = {exact_text(raw)}{kept}"
    return ScoreRow(
        "formula", "points", value, "Points earned over the sum of the positive points, from 0 to 1."
    )


# ---- groundedness ----


def claim_row(step: ClaimStep, notes: Sequence[str]) -> ScoreRow:
    unfound = f"{UNFOUND}{step.claim_id}" in notes
    repeats = fold(step.quote).rstrip(".") == fold(step.claim).rstrip(".")
    details = [
        ("why", step.why),
        ("passage", None if step.verdict == "not_found" and not unfound else step.passage),
        ("quote", "" if repeats else step.quote),
    ]
    return ScoreRow(
        "claim",
        f"{step.claim_id} {step.claim}",
        step.verdict.replace("_", " "),
        "The model gave another verdict, but its passage is not in the context: it is not counted."
        if unfound
        else "",
        holds=step.verdict == "supported",
        details=tuple((name, text) for name, text in details if text),
    )


def expression_rows(step: ExpressionStep) -> Iterator[ScoreRow]:
    tree, values = step.expression.tree, step.values
    yield ScoreRow(
        "expression", "expression", step.expression.text, details=tuple(operand_values(tree, values).items())
    )
    filled = f"{with_values(tree, values)} = {exact_text(step.result)}"
    yield ScoreRow("values", "with the values in it", filled)
    if step.exact != step.result:
        yield ScoreRow("exact", "exactly", exact_text(step.exact), "Before rounding; a half goes up.")


def check_row(step: CheckStep) -> ScoreRow:
    parameters = ", ".join(f"{name} {clipped(as_text(value), 80)}" for name, value in step.parameters.items())
    whole = step.score in (0, 1)
    value = ("passed" if step.score else "failed") if whole else exact_text(step.score)
    return ScoreRow(
        "check",
        f"check {step.check}" + (f" ({parameters})" if parameters else ""),
        value,
        f"{step.reason} Looked at in code; no model was asked.",
        holds=bool(step.score) if whole else None,
        details=step.details,
    )


# ---- correctness ----

VETOES = {
    "contradicts": ("contradicts the expected output", "does not contradict the expected output"),
    "misses_critical": ("misses something critical", "misses nothing critical"),
}
VETO_BY_RULE = "the model gives less than 50 % that the response agrees with the expected answer"
"""When the embedded judge sets a flag."""


def flag_row(flag: FlagStep, decider: Decider) -> ScoreRow:
    why = {
        "model": f"The model says that the response {VETOES[flag.name][not flag.value]}.",
        "code": "The model was not asked: the expected answer is a number, which is compared in code.",
        "rule": f"Derived from the probability, not a separate answer of the model: true when {VETO_BY_RULE}."
        if flag.name == "misses_critical"
        else "Not known: the embedded judge does not tell what is contradicted from what is missing.",
    }[decider]
    return ScoreRow("flag", flag.name, "true" if flag.value else "false", why, holds=not flag.value)


def margin_row(step: MarginStep) -> ScoreRow:
    pure = (
        "The question is pure calculation, so the margin is 2 % and not 4 %."
        if step.calculation
        else "The question is not pure calculation (that would be 2 %)."
    )
    rule = (
        "A number agrees when |response − expected| ≤ m · |expected|, the bound included; years, dates, times, ordinals, "
        "versions and identifiers have no margin."
    )
    return ScoreRow(
        "margin", "margin", f"m = {exact_text(step.margin)} ({percent(step.margin)})", f"{pure} {rule}"
    )


def number_row(number: NumberStep) -> ScoreRow:
    comparison = number.comparison
    response = "nothing" if number.response is None else clipped(number.response, 60)
    return ScoreRow(
        "number",
        f"{response} against {clipped(number.expected, 60)}",
        "agrees" if comparison.agrees else "does not agree",
        "" if number.critical else "Not critical, so it does not decide.",
        holds=comparison.agrees,
        details=(
            ("expected", number.expected),
            ("response", number.response or "nothing was quoted"),
            *comparison_details(number),
            ("result", comparison.how),
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
    return ScoreRow("rule", "rule", "0" if step.vetoes else "1", why, holds=not step.vetoes)


def veto_text(veto: FlagStep | NumberStep, decider: Decider) -> str:
    if isinstance(veto, NumberStep):
        return f"the critical number {clipped(veto.expected, 40)} does not agree"
    return f"the response {VETOES[veto.name][0]}" if decider == "model" else VETO_BY_RULE


# ---- coverage ----

ITEM_KINDS: Mapping[str, RowKind] = {"facts": "fact", "conclusions": "conclusion", "terms": "term"}


def item_row(item: ItemStep, notes: Sequence[str]) -> ScoreRow:
    repeats = fold(item.quote).rstrip(".") == fold(item.text).rstrip(".")
    quote = "" if repeats else item.quote  # nothing that the item itself does not say
    details = [("why", item.why), ("quote", quote), ("evidence", item.evidence)]
    why = ""
    if f"evidence_not_found:{item.item_id}" in notes:
        why = "The model called it matched, but its evidence is not in the response: it is not counted."
    elif item.found == "code":
        why = "Found in the response by code; the model was not asked."
        details = [("quote", quote)]
    return ScoreRow(
        ITEM_KINDS[item.category],
        f"{item.item_id} {item.text}",
        "matched" if item.matched else "missed",
        why,
        holds=item.matched,
        details=tuple((name, text) for name, text in details if text),
    )


def formula_rows(computed: CoverageScore, decider: Decider) -> Iterator[ScoreRow]:
    counts = computed.counts
    found = [
        f"facts {counts.matched_facts}/{counts.facts}",
        f"conclusions {counts.matched_conclusions}/{counts.conclusions}",
        f"terms {counts.matched_terms}/{counts.terms}",
        f"organization {'matched' if counts.organized else 'mismatched'}",
    ]
    order = "as the model sees it" if decider == "model" else "as the places of the matched passages tell"
    why = f"Organization: whether the response puts things in the reference's order, {order}; 1 or 0."
    if not (counts.facts and counts.terms):
        why += " 0/0 counts as 1: there were none to match."
    yield ScoreRow("counts", "matched", " · ".join(found), why)
    filled = " + ".join(f"{part.weight} × {exact_text(part.ratio)}" for part in computed.summands)
    exact, short = exact_text(computed.exact), decimals(computed.exact)
    rounded = f" ≈ {short}" if "/" in exact and Fraction(short) != computed.exact else ""
    value = f"5 × ({filled}) = {exact}{rounded} → {computed.rounded}"
    yield ScoreRow("formula", "formula", value, why_this_formula(computed))


def why_this_formula(computed: CoverageScore) -> str:
    counts = computed.counts
    weights = ", ".join(f"{part.name.removesuffix('_ratio')} {part.weight}" for part in computed.summands)
    if counts.facts >= 1 and counts.matched_facts == 0:
        return (
            f"No fact was matched: then conclusions and organization count for nothing. Weights: {weights}."
        )
    has = "conclusions" if counts.conclusions else "no conclusions"
    return f"The reference has {has}. Weights: {weights}."


# ---- by rule, and not at all ----


def unasked_rows(judgement: Judgement, judge: Judge | None) -> Iterator[ScoreRow]:
    outcome = judgement.outcome
    assert isinstance(outcome, Scored | Forced)
    reason = outcome.reason if isinstance(outcome, Forced) else judgement.reason or ""
    yield ScoreRow("outcome", "what happened", "scored by rule", f"{reason} No model was asked.")
    value = number_text(outcome.score.value)
    if "empty_response" not in judgement.notes:
        why = f"The judge file forces the score {value} when a required input is absent (`when_missing:`)."
    elif judge is not None and judge.when_empty == "lowest":
        worst = "highest" if judge.better == "lower" else "lowest"
        why = f"A blank response is an answer, and gets the worst score of the scale, its {worst}: {value}."
    else:
        why = f"The judge file gives a blank response the score {value}."
    yield ScoreRow("rule", "rule", value, why)


def advice_row(judgement: Judgement) -> ScoreRow:
    if "empty_response" in judgement.notes:
        do = "Find out why the system gave no answer."
        why = "`when_empty:` in the judge file says what a blank response is worth."
    else:
        do = "Fill in what is missing."
        why = "Or name its column with `--columns input=column`; then run the same command again."
    return ScoreRow("next", "what to do next", do, why)


def failure_rows(judgement: Judgement, failed: Failed) -> Iterator[ScoreRow]:
    advice = FAILURES[failed.kind]
    details = [
        ("message", failed.message),
        ("kind", failed.error_kind),
        ("attempts", str(judgement.attempts or "")),
        ("cost", "unknown: the reply was lost in transit and may be billed" if failed.maybe_billed else ""),
    ]
    means = f"{advice.means[0].upper()}{advice.means[1:]}. It is counted as not judged, and not as 0."
    found = tuple((name, text) for name, text in details if text)
    yield ScoreRow("outcome", "what happened", failed.kind, means, details=found)
    retried = failed.kind in {"abstained", "unreadable", "truncated", "refused"}
    retry = f"`--retry {failed.kind}` re-asks such cases; otherwise the stored reply is reused."
    do = what_to_do(failed.kind, [failed.error_kind])
    do = f"{do[0].upper()}{do[1:]}."
    yield ScoreRow("next", "what to do next", do, retry if retried else "")


# ---- whether it passes ----


def pass_row(judge: Judge, values: Mapping[str, Json], passed: bool | None) -> ScoreRow:  # noqa: FBT001 - the stored value
    """The rule with the numbers in it; what was stored stands where the rule is not known any more."""
    words = {True: "yes", False: "no", None: "not known"}
    holds = passed
    if judge.passes is None:
        words[None] = "no rule"
        explanation = (
            f"The judge file has no `passes:`; `--pass '{example_pass_rule(judge)}'` gives one for a run."
        )
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
    return ScoreRow("passes", "passes", words[holds], explanation, holds=holds)


# ---- as lines of text ----

INDENT = "    "
LISTED = frozenset({"criterion", "claim", "fact", "conclusion", "term", "number"})
"""Rows with long labels: what became of them goes first."""
MARKS = {True: "+", False: "-", None: " "}


def score_lines(rows: ScoreRows, width: int = 100) -> list[str]:
    """One line a row, `+` where it holds and `-` where it does not, its reasons below it; safe for a terminal."""
    return [line for row in rows.steps for line in _row_lines(row, width)]


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
