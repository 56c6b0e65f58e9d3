"""Rubrics as data: criteria with points, as a judge file or a case's own column has them."""

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from adjudge.records import Criterion, Json
from adjudge.schemas import object_schema
from adjudge.text import is_finite

MAX_CRITERIA = 200
MAX_POINTS = 1e6
VERDICT = object_schema(
    {
        "criteria": {
            "type": "array",
            "items": object_schema(
                {"id": {"type": "integer"}, "reason": {"type": "string"}, "met": {"type": "boolean"}}
            ),
        }
    }
)
"""What a model says of a list of criteria: for each, by its number, why and whether it is met."""


class RubricError(ValueError):
    """What is wrong with a rubric; `place` is the criterion's position, from 0."""

    def __init__(self, problem: str, place: int | None = None) -> None:
        super().__init__(problem if place is None else f"criterion {place + 1}: {problem}")
        self.problem, self.place = problem, place


def read_criteria(value: Json) -> tuple[Criterion, ...]:
    """Of a list of `{criterion, points}`, or of texts worth a point each; a `RubricError` where it is none."""
    if not isinstance(value, list) or not value:
        raise RubricError("a rubric is a list of criteria, each with `criterion` and `points`")
    if len(value) > MAX_CRITERIA:
        raise RubricError(f"it has {len(value)} criteria; {MAX_CRITERIA} at most can be asked")
    criteria = tuple(_criterion(entry, place) for place, entry in enumerate(value))
    if not any(each.points > 0 for each in criteria):
        raise RubricError("no criterion has points above 0, so there is nothing to earn")
    return criteria


def listed_criteria(value: Json) -> tuple[Criterion, ...]:
    """The criteria of a case's rubric; none where it is a text, unless the text is such a list as JSON."""
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return ()
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            return ()
    return read_criteria(value)


def _criterion(entry: Json, place: int) -> Criterion:
    if isinstance(entry, str):
        entry = {"criterion": entry, "points": 1}
    if not isinstance(entry, dict):
        raise RubricError("it is neither a text nor `{criterion: …, points: …}`", place)
    text, points = entry.get("criterion"), entry.get("points", 1)
    if not isinstance(text, str) or not text.strip():
        raise RubricError("its `criterion` is no text", place)
    if isinstance(points, bool) or not isinstance(points, int | float) or not is_finite(points):
        raise RubricError(f"its points are `{points}`, not a number", place)
    if points == 0 or abs(points) > MAX_POINTS:
        raise RubricError(f"its points are {points:g}; give it some, and no more than {MAX_POINTS:g}", place)
    return Criterion(criterion=text.strip(), points=float(points))


class AnsweredCriterion(NamedTuple):
    criterion: str
    points: float
    met: bool


def answered_criteria(verdict: Mapping[str, Json]) -> list[AnsweredCriterion]:
    """The criteria of a verdict as the scorer completed it, in the rubric's order; none where it was a sentence."""
    found = verdict.get("criteria")
    return [
        AnsweredCriterion(str(each["criterion"]), float(str(each["points"])), each["met"] is True)
        for each in (found if isinstance(found, list) else ())
        if isinstance(each, dict) and {"criterion", "points", "met"} <= each.keys()
    ]


def earned_share(criteria: Iterable[tuple[Fraction, bool]]) -> Fraction:
    """Points of what is met, over the sum of the positive points, kept within 0 and 1; 0 where none is positive."""
    listed = list(criteria)
    earned = sum((points for points, met in listed if met), Fraction(0))
    possible = sum((points for points, _ in listed if points > 0), Fraction(0))
    return min(max(earned / possible, Fraction(0)), Fraction(1)) if possible else Fraction(0)
