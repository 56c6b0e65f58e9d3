"""The case's own label, as something a judge can be held against."""

import re
from math import isclose, isfinite

from adjudge.records import Json, Scale

_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WORDS = {"true": True, "false": False}


def read_label(label: Json, judge: str, scale: Scale | None, *, pass_rule: bool) -> bool | float | None:
    """A truth value to compare with `passed`, a number to compare with the score, or None: not for this judge.

    A truth value says whether the case passes; without a pass rule it is 1 or 0 on a scale of 0 to 1. Where a file goes
    through several judges its label may be an object, judge -> label. Numbers and truth values may be text, as in CSV.
    """
    if isinstance(label, dict):
        label = label.get(judge)
    if isinstance(label, str):
        label = _from_text(label)
    if isinstance(label, bool):
        if pass_rule:
            return label
        return float(label) if scale == Scale(low=0, high=1) else None
    if not isinstance(label, int | float) or not isfinite(label):
        return None
    return float(label) if scale is None or scale.low <= label <= scale.high else None


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
