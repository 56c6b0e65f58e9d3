"""A label on a judge's scale: what it says, by which pass rule, and why some say nothing there."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, isclose, nextafter
from types import MappingProxyType
from typing import Literal

from adjudge.errors import InputError
from adjudge.expressions import EvaluationError, parse_expression, syntax
from adjudge.records import WINNER_SCORES, Json, Judge, PointsScore, Scale
from adjudge.text import is_finite, shorten, visible

Meaning = bool | float
"""Whether people pass the case, or their score for it on the judge's scale."""
SKIPPED = "skip"
PAIR_CHOICES: Mapping[str, float] = MappingProxyType(
    {"A": WINNER_SCORES["a"], "B": WINNER_SCORES["b"], "tie": WINNER_SCORES["tie"]}
)
MIN_BINARY = 10
"""So many labels that are all 0 or 1 are passes and fails: on a wider scale some score would be another."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WORDS = {"true": True, "false": False, "pass": True, "passed": True, "fail": False, "failed": False}
_MAX_NAMED = 6
UnusableKind = Literal["off_scale", "zeros_and_ones", "not_annotators"]


class UnusableLabelsError(InputError):
    """Labels that say nothing on the judge's scale."""

    def __init__(
        self, kind: UnusableKind, where: str, problem: str, hint: str, *, examples: tuple[str, ...] = ()
    ) -> None:
        super().__init__(where, problem, hint)
        self.kind = kind
        self.examples = examples


# ---- one label -----------------------------------------------------------------------------------------------


def read_label(
    label: Json,
    judge: str,
    scale: Scale | None,
    *,
    pass_rule: bool,
    points: Mapping[str, float] = MappingProxyType({}),
) -> Meaning | None:
    """A truth value to compare with `passed`, a number to compare with the score, or None: not for this judge.

    A truth value says whether the case passes; without a pass rule it is 1 or 0 on a scale of 0 to 1. Where a file goes
    through several judges its label may be an object, judge -> label. Numbers and truth values may be text, as in CSV.
    `points` are the words that the judge chooses from.
    """
    if isinstance(label, dict):
        label = label.get(judge)
    if isinstance(label, str):
        word = label.strip()
        label = points.get(word, _from_text(word))
        if label is None:
            label = next(
                (value for name, value in points.items() if name.casefold() == word.casefold()), None
            )
    if isinstance(label, bool):
        if pass_rule:
            return label
        return float(label) if scale == Scale(low=0, high=1) else None
    if not isinstance(label, int | float) or not is_finite(label):
        return None
    return float(label) if scale is None or scale.low <= label <= scale.high else None


def is_not_for(label: Json, judge: str) -> bool:
    """Whether it is an object, judge -> label, that has none for this one; or blank."""
    return label.get(judge) is None if isinstance(label, dict) else is_blank(label)


def is_blank(label: Json) -> bool:
    """Whether nothing was said: null, or an empty cell."""
    return label is None or (isinstance(label, str) and not label.strip())


def are_zeros_and_ones(counts: Mapping[float, int], scale: Scale | None) -> bool:
    """Whether labels, each with how often it was given, are 0 and 1 alone where the scale has more."""
    return (
        scale is not None
        and scale.high - scale.low >= 2.0
        and counts.keys() == {0.0, 1.0}
        and sum(counts.values()) >= MIN_BINARY
    )


def is_within_one(*, label: Meaning, score: float, scale: Scale | None) -> bool | None:
    """Whether a label is the score or its neighbour; None where the scale has no steps of one, or only two."""
    if isinstance(label, bool) or scale is None or scale.high - scale.low < 2.0:
        return None
    if label % 1 or score % 1:
        return None
    return abs(label - score) <= 1.0


def label_agrees(*, label: Meaning, score: float, passed: bool | None) -> bool:
    """Whether what was judged is what the label, as `read_label` gave it, says."""
    return label is passed if isinstance(label, bool) else same_label(score, label)


def same_label(first: Meaning, second: Meaning) -> bool:
    return isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def _from_text(text: str) -> Json:
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        return _WORDS[stripped.lower()]
    return float(stripped) if _NUMBER.fullmatch(stripped) else None


# ---- a judge's scale -----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Threshold:
    """A pass rule of the form `score >= 3`, or `score <= 3` with `sign` -1: passes when sign * score >= at."""

    at: float
    sign: int

    def rule(self, at: float) -> str:
        return f"score {'>=' if self.sign > 0 else '<='} {self.sign * at:g}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelScale:
    """How one judge's labels are read."""

    judge: str
    scale: Scale | None
    passes: Callable[[float], bool] | None
    """The judge's pass rule, where it asks for the score alone."""
    rule: str | None
    """The same as text."""
    threshold: Threshold | None
    has_rule: bool
    """Whether verdicts come with passes and fails, by whatever rule."""
    points: Mapping[str, float]
    """Words that the judge chooses from, and what they are worth."""
    label_map: Mapping[str, str]
    """The person's own: a label as written -> a score, `pass`, `fail` or `skip`."""

    def place(self, label: Json) -> Meaning | str | None:
        """What it says; `skip` where the map says so, None where it says nothing on this scale."""
        if isinstance(label, dict):
            label = label.get(self.judge)
        mapped = self.label_map.get(_map_key(label))
        if mapped is not None:
            if mapped.strip().lower() == SKIPPED:
                return SKIPPED
            label = mapped
        return read_label(label, self.judge, self.scale, pass_rule=self.has_rule, points=self.points)

    def wanted(self) -> str:
        """What a label has to be, for people."""
        numbers = (
            "a number" if self.scale is None else f"a number from {self.scale.low:g} to {self.scale.high:g}"
        )
        words = [numbers, *(["true or false (it passes, or not)"] if self.has_rule else [])]
        return " or ".join([*words, *(f"`{name}`" for name in self.points)])


