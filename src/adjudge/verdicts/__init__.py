"""Completion -> Verdict: typed parts of what a model said, or why they could not be read."""

from adjudge.verdicts.ask import ask_again, ask_alone, describe_format
from adjudge.verdicts.expected import spelled_values, value_shares
from adjudge.verdicts.probability import value_tokens
from adjudge.verdicts.read import Planted, UnreadReply, explanation, read_verdict

__all__ = [
    "Planted",
    "UnreadReply",
    "ask_again",
    "ask_alone",
    "describe_format",
    "explanation",
    "read_verdict",
    "spelled_values",
    "value_shares",
    "value_tokens",
]
