"""Find a value for every input of a judge in a case, and note what a reader of the row should know."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from adjudge import templates
from adjudge.fields import ANSWERS
from adjudge.prompts.lookup import Found, Missing, look_up
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
