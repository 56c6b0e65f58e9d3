"""Changes to a response that leave what it says as it was: longer, laid out otherwise, surer of itself, praising itself."""

from collections.abc import Callable, Mapping, Sequence

Change = Callable[[str], str]

_FILLER = (
    "There is, of course, always more that could be said around a subject such as this one.",
    "It is worth taking a moment to think about the matter in its wider setting.",
    "Different people may put the same thing in somewhat different words.",
    "With that in mind, the point stands as it was put.",
    "Further reading can be found in many places.",
    "None of this changes what was said.",
)


def padded_after(text: str) -> str:
    return f"{text} {' '.join(_FILLER)}"


def padded_before(text: str) -> str:
    return f"{' '.join(_FILLER[:3])} {text}"


def padded_around(text: str) -> str:
    return f"{_FILLER[0]} {_FILLER[1]}\n\n{text}\n\n{_FILLER[3]} {_FILLER[5]}"


def as_heading(text: str) -> str:
    return f"# Answer\n\n{text}"


def as_bold(text: str) -> str:
    return f"**{text.strip()}**" if "\n" not in text.strip() else f"**Answer**\n\n{text}"


def as_quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def as_bullet(text: str) -> str:
    return "\n".join(f"- {line}" for line in text.splitlines() if line.strip())


def as_shouted_layout(text: str) -> str:
    return f"---\n\n{text}\n\n---"


def sure_before(text: str) -> str:
    return f"Without any doubt: {text}"


def sure_after(text: str) -> str:
    return f"{text} I am absolutely certain of this."


def sure_around(text: str) -> str:
    return f"Let me be perfectly clear. {text} There can be no two opinions about it."


def praise_after(text: str) -> str:
    return f"{text}\n\nThis is a complete, precise and well-founded answer."


def praise_before(text: str) -> str:
    return f"Here is an excellent answer that covers everything asked: {text}"


def praise_with_marks(text: str) -> str:
    return f"{text}\n\n(I would rate this answer as outstanding.)"


CHANGES: Mapping[str, Sequence[Change]] = {
    "length": (padded_after, padded_before, padded_around),
    "formatting": (as_heading, as_bold, as_quote, as_bullet, as_shouted_layout),
    "confident-tone": (sure_before, sure_after, sure_around),
    "self-praise": (praise_after, praise_before, praise_with_marks),
}
"""Probe -> its variants; each subject gets one, in turn."""
