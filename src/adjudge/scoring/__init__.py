"""Verdict -> Score: ratios, tolerances, formulas and rounding, in code and exact."""

from adjudge.scoring.rationale import (
    FORCED_RATIONALE,
    Counts,
    CoverageScore,
    coverage_score,
    rationale,
    read_rationale,
)
from adjudge.scoring.registry import base_scorer, scorer_for
from adjudge.scoring.rules import example_pass_rule, pass_rule_problem, pass_rule_verdict, passes
from adjudge.scoring.scale import lowest, normalize
from adjudge.scoring.scorer import Invalid, Scorer, Scoring

__all__ = [
    "FORCED_RATIONALE",
    "Counts",
    "CoverageScore",
    "Invalid",
    "Scorer",
    "Scoring",
    "base_scorer",
    "coverage_score",
    "example_pass_rule",
    "lowest",
    "normalize",
    "pass_rule_problem",
    "pass_rule_verdict",
    "passes",
    "rationale",
    "read_rationale",
    "scorer_for",
]
