"""What the model's outputs mean: numbers fitted on held-back questions turn them into probabilities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.embedded.questions import LOWEST, Question


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A logistic curve over one output."""

    slope: float = 1.0
    intercept: float = 0.0

    def probability(self, output: float) -> float:
        return 0.5 * (1.0 + math.tanh(0.5 * (self.intercept + self.slope * output)))


def expected_value(question: Question, probabilities: Sequence[float]) -> float:
    """The mean of a scale whose steps are reached with these probabilities."""
    return LOWEST[question] + sum(probabilities)
