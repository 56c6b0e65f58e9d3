"""Labels of parts: what a person says of each criterion of a rubric, or of each of several ratings, by its name."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from adjudge.errors import InputError
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.labels.label_scale import Meaning, rating_label, read_label
from adjudge.records import Criterion, ExpressionScore, FieldScore, Json, Judge, Scale
from adjudge.rubrics import earned_share
from adjudge.text import shorten, visible

_TRUTH = Scale(low=0, high=1)


def blank_parts(criteria: Sequence[Criterion], judge: Judge | None) -> dict[str, Json] | None:
    """A label to fill in, by criterion or rating; None where the label is one value."""
    names = [each.criterion for each in criteria] or [each.name for each in (judge.ratings if judge else ())]
    return dict.fromkeys(names) or None


def read_parts(
    where: str, label: Json, judge: Judge | None, criteria: Sequence[Criterion]
) -> dict[str, Meaning] | None:
    """By criterion or rating, without those that are null; None where it is a label of the whole.

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
    return parts


def wanted_parts(judge: Judge) -> str:
    """What labels of parts have to be, for people."""
    if judge.rubric is not None:
        return "true, false or null for each criterion"
    return "; ".join(f"`{name}` {scale}" for name, scale in rating_scales(judge).items())


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