def choice_points(judge: Judge | None) -> Mapping[str, float]:
    """What a judge chooses from, where that is words, and what each is worth; of two answers, which is better."""
    if judge is None:
        return {}
    if judge.pair is not None:
        return PAIR_CHOICES
    return judge.score.points if isinstance(judge.score, PointsScore) else {}


def label_on_scale(label: Json, judge: Judge) -> Meaning | None:
    """By the judge alone: as `read_label` reads it."""
    return read_label(
        label, judge.name, judge.scale, pass_rule=judge.passes is not None, points=choice_points(judge)
    )


def label_scale_of(
    name: str,
    judge: Judge | None,
    verdicts: Collection[tuple[float, bool | None]] = (),
    label_map: Mapping[str, str] = MappingProxyType({}),
    *,
    has_rule: bool | None = None,
) -> LabelScale:
    """`verdicts` are the scores seen, each with whether it passed: a rule that says otherwise is not the run's.

    `has_rule` says whether they come with passes and fails where they are not at hand.
    """
    scale = judge.scale if judge else None
    passes = _rule(judge.passes) if judge and judge.passes else None
    if passes is not None and any(
        passed is not None and passes(score) is not passed for score, passed in verdicts
    ):
        passes = None
    rule = judge.passes if judge and passes is not None else None
    return LabelScale(
        judge=name,
        scale=scale,
        passes=passes,
        rule=rule,
        threshold=threshold_of(rule, scale) if rule else None,
        has_rule=any(passed is not None for _, passed in verdicts) if has_rule is None else has_rule,
        points=choice_points(judge),
        label_map=label_map,
    )


def off_scale_error(where: str, labels: Iterable[Json], scale: LabelScale) -> UnusableLabelsError:
    """The error for labels that mean nothing on the judge's scale."""
    seen = sorted({_map_key(label) for label in labels})
    listed = ", ".join(f"`{visible(shorten(label, 40))}`" for label in seen[:_MAX_NAMED])
    more = f" and {len(seen) - _MAX_NAMED} more" if len(seen) > _MAX_NAMED else ""
    best = "pass" if scale.has_rule else "1" if scale.scale is None else f"{scale.scale.high:g}"
    return UnusableLabelsError(
        "off_scale",
        where,
        f"the labels {listed}{more} are not on the scale of {scale.judge}, which takes {scale.wanted()}",
        f"say what each stands for: `--label-map {visible(shorten(seen[0], 40))}={best}`, once for each label; "
        "`=skip` leaves one out",
        examples=tuple(seen[:_MAX_NAMED]),
    )


def refuse_zeros_and_ones(where: str, meanings: Iterable[Meaning], scale: LabelScale) -> None:
    """An `InputError` for labels that are all 0 or 1 where the scale has more, unless the map says what they are."""
    counts = Counter(float(meaning) for meaning in meanings if not isinstance(meaning, bool))
    if scale.label_map.keys() & {"0", "1"} or not are_zeros_and_ones(counts, scale.scale):
        return
    assert scale.scale is not None
    first, second = ("fail", "pass") if scale.has_rule else ("LOW", "HIGH")
    raise UnusableLabelsError(
        "zeros_and_ones",
        where,
        f"all {counts.total()} labels are 0 or 1, and the scale of {scale.judge} is {scale.scale.low:g} to "
        f"{scale.scale.high:g}",
        f"say what they stand for: `--label-map 0={first} --label-map 1={second}`, or `--label-map 0=0` if they are "
        "scores on that scale",
    )


def threshold_of(rule: str, scale: Scale | None) -> Threshold | None:
    """None for a rule that is more than one comparison of the score with a number."""
    match parse_expression(rule).tree:
        case syntax.Chain(
            first=syntax.Name(path=("score",)),
            rest=((operator, syntax.Literal(value=Fraction() as value)),),
        ):
            at = float(value)
        case _:
            return None
    match operator:
        case ">=":
            return Threshold(at=at, sign=1)
        case ">":
            return Threshold(at=nextafter(at, inf), sign=1)
        case "<=":
            return Threshold(at=-at, sign=-1)
        case "<":
            return Threshold(at=nextafter(-at, inf), sign=-1)
        case "==" if scale is not None and at == scale.high:
            return Threshold(at=at, sign=1)
        case "==" if scale is not None and at == scale.low:
            return Threshold(at=-at, sign=-1)
        case _:
            return None


def _rule(text: str) -> Callable[[float], bool] | None:
    expression = parse_expression(text)
    if not expression.names <= {"score"}:
        return None

    @lru_cache(maxsize=4_096)  # a run has few different scores
    def passes(score: float) -> bool:
        try:
            return bool(expression.evaluate({"score": score}))
        except EvaluationError:  # a rule that cannot be computed was refused before the run
            return False

    return passes


def _map_key(label: Json) -> str:
    """As `--label-map` names it: `4` for 4.0, `true` for true, text as it stands."""
    match label:
        case bool():
            return "true" if label else "false"
        case int() | float():
            return f"{label:g}" if is_finite(label) else str(label)[:20]
        case str():
            return label.strip()
        case _:
            return str(label)
