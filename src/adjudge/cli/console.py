"""What is printed: stdout carries data, stderr carries progress."""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

import click

from adjudge.text import escape_unseen, visible

if TYPE_CHECKING:
    from adjudge.documents.document import Document


def use_colour(stream: object) -> bool:
    is_terminal = getattr(stream, "isatty", lambda: False)()
    plain_wanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return bool(is_terminal) and not plain_wanted


def plain(text: str) -> str:
    """Text that may hold other people's words, for a terminal: lines stay, nothing else moves the cursor."""
    return "\n".join(visible(line) for line in text.split("\n"))


def print_json(value: object) -> None:
    """Indented, on stdout; nothing in it is obeyed by a terminal, and no number in it is too large for its readers."""
    import orjson

    from adjudge.documents.records_json import records_json

    click.echo(escape_unseen(orjson.dumps(records_json(value), option=orjson.OPT_INDENT_2)))


def print_message(message: str) -> None:
    """One line on stderr, whatever text is in it. A run does not fail because nobody can read how far it is."""
    with suppress(OSError):
        click.echo(plain(message), err=True)


def print_document(document: "Document", *, file: TextIO | None = None, verbose: bool = False) -> None:
    """For a terminal of its own width, or as plain text."""
    # rich is slow to load, and only printing needs it
    from adjudge.documents.terminal import print_terminal

    stream = sys.stdout if file is None else file
    print_terminal(document, file=stream, colour=use_colour(stream), verbose=verbose)
