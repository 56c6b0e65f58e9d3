"""The case's own label, as something a judge can be held against."""

import re
from collections.abc import Mapping
from math import isclose, isfinite
from types import MappingProxyType

from adjudge.records import Json, Scale

_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WORDS = {"true": True, "false": False, "pass": True, "passed": True, "fail": False, "failed": False}
FEWEST_BINARY = 10
"""So many labels that are all 0 or 1 are passes and fails: on a wider scale some score would be another."""


def read_label(
    label: Json,
    judge: str,
    scale: Scale | None,
    *,
    pass_rule: bool,
    points: Mapping[str, float] = MappingProxyType({}),
) -> bool | float | None:
    """A truth value to compare with `passed`, a number to compare with the score, or None: not for this judge.

    A truth value says whether the case passes; without a pass rule it is 1 or 0 on a scale of 0 to 1. Where a file goes
    through several judges its label may be an object, judge -> label. Numbers and truth values may be text, as in CSV.
    `points` are the labels that the judge itself gives.
    """
    if isinstance(label, dict):
        label = label.get(judge)
    if isinstance(label, str):
        label = points.get(label.strip(), _from_text(label))
    if isinstance(label, bool):
        if pass_rule:
            return label
        return float(label) if scale == Scale(low=0, high=1) else None
    if not isinstance(label, int | float) or not isfinite(label):
        return None
    return float(label) if scale is None or scale.low <= label <= scale.high else None


def is_not_for(label: Json, judge: str) -> bool:
    """Whether it is an object, judge -> label, that has none for this one; or blank, as in an empty cell."""
    return (
        label.get(judge) is None if isinstance(label, dict) else isinstance(label, str) and not label.strip()
    )


def are_zeros_and_ones(counts: Mapping[float, int], scale: Scale | None) -> bool:
    """Whether labels, each with how often it was given, are 0 and 1 alone where the scale has more."""
    return (
        scale is not None
        and scale.high - scale.low >= 2.0
        and counts.keys() == {0.0, 1.0}
        and sum(counts.values()) >= FEWEST_BINARY
    )


def is_within_one(*, label: bool | float, score: float, scale: Scale | None) -> bool | None:
    """Whether a label is the score or its neighbour; None where the scale has no steps of one, or only two."""
    if isinstance(label, bool) or scale is None or scale.high - scale.low < 2.0:
        return None
    if label % 1 or score % 1:
        return None
    return abs(label - score) <= 1.0


def label_agrees(*, label: bool | float, score: float, passed: bool | None) -> bool:
    """Whether what was judged is what the label, as `read_label` gave it, says."""
    if isinstance(label, bool):
        return label is passed
    return isclose(score, label, rel_tol=1e-9, abs_tol=1e-9)


def _from_text(text: str) -> Json:
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        return _WORDS[stripped.lower()]
    return float(stripped) if _NUMBER.fullmatch(stripped) else None
