"""A check as a scorer: what it finds in the case is the verdict, the score and its one step."""

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.records import CheckScore, Failed, Json, Score, Verdict
from adjudge.scoring.checks import run_check
from adjudge.scoring.checks.finding import Finding
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import CheckStep


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckScorer(Scorer):
    rule: CheckScore

    def parts_unasked(self, value: float) -> Mapping[str, Json]:
        return {"reason": "The response is empty.", "score": value, "compared": {}}

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        """From the case alone: a verdict that was stored is not read."""
        del verdict, items
        found = run_check(self.rule, fields)
        return Invalid(why=found.message) if isinstance(found, Failed) else self.scored(found)

    def scored(self, found: Finding) -> Scoring:
        value = float(found.score)
        parts: dict[str, Json] = {"reason": found.reason, "score": value, "compared": dict(found.details)}
        step = CheckStep(self.rule.name, self.rule.parameters, found.reason, found.details, found.score)
        return Scoring(Score(value=value, exact=value, parts=parts), (step,))
