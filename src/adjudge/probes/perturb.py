"""Changes to a response that leave what it says as it was: longer, laid out otherwise, surer of itself, praising itself."""

from collections.abc import Callable, Mapping

from adjudge.probes import names

_FILLER = (
    "There is, of course, always more that could be said around a subject such as this one.",
    "It is worth taking a moment to think about the matter in its wider setting.",
    "Different people may put the same thing in somewhat different words.",
    "With that in mind, the point stands as it was put.",
    "Further reading can be found in many places.",
    "None of this changes what was said.",
)
VARIANTS: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    names.LENGTH: {
        "padded_after": lambda text: f"{text} {' '.join(_FILLER)}",
        "padded_before": lambda text: f"{' '.join(_FILLER[:3])} {text}",
        "padded_around": lambda text: f"{_FILLER[0]} {_FILLER[1]}\n\n{text}\n\n{_FILLER[3]} {_FILLER[5]}",
    },
    names.FORMATTING: {
        "as_heading": lambda text: f"# Answer\n\n{text}",
        "as_bold": lambda text: (
            f"**{text.strip()}**" if "\n" not in text.strip() else f"**Answer**\n\n{text}"
        ),
        "as_quote": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
        "as_bullet": lambda text: "\n".join(f"- {line}" for line in text.splitlines() if line.strip()),
        "as_shouted_layout": lambda text: f"---\n\n{text}\n\n---",
    },
    names.TONE: {
        "sure_before": lambda text: f"Without any doubt: {text}",
        "sure_after": lambda text: f"{text} I am absolutely certain of this.",
        "sure_around": lambda text: (
            f"Let me be perfectly clear. {text} There can be no two opinions about it."
        ),
    },
    names.PRAISE: {
        "praise_after": lambda text: f"{text}\n\nThis is a complete, precise and well-founded answer.",
        "praise_before": lambda text: f"Here is an excellent answer that covers everything asked: {text}",
        "praise_with_marks": lambda text: f"{text}\n\n(I would rate this answer as outstanding.)",
    },
}
"""Probe -> its variants by name; each answer gets one, in turn."""
