"""Text -> a value: one expression language, in the exact rules of judge files and in PromptL's tags."""

from adjudge.expressions.numbers import exact_number, round_half_up
from adjudge.expressions.rules import EvaluationError, Expression, parse_expression

__all__ = ["EvaluationError", "Expression", "exact_number", "parse_expression", "round_half_up"]
