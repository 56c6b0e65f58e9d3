"""Text -> a number, label or truth: the `score:` and `passes:` rules of judge files, read and computed by our own code."""

from adjudge.expressions.evaluate import EvaluationError
from adjudge.expressions.expression import Expression, parse_expression
from adjudge.expressions.numbers import exact_number, round_half_up

__all__ = ["EvaluationError", "Expression", "exact_number", "parse_expression", "round_half_up"]
