"""Completion -> Verdict: typed parts of what a model said, or why they could not be read."""

from adjudge.verdicts.ask import ask_again, ask_alone, describe_format
from adjudge.verdicts.probability import value_probability
from adjudge.verdicts.read import Planted, UnreadReply, explanation, read_verdict

__all__ = [
    "Planted",
    "UnreadReply",
    "ask_again",
    "ask_alone",
    "describe_format",
    "explanation",
    "read_verdict",
    "value_probability",
]
