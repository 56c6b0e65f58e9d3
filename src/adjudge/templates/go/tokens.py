"""The words of Go's tags: names, fields, variables, numbers and strings as Go's own lexer divides them."""

import re
from typing import NamedTuple

from adjudge.templates.syntax import error_at
from adjudge.text import visible

SPACES = " \t\r\n"
TOKEN = re.compile(
    r"(?P<end>[ \t\r\n]++-\}\}|\}\})"
    r"|(?P<space>[ \t\r\n]++)"
    r"|(?P<number>(?:[+-]?[0-9]|\.[0-9]|[+-]\.[0-9])(?:[eEpP][+-]|[\w.])*+)"
    r"|(?P<field>\.\w++)"
    r"|(?P<dot>\.)"
    r"|(?P<variable>\$\w*+)"
    r"|(?P<name>[^\W\d]\w*+)"
    r"|(?P<text>\"(?:\\[^\n]|[^\"\\\n])*+\"|`[^`]*+`)"
    r"|(?P<character>'(?:\\[^\n]|[^'\\\n])*+')"
    r"|(?P<unclosed>[\"`'].*+)"
    r"|(?P<operator>:=|[=|(),])",
    re.DOTALL,
)
NAMED = frozenset({"field", "variable", "name"})
TERMINATORS = " \t\r\n.,|:)(}"
"""What may follow a name; `$x=1` and `.a-b` are errors in Go."""
MAX_TOKENS = 300
MAX_DIGITS = 300
DECIMAL = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
WHOLE = re.compile(
    r"([+-]?)(?:0[xX]_?([0-9a-fA-F](?:_?[0-9a-fA-F])*+)|0[bB]_?([01](?:_?[01])*+)|0[oO]?_?([0-7](?:_?[0-7])*+)|([1-9](?:_?[0-9])*+|0))"
)
"""In base 16, 2, 8 and 10."""
BASES = (16, 2, 8, 10)
MAX_INTEGER = 2**63
ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.|\Z))",
    re.DOTALL,
)
ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class GoToken(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    apart: bool
    """White space stands before it."""


def tokenize(text: str, start: int) -> list[GoToken]:
    """The tokens of the tag whose content begins at `start`, with its end as the last."""
    tokens: list[GoToken] = []
    position = start
    apart = False
    while (match := TOKEN.match(text, position)) and match.lastgroup != "unclosed":
        kind = match.lastgroup or ""
        position = match.end()
        if kind == "space":
            apart = True
            continue
        if kind in NAMED and text[position : position + 1] not in TERMINATORS:
            break
        tokens.append(GoToken(kind, match[0], match.start(), position, apart))
        if kind == "end":
            return tokens
        if len(tokens) > MAX_TOKENS:
            raise error_at(
                text,
                start,
                f"the tag holds more than {MAX_TOKENS} words",
                "split it, or close it where it ends",
            )
        apart = False
    if position >= len(text):
        raise error_at(text, start, "the tag `{{` is never closed", "end it with `}}`")
    found = text[position]
    if found in "\"`'":
        raise error_at(
            text, position, f"the text that starts with {found} is never closed", "close the quotation mark"
        )
    raise error_at(
        text,
        position,
        f"`{visible(found)}` is not understood in a tag",
        'a tag holds fields, variables, literals and calls such as `printf`; write `{{"{{"}}` for two braces',
    )


def read_number(token: str) -> int | float | None:
    """The value of a number as Go writes it; None when it is not one."""
    if len(token) > MAX_DIGITS:
        return None
    if match := WHOLE.fullmatch(token):
        sign, *digits = match.groups()
        number = next(
            int(part.replace("_", ""), base) for part, base in zip(digits, BASES, strict=True) if part
        )
        number = -number if sign == "-" else number
        return number if -MAX_INTEGER <= number < MAX_INTEGER else None
    if DECIMAL.fullmatch(token) and set(token) & set(".eE"):
        value = float(token)
        return value if abs(value) != float("inf") else None
    return None


def read_text(token: str) -> str | None:
    """The text between quotes with its escapes resolved; None when Go knows no such escape."""
    if token[0] == "`":
        return token[1:-1].replace("\r", "")
    quote = token[0]
    inner = token[1:-1]
    parts: list[bytes] = []
    position = 0
    for match in ESCAPE.finditer(inner):
        parts.append(inner[position : match.start()].encode("utf-8", "surrogatepass"))
        position = match.end()
        letter, byte, short, long, octal, wrong = match.groups()
        code = int(short or long or "0", 16)
        if (
            wrong is not None
            or (letter in {"'", '"'} and letter != quote)
            or 0xD800 <= code < 0xE000
            or code > 0x10FFFF
        ):
            return None
        if letter:
            parts.append(ESCAPES.get(letter, letter).encode())
        elif byte or octal:
            value = int(byte, 16) if byte else int(octal, 8)
            if value > 0xFF:
                return None
            parts.append(bytes([value]))
        else:
            parts.append(chr(code).encode())
    parts.append(inner[position:].encode("utf-8", "surrogatepass"))
    joined = b"".join(parts)
    try:
        return joined.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return joined.decode("utf-8", "replace")


def read_character(token: str) -> int | None:
    """The number of a character between single quotes; None when there is not exactly one."""
    text = read_text(token)
    return ord(text) if text is not None and len(text) == 1 else None
