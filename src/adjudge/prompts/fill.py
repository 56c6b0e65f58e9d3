"""Find a value for every input of a judge in a case, and note what a reader of the row should know."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias, cast

from adjudge import templates
from adjudge.errors import DatasetError
from adjudge.fields import ANSWERS, NAMESPACES
from adjudge.prompts.lookup import Found, Missing, is_blank, look_up
from adjudge.records import Case, Dialect, Input, Json, Pair, PromptMessage
from adjudge.text import as_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Bindings:
    """What the person running the judge said about inputs, and the date words like "today" refer to."""

    maps: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    current_date: str


class Filled(NamedTuple):
    values: Mapping[str, Json]
    """By input name, for the template."""
    fields: Mapping[str, Json]
    """The same by source, for scorers: `response` whatever the prompt calls it."""
    missing: tuple[Missing, ...]
    """Required inputs the case does not have."""
    notes: tuple[str, ...]


def fill_inputs(inputs: tuple[Input, ...], case: Case, bindings: Bindings) -> Filled:
    """As the rules of `look_up` say, which are followed once for all cases that have the same columns."""
    if not case.contested and not case.noted:
        plan = _plan_for(inputs, case, bindings)
        filled = None if plan is None else plan.fill(case)
        if filled is not None:
            return filled
    return fill_by_rules(inputs, case, bindings)


def fill_by_rules(inputs: tuple[Input, ...], case: Case, bindings: Bindings) -> Filled:
    values: dict[str, Json] = {}
    fields: dict[str, Json] = {}
    missing: list[Missing] = []
    notes: list[str] = []
    for item in inputs:
        found = look_up(
            case, item, maps=bindings.maps, sets=bindings.sets, current_date=bindings.current_date
        )
        match found:
            case Found(value=value):
                values[item.name] = value
                fields[item.source] = value
                notes += _noted(case, item)
            case Missing():
                notes += _noted(case, item) if item.required else ()
                if item.required:
                    missing.append(found)
                elif item.source == "tool_calls":
                    # many prompts then say that no tools were called, which nobody knows
                    notes.append("tool_calls_unknown")
    if "parameters" in fields:
        # scorers think in the parts, prompts in the object
        for part in ("question", "context"):
            if part in case.fields:
                fields.setdefault(part, case.fields[part])
    return Filled(values=values, fields=fields, missing=tuple(missing), notes=tuple(dict.fromkeys(notes)))


def _noted(case: Case, item: Input) -> tuple[str, ...]:
    note = case.noted.get("question" if item.source == "parameters" else item.source) if case.noted else None
    return () if note is None else (note,)


# ---- the same for cases with the same columns ----------------------------------------------------------

Places: TypeAlias = tuple[tuple[str, int], ...]
"""Names, each with the number of its value among those found."""

MOST_PLANS = 256
_BY_VALUE = frozenset({"history", "transcript", "responses"})
"""Fields for which the rules ask what kind of values a case has."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """Stands for the value of a case, while the rules are followed for its names alone."""

    in_fields: bool
    name: str


class _Plan(NamedTuple):
    """What the rules find in every case with these columns and fields that has none of its values blank."""

    cells: tuple[tuple[bool, str], ...]
    """Found first: whether in the case's fields or its columns, and under which name."""
    constants: tuple[str, ...]
    """Found next, whatever the case."""
    objects: tuple[Places, ...]
    """Made of those: `parameters`."""
    values: Places
    fields: Places
    missing: tuple[Missing, ...]
    notes: tuple[str, ...]

    def fill(self, case: Case) -> Filled | None:
        """None where one of the values is blank: whether that is missing or an answer, the rules say."""
        columns, fields = case.columns, case.fields
        found: list[Json] = []
        for in_fields, name in self.cells:
            value = fields[name] if in_fields else columns[name]
            if is_blank(value):
                return None
            found.append(value)
        found += self.constants
        for places in self.objects:
            found.append({name: found[at] for name, at in places})
        return Filled(
            {name: found[at] for name, at in self.values},
            {name: found[at] for name, at in self.fields},
            self.missing,
            self.notes,
        )


_plans: dict[Hashable, tuple[tuple[Input, ...], Bindings, _Plan | None]] = {}
"""With the inputs and the bindings, so that their ids are not given to others."""


def _plan_for(inputs: tuple[Input, ...], case: Case, bindings: Bindings) -> _Plan | None:
    key = (id(inputs), id(bindings), tuple(case.columns), tuple(case.fields))
    kept = _plans.get(key)
    if kept is None:
        if len(_plans) >= MOST_PLANS:
            _plans.clear()
        kept = _plans[key] = (inputs, bindings, _make_plan(inputs, case, bindings))
    return kept[2]


