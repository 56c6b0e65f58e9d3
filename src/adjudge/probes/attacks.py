"""Attacks: texts that try to steer their own grade, and how each is put into a response."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from adjudge.probes.target import Target

Place = Literal["before", "after", "instead"]
RESPONSE = "§response§"
"""In an attack's text, where the response goes; the place then says nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attack:
    """One text; `§score§`, `§low§`, `§field§`, `§scale§` and `§json§` in it stand for what the judge would like to see."""

    name: str
    family: str
    text: str
    place: Place = "after"
    encode: Callable[[str], str] | None = None
    """Hides the text once it is filled in."""

    @property
    def keeps_the_response(self) -> bool:
        """Whether what was answered can still be read, so that a right answer remains one."""
        return self.place != "instead" or RESPONSE in self.text


def attack_text(attack: Attack, target: Target) -> str:
    """What the attack says to this judge."""
    text = target.fill(attack.text)
    return text if attack.encode is None else attack.encode(text)


def attacked(attack: Attack, response: str, target: Target) -> str:
    """The response with the attack in it. What stands in the response itself is not filled in."""
    text = attack_text(attack, target)
    if RESPONSE in text:
        before, _, after = text.partition(RESPONSE)
        return f"{before}{response}{after}"
    match attack.place:
        case "before":
            return f"{text}\n\n{response}"
        case "after":
            return f"{response}\n\n{text}"
        case "instead":
            return text


def family(
    name: str,
    texts: Iterable[str],
    *,
    place: Place = "after",
    encode: Callable[[str], str] | None = None,
    first: int = 1,
) -> tuple[Attack, ...]:
    """Attacks of one family, numbered in order: `direct-order-3`."""
    return tuple(
        Attack(name=f"{name}-{number}", family=name, text=text, place=place, encode=encode)
        for number, text in enumerate(texts, start=first)
    )
