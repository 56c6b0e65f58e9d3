"""Prompt text -> syntax tree, in ten dialects: what a prompt asks for, and the messages it becomes.

Values are looked at when a prompt is rendered and never parsed: no value can change the template.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol

from msgspec.structs import replace

from adjudge.records import Dialect, Json, Message, PromptMessage
from adjudge.templates import custom, go, handlebars, jinja, mustache, printf, promptl, python, shell
from adjudge.templates.detection import detect
from adjudge.templates.expressions import PromptlScope, Scope
from adjudge.templates.syntax import Node, TemplateInput, Text
from adjudge.templates.tree import TreeTemplate

__all__ = [
    "BETWEEN_MESSAGES",
    "DIALECTS",
    "TemplateInput",
    "canonical",
    "detect",
    "inputs",
    "messages_inputs",
    "messages_outline",
    "outline",
    "render",
    "unread",
]

DIALECTS: tuple[Dialect, ...] = (
    "mustache",
    "handlebars",
    "jinja",
    "promptl",
    "go",
    "printf",
    "python",
    "shell",
    "custom",
    "none",
)

BETWEEN_MESSAGES = "\n\n"


def _parse_nothing(text: str) -> tuple[Node, ...]:
    """A prompt without placeholders."""
    return (Text(text=text),)


PARSERS = {
    "mustache": mustache.parse,
    "handlebars": handlebars.parse,
    "promptl": promptl.parse,
    "go": go.parse,
    "printf": printf.parse,
    "python": python.parse,
    "shell": shell.parse,
    "custom": custom.parse,
    "none": _parse_nothing,
}


def _scope(dialect: Dialect) -> type[Scope]:
    """What a dialect does with values; two have rules of their own."""
    if dialect == "go":
        return go.values_scope()
    return PromptlScope if dialect == "promptl" else Scope


class Template(Protocol):
    """A parsed prompt."""

    @property
    def references(self) -> tuple[TemplateInput, ...]: ...

    @property
    def unread(self) -> tuple[str, ...]: ...

    def render(self, values: Mapping[str, Json]) -> tuple[Message, ...]: ...

    def outline(self) -> str: ...

    def canonical(self) -> str: ...


@lru_cache(maxsize=256)
def _parsed(text: str, dialect: Dialect) -> Template:
    if dialect == "jinja":
        return jinja.parse(text)
    outlined = promptl.parse(text, trims=False) if dialect == "promptl" else None
    return TreeTemplate(text, dialect, PARSERS[dialect](text), _scope(dialect), outlined)


def inputs(text: str, dialect: Dialect) -> tuple[TemplateInput, ...]:
    """The distinct inputs a prompt asks for, in prompt order."""
    return _parsed(text, dialect).references


def render(text: str, dialect: Dialect, values: Mapping[str, Json]) -> tuple[Message, ...]:
    """The messages a prompt becomes, in one pass; an input that is not in `values` is absent."""
    return _parsed(text, dialect).render(values)


def outline(text: str, dialect: Dialect) -> str:
    """The literal text of a prompt, every branch in order, each input shown as `⟦name⟧`."""
    return _parsed(text, dialect).outline()


def unread(text: str, dialect: Dialect) -> tuple[str, ...]:
    """What a prompt asks of its values that cannot be done here, a sentence for each: they are written without it."""
    return _parsed(text, dialect).unread


def messages_inputs(messages: Iterable[PromptMessage]) -> tuple[TemplateInput, ...]:
    """The distinct inputs of a prompt's messages; their places are offsets into the texts joined by a blank line."""
    found: dict[str, TemplateInput] = {}
    start = 0
    for message in messages:
        for reference in inputs(message.text, message.dialect):
            spans = tuple((low + start, high + start) for low, high in reference.spans)
            known = found.get(reference.name)
            found[reference.name] = (
                replace(reference, spans=spans)
                if known is None
                else replace(known, guarded=known.guarded and reference.guarded, spans=known.spans + spans)
            )
        start += len(message.text) + len(BETWEEN_MESSAGES)
    return tuple(found.values())


def messages_outline(messages: Iterable[PromptMessage]) -> str:
    """The outlines of a prompt's messages, with a blank line between two."""
    return BETWEEN_MESSAGES.join(outline(message.text, message.dialect) for message in messages)


def canonical(text: str, dialect: Dialect) -> str:
    """A form for hashing that changes with what is sent, and not with comments or white space inside tags."""
    return _parsed(text, dialect).canonical()
