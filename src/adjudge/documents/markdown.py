"""A document as Markdown, for a pull request or a page."""

import re
from collections.abc import Iterable, Iterator, Sequence

from adjudge.documents.document import (
    Block,
    CaseList,
    Command,
    Document,
    Fact,
    Gauge,
    Heading,
    Plot,
    Quote,
    Table,
    Text,
    plain,
    spans,
)
from adjudge.text import one_line, visible

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$&@]")
_TICKS = re.compile(r"`+")
MAX_CHARS = 300
"""Characters of a case's text."""


def render_markdown(document: Document) -> str:
    """Details stand at the end, folded."""
    aside = f" ({_text(document.aside)})" if plain(document.aside) else ""
    lines = [f"**{_text(document.banner)}**", ""] if plain(document.banner) else []
    lines.append(f"**{_text(document.title)}**{aside}")
    lines += _blocks([block for block in document.blocks if not block.detail])
    details = [block for block in document.blocks if block.detail]
    if details:
        lines += ["", "<details><summary>Details</summary>", *_blocks(details), "", "</details>"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Other people's text as a code span: no markup, link, mention or HTML in it comes to life."""
    printable = visible(text)
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(printable)), default=0))
    space = " " if printable.startswith("`") or printable.endswith("`") or not printable.strip() else ""
    return f"{fence}{space}{printable}{space}{fence}"


def escaped(text: str) -> str:
    """Our own words, some of which look like markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _text(text: Text) -> str:
    return "".join(
        quoted(span.text) if isinstance(span, Quote | Command) else escaped(span) for span in spans(text)
    )


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    listing = False
    for block in blocks:
        if isinstance(block, Plot):
            continue  # nothing is drawn here
        is_item = isinstance(block, Fact | Gauge)
        if not (listing and is_item):
            yield ""
        listing = is_item
        match block:
            case Heading(text=text, level=level):
                yield f"{'#' * (level + 1)} {_text(text)}"
            case Fact():
                label = f"**{escaped(block.label)}**: " if block.label else ""
                aside = f" ({_text(block.aside)})" if plain(block.aside) else ""
                yield f"- {label}{_text(block.text)}{aside}"
            case Gauge():
                parts = [f"**{escaped(block.value)}**", escaped(block.interval), escaped(block.counts)]
                yield f"- {_text(block.label)}: {' · '.join(part for part in parts if part)}"
            case Table():
                yield from _table(block)
            case CaseList():
                yield from _cases(block)


def _table(table: Table) -> Iterator[str]:
    if plain(table.caption):
        yield f"**{_text(table.caption)}**"
        yield ""
    yield _row([_text(name) for name in table.header])
    yield _row(["---:" if number in table.numeric else "---" for number in range(len(table.header))])
    for row in table.rows:
        yield _row([_text(cell) for cell in row])


def _row(cells: Sequence[str]) -> str:
    # A bar ends a cell even inside a code span, and what a backslash before it does depends on who draws the table.
    return f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |"


def _cases(listed: CaseList) -> Iterator[str]:
    aside = f" ({_text(listed.aside)})" if plain(listed.aside) else ""
    yield f"**{escaped(listed.label)}**: {_text(listed.text)}{aside}"
    yield ""
    for case in listed.cases:
        question = f" {quoted(one_line(case.question, MAX_CHARS))}" if case.question else ""
        words = [word for word in (case.change, *case.marks) if word]
        marks = f" ({escaped(' · '.join(words))})" if words else ""
        yield f"- {quoted(one_line(case.case_id, 80))}{question}{marks}"
        for word, text in case.lines:
            yield (
                f"  - {escaped(word)} {quoted(one_line(text, MAX_CHARS))}" if text else f"  - {escaped(word)}"
            )
        if case.reason:
            yield f"  - because {quoted(one_line(case.reason, MAX_CHARS))}"