def _make_plan(inputs: tuple[Input, ...], case: Case, bindings: Bindings) -> _Plan | None:
    """None where the names of the columns do not settle which of them fill the inputs.

    The rules are followed for a case that has marks for values; the plan is where these are then found.
    """
    if any("." in column for column in bindings.maps.values()):
        return None
    if not all(_settled_by_names(item, case) for item in inputs):
        return None
    marked = Case(
        case_id=case.case_id,
        columns={name: cast("Json", _Cell(False, name)) for name in case.columns},
        fields={name: cast("Json", _Cell(True, name)) for name in case.fields},
    )
    try:
        filled = fill_by_rules(inputs, marked, bindings)
    except DatasetError:
        return None  # two columns compete, and the message names the case
    found: list[object] = [*filled.values.values(), *filled.fields.values()]
    objects = {id(value): value for value in found if isinstance(value, dict)}
    plain = [value for value in found if not isinstance(value, dict)]
    plain += [value for each in objects.values() for value in each.values()]
    cells = dict.fromkeys(value for value in plain if isinstance(value, _Cell))
    constants = dict.fromkeys(value for value in plain if isinstance(value, str))
    numbers: dict[object, int] = {value: number for number, value in enumerate((*cells, *constants))}
    numbers |= {identity: number for number, identity in enumerate(objects, start=len(numbers))}

    def places(values: Mapping[str, object]) -> Places:
        return tuple(
            (name, numbers[id(value) if isinstance(value, dict) else value]) for name, value in values.items()
        )

    return _Plan(
        cells=tuple((cell.in_fields, cell.name) for cell in cells),
        constants=tuple(constants),
        objects=tuple(places(each) for each in objects.values()),
        values=places(filled.values),
        fields=places(filled.fields),
        missing=filled.missing,
        notes=filled.notes,
    )


def _settled_by_names(item: Input, case: Case) -> bool:
    """Whether the rules find an input without asking what kind of values a case has, as they do to follow a path."""
    head, dot, rest = item.name.partition(".")
    is_path = bool(dot) and (head not in NAMESPACES or head in case.columns or "." in rest)
    return not is_path and "." not in item.source and item.source not in _BY_VALUE


# ---- what is done with values --------------------------------------------------------------------------


def exchange(filled: Filled, pair: Pair) -> Filled:
    """The same inputs with the answers, and what else comes in two, the other way round."""
    other = {one: two for swap in pair.swaps for one, two in (swap, swap[::-1])}
    sources = dict(zip(ANSWERS, ANSWERS[::-1], strict=True))
    return filled._replace(values=_renamed(filled.values, other), fields=_renamed(filled.fields, sources))


def _renamed(values: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    """In the same order, so that the prompt is the one of a case with the answers exchanged."""
    found = {names.get(name, name): value for name, value in values.items()}
    return {name: found[name] for name in dict.fromkeys((*values, *found)) if name in found}


def values_for(inputs: tuple[Input, ...], values: Mapping[str, Json]) -> dict[str, Json]:
    """Only what these inputs name: what a prompt does not name must not reach it, not even through its fence's mark."""
    return {item.name: values[item.name] for item in inputs if item.name in values}


def boundary_notes(messages: tuple[PromptMessage, ...], values: Mapping[str, Json]) -> tuple[str, ...]:
    """Name the inputs whose value contains the closing tag the prompt itself puts after them."""
    notes: dict[str, None] = {}
    for message in messages:
        for name, closing in closing_boundaries(message.text, message.dialect):
            if name in values and closing.casefold() in _squeeze(as_text(values[name])):
                notes[f"boundary_in_value:{name}"] = None
    return tuple(notes)


def _squeeze(text: str) -> str:
    """`< / Question >` closes a tag for a model as well as `</question>` does."""
    return re.sub(r"(?<=[</])\s++|(?<!\s)\s++(?=>)", "", text.casefold())


OPENING = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]{0,200})?>\s{0,20}$|(```|\"\"\"|''')[\w-]{0,20}\s{0,20}$")


@lru_cache(maxsize=256)
def closing_boundaries(body: str, dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """Each (input, closing boundary) where the prompt encloses the input in tags, code fences or triple quotes."""
    found = []
    for reference in templates.inputs(body, dialect):
        for start, end in reference.spans:
            opening = OPENING.search(body[max(0, start - 300) : start])
            if not opening:
                continue
            tag, quotes = opening.groups()
            closing = f"</{tag}>" if tag else quotes
            after = body[end : end + 300].lstrip()
            if after.casefold().startswith(closing.casefold()):
                found.append((reference.name, closing))
    return tuple(dict.fromkeys(found))
