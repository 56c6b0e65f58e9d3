"""What several annotators said of a case, in the case's own column: the forms it may have."""

from dataclasses import dataclass

from adjudge.json_values import describe_json
from adjudge.labels.label_scale import UnusableLabelsError, is_blank
from adjudge.records import Json
from adjudge.text import shorten, visible

_WANTED = (
    'give a list of labels, an object of names and labels, or a list of `{"annotator": …, "label": …}`; null where a '
    "person gave none"
)


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
            raise _refusal(case_id, "one person's label alone", "put it in a list")
        case dict():
            found = [
                Annotation(case_id=case_id, annotator=name.strip(), label=label)
                for name, label in column.items()
            ]
        case _:
            raise _refusal(case_id, describe_json(column), _WANTED)
    found = [each for each in found if not is_blank(each.label)]
    names = [each.annotator for each in found]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise _refusal(
            case_id, f"two labels of `{visible(shorten(twice, 40))}`", "give one label for each person"
        )
    for each in found:
        if not each.annotator:
            raise _refusal(case_id, "a label of a person without a name", _WANTED)
        if isinstance(each.label, list):
            raise _refusal(case_id, f"a label that is {describe_json(each.label)}", _WANTED)
    return found


def _annotation(case_id: str, item: Json, place: int) -> Annotation:
    if not isinstance(item, dict):
        return Annotation(case_id=case_id, annotator=str(place), label=item)
    if "label" not in item:
        raise _refusal(case_id, f"at place {place} {describe_json(item)}", _WANTED)
    name, explanation = item.get("annotator"), item.get("explanation")
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = f"{name:g}"
    if not isinstance(name, str | None):
        raise _refusal(case_id, f"at place {place} as `annotator` {describe_json(name)}", "give text")
    if not isinstance(explanation, str | None):
        raise _refusal(
            case_id, f"at place {place} as `explanation` {describe_json(explanation)}", "give text"
        )
    who = (name or "").strip() or str(place)
    return Annotation(case_id=case_id, annotator=who, label=item["label"], explanation=explanation or None)


def _refusal(case_id: str, seen: str, hint: str) -> UnusableLabelsError:
    return UnusableLabelsError(
        "not_annotators",
        f"case {visible(shorten(case_id, 60))}",
        f"its `annotators` hold {seen}",
        hint,
        examples=(case_id,),
    )
