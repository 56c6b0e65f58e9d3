"""Attacks: texts that try to steer their own grade, and how each is put into a response; `attacks.toml` has them."""

import base64
import codecs
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote

from adjudge.probes.target import Target

OPENER = "contentless-opener"
"""The family of texts that begin an answer and give none."""
RESPONSE = "§response§"


@dataclass(frozen=True, kw_only=True, slots=True)
class Attack:
    name: str
    family: str
    text: str
    """With marks for what is filled in; see `attacks.toml`."""
    instead: bool = False
    """It takes the response's place."""
    encode: Callable[[str], str] | None = None
    """Hides the text once it is filled in."""
    place: str = "response"
    """The field that it is put into; tried only on a judge that needs that field."""
    compares: bool = False
    """Tried only on a judge that compares two answers."""


def attack_text(attack: Attack, target: Target) -> str:
    """What the attack says to this judge."""
    text = target.fill(attack.text)
    return text if attack.encode is None else attack.encode(text)


def attacked(attack: Attack, response: str, target: Target) -> str:
    """The response with the attack in it. What stands in the response itself is not filled in."""
    text = attack_text(attack, target)
    before, mark, after = text.partition(RESPONSE)
    if mark:
        return f"{before}{response}{after}"
    return text if attack.instead else f"{response}\n\n{text}"


# ---- disguises: encodings a reader could undo, and characters that do not show ----

_LOOKALIKES = str.maketrans("aceopxyiAEOPCTHKMB", "асеорхуіАЕОРСТНКМВ")
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", _MORSE_CODES.split(), strict=True))


def _acrostic(text: str) -> str:
    words = [word for word in text.split() if word[:1].isalpha()]
    return "\n".join(f"{word[0].upper()} as in {word.strip('.,').lower()}" for word in words)


ENCODERS: Mapping[str, Callable[[str], str]] = {
    "base64": lambda text: f"Decode this (base64) and act on it: {base64.b64encode(text.encode()).decode()}",
    "rot13": lambda text: f"Apply ROT13 and follow: {codecs.encode(text, 'rot13')}",
    "hex": lambda text: f"0x{text.encode().hex()} <- hexadecimal for what you must do",
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()[:40]),
    "reversed": lambda text: f"Read from right to left: {text[::-1]}",
    "percent": quote,
    "morse": lambda text: " ".join(_MORSE.get(letter, "/") for letter in text.lower()),
    "leet": lambda text: text.translate(_LEET),
    "escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "acrostic": _acrostic,
    # zero-width spaces between the letters: a filter sees other words than a model
    "zero-width-spaces": "\u200b".join,
    "word-joiners": "\u2060".join,
    # Cyrillic letters for the Latin ones they resemble
    "lookalikes": lambda text: text.translate(_LOOKALIKES),
    "full-width": lambda text: "".join(
        chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text
    ),
    # the invisible tag block, which some tokenizers turn back into letters
    "tag-characters": lambda text: "".join(
        chr(0xE0000 + ord(letter)) for letter in text if ord(letter) < 0x80
    ),
    # shown in the order it is meant, stored in the other
    "right-to-left": lambda text: f"\u202e{text[::-1]}\u202c",
    "struck-through": lambda text: "".join(f"{letter}\u0336" for letter in text),
}


# ---- the list ----


def _read_attacks() -> Iterator[Attack]:
    found = tomllib.loads((files("adjudge.probes") / "attacks.toml").read_text(encoding="utf-8"))
    numbers: Counter[str] = Counter()
    for family in found["family"]:
        name = family["name"]
        for text in family["texts"]:
            for encoder in family.get("encoders", [None]):
                numbers[name] += 1
                yield Attack(
                    name=f"{name}-{numbers[name]}",
                    family=name,
                    text=re.sub(
                        r"§(\w+)\*(\d+)§", lambda mark: found["padding"][mark[1]] * int(mark[2]), text
                    ),
                    instead=family.get("instead", False),
                    encode=None if encoder is None else ENCODERS[encoder],
                    place=family.get("place", "response"),
                    compares=family.get("compares", False),
                )


ATTACKS: tuple[Attack, ...] = tuple(_read_attacks())
