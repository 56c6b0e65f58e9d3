"""Judge -> the scorer that its `score:` names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from adjudge.errors import JudgeFileError
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.identity_cache import cache_by_identity
from adjudge.records import (
    CheckScore,
    CombineScore,
    ExpressionScore,
    FieldScore,
    Json,
    Judge,
    NamedScore,
    PointsScore,
    Scale,
    Verdict,
)
from adjudge.scoring.rules import (
    ExpressionScorer,
    FieldScorer,
    PointsScorer,
    RationaleScorer,
    evaluate_pass_rule,
)
from adjudge.scoring.scorer import Invalid, Scorer, Scoring


def _correctness(scale: Scale | None) -> Scorer:
    from adjudge.scoring.correctness import CorrectnessScorer  # noqa: PLC0415 - slow, and most judges need none of it

    return CorrectnessScorer(scale=scale)


def _coverage(scale: Scale | None) -> Scorer:
    from adjudge.scoring.coverage import CoverageScorer  # noqa: PLC0415 - as above

    return CoverageScorer(scale=scale)


def _rubric(scale: Scale | None) -> Scorer:
    from adjudge.scoring.rubric import RubricScorer  # noqa: PLC0415 - as above

    return RubricScorer(scale=scale)


def _groundedness(scale: Scale | None) -> Scorer:
    from adjudge.scoring.groundedness import GroundednessScorer  # noqa: PLC0415 - as above

    return GroundednessScorer(scale=scale)


NAMED: Mapping[str, Callable[[Scale | None], Scorer]] = {
    "correctness": _correctness,
    "coverage": _coverage,
    "coverage_rationale": lambda scale: RationaleScorer(scale=scale),
    "rubric": _rubric,
    "groundedness": _groundedness,
}


ALWAYS_THERE = frozenset({"score", "exact"})


@dataclass(frozen=True, kw_only=True, slots=True)
class WithPassRule(Scorer):
    """A scorer whose scores the judge's pass rule can read: a verdict without a field the rule needs is asked for again."""

    judge: Judge
    scorer: Scorer

    def validate_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        return self.scorer.validate_items(parts, fields)

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        return self.scorer.items_to_ask(items, fields)

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        found = self.scorer.explain(verdict, fields, items)
        if isinstance(found, Invalid):
            return found
        score = found.score
        try:
            evaluate_pass_rule(self.judge, verdict.parts if score.parts is None else score.parts, score)
        except EvaluationError as error:
            return Invalid(why=f"the pass rule `{self.judge.passes}` cannot be computed: {error}")
        return found


@cache_by_identity
def scorer_for(judge: Judge) -> Scorer:
    """The scorer of a judge that has a score rule; one without can be shown, not run."""
    scorer = base_scorer(judge)
    if judge.passes is None or judge.pair or parse_expression(judge.passes).names <= ALWAYS_THERE:
        return scorer  # such a rule needs nothing that a verdict could lack; a pair's is about both orders together
    return WithPassRule(judge=judge, scorer=scorer)


def base_scorer(judge: Judge) -> Scorer:
    """The scorer by itself, whatever the pass rule needs."""
    match judge.score:
        case FieldScore() as rule:
            return FieldScorer(rule=rule, scale=judge.reply_scale)
        case PointsScore() as rule:
            return PointsScorer(rule=rule, scale=judge.reply_scale)
        case ExpressionScore() as rule:
            return ExpressionScorer(rule=rule, scale=judge.reply_scale)
        case CombineScore(text=text):
            return ExpressionScorer(rule=ExpressionScore(text=text), scale=judge.scale)
        case NamedScore(name=name) if name in NAMED:
            return NAMED[name](judge.scale)
        case NamedScore(name=name):
            raise JudgeFileError(
                f"judge `{judge.name}`",
                f"unknown scorer `{name}`",
                f"use {', '.join(sorted(NAMED))}, a field of the verdict, points for labels, or an expression",
            )
        case CheckScore(name=name):
            raise TypeError(f"the check `{name}` reads the case: there is no verdict to score")
        case None:
            raise JudgeFileError(
                f"judge `{judge.name}`",
                "it does not say what the score is",
                "add `score:` to its front matter: a field of the verdict, points for labels, or an expression",
            )
