"""Scores that a judge file writes down itself: a field, points for a label, an expression; and its pass rule."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from adjudge.expressions import EvaluationError, exact_number, parse_expression
from adjudge.expressions.syntax import Literal, Node, children
from adjudge.records import (
    ExpressionScore,
    FieldScore,
    Json,
    Judge,
    PointsScore,
    Rating,
    Scale,
    Score,
    Verdict,
)
from adjudge.schemas import properties_of
from adjudge.scoring.rationale import FORCED_RATIONALE, coverage_score, decimals, read_rationale
from adjudge.scoring.scale import off_scale, plain
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import ExpressionStep, FieldStep, LinesStep, MismatchStep, PointsStep, Step
from adjudge.scoring.text import clipped
from adjudge.text import as_text

SCORE_NAMES = frozenset({"score", "exact"})
PLAIN_NUMBER = re.compile(r"\A\s*[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?\s*")


class RuleScorer(Scorer):
    """A score that depends on the verdict (and items) alone, never on the case."""

    __slots__ = ()

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        """Names of the verdict win over `items`, which expressions may read too."""
        del fields
        return self.compute(verdict.parts if items is None else {"items": dict(items), **verdict.parts})

    def compute(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        raise NotImplementedError


def on_scale(
    scale: Scale | None,
    value: Fraction,
    name: str,
    *,
    exact: Fraction | None = None,
    notes: tuple[str, ...] = (),
    parts: Mapping[str, Json] | None = None,
) -> Score | Invalid:
    for number in (value,) if exact is None else (value, exact):
        if scale is not None and off_scale(scale, number):
            return Invalid(
                why=f"{name} is {plain(number)}, outside the scale {plain(scale.low)} to {plain(scale.high)}"
            )
    rounded = as_float(value)
    unrounded = rounded if exact is None else as_float(exact)
    if not (math.isfinite(rounded) and math.isfinite(unrounded)):
        return Invalid(why=f"{name} is too large to be a score")
    return Score(value=rounded, exact=unrounded, notes=notes, parts=parts)


def with_steps(score: Score | Invalid, *steps: Step) -> Scoring | Invalid:
    return score if isinstance(score, Invalid) else Scoring(score, steps)


def as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def numeric(value: Json) -> Fraction | None:
    """A number, a truth value as 1 or 0, or text that is nothing but a decimal number."""
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, str):
        return Fraction(value.strip()) if PLAIN_NUMBER.fullmatch(value) else None
    return exact_number(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldScorer(RuleScorer):
    rule: FieldScore
    scale: Scale | None

    def compute(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        value = parts.get(self.rule.field)
        if type(value) is int and parts.get("rationale") is None:
            return _score_integer(self.rule.field, value, self.scale)
        return score_field(self.rule.field, parts, self.scale)


@lru_cache(maxsize=1024)
def _score_integer(field: str, value: int, scale: Scale | None) -> Scoring | Invalid:
    """Kept, because scores are few."""
    return score_field(field, {field: value}, scale)


def score_field(field: str, parts: Mapping[str, Json], scale: Scale | None) -> Scoring | Invalid:
    name, value = f"`{field}`", parts.get(field)
    if value is None:
        return Invalid(why=f"{name} is missing")
    stated = numeric(value)
    if stated is None:
        return Invalid(why=f"{name} has to be a number, found {clipped(as_text(value))}")
    mismatch = find_mismatch(parts, stated)
    scored = on_scale(scale, stated, name, notes=mismatch_notes(mismatch))
    step = FieldStep(field, value, stated)
    return with_steps(scored, step) if mismatch is None else with_steps(scored, step, mismatch)


def find_mismatch(parts: Mapping[str, Json], stated: Fraction) -> MismatchStep | None:
    """Where the verdict's own k-of-n lines give another score than the one it states."""
    counts = read_rationale(parts.get("rationale"))
    if counts is None:
        return None
    computed = coverage_score(counts)
    return None if computed.rounded == stated else MismatchStep(stated, computed.exact)


