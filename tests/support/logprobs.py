"""Replies whose tokens have probabilities."""

import math

from adjudge.records import Completion, TokenLogprob


def token(text, likely=None):
    """Text that was certain, or one of several with their probabilities."""
    likely = likely or {}
    return TokenLogprob(
        token=text,
        logprob=math.log(likely.get(text, 1.0)),
        alternatives=tuple((each, math.log(share)) for each, share in likely.items()),
    )


def said(*parts):
    """Text that was certain, or (the token, what else there could have been with its probability)."""
    tokens = []
    for each in parts:
        text, others = (each, {}) if isinstance(each, str) else each
        tokens.append(token(text, {text: 1 - sum(others.values()), **others} if others else None))
    return Completion(text="".join(part.token for part in tokens), logprobs=tuple(tokens))
