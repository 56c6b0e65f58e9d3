"""Whether a quotation stands in a text, white space, case and typography aside; and whether a text is in English."""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cached_property

from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.text import as_text, words

SAME_CHARACTER = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "…": "...",
        # A judge that quotes rendered Markdown leaves the emphasis out; invisible characters nobody can quote.
        **dict.fromkeys("*\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)
SPACE = lazy_pattern(r"\s+")
SPACE_NOT_BETWEEN_DIGITS = lazy_pattern(r"(?<![0-9])\s+|\s+(?![0-9])")
MAX_PLACES = 1000
AROUND_A_QUOTATION = " \t\n\"'.,;:!"
LETTERS_WITHOUT_SPACES = lazy_pattern(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Thai, Lao, Japanese, Chinese, Korean: words there do not end where white space begins."""

WORD = lazy_pattern(r"[^\W\d_]+")
FUNCTION_WORDS = words(
    """
    the and of is are was were that this it to both with not does has as by but which from for an be or
    its no while because only have
    """
)
"""Common English words, most of which are no common words in other languages written with Latin letters."""
ENGLISH_LOOKED_AT = 2000
MIN_SENTENCE_CHARS = 8


def text_of(fields: Mapping[str, Json], name: str) -> str:
    """The text of one of a case's fields; nothing where it has none."""
    value = fields.get(name)
    return "" if value is None else as_text(value)


def fold(text: str) -> str:
    """The text with white space collapsed, lower case, and one character per kind of quote and dash."""
    if text.isascii():  # nothing to normalise, and emphasis and grave accents are rare
        text = text.translate(SAME_CHARACTER) if "*" in text or "`" in text else text
        return " ".join(text.split()).lower()
    text = unicodedata.normalize("NFKC", text.translate(SAME_CHARACTER)).translate(SAME_CHARACTER)
    return SPACE.sub(" ", text).strip().casefold()


def clipped(text: str, longest: int = 60) -> str:
    """The text on one line, short enough for a note or a message, without control characters."""
    if len(text) <= longest and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    line = SPACE.sub(" ", text[: 4 * longest]).strip()
    if not line.isprintable():
        line = "".join(c if c.isprintable() else " " for c in line)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def occurs(quotation: str, folded_text: str) -> bool:
    """Whether the quotation stands in the folded text as whole words; quotes and points around it do not matter."""
    wanted = fold(quotation).strip(AROUND_A_QUOTATION)
    return bool(wanted) and stands_alone(wanted, folded_text)


def stands_alone(wanted: str, text: str) -> bool:
    return any(not joined(text, at) and not joined(text, at + len(wanted)) for at in places(wanted, text))


def places(wanted: str, text: str) -> Iterator[int]:
    """Where the wanted text begins; a text made to have it everywhere is not followed to the end."""
    at = text.find(wanted)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + 1)


def joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of this place belong to one word."""
    if at <= 0 or at >= len(text) or not (text[at - 1].isalnum() and text[at].isalnum()):
        return False
    return not (LETTERS_WITHOUT_SPACES.match(text[at - 1]) or LETTERS_WITHOUT_SPACES.match(text[at]))


class NumberText:
    """A text in which quoted numbers are looked up: `5` does not stand in `15`, `1.5`, `1,500` or `-5`."""

    def __init__(self, text: str) -> None:
        self.text = text

    def has(self, quotation: str) -> bool:
        """The text is folded only for a quotation that is not found in it as it stands."""
        return stands_as_quoted(quotation, self.text) or self.has_folded(quotation)

    def has_folded(self, quotation: str) -> bool:
        wanted = fold(quotation).strip(AROUND_A_QUOTATION.replace(".", "").replace("'", "").replace('"', ""))
        wanted = wanted.rstrip(".")
        if not wanted:
            return False
        return number_stands(wanted, self.folded) or number_stands(squeezed(wanted), self.squeezed)

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def squeezed(self) -> str:
        return squeezed(self.folded)


PLAIN_QUOTATION = lazy_pattern(r"[$-]?[0-9](?:[0-9A-Za-z.,%/ -]*[0-9A-Za-z%])?")
"""What folding changes in nothing but its case."""


def stands_as_quoted(quotation: str, text: str) -> bool:
    """Whether a number stands in the text character for character, between spaces: then it stands in the folded one too.

    Up to there the text has to be ASCII, which folding does not make longer, so that it is followed that far.
    """
    at = text.find(quotation)
    if not 0 <= at < MAX_PLACES or PLAIN_QUOTATION.fullmatch(quotation) is None:
        return False
    if (at and not text[at - 1].isspace()) or not text[:at].isascii():
        return False
    end = at + len(quotation)
    return not text[end : end + 2].lstrip(".,;:!?)")[:1].strip()


def squeezed(text: str) -> str:
    """Without white space but between digits: a quotation may leave out or add the rest."""
    return SPACE_NOT_BETWEEN_DIGITS.sub("", text)


def number_stands(wanted: str, text: str) -> bool:
    starts, ends = wanted[0].isdigit(), wanted[-1].isdigit()
    return any(
        not (starts and runs_on_before(text, at)) and not (ends and runs_on_after(text, at + len(wanted)))
        for at in places(wanted, text)
    )


def runs_on_before(text: str, at: int) -> bool:
    """Whether a number that starts here is the tail of a longer one, or has lost its sign."""
    before = text[max(0, at - 2) : at]
    if before[-1:].isdigit():
        return True
    if len(before) == 2 and before[1] in ".,'" and before[0].isdigit():
        return True
    return before[-1:] == "-" and not before[:-1].isalnum() and before[:-1] not in {")", "%", "-"}


def runs_on_after(text: str, at: int) -> bool:
    after = text[at : at + 2]
    if after[:1].isdigit():
        return True
    return len(after) == 2 and after[0] in ".,'" and after[1].isdigit()


def looks_english(text: str) -> bool:
    """False when most letters are not Latin, or a sentence of eight words or more has no common English word."""
    head = text[:ENGLISH_LOOKED_AT]
    letters = [] if head.isascii() else [character for character in head if character.isalpha()]
    if letters and 2 * sum(is_latin(character) for character in letters) < len(letters):
        return False
    words = 0
    for word in WORD.finditer(head.casefold()):
        if word[0] in FUNCTION_WORDS:
            return True
        words += 1
    return words < MIN_SENTENCE_CHARS


def is_latin(character: str) -> bool:
    return character < "\u0250" or "\u1e00" <= character <= "\u1eff"
