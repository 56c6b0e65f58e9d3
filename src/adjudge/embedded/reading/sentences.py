"""Text -> its sentences, list items and headings, each with its place, so that every piece is a literal quotation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

# Wikimedia's splitter: quotes, brackets, abbreviations and decimals right, offsets in characters, linear time (10 µs for 150
# words), no dependencies, wheels for every platform we support. pysbd and blingfire have had no release for years; nupunkt
# breaks inside quotations.
from sentencex import get_sentence_boundaries

MAX_TEXT_CHARS = 100_000
"""Characters looked at; what stands behind them is in no checklist."""
MAX_SENTENCE_CHARS = 600
"""Characters; a longer one is a text without points and is cut at white space."""
WRAPPED = 45
"""A line at least this long that ends in mid-sentence was broken by a margin, not by its author."""

Kind = Literal["sentence", "item", "heading"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    text: str
    start: int
    kind: Kind = "sentence"
    lead: str | None = None
    """The words that introduce the list this item stands in: `It has three parts:`."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Lines that belong together; `start` and `end` are places in the text."""

    start: int
    end: int
    kind: Kind


LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
BULLET = re.compile(
    r"\A\s*(?:[*+•‣▪◦●·○–—-]\s+|[•‣▪◦●]|\(?\d{1,2}[.)]\s+|\(?[a-hA-H]\)\s+|[ivx]{1,4}[.)]\s+)"
)
TIGHT_BULLET = re.compile(r"\A\s*[-–—*](?=[^\W_])")
"""`-Decrease in margin`; `-5` is a bullet only among others."""
HEADING = re.compile(r"\A(?:\s{0,3}#{1,6}\s|\s*(\*\*|__)[^*_]{1,80}\1\s*:?\s*$)")
RULE = re.compile(r"\A(?:[\s|:=_*~+-]*+$|\s*`{3,})")
"""A line of marks only: under a title, inside a table, around code."""
INLINE_ITEM = re.compile(r"(?:(?<=\s)|^)(?:[•‣▪◦●]\s*|\((?:\d{1,2}|[a-h]|[ivx]{1,4})\)\s+|\d{1,2}\)\s+)")
FIRST_MARK = re.compile(r"[•‣▪◦●]|\(?(?:1|a|i)\)")
END = re.compile(r"[.!?:;…。！？]['\"”’»)\]*_]*\s*$")
AROUND = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029*_#>|~"
"""Markdown around a piece is no part of what it says."""
ANSWER = re.compile(r"(?:No|Yes)\.\s+(?=[^\W\d])")
"""The splitter takes `No.` for the abbreviation."""
WHITE_SPACE = str.maketrans(dict.fromkeys((chr(code) for code in range(0x3001) if chr(code).isspace()), " "))
APOSTROPHES = str.maketrans(dict.fromkeys("'`‘’", "ʼ"))
"""Two apostrophes far apart would be taken for quotation marks, with no sentence ending between them."""
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, as JSON can carry it; the splitter takes UTF-8 only."""
STRETCH = 4000
MAX_HEADING_WORDS = 8
LOOKED_BACK = 200
"""Characters of a paragraph that tell whether its next line continues it."""


def split_sentences(text: str) -> list[Sentence]:
    """The pieces of a text in their order; nothing that has a letter or digit is left out, headings included."""
    text = text[:MAX_TEXT_CHARS]
    found: list[Sentence] = []
    lead: str | None = None
    for block in blocks(text):
        pieces = list(block_sentences(text, block, lead))
        if block.kind != "item":
            lead = None
        if pieces and pieces[-1].text.endswith(":") and pieces[-1].kind != "heading":
            lead = pieces[-1].text
        found.extend(pieces)
    return found


def blocks(text: str) -> Iterator[Block]:
    lines = list(LINE.finditer(text))
    tight = sum(TIGHT_BULLET.match(line[0]) is not None for line in lines) >= 2
    start = end = 0
    kind: Kind = "sentence"
    is_open = False
    for number, line in enumerate(lines):
        if RULE.match(line[0]):
            if is_open:
                yield Block(start=start, end=end, kind=kind)
            is_open = False
            continue
        bullet = BULLET.match(line[0]) or (
            TIGHT_BULLET.match(line[0]) if tight or ends_in_colon(text, end) else None
        )
        heading = bullet is None and is_heading(text, lines, number)
        blank_between = is_open and text.count("\n", end, line.start()) > 1
        if (
            is_open
            and bullet is None
            and not heading
            and kind != "heading"
            and not blank_between
            and runs_on(text[max(start, end - LOOKED_BACK) : end], line[0])
        ):
            end = line.end()
            continue
        if is_open:
            yield Block(start=start, end=end, kind=kind)
        start, end, is_open = line.start() + (bullet.end() if bullet else 0), line.end(), True
        kind = "item" if bullet else "heading" if heading else "sentence"
    if is_open:
        yield Block(start=start, end=end, kind=kind)


def ends_in_colon(text: str, end: int) -> bool:
    return text[max(0, end - 8) : end].rstrip().endswith(":")


def is_heading(text: str, lines: list[re.Match[str]], number: int) -> bool:
    """Marked as one; or a short line without a point, a blank line behind it and text to follow."""
    line = lines[number]
    if HEADING.match(line[0]):
        return True
    if number + 1 == len(lines) or END.search(line[0][-LOOKED_BACK:]) or "," in line[0]:
        return False
    apart = text.count("\n", line.end(), lines[number + 1].start()) > 1
    return apart and len(line[0].split()) <= MAX_HEADING_WORDS and not any(c.isdigit() for c in line[0])


def runs_on(before: str, line: str) -> bool:
    """Whether a line continues the one before it."""
    opened = line.lstrip()[:1]
    last_line = before.rsplit("\n", 1)[-1]
    if END.search(before) and not before.rstrip().endswith((":", ";")):
        return len(last_line) >= WRAPPED  # the same paragraph: the splitter finds the sentences
    return opened.islower() and len(last_line) >= WRAPPED


def block_sentences(text: str, block: Block, lead: str | None) -> Iterator[Sentence]:
    body = text[block.start : block.end]
    parts = [(0, len(body), block.kind)] if block.kind == "heading" else list(inline_items(body, block.kind))
    opening = lead if block.kind == "item" else None
    for start, end, kind in parts:
        for begin, finish in boundaries(body[start:end]):
            piece = trimmed(body, start + begin, start + finish)
            if piece is None:
                continue
            at, words = piece
            yield Sentence(
                text=words, start=block.start + at, kind=kind, lead=opening if kind == "item" else None
            )
            if block.kind == "item":
                opening = None  # what follows in the same item has its own subject
            if len(parts) > 1:
                if kind == "sentence":
                    opening = words  # what stands before `(1) …, (2) …` introduces it
                kind = block.kind  # noqa: PLW2901 - behind the point of the last item the list is over


def inline_items(body: str, kind: Kind) -> Iterator[tuple[int, int, Kind]]:
    """`The steps are (1) plan, (2) build` as three parts; marks that stand alone are no list."""
    marks = list(INLINE_ITEM.finditer(body))
    if len(marks) < 2 or FIRST_MARK.match(marks[0][0]) is None:
        yield 0, len(body), kind
        return
    if marks[0].start():
        yield 0, marks[0].start(), kind
    for mark, following in zip(marks, [*(m.start() for m in marks[1:]), len(body)], strict=True):
        yield mark.end(), following, "item"


def boundaries(body: str) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end; one that is too long is cut between words."""
    spaced = body.translate(WHITE_SPACE)
    for start, end in splits(body):
        begin = start
        while end - begin > MAX_SENTENCE_CHARS:
            cut = spaced.rfind(" ", begin + MAX_SENTENCE_CHARS // 2, begin + MAX_SENTENCE_CHARS)
            if cut < 0:
                cut = spaced.find(" ", begin + MAX_SENTENCE_CHARS, end)
            if cut < 0:
                break
            yield begin, cut
            begin = cut + 1
        yield begin, end


def splits(body: str) -> Iterator[tuple[int, int]]:
    """The library's sentences, a stretch at a time: counting characters outside ASCII, it takes the square of the length."""
    plain = SURROGATE.sub("\ufffd", body.translate(APOSTROPHES))
    start = 0
    while start < len(body):
        stretch = plain[start : start + STRETCH]
        found = get_sentence_boundaries("en", stretch)
        ends = [start + int(each["end_index"]) for each in found]
        if start + STRETCH < len(body) and len(ends) > 1:
            ends.pop()  # it may go on behind the stretch
        for end in ends:
            answered = ANSWER.match(body, start, end)
            if answered:
                yield start, answered.end()
            yield answered.end() if answered else start, end
            start = end
        if not ends:
            return


def trimmed(body: str, start: int, end: int) -> tuple[int, str] | None:
    """The piece without what surrounds it and the place where it begins; None when it has no letter or digit."""
    piece = body[start:end]
    if not any(character.isalnum() for character in piece):
        return None
    kept = piece.lstrip(AROUND)
    return start + len(piece) - len(kept), kept.rstrip(AROUND)
