"""Labels of parts: what a person says of each criterion of a rubric, or of each of several ratings, by its name."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from adjudge.errors import InputError
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.labels.label_scale import LabelScale, Meaning, read_label
from adjudge.records import Criterion, ExpressionScore, FieldScore, Json, Judge, Rating, Scale
from adjudge.rubrics import earned_share
from adjudge.text import shorten, visible

_TRUTH = Scale(low=0, high=1)


def blank_parts(criteria: Sequence[Criterion], judge: Judge | None) -> dict[str, Json] | None:
    """A label to fill in, by criterion or rating; None where the label is one value."""
    names = [each.criterion for each in criteria] or [each.name for each in (judge.ratings if judge else ())]
    return dict.fromkeys(names) or None


class PartLabel(NamedTuple):
    """A label that names criteria or ratings."""

    whole: float | None
    """The score that its parts come to; None where one that it needs is missing."""
    parts: Mapping[str, Meaning]
    """By criterion or rating, without those that are null."""


def read_parts(
    where: str, label: Json, judge: Judge | None, criteria: Sequence[Criterion]
) -> PartLabel | None:
    """None where it is a label of the whole.

    `label` is a list in their order, or an object by name, which may stand under the judge's own name. An `InputError`
    where a value is none for what it stands beside.
    """
    asked = blank_parts(criteria, judge)
    if judge is None or asked is None:
        return None
    found = label.get(judge.name, label) if isinstance(label, dict) else label
    wanted = wanted_parts(judge)
    if isinstance(found, list):
        if len(found) != len(criteria or asked):
            raise InputError(
                where,
                f"its label lists {len(found)} values, and {judge.name} asks for {len(criteria or asked)}",
                f"give {wanted}, in the judge's order",
            )
        names = [each.criterion for each in criteria] or list(asked)
        found = dict(zip(names, found, strict=True))
    if not isinstance(found, dict):
        return None
    ratings = {each.name: each for each in judge.ratings}
    parts: dict[str, Meaning] = {}
    for name, value in found.items():
        if value is None or value == "":
            continue
        if name in ratings:
            meaning = rating_label({name: value}, "", ratings[name])
        else:
            meaning = read_label(value, "", _TRUTH, pass_rule=True)
        if name not in asked or meaning is None or (criteria and not isinstance(meaning, bool)):
            strange = f"`{visible(shorten(name, 60))}`: `{visible(shorten(str(value), 40))}`"
            raise InputError(where, f"its label has {strange}", f"give {wanted}")
        parts[name] = meaning
    return PartLabel(whole_label(judge, parts, criteria), parts)


def wanted_parts(judge: Judge) -> str:
    """What labels of parts have to be, for people; empty where the judge asks for none."""
    if judge.rubric is not None:
        return "true, false or null for each criterion"
    return "; ".join(f"`{name}` {scale}" for name, scale in rating_scales(judge).items())


def wanted_label(judge: Judge | None, scale: LabelScale, *, in_parts: bool) -> str:
    """What a label has to be, for people."""
    return (wanted_parts(judge) if judge and in_parts else "") or scale.wanted()


def rating_scales(judge: Judge) -> dict[str, str]:
    """What a label of each rating has to be, for people."""
    return {
        each.name: f"a number from {each.scale.low:g} to {each.scale.high:g}"
        + (" (lower is better)" if each.better == "lower" else "")
        for each in judge.ratings
    }


def whole_label(
    judge: Judge | None, parts: Mapping[str, Meaning], criteria: Sequence[Criterion]
) -> float | None:
    """The score that a person's answers give; None where one that it needs is missing."""
    if criteria:
        if not all(each.criterion in parts for each in criteria):
            return None
        answers = ((Fraction(str(each.points)), bool(parts[each.criterion])) for each in criteria)
        return float(earned_share(answers))
    values: dict[str, Json] = {name: value for name, value in parts.items() if not isinstance(value, bool)}
    match judge.score if judge and judge.ratings else None:
        case ExpressionScore(text=text) | FieldScore(field=text):
            expression = parse_expression(text)
        case _:
            return None
    if not expression.names <= values.keys():
        return None
    try:
        found = expression.evaluate(values)
    except EvaluationError:
        return None
    return float(found) if isinstance(found, Fraction) else None


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


class OwnLabel(NamedTuple):
    """The label in a case's own column."""

    whole: Json
    """What it says of the whole; None where it is of some parts alone."""
    parts: Mapping[str, Meaning]


def read_own_label(
    label: Json, judge_name: str, judge: Judge | None, criteria: Sequence[Criterion]
) -> OwnLabel:
    """Nothing is refused: one column may be for several judges."""
    listed = criterion_labels(label, judge_name) if judge and judge.rubric else ()
    named = zip((each.criterion for each in criteria), listed, strict=False)
    parts: dict[str, Meaning] = {name: met for name, met in named if met is not None}
    for rating in judge.ratings if judge else ():
        meaning = rating_label(label, judge_name, rating)
        if meaning is not None:
            parts[rating.name] = meaning
    if not listed:
        whole = whole_label(judge, parts, criteria)
        return OwnLabel(label if whole is None else whole, parts)
    # a list is a label of the whole only where it says all
    return OwnLabel(whole_label(judge, parts, criteria) if len(listed) == len(criteria) else None, parts)
