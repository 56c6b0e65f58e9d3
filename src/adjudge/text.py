"""Text made fit to be shown or sent: shortened, on one line, visible, encodable; values as text; names that were meant."""

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite

# Controls, line separators, text-direction marks, invisible characters and what is no character (XML refuses it). The joiners U+200C and U+200D stay: several
# scripts and most family emoji are written with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_RAW_IN_JSON = re.compile(_UNSEEN.pattern.replace("\x00-\x1f", ""))
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Build services obey what looks like a command in a log: `::` where a line begins, `##[` and `##vso[` anywhere in it.
_LOG_COMMAND = re.compile(r"#(?=#(?:\[|vso\[))|\A\s*+:(?=:)", re.IGNORECASE)


def is_finite(number: float) -> bool:
    """Whether it can be computed with; a whole number too large for a float cannot, and `math.isfinite` raises on it."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def visible(text: str) -> str:
    """Text for a terminal or a log, on one line: nothing in it moves the cursor, turns the direction or is unseen."""
    return _LOG_COMMAND.sub(r"\g<0> ", _UNSEEN.sub(_picture, text))


def without_controls(text: str) -> str:
    """Text for a file that people also print: line ends and tabs stay, other control characters become visible."""
    return _CONTROL.sub(_picture, text)


def seen(text: str) -> str:
    """Text for a page: lines and tabs stay, and whatever is unseen or turns the direction of writing becomes visible."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(_UNSEEN.sub(_picture, part) for part in line.split("\t")) for line in lines)


def escape_unseen(data: bytes) -> bytes:
    """JSON with every character escaped that it lets stand in a string and a terminal may obey, or not show."""
    if data.isascii() and b"\x7f" not in data:
        return data
    return _RAW_IN_JSON.sub(_escaped, data.decode()).encode()


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def words(text: str) -> frozenset[str]:
    """A set of words from one text, so that a long list takes few lines."""
    return frozenset(text.split())


def utf8_size(text: str) -> int:
    """In bytes; lone surrogates count as if they could be encoded."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(text: str, most: int) -> str:
    """Visible, with runs of white space as one space, and no longer than that."""
    return visible(shorten(" ".join(text[: 4 * most].split()), most))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def encodable(text: str) -> str:
    """Without lone surrogates, which no encoding takes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


_encode = json.JSONEncoder(ensure_ascii=False).encode


def as_text(value: object) -> str:
    """A value as templates write it: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else _encode(value)


def field_text(fields: Mapping[str, object], name: str) -> str | None:
    """A case's field as a person reads it: several references with a slash between them, other lists and objects as JSON."""
    value = fields.get(name)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " / ".join(value)
    return None if value is None else as_text(value)


def json_default(value: object) -> object:
    """For JSON writers: read-only mappings as objects; nothing else that they do not know themselves."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The known name that `word` is probably a misspelling of, whatever its case."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    names = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The known name that is nearest, as a question; `otherwise` follows it, or stands alone."""
    found = closest(word, known)
    return f"{'' if found is None else f'did you mean `{found}`?'} {otherwise}".strip()


NO_VALUE = "(none)"


def value_text(value: object) -> str:
    """A JSON value from a case's metadata, as the name of a slice."""
    match value:
        case None:
            return NO_VALUE
        case bool():
            return "true" if value else "false"
        case str():
            return value or NO_VALUE
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return str(value)
