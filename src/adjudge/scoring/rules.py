"""Scores that a judge file writes down itself: a field, points for a label, an expression; and its pass rule."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from adjudge.expressions import EvaluationError, exact_number, parse_expression
from adjudge.records import (
    ExpressionScore,
    FieldScore,
    Json,
    Judge,
    PointsScore,
    Scale,
    Score,
    Verdict,
)
from adjudge.scoring.rationale import coverage_score, decimals, read_rationale
from adjudge.scoring.scale import off_scale, plain
from adjudge.scoring.scorer import Invalid
from adjudge.scoring.text import as_text, clipped

PLAIN_NUMBER = re.compile(r"\A\s*[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?\s*")


class RuleScorer:
    """A score that depends on the verdict (and items) alone, never on the case; items travel as the model listed them."""

    __slots__ = ()

    def check_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        del fields
        return dict(parts)

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        del fields
        return dict(items)

    def score(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Score | Invalid:
        """Names of the verdict win over `items`, which expressions may read too."""
        del fields
        return self.compute(verdict.parts if items is None else {"items": dict(items), **verdict.parts})

    def compute(self, parts: Mapping[str, Json]) -> Score | Invalid:
        raise NotImplementedError


def on_scale(
    scale: Scale | None,
    value: Fraction,
    name: str,
    *,
    exact: Fraction | None = None,
    notes: tuple[str, ...] = (),
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
    return Score(value=rounded, exact=unrounded, notes=notes)


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

    def compute(self, parts: Mapping[str, Json]) -> Score | Invalid:
        name = f"`{self.rule.field}`"
        if parts.get(self.rule.field) is None:
            return Invalid(why=f"{name} is missing")
        said = numeric(parts[self.rule.field])
        if said is None:
            found = clipped(as_text(parts[self.rule.field]))
            return Invalid(why=f"{name} has to be a number, found {found}")
        return on_scale(self.scale, said, name, notes=rationale_notes(parts, said))


def rationale_notes(parts: Mapping[str, Json], said: Fraction) -> tuple[str, ...]:
    """A note when the verdict's own k-of-n lines give another score than the one it states."""
    counts = read_rationale(parts.get("rationale"))
    if counts is None:
        return ()
    computed = coverage_score(counts)
    if computed.rounded == said:
        return ()
    return (f"rationale_mismatch: said {plain(said)}, the lines give {decimals(computed.exact)}",)


@dataclass(frozen=True, kw_only=True, slots=True)
class RationaleScorer(RuleScorer):
    """`coverage_rationale`: the score that the verdict's k-of-n lines give, whatever number stands beside them."""

    scale: Scale | None

    def compute(self, parts: Mapping[str, Json]) -> Score | Invalid:
        counts = read_rationale(parts.get("rationale"))
        if counts is None:
            return Invalid(
                why="`rationale` has to be five lines: Fact, Conclusion and Terminology each as `k of n` with k at "
                "most n, Organization as matched or mismatched, Score"
            )
        computed = coverage_score(counts)
        said = numeric(parts.get("score"))
        scored = on_scale(
            self.scale,
            Fraction(computed.rounded),
            "the recomputed score",
            exact=computed.exact,
            notes=() if said is None else rationale_notes(parts, said),
        )
        if isinstance(scored, Invalid):
            return scored
        return replace(scored, parts={**parts, "score": computed.rounded})


@dataclass(frozen=True, kw_only=True, slots=True)
class PointsScorer(RuleScorer):
    rule: PointsScore
    scale: Scale | None

    def compute(self, parts: Mapping[str, Json]) -> Score | Invalid:
        name = f"`{self.rule.field}`"
        value = parts.get(self.rule.field)
        if value is None:
            return Invalid(why=f"{name} is missing")
        points = self.points_of(as_text(value))
        if points is None:
            labels = ", ".join(self.rule.points)
            return Invalid(why=f"{name} is {clipped(as_text(value))}; it has to be one of {labels}")
        exact = exact_number(points)
        return Invalid(why=f"{name} has no points") if exact is None else on_scale(self.scale, exact, name)

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

    def compute(self, parts: Mapping[str, Json]) -> Score | Invalid:
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
        return on_scale(self.scale, Fraction(found), name, exact=Fraction(exact))


def passes(judge: Judge, verdict_parts: Mapping[str, Json], score: Score) -> bool | None:
    """Whether the score passes the judge's rule; None when there is no rule, or it asks for what is not there."""
    try:
        return evaluate_pass_rule(judge, verdict_parts, score)
    except EvaluationError:
        return None


def evaluate_pass_rule(judge: Judge, verdict_parts: Mapping[str, Json], score: Score) -> bool | None:
    if judge.passes is None:
        return None
    values = {**verdict_parts, "score": score.value, "exact": score.exact}
    found = parse_expression(judge.passes).evaluate(values)
    if isinstance(found, str) or found is None:
        raise EvaluationError(f"the pass rule `{judge.passes}` has to be true or false")
    return bool(found)


def pass_rule_problem(judge: Judge) -> str | None:
    """Why a pass rule can never be computed from this judge's verdicts, tried on one that has every field; or None.

    Said before the first call: a reply is not to blame for a rule that compares a text with a number.
    """
    if judge.passes is None or judge.contract is None:
        return None
    properties = judge.contract.schema.get("properties")
    sample = {
        name: _sample(schema) for name, schema in (properties if isinstance(properties, dict) else {}).items()
    }
    low = judge.scale.low if judge.scale else 0.0
    try:
        evaluate_pass_rule(judge, sample, Score(value=low, exact=low))
    except EvaluationError as error:
        return str(error)
    return None


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
