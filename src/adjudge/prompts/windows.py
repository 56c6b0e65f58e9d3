"""A long text -> windows that a model can take one at a time, cut where sentences end."""

from adjudge.patterns import lazy_pattern
from adjudge.text import utf8_size

SENTENCE_END = lazy_pattern(r"[.!?…][\"'”’)\]]{0,3}\s++|[。！？][\"'”’」』）]{0,3}\s*+|\n\s*+")
"""What stands between two sentences, its closing signs and the white space behind them; a line end counts."""
OVERLAP = 8
"""A window begins with the sentences that the one before it ends with, as far as they are this part of a window."""
FULL_ENOUGH = 0.6
"""From here on a window may end early, with a paragraph."""


def cut_windows(text: str, most_bytes: int) -> list[str]:
    """Parts of the text, none longer than `most_bytes` in UTF-8, that together have all of it.

    Every sentence that fits a window stands whole in one, and so does a passage over a cut that is no longer than the
    overlap. A sentence longer than a window is cut between words, each part beginning in the middle of the one before.
    """
    if utf8_size(text) <= most_bytes:
        return [text]
    units = [span for start, end in _sentences(text) for span in _pieces(text, start, end, most_bytes)]
    sizes = [utf8_size(text[start:end]) for start, end in units]
    windows: list[str] = []
    first = 0
    while first < len(units):
        last = _last_unit(text, units, sizes, first, most_bytes)
        windows.append(text[units[first][0] : units[last][1]])
        if last == len(units) - 1:
            break
        following = last + 1
        carried = 0
        while (
            following > first + 1
            and carried + sizes[following - 1] <= most_bytes // OVERLAP
            and carried + sizes[following - 1] + sizes[last + 1] <= most_bytes
        ):
            following -= 1
            carried += sizes[following]
        first = following
    return windows


def _last_unit(text: str, units: list[tuple[int, int]], sizes: list[int], first: int, most_bytes: int) -> int:
    """The last unit that fits; an earlier one that ends a paragraph, where the window is full enough with it."""
    total, last, paragraph = sizes[first], first, None
    while last + 1 < len(units) and total + sizes[last + 1] <= most_bytes:
        last += 1
        total += sizes[last]
        if total >= FULL_ENOUGH * most_bytes and _ends_paragraph(text[units[last][0] : units[last][1]]):
            paragraph = last
    return last if paragraph is None or last + 1 == len(units) else paragraph


def _ends_paragraph(sentence: str) -> bool:
    return sentence[len(sentence.rstrip()) :].count("\n") > 1


def _sentences(text: str) -> list[tuple[int, int]]:
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    return [(start, end) for start, end in zip(starts, [*ends, len(text)], strict=True) if start < end]


def _pieces(text: str, start: int, end: int, most_bytes: int) -> list[tuple[int, int]]:
    """The sentence, or overlapping parts of it that each fit a window."""
    if utf8_size(text[start:end]) <= most_bytes:
        return [(start, end)]
    length = max(2, most_bytes if text[start:end].isascii() else most_bytes // 4)
    found = []
    at = start
    while True:
        stop = min(at + length, end)
        if stop < end:
            stop = _word_end(text, at + length // 2, stop)
        found.append((at, stop))
        if stop == end:
            return found
        at = _word_end(text, at + 1, at + max(1, (stop - at) // 2))


def _word_end(text: str, least: int, most: int) -> int:
    """The last place up to `most` behind white space; `most` itself where there is none from `least` on."""
    for at in range(most, least, -1):
        if text[at - 1].isspace():
            return at
    return most
