"""What the model is shown of a text: what a reader would see of it, nothing to be decoded, nothing over and over again.

What is stored, quoted and searched for evidence stays as it was.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from adjudge.embedded.reading.sentences import split_sentences

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # control characters that are no white space
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags, which spell out ASCII unseen, and the rarer variation selectors
    "]+"
)
"""Characters with no shape of their own (Unicode's default ignorables), but for the joiners."""
JOINERS = re.compile("[\u200c\u200d]+")
"""They belong to the spelling of Persian and Indic words and of many emoji: there they stand alone, between others."""
STYLED = re.compile("[\uff01-\uff5e\u24b6-\u24e9\U0001d400-\U0001d7ff]")
"""Full-width, encircled, mathematical: a reader sees letters and digits, the model pieces of characters."""
STRUCK = re.compile("(?<=[\\w\\s,.;:!?'\"-])[\u0334-\u0338\u20d2-\u20d4\u20d8-\u20da\u20e5-\u20eb]+")
"""Lines through letters; through a sign they mean something, as in ≠."""
FEW_HIDDEN = 16
"""So many are in honest text: variation selectors behind emoji, soft hyphens, marks at the start of a file."""

ENCODED = re.compile(
    r"""
      (?<!\S)[01]{7,9}(?:[\s,;|]+[01]{7,9}){7,}(?!\S) | (?<!\S)[01]{64,}(?!\S)                # bits
    | (?<!\w)(?:0[xX])?[0-9a-fA-F]{136,}(?!\w)                                                # a longer number than any hash
    | (?<!\w)[0-9a-fA-F]{2}(?:[\s:,][0-9a-fA-F]{2}){47,}(?!\w)                                # bytes
    | (?<![^\s(\["':])(?=[A-Za-z+/]{0,60}[0-9])[A-Za-z0-9+/]{88,}={0,2}(?![^\s.,;)\]"'])      # base64
    | (?<!\S)(?:[\w.,'!?()-]{0,40}%[0-9a-fA-F]{2}){8,}[\w.,'!?()-]{0,40}(?!\S)                # percent signs
    | (?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){16,}                                            # escapes
    | (?<!\S)[.\-·]{1,7}(?:[ /]+[.\-·]{1,7}){23,}(?!\S)                                       # Morse
    """,
    re.VERBOSE,
)
"""Too long to be a value that was asked for."""
SPEAKS_OF_CODES = re.compile(
    r"\b(?:binary|bits|bytes?|hex(?:adecimal)?|base ?64|base ?32|ascii|unicode|utf|morse|(?:en|de)cod(?:e[ds]?|ings?)|ciphers?|(?:en|de)crypt\w*|"
    r"hash(?:es|ed)?|checksums?|digests?|certificates?|(?:public|private|api|ssh|pgp) keys?|access tokens?|hex dumps?)\b",
    re.IGNORECASE,
)
STAND_IN = "…"
OFTEN = 3
LONG_ENOUGH = 30
"""Characters of a sentence that has no reason to be there three times; a label of a list may."""


def seen(text: str) -> str:
    """Without characters that do not show, and with letters for their disguises."""
    if text.isascii() and text.isprintable():
        return text
    visible = STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), HIDDEN.sub("", text))
    visible = STRUCK.sub("", visible)
    return JOINERS.sub(lambda found: found[0] if joins(found) else "", visible)


def joins(found: re.Match[str]) -> bool:
    around = (
        found.string[max(0, found.start() - 1) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    return len(found[0]) == 1 and all(side and not side.isascii() for side in around)


def legible(text: str, asked: Sequence[str] = ()) -> str:
    """What is seen of the text, with a mark for what is encoded, unless what was asked speaks of such things."""
    visible = unrepeated(seen(text))
    return visible if expects_codes(asked) else ENCODED.sub(STAND_IN, visible)


def unrepeated(text: str) -> str:
    """Padding by repetition would else be length, which the model takes for substance."""
    if len(text) < OFTEN * LONG_ENOUGH:
        return text
    sentences = [(each.start, each.end, same(each.text)) for each in split_sentences(text)]
    often = {
        key
        for key, count in Counter(key for *_, key in sentences).items()
        if count >= OFTEN and len(key) >= LONG_ENOUGH
    }
    if not often:
        return text
    kept, at = [], 0
    met: set[str] = set()
    for start, end, key in sentences:
        if key in met:
            kept.append(text[at:start])
            at = end
        met |= {key} & often
    return "".join([*kept, text[at:]])


def same(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


def expects_codes(asked: Sequence[str]) -> bool:
    return any(SPEAKS_OF_CODES.search(each) or ENCODED.search(each) for each in asked)


def unseen_notes(text: str, asked: Sequence[str]) -> tuple[str, ...]:
    """What a reader of the row should know of what the model was not shown."""
    visible = seen(text)
    hidden = ("hidden_text",) if len(text) - len(visible) > FEW_HIDDEN else ()
    encoded = ("encoded_text",) if not expects_codes(asked) and ENCODED.search(visible) else ()
    repeated = ("repeated_text",) if unrepeated(visible) != visible else ()
    return hidden + encoded + repeated
