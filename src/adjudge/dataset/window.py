"""A stream of JSON text seen through a window: where each value ends, without holding more than one.

It only finds boundaries; whether the text between them is JSON is for the parser to say. So a value that is
broken but balanced costs itself and nothing after it.
"""

import re
from typing import BinaryIO, NamedTuple

from adjudge.dataset.json_text import BOM

END = -1
CHUNK_BYTES = 1 << 18

_REST_OF_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_PLAIN = re.compile(rb'[^"{}\[\],]*+')
_SPACE = re.compile(rb"[ \t\r\n]*+")
_OPEN = b"{["
_CLOSE = b"}]"
_QUOTE = ord('"')


class Piece(NamedTuple):
    text: bytes
    """Empty when it was only skipped."""
    whole: bool
    """False: the stream ended inside it."""


class Window:
    def __init__(self, stream: BinaryIO, *, chunk_bytes: int = CHUNK_BYTES) -> None:
        # What is there already, rather than a full chunk: a pipe's rows are judged as they come.
        self._read = getattr(stream, "read1", stream.read)
        self._chunk_bytes = chunk_bytes
        self._bytes = stream.read(len(BOM)).removeprefix(BOM)
        self._at = 0
        self.line = 1
        """The line that the next byte is on."""

    def peek(self) -> int:
        """The next byte that is not white space, without taking it; END at the end."""
        while True:
            space = _SPACE.match(self._bytes, self._at)
            assert space is not None  # the pattern matches the empty string
            self.line += self._bytes.count(b"\n", self._at, space.end())
            self._at = space.end()
            if self._at < len(self._bytes):
                return self._bytes[self._at]
            self._bytes, self._at = self._read(self._chunk_bytes), 0
            if not self._bytes:
                return END

    def take(self) -> int:
        """The next byte that is not white space."""
        byte = self.peek()
        self._at += byte != END
        return byte

    def value(self, *, keep: bool = True, depth: int = 0) -> Piece:
        """The value that begins here, up to the byte that ends it.

        A number or word is ended by the comma or bracket after it, which stays. With `depth` 1 the window stands
        inside an array or object whose end is looked for.
        """
        parts: list[bytes] = []
        start = at = self._at
        quoted = False
        while True:
            text = self._bytes
            match = (_REST_OF_STRING if quoted else _PLAIN).match(text, at)
            assert match is not None  # both patterns match the empty string
            at = match.end()
            if at < len(text) and not (quoted and text[at] != _QUOTE):
                byte = text[at]
                ended = False
                if quoted:
                    quoted = False
                    at += 1
                    ended = depth == 0
                elif byte == _QUOTE:
                    quoted = True
                    at += 1
                elif byte in _OPEN:
                    depth += 1
                    at += 1
                elif depth == 0:
                    ended = True  # the comma or bracket after a number or word
                elif byte in _CLOSE:
                    depth -= 1
                    at += 1
                    ended = depth == 0
                else:
                    at += 1
                if ended:
                    self._leave(parts, start, at, keep=keep)
                    return Piece(b"".join(parts), whole=True)
                continue
            # The chunk is used up, but for a backslash whose other half is in the next one.
            self._leave(parts, start, at, keep=keep)
            more = self._read(self._chunk_bytes)
            if not more:
                if keep:
                    parts.append(text[at:])
                self._at = len(text)
                return Piece(b"".join(parts), whole=depth == 0 and not quoted)
            self._bytes = text[at:] + more
            self._at = start = at = 0

    def _leave(self, parts: list[bytes], start: int, end: int, *, keep: bool) -> None:
        self.line += self._bytes.count(b"\n", start, end)
        self._at = end
        if keep:
            parts.append(self._bytes[start:end])
