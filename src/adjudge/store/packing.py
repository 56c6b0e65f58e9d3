"""Values as they lie in columns: texts by hash, compressed bytes, exact JSON, names, moments."""

import json
import math
import re
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Generic, TypeVar

import msgspec
import orjson

from adjudge.patterns import lazy_pattern
from adjudge.text import json_default

WORTH_COMPRESSING = 1024
"""Bytes. Below it zlib saves little for its time."""
WORTH_BASING = 256
"""Bytes, where another text is there to be compared with: only what differs is then kept."""
LEVEL = 1
"""A third of the time of the default level for a tenth more bytes."""
MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes. What is larger is kept as it is: a file from elsewhere can hold a few bytes that unpack to gigabytes."""
RAW, COMPRESSED, BASED = b"\x00", b"\x01", b"\x02"

EXACT = b" "
"""First byte of JSON that only the standard library reads back as it was; orjson never writes one."""

COLUMN_CHARS = 200
"""Postgres refuses index entries beyond about 2,700 bytes; three such names of four-byte characters and a model's still pass."""
MODEL_CHARS = 60

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

_ESCAPE = lazy_pattern(r"[\\\x00\ud800-\udfff]")
_ESCAPED = lazy_pattern(r"\\(?:\\|u(?P<code>[0-9a-f]{4}))")
_HEX_KEY = lazy_pattern(r"[0-9a-f]{64}", re.ASCII)
_MAX_VALUE = 2**63
PLAIN_TYPES = frozenset({str, int, bool})

T = TypeVar("T")


class DamagedError(Exception):
    """Stored bytes are not what this module wrote."""


def hash_bytes(data: bytes) -> bytes:
    return sha256(data).digest()


def text_bytes(text: str) -> bytes:
    """UTF-8 that also carries halves of surrogate pairs, which JSON escapes can put into any text."""
    return text.encode("utf-8", "surrogatepass")


def bytes_text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise DamagedError("a text that is not UTF-8") from None


def pack(data: bytes) -> bytes:
    if WORTH_COMPRESSING <= len(data) <= MAX_UNPACKED:
        compress = _compressor(_window_bits(len(data)))
        smaller = compress.compress(data) + compress.flush()
        if len(smaller) < len(data):
            return COMPRESSED + smaller
    return RAW + data


def pack_onto(data: bytes, base: bytes) -> bytes | None:
    """`data` as it differs from `base`; None when that saves nothing.

    The prompts of a judge are one template filled many times: this takes two thirds of the time of `pack` and leaves
    a third of the bytes.
    """
    if not WORTH_BASING <= len(data) <= MAX_UNPACKED:
        return None
    compress = _compressor_with(base, _window_bits(len(base) + len(data))).copy()
    smaller = compress.compress(data) + compress.flush()
    return BASED + smaller if len(smaller) < len(data) // 2 else None


def _compressor(bits: int, base: bytes = b"") -> "zlib._Compress":
    sized = partial(zlib.compressobj, LEVEL, wbits=bits, memLevel=bits - 7)
    return sized(zdict=base) if base else sized()


@lru_cache(maxsize=32)
def _compressor_with(base: bytes, bits: int) -> "zlib._Compress":
    """To be copied: reading the base in takes longer than compressing what differs from it."""
    return _compressor(bits, base)


def _window_bits(size: int) -> int:
    """For a window and a table as large as the text needs: clearing larger ones takes longer than compressing it."""
    return min(max(size.bit_length(), 9), 15)


def unpack(data: bytes, base: bytes | None = None) -> bytes:
    """`base` is the unpacked text that the data was packed onto, if it was."""
    kind, rest = data[:1], data[1:]
    if kind == RAW:
        return rest
    try:
        if kind == COMPRESSED:
            return _decompress(zlib.decompressobj(), rest)
        if kind == BASED and base is not None:
            return _decompress(zlib.decompressobj(zdict=base), rest)
    except zlib.error as error:
        raise DamagedError(f"compressed bytes that cannot be read ({error})") from None
    raise DamagedError("bytes of an unknown kind" if kind != BASED else "a text whose base is missing")


def _decompress(stream: "zlib._Decompress", data: bytes) -> bytes:
    found = stream.decompress(data, MAX_UNPACKED)
    if stream.eof:
        return found
    problem = "end too early" if len(found) < MAX_UNPACKED else f"unpack to more than {MAX_UNPACKED} bytes"
    raise DamagedError(f"compressed bytes that cannot be read (they {problem})")


