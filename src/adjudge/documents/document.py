"""A report as data: what it says, part by part and each part with its kind, before any form is chosen.

Text that is not ours (a case, a reply, a name somebody gave) stands in a `Quote`, so that every renderer knows what must
not come to life as markup, an escape or a command.
"""

import shlex
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

Tone = Literal["plain", "good", "bad", "warning"]


class Quote(Struct, frozen=True):
    """Other people's text."""

    text: str


class Command(Struct, frozen=True):
    """What to type; it may hold other people's text, such as the name of a run."""

    text: str


def command_of(*words: str) -> Command:
    """`adjudge show RUN CASE`, each word as a shell takes it: a case's id may be `$(anything)`."""
    return Command(shlex.join(("adjudge", *words)))


Span: TypeAlias = str | Quote | Command
Text: TypeAlias = Span | tuple[Span, ...]


class Heading(Struct, frozen=True, kw_only=True):
    text: Text
    level: int = 2
    detail: bool = False


class Fact(Struct, frozen=True, kw_only=True):
    """One statement."""

    kind: str
    """What it is about: pages and tests find it by this, never by its words."""
    text: Text
    label: str = ""
    """Stands before it in a column of its own; facts under one label follow each other, and only the first bears it."""
    tone: Tone = "plain"
    aside: Text = ""
    """At the right, where there is room."""
    detail: bool = False
    """For those who want it all: methods, hashes, notes on normal work."""


class Gauge(Struct, frozen=True, kw_only=True):
    """A figure on its scale, with its interval: drawn as a bar."""

    kind: str
    label: Text
    value: str
    """As it is read: `71.3 %`, `3.42`."""
    interval: str
    counts: str
    """What it rests on: `107 of 150 passed`."""
    share: float | None
    """Where the value, the interval's ends and what a gate asks for lie on the scale, 0 to 1; None without a scale."""
    low: float | None = None
    high: float | None = None
    needed: float | None = None
    tone: Tone = "plain"
    detail: bool = False


class Table(Struct, frozen=True, kw_only=True):
    kind: str
    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: Text = ""
    numeric: tuple[int, ...] = ()
    """The columns whose cells end at the right."""
    detail: bool = False


class CaseEntry(Struct, frozen=True, kw_only=True):
    """One case, to be read."""

    case_id: str
    question: str | None
    lines: tuple[tuple[str, str], ...]
    """What stands under it, each with its word: (`expected`, `got`), (`A`, `B`)."""
    marks: tuple[str, ...] = ()
    """Short words of ours: `score 2`, `uncertain`."""
    reason: str = ""
    """Why it came out so; where there is little room, a detail."""
    change: str = ""
    """Beside the question: `pass → fail`."""


class CaseList(Struct, frozen=True, kw_only=True):
    kind: str
    label: str
    text: Text
    cases: tuple[CaseEntry, ...]
    aside: Text = ""
    tone: Tone = "plain"
    detail: bool = False


class Histogram(Struct, frozen=True, kw_only=True):
    """How often each value occurred."""

    counts: Mapping[str, int]


class PlottedInterval(Struct, frozen=True, kw_only=True):
    name: str
    value: float
    low: float
    high: float
    outer: tuple[float, float] | None = None
    """A wider, paler band: what unscored cases could have made of it."""
    label: str = ""
    """Above its point."""


class Intervals(Struct, frozen=True, kw_only=True):
    """Figures side by side on one axis."""

    rows: tuple[PlottedInterval, ...]
    axis: tuple[float, float] | None = None
    zero: float | None = None
    """Where a line is drawn, such as no difference."""
    zero_label: str = ""


class Plot(Struct, frozen=True, kw_only=True):
    """Drawn where there is a page to draw on; its figures are in other blocks too."""

    kind: str
    figure: Histogram | Intervals
    caption: str
    detail: bool = False


Block: TypeAlias = Heading | Fact | Gauge | Table | CaseList | Plot


class Document(Struct, frozen=True, kw_only=True):
    title: Text
    banner: Text = ""
    """Stands before everything: that this is not all there should be."""
    aside: Text = ""
    """Beside the title: how long it took, what it cost."""
    blocks: tuple[Block, ...] = ()

    def facts(self, kind: str) -> tuple[Fact, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Fact) and block.kind == kind)


def fact(kind: str, label: str, text: Text, tone: Tone = "plain", *, detail: bool = False) -> Fact:
    return Fact(kind=kind, label=label, text=text, tone=tone, detail=detail)


def spans(text: Text) -> tuple[Span, ...]:
    return text if isinstance(text, tuple) else (text,)


def plain(text: Text) -> str:
    """The words alone, other people's text as it is: for a place that escapes it all, or compares it."""
    return "".join(span if isinstance(span, str) else span.text for span in spans(text))


def join(separator: str, texts: Iterable[Text]) -> Text:
    """`a · b · c`, whatever the parts are made of; empty parts are left out."""
    joined: list[Span] = []
    for text in texts:
        if plain(text):
            joined += [separator, *spans(text)] if joined else spans(text)
    return tuple(joined)
