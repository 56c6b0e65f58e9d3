"""Attacks: texts that try to steer their own grade, and how each is put into a response; `attacks.toml` has them."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files

from adjudge.probes.encoders import ENCODERS
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
                )


ATTACKS: tuple[Attack, ...] = tuple(_read_attacks())
