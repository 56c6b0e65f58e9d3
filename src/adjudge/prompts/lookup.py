"""A judge's input -> its value in a case, or what is missing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Literal, NamedTuple

from adjudge.errors import DatasetError
from adjudge.fields import ALIASES, CANONICAL, NAMESPACES, NEVER_IN_PROMPT, canonical_field, strip_namespace
from adjudge.options import columns_option, option
from adjudge.records import Case, Dialect, Input, Json
from adjudge.text import closest, one_line

_BLANK_IS_MISSING = frozenset({"question", "reference"})
"""A blank response is an answer; a blank question or reference is none."""
_PARAMETERS = "parameters"
_PARTS_OF_PARAMETERS = ("question", "context")
_PARTS = tuple(Input(name=name, required=False, source=name) for name in _PARTS_OF_PARAMETERS)
_DATE = "current_date"
_TODAY = "today"
_BRACES: Mapping[Dialect, tuple[str, str]] = {"python": ("{", "}"), "shell": ("${", "}")}


class Found(NamedTuple):
    value: Json


class Missing(NamedTuple):
    """The case has no value for an input; an error only when the input is required."""

    name: str
    why: Literal["absent", "blank"]
    column: str | None = None
    """The column that a `--columns` names and the case does not have."""

    @property
    def message(self) -> str:
        if self.column is not None:
            return f"`{self.name}` is {self.why}: `{option('--columns')}` takes it from `{self.column}`, which the case does not have"
        return f"`{self.name}` is {self.why}"


def look_up(
    case: Case, item: Input, *, maps: Mapping[str, str], sets: Mapping[str, str], current_date: str
) -> Found | Missing:
    """The value of one input: what the person said, else its own column, else what it stands for, else its default.

    `maps` and `sets` may write the input as the template does, without `item.` or `sample.`, or by the canonical
    field that fills it; the closest writing counts. A contested field that is reached is a `DatasetError`.
    """
    found = _find(case, item, maps, sets, current_date)
    if isinstance(found, Found) and item.source in _BLANK_IS_MISSING and is_blank(found.value):
        return Missing(name=item.name, why="blank")
    return found


def unknown_maps(
    judges_inputs: Iterable[Input], maps: Mapping[str, str], sets: Mapping[str, str]
) -> list[str]:
    """A sentence for each `--columns` and `--variables` that nothing would look at."""
    inputs: dict[str, None] = {}  # a dict, to suggest in a steady order
    for item in judges_inputs:
        inputs.update(dict.fromkeys(_writings(item)))
        if _PARAMETERS in (strip_namespace(item.name), item.source):
            inputs.update(dict.fromkeys(_PARTS_OF_PARAMETERS))
    # a canonical field may be mapped without being asked for: ids are made from some of them
    mappable = {**dict.fromkeys(ALIASES), **inputs}
    settable = {**inputs, _DATE: None}
    sentences = [
        f"`{option('--columns', f'{name}=')}`: no column is named"
        for name, column in maps.items()
        if not column
    ]
    for flag, values, known in (("--columns", maps, mappable), ("--variables", sets, settable)):
        for name, value in values.items():
            if name in known:
                continue
            field = canonical_field(name)
            close = field if field in known else closest(name, known)
            hint = f"; did you mean `{close}`?" if close else ""
            sentences.append(
                f"`{option(flag, f'{name}={value}')}`: no judge here has an input `{name}`{hint}"
            )
    return sentences


def inputs_in_values(inputs: Sequence[Input], sets: Mapping[str, str], dialect: Dialect) -> list[str]:
    """A sentence for each `--variables` whose value has a placeholder for an input: nothing would fill it."""
    names = {writing.casefold() for item in inputs for writing in _writings(item)}
    return [
        f"the value of `{option('--variables', name)}` holds `{place}`, and values are not templates: it would be sent as is"
        for name, value in sets.items()
        if name.casefold() in names
        for place, held in _places(value, dialect)
        if held.casefold() in names or held.casefold().partition(".")[0] in names
    ]


def _places(text: str, dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Each placeholder of a text, as `{{x}}` or as the judge's dialect has it, with the name in it."""
    for opening, closing in {("{{", "}}"), _BRACES.get(dialect, ("{{", "}}"))}:
        start = text.find(opening)
        while start >= 0 and (end := text.find(closing, start)) >= 0:
            inside = text[start + len(opening) : end].lstrip("{-~&#^.$ \t\r\n")
            held = "".join(takewhile(lambda mark: mark.isalnum() or mark in "_.", inside))
            yield text[start : end + len(closing)], held
            start = text.find(opening, end)


