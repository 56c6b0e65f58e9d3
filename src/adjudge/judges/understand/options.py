"""Choices that a prompt lists with a meaning each: `(A) it is a subset …`, `A: CORRECT`, `"yes" means …`."""

import re
from collections.abc import Mapping

_LETTERED = re.compile(
    r"^[ \t>]*(?:[-*•+][ \t]+)?(?:Option[ \t]+)?[\[(*`\"']{0,4}(?P<letter>[A-H])[\])*`\"']{0,4}(?P<mark>[ \t]*[:.)=–—-]|[ \t]*→|(?<=[)\]*])[ \t])[ \t]*[*_]{0,2}(?P<text>[^\n]{1,300})$",
    re.MULTILINE,
)
_NUMBERED = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]++(?P<text>[^\n\[]{2,120}?)[:\s-]{0,20}\[\[(?P<label>[^\[\]\n]{1,20})\]\]",
    re.MULTILINE,
)


def lettered_options(text: str) -> dict[str, str]:
    """A run of consecutive letters from A, each on its line with a meaning; the longest run counts."""
    best: dict[str, str] = {}
    run: dict[str, str] = {}
    for match in _LETTERED.finditer(text):
        if match["letter"] == chr(ord("A") + len(run)):
            run[match["letter"]] = match["text"].strip(" *_.")
        elif match["letter"] == "A":
            run = {"A": match["text"].strip(" *_.")}
        else:
            run = {}
        if len(run) >= 2 and len(run) >= len(best):
            best = dict(run)
    if any("⟦" in meaning for meaning in best.values()):
        return {}
    return best


def bracketed_meanings(text: str) -> dict[str, str]:
    """`1. The response is correct: [[CORRECT]]` -> what stands before each bracketed label."""
    return {match["label"].strip(): match["text"].strip() for match in _NUMBERED.finditer(text)}


def meanings_of(text: str, options: tuple[str, ...]) -> Mapping[str, str]:
    """What the prompt says each label stands for, where it says so."""
    found: dict[str, str] = {}
    for option in options:
        spelled = re.escape(option)
        pattern = re.compile(
            rf"(?<![\w-])[\[(`\"'“*]{{0,4}}{spelled}[\])`\"'”*]{{0,4}}[ \t]*(?:\(|means?\b|if\b|when\b|for\b|indicates\b|stands for\b|[:=–—]|-(?=\s))"
            r"[ \t]*(?:that[ \t])?(?P<text>[^\n;.)]{2,160})",
            # A letter has to be written as one: `a for` would be found everywhere.
            0 if len(option) == 1 else re.IGNORECASE,
        )
        for match in pattern.finditer(text):
            if "⟦" not in match["text"]:
                said = re.split(r",?(?<!\s)\s++(?:or|and)\s++[\"'`\[(*]", match["text"], maxsplit=1)[0]
                found[option] = said.strip(" \"'`*,")
                break
    return found
