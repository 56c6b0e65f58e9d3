"""Names of runs and judges as one part of a path: any text is a name, and `/`, `%` or `..` in a path mean something."""

import re
from typing import Annotated

from msgspec import Meta

from adjudge.errors import InputError

RunKey = Annotated[str, Meta(max_length=3_000, description="The `key` that the list of runs gives.")]
_PLAIN = re.compile(rb"[A-Za-z0-9_-]")
_WRITTEN = re.compile(r"(?:[A-Za-z0-9_@-]|~[0-9A-F]{2})*", re.ASCII)


def to_key(name: str) -> str:
    """Bytes other than letters, digits, `_` and `-` become `~` and two hexadecimal digits; `@` stays, for judges."""
    return "".join(
        chr(byte) if _PLAIN.match(bytes([byte])) or byte == 0x40 else f"~{byte:02X}"
        for byte in name.encode("utf-8", "surrogatepass")
    )


def from_key(key: str) -> str:
    """An `InputError` for what `to_key` never writes."""
    if _WRITTEN.fullmatch(key):
        plain = re.sub("~(..)", lambda found: chr(int(found[1], 16)), key).encode("latin-1")
        try:
            return plain.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            pass
    raise InputError(key, "is not a valid key", "take the `key` that the list of runs gives")