def _find(
    case: Case, item: Input, maps: Mapping[str, str], sets: Mapping[str, str], current_date: str
) -> Found | Missing:
    is_date = item.source == _DATE
    for writing in _writings(item) if maps or sets else ():
        if writing in maps:
            found = _column(case, maps[writing])
            return found or Missing(name=item.name, why="absent", column=maps[writing])
        if writing in sets and not is_date:
            return Found(value=_date_or(sets[writing], item, current_date))
    held = (
        _conversation(case, item)
        or (None if _is_response_column(case, item, maps) else _own_column(case, item.name))
        or _stands_for(case, item, maps, sets, current_date)
    )
    if held is not None:
        return held
    if is_date:
        # For the date the case's column goes first: `--variables` says what day it is for the cases that do not say.
        date = next((sets[writing] for writing in _writings(item) if writing in sets), _TODAY)
        return Found(value=current_date if date == _TODAY else date)
    if item.default is not None:
        return Found(value=_date_or(item.default, item, current_date))
    return Missing(name=item.name, why="absent")


def _is_response_column(case: Case, item: Input, maps: Mapping[str, str]) -> bool:
    """Whether an expected answer (`item.answer` beside `sample.output_text`) has the name of the column that the response
    was read from: the only one that can be, and nobody mapped another.
    """
    if item.source != "reference" or canonical_field(item.name) != "response":
        return False
    if _in_namespace_object(case, item.name) or "response" in maps:
        return False
    bare = strip_namespace(item.name)
    return not any(canonical_field(column) == "response" for column in case.columns if column != bare)


@lru_cache(maxsize=256)
def _writings(item: Input) -> tuple[str, ...]:
    """The names a person may call an input by, the closest first."""
    return tuple(dict.fromkeys((item.name, strip_namespace(item.name), item.source)))


def _date_or(value: str, item: Input, current_date: str) -> str:
    return current_date if value == _TODAY and item.default == _TODAY else value


def _own_column(case: Case, name: str) -> Found | None:
    """The column of that very name, or what a dotted name leads to inside one."""
    if name in case.columns:
        return _present(case.columns[name])
    if "." not in name:
        return _column_in_other_case(case, name)
    head, dot, rest = name.partition(".")
    if dot and head in NAMESPACES and not isinstance(case.columns.get(head), dict):
        name = rest
    return _column(case, name) or _walk_from_field(case, name) or _column_in_other_case(case, name)


def _conversation(case: Case, item: Input) -> Found | None:
    """As a person reads it, where the input's own column has the messages or there is none."""
    if item.source not in {"history", "transcript"} or item.source not in case.fields:
        return None
    own = case.columns.get(strip_namespace(item.name))
    return None if isinstance(own, str) else _present(case.fields[item.source])


def _column_in_other_case(case: Case, name: str) -> Found | None:
    """`question` for an input `Question`, where no column has the very name."""
    if name in case.columns:
        return None
    columns = _by_folded_name(tuple(case.columns)).get(name.casefold(), ())
    if len(columns) > 1:
        raise _undecided(case, name, columns, f"`{name}`")
    return _present(case.columns[columns[0]]) if columns else None


