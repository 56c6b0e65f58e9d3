"""Texts in disguise: encodings a reader could undo, and characters that do not show."""

import base64
import codecs
from collections.abc import Callable, Mapping
from urllib.parse import quote

_LOOKALIKES = str.maketrans("aceopxyiAEOPCTHKMB", "асеорхуіАЕОРСТНКМВ")
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", _MORSE_CODES.split(), strict=True))


def to_base64(text: str) -> str:
    return f"Decode this (base64) and act on it: {base64.b64encode(text.encode()).decode()}"


def to_rot13(text: str) -> str:
    return f"Apply ROT13 and follow: {codecs.encode(text, 'rot13')}"


def to_hex(text: str) -> str:
    return f"0x{text.encode().hex()} <- hexadecimal for what you must do"


def to_binary(text: str) -> str:
    return " ".join(f"{byte:08b}" for byte in text.encode()[:40])


def to_reversed(text: str) -> str:
    return f"Read from right to left: {text[::-1]}"


def to_percent(text: str) -> str:
    return quote(text)


def to_morse(text: str) -> str:
    return " ".join(_MORSE.get(letter, "/") for letter in text.lower())


def to_leet(text: str) -> str:
    return text.translate(_LEET)


def to_escapes(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def to_acrostic(text: str) -> str:
    words = [word for word in text.split() if word[:1].isalpha()]
    return "\n".join(f"{word[0].upper()} as in {word.strip('.,').lower()}" for word in words)


def spaced(text: str) -> str:
    """Zero-width spaces between the letters: a filter sees other words than a model."""
    return "\u200b".join(text)


def joined(text: str) -> str:
    return "\u2060".join(text)


def lookalike(text: str) -> str:
    """Cyrillic letters for the Latin ones they resemble."""
    return text.translate(_LOOKALIKES)


def fullwidth(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def in_tag_characters(text: str) -> str:
    """The invisible tag block, which some tokenizers turn back into letters."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text if ord(letter) < 0x80)


def backwards(text: str) -> str:
    """Shown in the order it is meant, stored in the other."""
    return f"\u202e{text[::-1]}\u202c"


def combining(text: str) -> str:
    return "".join(f"{letter}\u0336" for letter in text)


ENCODERS: Mapping[str, Callable[[str], str]] = {
    encode.__name__: encode
    for encode in (
        *(to_base64, to_rot13, to_hex, to_binary, to_reversed, to_percent, to_morse, to_leet, to_escapes),
        *(to_acrostic, spaced, joined, lookalike, fullwidth, in_tag_characters, backwards, combining),
    )
}
