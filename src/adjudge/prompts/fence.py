"""Keep data apart from instructions: a boundary that no text of the case can contain."""

from collections.abc import Iterable
from hashlib import sha256

MARK_LENGTH = 16


def fenced(name: str, text: str, mark: str) -> str:
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


def boundary_mark(texts: Iterable[str]) -> str:
    """Sixteen hexadecimal digits, from the texts' own hash, that occur in none of them.

    One mark serves all pieces of a prompt: with a mark per piece, a response could hold a well-formed piece of its
    own, since anybody can hash a text. Writing this mark into a text changes the mark, so a forger would need a fixed
    point of SHA-256; the loop makes the promise hold even against one who has it. No randomness: the same case gives
    the same prompt, which caches and stored completions rely on.
    """
    texts = tuple(texts)
    pieces: list[bytes] = []
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        pieces += (len(data).to_bytes(8, "big"), data)
    digest = sha256(b"".join(pieces)).hexdigest()
    while _holds(texts, digest[:MARK_LENGTH]):
        digest = sha256(digest.encode()).hexdigest()
    return digest[:MARK_LENGTH]


def _holds(texts: tuple[str, ...], mark: str) -> bool:
    for text in texts:  # noqa: SIM110 - a prompt is made of a few texts: a generator costs more than the search
        if mark in text:
            return True
    return False