def dump_json(value: Any, *, sort_keys: bool = False) -> bytes:
    """Compact JSON that `load_json` reads back as it was: non-finite numbers, whole numbers of any size and halves
    of surrogate pairs included, which orjson drops or refuses.
    """
    try:
        data = orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS if sort_keys else None)
    except TypeError:
        return _dump_exactly(value, sort_keys=sort_keys)
    # orjson writes NaN and the infinities as null
    if b"null" in data and not _is_finite(value):
        return _dump_exactly(value, sort_keys=sort_keys)
    return data


def dump_texts(value: Any) -> bytes:
    """As `dump_json` would, for what holds no numbers: a long text need not be searched for them."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return _dump_exactly(value)


def load_json(data: bytes) -> Any:
    try:
        return json.loads(data) if data[:1] == EXACT else orjson.loads(data)
    except (ValueError, RecursionError):
        raise DamagedError("JSON that cannot be read") from None


def dump_struct(value: msgspec.Struct) -> bytes:
    """As `dump_json` would, for a struct that `JsonReader` reads back."""
    try:
        data = _encode_struct(value)
    except UnicodeEncodeError:
        data = b""
    if not data or (b"null" in data and not _is_finite(value)):
        return _dump_exactly(msgspec.to_builtins(value, enc_hook=_plain))
    return data


class JsonReader(Generic[T]):
    """Reads JSON straight into a struct."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._decode = msgspec.json.Decoder(kind).decode

    def __call__(self, data: bytes) -> T:
        try:
            return msgspec.convert(json.loads(data), self._kind) if data[:1] == EXACT else self._decode(data)
        except (ValueError, RecursionError, msgspec.DecodeError) as error:
            raise DamagedError(f"JSON that cannot be read ({error})") from None


def to_column(text: str) -> str:
    """Any text as a text column of either database can hold it: without NUL and halves of surrogate pairs."""
    if text.isascii() and "\\" not in text and "\0" not in text:
        return text
    return _ESCAPE.sub(_escape, text)


def to_name(text: str, most: int = COLUMN_CHARS) -> str:
    """A text for a column with an index, which takes only so much: different ones stay different, but one that was
    too long cannot be read back from it.
    """
    column = to_column(text)
    if len(column) > most:
        return f"{column[: most // 2]}\\…{sha256(column.encode()).hexdigest()}"
    return column


def from_column(column: str) -> str:
    return _ESCAPED.sub(_unescape, column) if "\\" in column else column


def is_shortened(column: str, text: str) -> bool:
    return from_column(column) != text


def to_key(key: str) -> bytes:
    """32 bytes for a completion's or a judgement's key, which is a SHA-256 in hex; anything else is hashed."""
    return bytes.fromhex(key) if _HEX_KEY.fullmatch(key) else sha256(text_bytes(key)).digest()


def bounded(number: int | None) -> int | None:
    """None for a count that no database's integer holds: no model reads or writes that many tokens."""
    return number if number is None or -_MAX_VALUE <= number < _MAX_VALUE else None


def to_float(number: float) -> float | None:
    """For columns to search by: a whole number too large for one is not rounded to infinity."""
    try:
        return float(number)
    except OverflowError:
        return None


def to_micros(at: datetime) -> int:
    """Microseconds since 1970 UTC. A moment without a zone is taken for UTC."""
    return ((at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    return EPOCH + micros * MICROSECOND


def _dump_exactly(value: Any, *, sort_keys: bool = False) -> bytes:
    text = json.dumps(value, default=_plain, separators=(",", ":"), sort_keys=sort_keys)
    return EXACT + text.encode()


def _plain(found: Any) -> Any:
    return msgspec.structs.asdict(found) if isinstance(found, msgspec.Struct) else json_default(found)


def _is_finite(value: Any) -> bool:
    level: list[Any] = [value]
    while level:
        found = level.pop()
        if found is None or type(found) in PLAIN_TYPES:
            continue
        if isinstance(found, float):
            if not math.isfinite(found):
                return False
        elif isinstance(found, dict):
            level.extend(found.values())
        elif isinstance(found, list | tuple):
            level.extend(found)
        elif isinstance(found, msgspec.Struct):
            level.extend(msgspec.structs.astuple(found))
        elif isinstance(found, Mapping):
            level.extend(found.values())
    return True


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    return "\\\\" if found == "\\" else f"\\u{ord(found):04x}"


def _unescape(match: re.Match[str]) -> str:
    return "\\" if match["code"] is None else chr(int(match["code"], 16))


_encode_struct = msgspec.json.Encoder(enc_hook=_plain).encode
