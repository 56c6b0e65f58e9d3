"""Files of people's labels -> label rows: `case_id`, `label`, and who said it and why where that is known."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from adjudge.errors import DatasetError, InputError
from adjudge.fields import ALIASES, ANSWERS, canonical_field
from adjudge.json_values import UnusableError, describe_json, explicit_id, json_in_text, short_repr
from adjudge.records import Case, Json, Place
from adjudge.text import as_text, shorten, visible

TUNING = frozenset({"tune", "tuning"})
"""What a column `split` says of labels that a judge's prompt, threshold or examples were chosen by."""
CASE_COLUMNS = ("case_id", "id")
MAX_NAMED = 5
_ANSWER_FIELDS = ("response", *ANSWERS)
_WANTED = "columns `case_id` and `label`, and, where known, `annotator` and `explanation`"


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelRow:
    """What one person said of one case, as the file has it."""

    case_id: str
    label: Json
    """None where the person has said nothing yet."""
    annotator: str | None
    explanation: str | None
    place: Place
    run: str | None = None
    """Whose answer it is of, where the file says so."""
    tuning: bool = False
    """Whether the judge was tuned on it: a column `split` says `tune`."""
    seen_verdict: bool = False
    """Whether it was given after seeing what the judge said, as a column of that name says."""
    responses: Mapping[str, Json] = field(default_factory=dict)
    """The answer that it is of, or the two, by field, where the row has them."""
    columns: Mapping[str, Json] = field(default_factory=dict)
    """The whole row, under the names of its file."""


def read_labels(file: str, rows: Iterable[tuple[Place, Mapping[str, Json]]]) -> list[LabelRow]:
    """The rows of a table; a `DatasetError` for the first that is no label.

    Labels are few and dear, so a row that cannot be read stops everything rather than being passed over. One person
    who says two things of one case is such a row; who says the same twice has said it once.
    """
    found: dict[tuple[str | None, str, str | None, bool], LabelRow] = {}
    for row in _label_rows(file, rows):
        key = (row.run, row.case_id, row.annotator, row.seen_verdict)
        earlier = found.get(key)
        if earlier is None or earlier.label is None:
            found[key] = row
        elif row.label is not None and row.label != earlier.label:
            who = "unnamed" if row.annotator is None else short_repr(row.annotator)
            raise DatasetError(
                str(row.place),
                f"case {short_repr(row.case_id)} has the label {short_repr(row.label)} here and {short_repr(earlier.label)} on line "
                f"{earlier.place.line}, both by {who}",
                "name who gave which in a column `annotator`, or keep one of them",
            )
    return list(found.values())


def find_id(case_id: str, known: Container[str]) -> str:
    """As the run has it, if it has it."""
    return case_id if case_id in known else bare_id(case_id)


def bare_id(case_id: str) -> str:
    """Without what `--next` writes into a CSV so that no spreadsheet takes an id for a formula."""
    return case_id.removeprefix("'")


def refuse_other_responses(
    rows: Iterable[LabelRow],
    find_case: Callable[[str], Case | None],
    maps: Mapping[str, str],
    *,
    file: str,
    judged: str,
    hint: str,
) -> None:
    """A label is of an answer: a file of another system's answers to the same cases is refused whole.

    `maps` are the run's `--columns`: they say which column of a file like the run's own has the answer. `judged` says
    whose answers are wanted.
    """
    others, compared = list[str](), 0
    columns = ["messages", *(name for key, name in maps.items() if canonical_field(key) in _ANSWER_FIELDS)]
    for row in rows:
        case = None if row.label is None else find_case(row.case_id)
        if case is None:
            continue
        pairs = [(case.fields.get(name), value) for name, value in row.responses.items()]
        pairs = [pair for pair in pairs if pair[0] is not None]
        pairs = pairs or [(case.columns.get(name), row.columns.get(name)) for name in columns]
        pairs = [pair for pair in pairs if None not in pair]
        compared += bool(pairs)
        if any(_plain(ours) != _plain(theirs) for ours, theirs in pairs):
            others.append(row.case_id)
    if others:
        named = ", ".join(f"`{visible(shorten(each, 40))}`" for each in others[:MAX_NAMED])
        more = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
        problem = f"{len(others)} of {compared} labels are of another answer than {judged}: {named}{more}"
        raise InputError(file, problem, hint)


def _plain(value: Json) -> str:
    """Without what spreadsheets change: white space, and the mark before what looks like a formula."""
    value = json_in_text(value) if isinstance(value, str) else value
    return " ".join(as_text(value).split()).removeprefix("'")


def _label_rows(file: str, rows: Iterable[tuple[Place, Mapping[str, Json]]]) -> Iterator[LabelRow]:
    first, labelled = None, False
    for place, columns in rows:
        first = first or columns
        labelled = labelled or "label" in columns  # a CSV's empty cell is no column of its row
        yield _label_row(columns, place)
    if first is None:
        raise DatasetError(file, "contains no labels", f"give {_WANTED}")
    if not labelled:
        raise DatasetError(file, f"no row has a `label`; the first has {_names(first)}", f"give {_WANTED}")


def _label_row(columns: Mapping[str, Json], place: Place) -> LabelRow:
    try:
        case_id = next(
            (found for name in CASE_COLUMNS if (found := explicit_id(columns.get(name))) is not None), None
        )
    except UnusableError as unusable:
        raise DatasetError(
            str(place), f"found {unusable.found}; wanted {unusable.wanted}", f"give {_WANTED}"
        ) from None
    if case_id is None:
        raise DatasetError(str(place), f"has no `case_id`; it has {_names(columns)}", f"give {_WANTED}")
    label = columns.get("label")
    if isinstance(label, str):
        label = json_in_text(label) if label.strip() else None  # a blank cell
    if isinstance(label, list) and not all(each is None or isinstance(each, bool) for each in label):
        raise DatasetError(
            str(place),
            f"its label is {describe_json(label)}",
            "give one row for each person's label; of a rubric, a list of true, false or null for each criterion",
        )
    return LabelRow(
        case_id=case_id,
        label=label,
        annotator=_text(columns.get("annotator"), "annotator", place),
        explanation=_text(columns.get("explanation"), "explanation", place),
        place=place,
        run=_text(columns.get("run"), "run", place),
        tuning=(_text(columns.get("split"), "split", place) or "").lower() in TUNING,
        seen_verdict=_truth(columns.get("seen_verdict"), "seen_verdict", place),
        responses=_responses(columns),
        columns=columns,
    )


def _responses(columns: Mapping[str, Json]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name in _ANSWER_FIELDS:
        value = next(
            (columns[each] for each in (name, *ALIASES[name]) if columns.get(each) is not None), None
        )
        if value is not None:
            found[name] = value
    return found


def _names(columns: Mapping[str, Json]) -> str:
    return ", ".join(f"`{name}`" for name in list(columns)[:8]) or "no column"


def _text(value: Json, name: str, place: Place) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:g}"
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    raise DatasetError(str(place), f"its {name} is {describe_json(value)}", "give text")


def _truth(value: Json, name: str, place: Place) -> bool:
    """An empty cell is false; a CSV has its truth values as text."""
    if isinstance(value, str):
        value = {"": False, "false": False, "true": True}.get(value.strip().lower(), value)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise DatasetError(str(place), f"its {name} is {describe_json(value)}", "give true or false")