def mismatch_notes(mismatch: MismatchStep | None) -> tuple[str, ...]:
    if mismatch is None:
        return ()
    return (
        f"rationale_mismatch: said {plain(mismatch.stated)}, the lines give {decimals(mismatch.computed)}",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class RationaleScorer(RuleScorer):
    """`coverage_rationale`: the score that the verdict's k-of-n lines give, whatever number stands beside them."""

    scale: Scale | None
    whole_points: ClassVar[bool] = True

    def parts_unasked(self, value: float) -> Mapping[str, Json]:
        return {"score": value, "rationale": list(FORCED_RATIONALE)}

    def compute(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        counts = read_rationale(parts.get("rationale"))
        if counts is None:
            return Invalid(
                why="`rationale` has to be five lines: Fact, Conclusion and Terminology each as `k of n` with k at "
                "most n, Organization as matched or mismatched, Score"
            )
        computed = coverage_score(counts)
        stated = numeric(parts.get("score"))
        scored = on_scale(
            self.scale,
            Fraction(computed.rounded),
            "the recomputed score",
            exact=computed.exact,
            notes=() if stated is None else mismatch_notes(find_mismatch(parts, stated)),
            parts={**parts, "score": computed.rounded},
        )
        lines = parts["rationale"]
        assert isinstance(lines, list)
        return with_steps(scored, LinesStep(tuple(map(as_text, lines[:5]))), computed)


@dataclass(frozen=True, kw_only=True, slots=True)
class PointsScorer(RuleScorer):
    rule: PointsScore
    scale: Scale | None

    def compute(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        name = f"`{self.rule.field}`"
        value = parts.get(self.rule.field)
        if value is None:
            return Invalid(why=f"{name} is missing")
        points = self.points_of(as_text(value))
        if points is None:
            labels = ", ".join(self.rule.points)
            return Invalid(why=f"{name} is {clipped(as_text(value))}; it has to be one of {labels}")
        exact = exact_number(points)
        if exact is None:
            return Invalid(why=f"{name} has no points")
        step = PointsStep(self.rule.field, as_text(value), self.rule.points, points)
        return with_steps(on_scale(self.scale, exact, name), step)

    def points_of(self, label: str) -> float | None:
        """Exactly the label; else the only one that differs in case and outer white space alone."""
        if label in self.rule.points:
            return self.rule.points[label]
        near = [points for known, points in self.rule.points.items() if same_label(known, label)]
        return near[0] if len(near) == 1 else None


def same_label(known: str, label: str) -> bool:
    return known.strip().casefold() == label.strip().casefold()


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpressionScorer(RuleScorer):
    rule: ExpressionScore
    scale: Scale | None

    def compute(self, parts: Mapping[str, Json]) -> Scoring | Invalid:
        expression = parse_expression(self.rule.text)
        inside = expression.before_rounding()
        name = f"`{clipped(self.rule.text)}`"
        try:
            found = expression.evaluate(parts)
            exact = found if inside is None else inside.evaluate(parts)
        except EvaluationError as error:
            return Invalid(why=f"the score {name} cannot be computed: {error}")
        if isinstance(found, str) or found is None or isinstance(exact, str) or exact is None:
            return Invalid(why=f"the score {name} has to be a number, found {clipped(str(found))}")
        result, unrounded = Fraction(found), Fraction(exact)
        scored = on_scale(self.scale, result, name, exact=unrounded)
        return with_steps(scored, ExpressionStep(expression, parts, result, unrounded))


def passes(judge: Judge, verdict_parts: Mapping[str, Json], score: Score) -> bool | None:
    """Whether the score passes the judge's rule; None when there is no rule, or it asks for what is not there."""
    try:
        return evaluate_pass_rule(judge, verdict_parts, score)
    except EvaluationError:
        return None


def rating_passes(rating: Rating, verdict_parts: Mapping[str, Json]) -> bool | None:
    """Whether one of several ratings passes its own rule, in which `score` is that rating."""
    if rating.passes is None:
        return None
    try:
        return bool(
            parse_expression(rating.passes).evaluate({**verdict_parts, "score": verdict_parts[rating.name]})
        )
    except EvaluationError:
        return None


def evaluate_pass_rule(judge: Judge, verdict_parts: Mapping[str, Json], score: Score) -> bool | None:
    if judge.passes is None:
        return None
    rule = parse_expression(judge.passes)
    if rule.names <= SCORE_NAMES and not rule.item_fields:
        return _passes_with_score(judge.passes, score.value, score.exact)
    return _holds(judge.passes, {**verdict_parts, "score": score.value, "exact": score.exact})


@lru_cache(maxsize=1024)
def _passes_with_score(rule: str, value: float, exact: float) -> bool:
    """Kept, because scores are few and most rules read nothing else."""
    return _holds(rule, {"score": value, "exact": exact})


def _holds(rule: str, values: Mapping[str, Json]) -> bool:
    found = parse_expression(rule).evaluate(values)
    if isinstance(found, str) or found is None:
        raise EvaluationError(f"the pass rule `{rule}` has to be true or false")
    return bool(found)


def pass_rule_problem(judge: Judge) -> str | None:
    """Why a pass rule can never be computed from this judge's verdicts, tried on one that has every field; or None.

    Said before the first call: a reply is not to blame for a rule that compares a text with a number.
    """
    if judge.passes is None or judge.contract is None:
        return None
    sample = {name: _sample(schema) for name, schema in properties_of(judge.contract.schema).items()}
    if judge.pair is not None:
        sample = {"winner": "tie"}
    low = judge.scale.low if judge.scale else 0.0
    try:
        evaluate_pass_rule(judge, sample, Score(value=low, exact=low))
    except EvaluationError as error:
        return str(error)
    return None


def pass_rule_verdict(judge: Judge) -> bool | None:
    """What a rule about the score alone says of every score on the judge's scale; None where that depends on the score."""
    if judge.passes is None or judge.scale is None:
        return None
    expression = parse_expression(judge.passes)
    if not expression.names <= SCORE_NAMES or expression.item_fields:
        return None
    low, high = Fraction(judge.scale.low), Fraction(judge.scale.high)
    turns = sorted({low, high, *(each for each in _numbers(expression.tree) if low < each < high)})
    scores = [*turns, *((one + other) / 2 for one, other in pairwise(turns))]
    try:
        found = {bool(expression.evaluate(dict.fromkeys(SCORE_NAMES, float(score)))) for score in scores}
    except EvaluationError:
        return None
    return found.pop() if len(found) == 1 else None


def _numbers(node: Node) -> Iterator[Fraction]:
    if isinstance(node, Literal) and isinstance(node.value, Fraction | int | float):
        yield Fraction(node.value)
    for part in children(node):
        yield from _numbers(part)


def example_pass_rule(judge: Judge) -> str:
    """A rule that fits the judge's scale: `score >= 4` for 1 to 5."""
    low, high = (judge.scale.low, judge.scale.high) if judge.scale else (1.0, 5.0)
    if judge.pair is not None:
        return "score > 0.5"
    share = 0.25 if judge.better == "lower" else 0.75
    threshold = low + share * (high - low)
    if high - low >= 2:
        threshold = math.floor(threshold) if judge.better == "lower" else math.ceil(threshold)
    return f"score {'<=' if judge.better == 'lower' else '>='} {threshold:g}"


def _sample(schema: Json) -> Json:
    """Some value of the kind a schema asks for."""
    if not isinstance(schema, dict):
        return None
    enum = schema.get("enum")
    if isinstance(enum, list) and enum:
        return enum[0]
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    samples: dict[str, Json] = {
        "integer": 1,
        "number": 1,
        "boolean": True,
        "string": "x",
        "array": [],
        "object": {},
    }
    return next((samples[name] for name in kinds if isinstance(name, str) and name in samples), None)
