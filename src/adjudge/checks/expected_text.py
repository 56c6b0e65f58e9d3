"""The text that a response is compared with: the file's own or the case's reference, and what does not count in it."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from adjudge.checks.check import Parameter, some_of
from adjudge.checks.finding import Fields, quoted
from adjudge.records import Json
from adjudge.text import as_text

LISTED = 5

Ignorable = Literal["case", "space", "punctuation"]
IGNORE: Parameter = some_of(
    get_args(Ignorable),
    "what to ignore",
    "what does not count: `case`, `space` (how much white space), `punctuation`",
)


def expected_texts(fields: Fields, constant: Sequence[str] | None) -> list[str]:
    """The file's own texts, else the case's references: a list of texts is several of them."""
    reference = fields.get("reference")
    references = reference if isinstance(reference, list) else [reference]
    candidates: Sequence[Json] = references if constant is None else constant
    return [text for each in candidates if each is not None and (text := as_text(each)).strip()]


def fold(text: str, ignore: Sequence[Ignorable]) -> str:
    """The same text however its characters are composed."""
    text = unicodedata.normalize("NFC", text)
    if "case" in ignore:
        text = text.casefold()
    if "punctuation" in ignore:
        text = "".join(each for each in text if not unicodedata.category(each).startswith("P"))
    return " ".join(text.split()) if "space" in ignore else text


def describe_ignored(ignore: Sequence[Ignorable]) -> str:
    """In the order in which the docs name them."""
    named = [name for name in get_args(Ignorable) if name in ignore]
    return f" ({', '.join(named)} ignored)" if named else ""


def join_quoted(texts: Iterable[str]) -> str:
    every = list(texts)
    more = f" and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(map(quoted, every[:LISTED])) + more
