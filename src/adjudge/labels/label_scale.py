"""People's labels on a judge's scale: what a label says, by which pass rule, and what several annotators of a case said."""

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
from adjudge.json_values import describe_json
from adjudge.records import WINNER_SCORES, Json, Judge, PointsScore, Rating, Scale
from adjudge.text import is_finite, shorten, visible

Meaning = bool | float
"""Whether people pass the case, or their score for it on the judge's scale."""
SKIPPED = "skip"
PAIR_WORDS: Mapping[str, float] = MappingProxyType(
    {"A": WINNER_SCORES["a"], "B": WINNER_SCORES["b"], "tie": WINNER_SCORES["tie"]}
)
FEWEST_BINARY = 10
"""So many labels that are all 0 or 1 are passes and fails: on a wider scale some score would be another."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WORDS = {"true": True, "false": False, "pass": True, "passed": True, "fail": False, "failed": False}
_MOST_NAMED = 6
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
    `points` are the labels that the judge itself gives.
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
    """Whether it is an object, judge -> label, that has none for this one; or blank, as in an empty cell."""
    return (
        label.get(judge) is None if isinstance(label, dict) else isinstance(label, str) and not label.strip()
    )


def criterion_labels(label: Json, judge: str) -> tuple[bool | None, ...]:
    """What a person said of each criterion of a rubric, in its order: a list of true, false and null; else nothing."""
    found = label.get(judge) if isinstance(label, dict) else label
    if not isinstance(found, list) or not all(each is None or isinstance(each, bool) for each in found):
        return ()
    return tuple(each if isinstance(each, bool) else None for each in found)


def rating_label(label: Json, judge: str, rating: Rating) -> Meaning | None:
    """What a person says of one of several ratings: of an object by rating, or of one by judge that holds it."""
    found = label.get(judge, label) if isinstance(label, dict) else None
    if not isinstance(found, dict):
        return None
    return read_label(found.get(rating.name), judge, rating.scale, pass_rule=rating.passes is not None)


def are_zeros_and_ones(counts: Mapping[float, int], scale: Scale | None) -> bool:
    """Whether labels, each with how often it was given, are 0 and 1 alone where the scale has more."""
    return (
        scale is not None
        and scale.high - scale.low >= 2.0
        and counts.keys() == {0.0, 1.0}
        and sum(counts.values()) >= FEWEST_BINARY
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


# ---- a judge's labels ----------------------------------------------------------------------------------------


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
    """Labels that the judge itself gives, and what they are worth."""
    label_map: Mapping[str, str]
    """The person's own: a label as written -> a score, `pass`, `fail` or `skip`."""

    def place(self, label: Json) -> Meaning | str | None:
        """What it says; `skip` where the map says so, None where it says nothing on this scale."""
        if isinstance(label, dict):
            label = label.get(self.judge)
        mapped = self.label_map.get(_written(label))
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


def words_of(judge: Judge | None) -> Mapping[str, float]:
    """The labels that a judge itself gives, and what they are worth; of one that compares two answers, which is better."""
    if judge is None:
        return {}
    if judge.pair is not None:
        return PAIR_WORDS
    return judge.score.points if isinstance(judge.score, PointsScore) else {}


def label_scale_of(
    name: str,
    judge: Judge | None,
    verdicts: Collection[tuple[float, bool | None]],
    label_map: Mapping[str, str],
) -> LabelScale:
    """`verdicts` are the scores seen, each with whether it passed: a rule that says otherwise is not the run's."""
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
        has_rule=any(passed is not None for _, passed in verdicts),
        points=words_of(judge),
        label_map=label_map,
    )


def not_placed(where: str, labels: Iterable[Json], scale: LabelScale) -> UnusableLabelsError:
    """The error for labels that mean nothing on the judge's scale."""
    seen = sorted({_written(label) for label in labels})
    listed = ", ".join(f"`{visible(shorten(label, 40))}`" for label in seen[:_MOST_NAMED])
    more = f" and {len(seen) - _MOST_NAMED} more" if len(seen) > _MOST_NAMED else ""
    best = "pass" if scale.has_rule else "1" if scale.scale is None else f"{scale.scale.high:g}"
    return UnusableLabelsError(
        "off_scale",
        where,
        f"the labels {listed}{more} are not on the scale of {scale.judge}, which takes {scale.wanted()}",
        f"say what each stands for: `--label-map {visible(shorten(seen[0], 40))}={best}`, once for each label; "
        "`=skip` leaves one out",
        examples=tuple(seen[:_MOST_NAMED]),
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


def _written(label: Json) -> str:
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


# ---- several annotators of a case ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """One person's label, as the case holds it."""

    case_id: str
    annotator: str
    label: Json
    explanation: str | None = None


def read_annotators(case_id: str, column: Json) -> list[Annotation]:
    """What several people said of a case: labels, or objects with a label, in a list; or an object, name -> label.

    In a list, who is not named is known by the place: the first label of every case is taken for the same person's.
    A label that is null or blank was not given.
    """
    match column:
        case list():
            found = [_annotation(case_id, item, place) for place, item in enumerate(column, 1)]
        case dict() if {"annotator", "label"} <= column.keys():
            raise _not_annotators(case_id, "one person's label alone", "put it in a list")
        case dict():
            found = [
                Annotation(case_id=case_id, annotator=name.strip(), label=label)
                for name, label in column.items()
            ]
        case _:
            raise _not_annotators(case_id, describe_json(column), _ANNOTATORS)
    found = [
        each
        for each in found
        if each.label is not None and not (isinstance(each.label, str) and not each.label.strip())
    ]
    names = [each.annotator for each in found]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise _not_annotators(
            case_id, f"two labels of `{visible(shorten(twice, 40))}`", "give one label for each person"
        )
    for each in found:
        if not each.annotator:
            raise _not_annotators(case_id, "a label of a person without a name", _ANNOTATORS)
        if isinstance(each.label, list):
            raise _not_annotators(case_id, f"a label that is {describe_json(each.label)}", _ANNOTATORS)
    return found


_ANNOTATORS = (
    'give a list of labels, an object of names and labels, or a list of `{"annotator": …, "label": …}`; null where a '
    "person gave none"
)


def _annotation(case_id: str, item: Json, place: int) -> Annotation:
    if not isinstance(item, dict):
        return Annotation(case_id=case_id, annotator=str(place), label=item)
    if "label" not in item:
        raise _not_annotators(case_id, f"at place {place} {describe_json(item)}", _ANNOTATORS)
    name, explanation = item.get("annotator"), item.get("explanation")
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = f"{name:g}"
    if not isinstance(name, str | None) or not isinstance(explanation, str | None):
        strange = explanation if isinstance(name, str | None) else name
        which = "explanation" if isinstance(name, str | None) else "annotator"
        raise _not_annotators(case_id, f"at place {place} as `{which}` {describe_json(strange)}", "give text")
    who = (name or "").strip() or str(place)
    return Annotation(case_id=case_id, annotator=who, label=item["label"], explanation=explanation or None)


def _not_annotators(case_id: str, seen: str, hint: str) -> UnusableLabelsError:
    return UnusableLabelsError(
        "not_annotators",
        f"case {visible(shorten(case_id, 60))}",
        f"its `annotators` hold {seen}",
        hint,
        examples=(case_id,),
    )
