"""Go's `fmt` for strings, numbers and truth values: `print`, `println` and the verbs of `printf`.

Lists and objects are written as JSON, as everywhere else; Go's own `map[a:1]` is for debugging.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from adjudge.templates.values import Value, to_text

VERB = re.compile(
    r"%(?P<flags>[-+# 0]*+)(?:\[(?P<first>\d{1,3})\])?(?P<width>\d*+)(?P<point>\.(?P<precision>\d*+))?"
    r"(?:\[(?P<second>\d{1,3})\])?(?P<verb>[^\d\[*.]|\Z)",
    re.DOTALL,
)
MAX_WIDTH = 1_000
VERBS = "vsdqtfFeEgGxXobcU%"
ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
}


def validate_format(text: str) -> str:
    """Why a format cannot be used here; empty when it can."""
    for percent in re.finditer(r"%%|%", text):
        if percent[0] == "%%":
            continue
        match = VERB.match(text, percent.start())
        if match is None:
            return "a format with `*` or an unusual verb is not supported"
        if any(
            len(size) > 4 or int(size or 0) > MAX_WIDTH for size in (match["width"], match["precision"] or "")
        ):
            return f"a format asks for a width of more than {MAX_WIDTH}"
        if (
            match["verb"] not in VERBS
            or "#" in match["flags"]
            or (match["verb"] == "q" and "+" in match["flags"])
        ):
            return f"the format `{match[0]}` is not supported"
    return ""


def join_values(values: Sequence[Value]) -> str:
    """As `print` does: with a space between two that are not strings."""
    parts: list[str] = []
    for position, value in enumerate(values):
        if position and not isinstance(value, str) and not isinstance(values[position - 1], str):
            parts.append(" ")
        parts.append(written(value))
    return "".join(parts)


def format_values(text: str, values: Sequence[Value], spend: Callable[[int], None]) -> str:
    """As `printf` does; each part is paid for as it is made, because a format can name one value many times."""
    parts: list[str] = []
    position = argument = 0
    ordered = True
    while match := VERB.search(text, position):
        parts.append(text[position : match.start()])
        position = match.end()
        if match["verb"] == "%":
            parts.append("%")
            continue
        if index := match["second"] or match["first"]:
            ordered = False
            argument = int(index) - 1
        if not match["verb"]:
            parts.append("%!(NOVERB)")
            continue
        if not 0 <= argument < len(values):
            parts.append(f"%!{match['verb']}({'BADINDEX' if index else 'MISSING'})")
        else:
            parts.append(_format(match, values[argument]))
            spend(len(parts[-1]))
        argument += 1
    parts.append(text[position:])
    if ordered and argument < len(values):
        extra = ", ".join(f"{_type(value)}={written(value)}" for value in values[argument:])
        parts.append(f"%!(EXTRA {extra})")
    return "".join(parts)


def written(value: Value) -> str:
    return _shortest(value, "e") if isinstance(value, float) else to_text(value)


def quote(text: str) -> str:
    return f'"{text.translate(_IN_QUOTES)}"'


class _Escapes(dict[int, str]):
    """Code point -> how it is written between quotes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _quoted(chr(code), '"')
        return found


_IN_QUOTES = _Escapes()


def _quoted(character: str, mark: str) -> str:
    if character == mark:
        return f"\\{character}"
    if character in ESCAPES:
        return ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _type(value: Value) -> str:
    return {bool: "bool", int: "int", float: "float64", str: "string"}.get(type(value), "")


def _format(match: re.Match[str], value: Value) -> str:
    verb, flags = match["verb"], match["flags"]
    precision = int(match["precision"] or 0) if match["point"] else None
    if isinstance(value, bool):
        text = written(value) if verb in "tv" else None
    elif isinstance(value, int):
        text = _format_integer(verb, flags, precision, value)
    elif isinstance(value, float):
        text = _format_float(verb, flags, precision, value)
    elif isinstance(value, str):
        text = _format_text(verb, precision, value)
    else:
        text = to_text(value)
    if text is None:
        return f"%!{verb}({_type(value)}={written(value)})"
    return _pad(text, match, numeric=isinstance(value, int | float) and not isinstance(value, bool))


def _pad(text: str, match: re.Match[str], *, numeric: bool) -> str:
    width, flags = int(match["width"] or 0), match["flags"]
    missing = width - len(text)
    if missing <= 0:
        return text
    if "-" in flags:
        return text + " " * missing
    if "0" not in flags or (numeric and match["point"] and match["verb"] in "dvxXob"):
        return " " * missing + text
    sign = text[0] if numeric and text[:1] in {"+", "-", " "} else ""
    return sign + "0" * missing + text[len(sign) :]


def _format_integer(verb: str, flags: str, precision: int | None, value: int) -> str | None:
    if verb in "cqU":
        character = chr(value) if 0 <= value < 0x110000 and not 0xD800 <= value < 0xE000 else "\ufffd"
        return {"c": character, "q": f"'{_quoted(character, chr(39))}'", "U": f"U+{value % 2**64:04X}"}[verb]
    code = {"d": "d", "v": "d", "x": "x", "X": "X", "o": "o", "b": "b"}.get(verb)
    if code is None:
        return None
    digits = format(abs(value), code)
    if precision is not None:
        digits = "" if precision == value == 0 else digits.rjust(precision, "0")
    return _sign(flags, negative=value < 0) + digits


def _sign(flags: str, *, negative: bool) -> str:
    if negative:
        return "-"
    return "+" if "+" in flags else " " * (" " in flags)


def _format_float(verb: str, flags: str, precision: int | None, value: float) -> str | None:
    if verb not in "vfFeEgG":
        return None
    size = abs(value)
    if verb in "vgG" and precision is None:
        digits = _shortest(size, "E" if verb == "G" else "e")
    else:
        digits = format(size, f".{6 if precision is None else precision}{'g' if verb == 'v' else verb}")
    return _sign(flags, negative=str(value)[0] == "-") + digits


def _shortest(value: float, mark: str) -> str:
    """The fewest digits that mean this number, with an exponent below 1e-4 and from 1e6 on."""
    number = Decimal(repr(value))
    exponent = number.adjusted()
    if not value or -4 <= exponent < 6:
        text = format(number, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    fraction = f".{digits[1:]}" if digits[1:] else ""
    return f"{'-' if value < 0 else ''}{digits[0]}{fraction}{mark}{exponent:+03d}"


def _format_text(verb: str, precision: int | None, value: str) -> str | None:
    if precision is not None and verb in "vsq":
        value = value[:precision]
    match verb:
        case "v" | "s":
            return value
        case "q":
            return quote(value)
        case "x" | "X":
            encoded = value.encode("utf-8", "replace")[:precision].hex()
            return encoded.upper() if verb == "X" else encoded
        case _:
            return None
