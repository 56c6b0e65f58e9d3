"""Where an object ends and what its keys are, when it is almost JSON; one pass, aware of strings and comments."""

import re
from dataclasses import dataclass, field

from adjudge.patterns import lazy_pattern
from adjudge.text import encodable

TOKEN = lazy_pattern(
    r"[{}\[\],:]|[\"“”„'‘’]|//[^\n]*|/\*|(?<![\w/])\#[^\n]*|(?:[^\s{}\[\],:\"“”„/]|/(?![/*]))+"
)
QUOTES = {'"': '"', "'": "'’", "“": '”“"', "”": '”"', "„": '“”"', "‘": "’'", "’": "’'"}
"""Opening mark -> what may close it."""
CLOSERS = {mark: lazy_pattern(rf"\\.|[{closing}]", re.DOTALL) for mark, closing in QUOTES.items()}
AFTER_STRING = lazy_pattern(r"(?<!\s)\s*+(?:[,}\]:]|\Z|//|/\*|\#|[\"'“‘][\w -]{1,64}[\"'”’]\s{0,20}:)")
"""What follows the quote that ends a string. In valid JSON every bare quote ends one; in replies some do not."""

ESCAPE = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
LITERALS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "true": "true",
    "false": "false",
    "null": "null",
}
MAX_STACK = 200


@dataclass(slots=True)
class Loose:
    """What a forgiving look at one object gave."""

    end: int | None
    """After the closing brace; None when the text ends first."""
    keys: list[str]
    """Of the object itself, not of those inside it."""
    values_at: list[int]
    """Where the value of each of `keys` starts, after the colon."""
    pieces: list[str] = field(default_factory=list)
    """The same object without comments and trailing commas; a string is `"` and its content, a word ends in a space."""
    strings: list[tuple[int, int]] = field(default_factory=list)
    """Where its strings stand, quotes included; one that is not closed runs to the end of the text."""
    mismatched: bool = False
    passed_over: bool = False
    """It is no verdict and holds none."""


def unescape(content: str) -> str:
    """A string's content; escapes that JSON does not know stay as they are."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return ESCAPED.get(code, match[0])

    if "\\" not in content:
        return content
    plain = ESCAPE.sub(one, content)
    # Pairs of surrogate escapes become the character they stand for.
    return encodable(plain)


def string_end(text: str, start: int) -> int | None:
    """Where the string whose opening quote stands at `start` has its closing quote."""
    for mark in CLOSERS[text[start]].finditer(text, start + 1):
        if not mark[0].startswith("\\") and AFTER_STRING.match(text, mark.end()):
            return mark.start()
    return None


def scan(text: str, start: int) -> Loose:
    """Walk one object from its opening brace, aware of strings and comments, in one pass."""
    found = Loose(end=None, keys=[], values_at=[])
    stack: list[str] = []
    pending: list[str] = []  # the last string or words at depth one: a key, should a colon follow
    position = start
    while (token := TOKEN.search(text, position)) is not None:
        mark = token[0]
        position = token.end()
        if mark in QUOTES and (mark in '"“„' or _at_token_start(found.pieces)):
            end = string_end(text, token.start())
            found.strings.append((token.start(), len(text) if end is None else end + 1))
            if end is None:
                return found
            content = unescape(text[token.end() : end])
            found.pieces.append('"' + content)
            pending = [content] if len(stack) == 1 else pending
            position = end + 1
        elif mark in "{[":
            stack.append(mark)
            if len(stack) > MAX_STACK:
                return found
            found.pieces.append(mark)
        elif mark in "}]":
            if found.pieces and found.pieces[-1] == ",":
                found.pieces.pop()
            found.pieces.append(mark)
            if stack.pop() != {"}": "{", "]": "["}[mark]:
                found.mismatched = True
            if not stack:
                found.end = position
                return found
        elif mark == ":":
            found.pieces.append(mark)
            if len(stack) == 1 and pending:
                found.keys.append(" ".join(pending))
                found.values_at.append(position)
            pending = []
        elif mark == ",":
            found.pieces.append(mark)
            pending = []
        elif mark.startswith(("//", "#")):
            continue
        elif mark == "/*":
            close = text.find("*/", position)
            if close < 0:
                return found
            position = close + 2
        else:
            found.pieces.append(LITERALS.get(mark, mark) + " ")
            if len(stack) == 1:
                pending.append(mark)
    return found


def _at_token_start(pieces: list[str]) -> bool:
    return not pieces or pieces[-1] in ("{", "[", ",", ":")
