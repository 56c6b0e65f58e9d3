"""Signs of agreement that code can see in a question, its expected answers and a response; weighed beside the model."""

import math
import re
from collections.abc import Mapping, Sequence

from adjudge.embedded.reading.numbers import figures_agree

WORD = re.compile(r"[^\W_]+")
YES_NO = re.compile(r"\A\W*(yes|no)\b", re.IGNORECASE)
_DECLINES = (
    r"i (?:cannot|can't|am unable|do not have|don't have)|i'm (?:sorry|unable)|"
    r"cannot (?:be determined|answer|provide)"
)
DECLINES = re.compile(rf"\b(?:{_DECLINES})\b", re.IGNORECASE)
"""It says that it will not answer, or cannot."""
REFUSAL = re.compile(
    rf"\b(?:{_DECLINES}|i don't know|i'm not sure|unable to (?:answer|determine|provide)|"
    r"not (?:possible|enough information)|no information|does not (?:provide|contain|specify|mention)|as an ai)\b",
    re.IGNORECASE,
)
"""That, or a sign that it does not know."""
LOOKED_AT = 4000
LONG_REFERENCE, LONG_RESPONSE = 6, 60
"""Words from which on a reference explains, and a response says much beside the answer."""

WEIGHTS = {"polarity": 2.0, "refusal": -2.0, "figures": 2.0, "explained": 0.75}
"""What each sign adds to the model's log odds. The sets it was trained on show too few of them to fit these: they were
chosen on a set of financial questions that it never saw."""


def correctness_signs(question: str, expected: Sequence[str], response: str) -> dict[str, float]:
    """Each between -1 and 1, 0 where it says nothing."""
    beginning = response[:LOOKED_AT]
    return {
        "polarity": polarity(expected, response),
        "refusal": float(REFUSAL.search(beginning) is not None),
        "figures": float(any(figures_agree(question, text, beginning) == 1 for text in expected)),
        "explained": float(is_explained(expected, beginning)),
    }


def signs_seen(signs: Mapping[str, float]) -> list[str]:
    """The signs that moved the probability, each as half a sentence."""
    words = {
        "polarity": "both begin with the same yes or no"
        if signs["polarity"] > 0
        else "one begins with yes and the other with no",
        "refusal": "the response declines or does not know",
        "figures": "its figures agree",
        "explained": "both explain at length",
    }
    return [words[name] for name, value in signs.items() if value]


def weighed(probability: float, signs: Mapping[str, float]) -> float:
    """The model's probability, moved by the signs."""
    certain = min(max(probability, 1e-6), 1 - 1e-6)
    odds = math.log(certain / (1 - certain)) + sum(WEIGHTS[name] * value for name, value in signs.items())
    return 1 / (1 + math.exp(-odds))


def polarity(expected: Sequence[str], response: str) -> float:
    """1 where both begin with the same yes or no, -1 where with opposite ones."""
    answer = YES_NO.match(response)
    wanted = {match[1].lower() for text in expected if (match := YES_NO.match(text))}
    if answer is None or not wanted:
        return 0.0
    return 1.0 if answer[1].lower() in wanted else -1.0


def is_explained(expected: Sequence[str], response: str) -> bool:
    """Whether a reasoned answer stands against a reasoned reference: the model, trained on short ones, is too strict there."""
    longest = max((len(WORD.findall(text)) for text in expected), default=0)
    return longest >= LONG_REFERENCE and len(WORD.findall(response)) >= LONG_RESPONSE