@lru_cache(maxsize=256)
def _by_folded_name(columns: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Kept, because the rows of a file have the same columns."""
    found: dict[str, list[str]] = {}
    for column in columns:
        found.setdefault(column.casefold(), []).append(column)
    return found


def _undecided(case: Case, name: str, columns: Sequence[str], wanted: str) -> DatasetError:
    named = " and ".join(f"`{column}`" for column in columns)
    flags = " or ".join(f"`{option('--columns', f'{name}={column}')}`" for column in columns)
    where = str(case.place) if case.place is not None else f"case {case.case_id!r}"
    return DatasetError(where, f"{named} could each be {wanted}", f"say which: {flags}")


def _walk_from_field(case: Case, name: str) -> Found | None:
    """`reference.text` where the reference stands in a column of another name."""
    head, dot, rest = name.partition(".")
    field = CANONICAL.get(head)
    if not dot or field is None or head in case.columns:
        return None
    value = _field(case, field)
    return value and _walk(value.value, rest)


def _column(case: Case, name: str) -> Found | None:
    if name in case.columns:
        return _present(case.columns[name])
    return _walk(dict(case.columns), name) if "." in name else None


def _walk(value: Json, path: str) -> Found | None:
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and len(step) < 10 and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return _present(value)


def _present(value: Json) -> Found | None:
    return None if value is None else Found(value=value)


def _stands_for(
    case: Case, item: Input, maps: Mapping[str, str], sets: Mapping[str, str], current_date: str
) -> Found | Missing | None:
    own_name = strip_namespace(item.name)
    if _in_namespace_object(case, item.name):
        return None  # the name is a path in that object, and it leads nowhere
    if _PARAMETERS in (own_name, item.source):
        parts: dict[str, Json] = {}
        for part in _PARTS:
            value = look_up(case, part, maps=maps, sets=sets, current_date=current_date)
            if isinstance(value, Found):
                parts[part.source] = value.value
            elif value.why == "blank":
                return value  # nobody's file has `parameters`: the part that is blank is what to fix
        return Found(value=parts) if parts else Missing(name=_PARTS_OF_PARAMETERS[0], why="absent")
    if item.source in NEVER_IN_PROMPT and own_name != item.source:
        return None
    if item.source in ALIASES:
        return _field(case, item.source)
    return _column(case, item.source)


def _in_namespace_object(case: Case, name: str) -> bool:
    head, dot, _ = name.partition(".")
    return bool(dot) and head in NAMESPACES and isinstance(case.columns.get(head), dict)


def _field(case: Case, field: str) -> Found | None:
    if field in case.contested:
        raise _undecided(case, field, case.contested[field], f"the {field}")
    if field == "responses" and field not in case.fields:
        return Found(value=list(case.responses)) if case.responses else None
    return _present(case.fields.get(field))


def is_blank(value: Json) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list):
        return all(is_blank(item) for item in value)
    return value is None


# ---- what a message says where a column is missing ----

MAX_COLUMNS = 12
MAX_NAME_CHARS = 40
MAX_SUGGESTED_CHARS = 120
_HEAD_WORDS: Mapping[str, frozenset[str]] = {
    "question": frozenset({"question", "query", "prompt", "input", "instruction"}),
    "response": frozenset({"response", "answer", "output", "completion", "reply"}),
    "context": frozenset({"context", "contexts", "documents", "passages", "sources"}),
}
"""What `User Question` or `bot_answer` end in."""
_REFERENCE_WORDS = frozenset(
    {"reference", "ref", "expected", "gold", "golden", "ideal", "truth", "target", "correct"}
)
"""Of these one anywhere: `Gold Answer` is what was expected, never what was answered."""
_WORD = re.compile(r"[^\W\d_]+")


def describe_columns(case: Case, missing: Sequence[str]) -> str:
    """`the case has `qestion`, `text`; did you mean `--columns question=qestion`?`"""
    columns = f"the case has {list_columns(case)}"
    suggested = suggest_columns(case, missing)
    return f"{columns}; did you mean `{columns_option(suggested)}`?" if suggested else columns


def list_columns(case: Case) -> str:
    if not case.columns:
        return "no columns"
    names = [one_line(name, MAX_NAME_CHARS) for name in case.columns]
    more = f" and {len(names) - MAX_COLUMNS} more" if len(names) > MAX_COLUMNS else ""
    return f"{', '.join(f'`{name}`' for name in names[:MAX_COLUMNS])}{more}"


def suggest_columns(case: Case, missing: Iterable[str]) -> dict[str, str]:
    """For each missing input, as far as there is one, a column that nobody else has and that is named nearly so."""
    free = [
        column
        for column in case.columns
        if canonical_field(column) is None and one_line(column, MAX_SUGGESTED_CHARS) == column
    ]
    found: dict[str, str] = {}
    for name in dict.fromkeys(strip_namespace(name) for name in missing):
        field = canonical_field(name) or name
        left = [
            column
            for column in free
            if column not in found.values()
            and (field == "reference" or _REFERENCE_WORDS.isdisjoint(_words(column)))
        ]
        column = _closest(name, field, left) or next(
            (column for column in left if _is_called(field, column)), None
        )
        if column is not None:
            found[name] = column
    return found


def _closest(name: str, field: str, columns: Sequence[str]) -> str | None:
    matches = (closest(wanted, columns, cutoff=0.75) for wanted in (name, field, *ALIASES.get(field, ())))
    return next((match for match in matches if match is not None), None)


def _is_called(field: str, column: str) -> bool:
    words = _words(column)
    if field == "reference":
        return not _REFERENCE_WORDS.isdisjoint(words)
    return bool(words) and words[-1] in _HEAD_WORDS.get(field, ())


def _words(column: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column)
    return [word.casefold() for word in _WORD.findall(apart)]
