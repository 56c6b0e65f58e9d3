"""Labels that a prompt defines away from where it asks for them: lists of options, grades, `pass = …`, `→ FAIL`."""

import re
from collections.abc import Callable

from adjudge.judges.reading.names import REFERENCE
from adjudge.judges.reading.recogniser import ask, first
from adjudge.judges.reading.words import conditional_choices
from adjudge.patterns import lazy_pattern

Labels = dict[str, str]
"""Label -> what the prompt says it stands for; empty where it says nothing."""

_OPTIONS_HEAD = lazy_pattern(
    r"\b(?:options?|choices?|categor(?:y|ies)|labels?|classes|verdicts?|levels?|one of)\b[^\n]{0,60}:[ \t]*$|\?[ \t]*$|选项|选择|選択肢|보기",
    re.IGNORECASE,
)
_OPTION = lazy_pattern(
    r"^[ \t>]{0,8}(?:[-*•+][ \t]+)?[(\[](?P<label>\d{1,2}|[A-Z])[)\]][ \t]+(?P<text>[^\n]{1,300})$",
    re.MULTILINE,
)
_GRADE = lazy_pattern(
    r"^[ \t>]{0,8}(?:[-*•+][ \t]+)?[*`\"']{0,3}(?P<label>[A-F][+-]?)[*`\"']{0,3}[ \t]*[:=–—][ \t]*(?P<text>[^\n]{1,300})$",
    re.MULTILINE,
)
_LETTERS = lazy_pattern(
    r"\b(?:one of|letters?|tokens?|grades?|score)\b[^\n.]{0,60}\b(?:from )?(?P<first>[A-Z])\s?(?:to|-|–|through)\s?(?P<last>[A-Z])\b"
)
_DEFINED_HEAD = lazy_pattern(
    r"\b(?:verdicts?|labels?|options?|categories|classes|ratings?|outcomes?)\b[^\n.;=]{0,30}:[ \t]*",
    re.IGNORECASE,
)
_DEFINED = lazy_pattern(
    r"[ \t]{0,4}[`\"'*]{0,2}(?P<label>[A-Za-z][\w-]{1,30})[`\"'*]{0,2}[ \t]*=[ \t]*(?P<text>[^;\n]{2,300})(?:;|(?=\n)|\Z)"
)
_ARROW = lazy_pattern(r"(?:→|⇒|=>|->|(?<=[\w)\"'])[ \t]=)[ \t]*[*`\"']{0,2}(?P<label>[A-Z]{2,20})\b(?![\w-])")


def numbered_options(text: str) -> Labels:
    """`(1) Literal – …` below a heading that calls them options."""
    found: Labels = {}
    for match in _OPTION.finditer(text):
        if "⟦" in match[0]:
            return {}
        if not found:
            head = text[: match.start()].rstrip()
            if not _OPTIONS_HEAD.search(head[head.rfind("\n") + 1 :]):
                continue
        found[match["label"]] = match["text"].strip()
    return found if len(found) > 1 else {}


def letter_grades(text: str) -> Labels:
    """`A+: …`, `A: …`, down to `F: …`."""
    found = {match["label"]: match["text"].strip() for match in _GRADE.finditer(text) if "⟦" not in match[0]}
    signed = any(len(label) > 1 for label in found)
    return found if len(found) > 3 and (signed or "F" in found) else {}


def letter_range(text: str) -> Labels:
    """`exactly one of 20 letters from A to T`."""
    for match in _LETTERS.finditer(text):
        first, last = ord(match["first"]), ord(match["last"])
        if last - first > 1:
            return {chr(letter): "" for letter in range(first, last + 1)}
    return {}


def defined_labels(text: str) -> Labels:
    """`Verdicts: pass = it does; fail = it does not`."""
    for head in _DEFINED_HEAD.finditer(text):
        found: Labels = {}
        position = head.end()
        while (match := _DEFINED.match(text, position)) and "⟦" not in match[0]:
            found[match["label"]] = match["text"].strip()
            position = match.end()
        if len(found) > 1:
            return found
    return {}


def arrow_labels(text: str) -> Labels:
    """`nothing is missing → PASS`, again and again: what the rules lead to."""
    ends = [match["label"] for match in _ARROW.finditer(text) if not REFERENCE.search(match[0])]
    found = dict.fromkeys(ends, "")
    return found if len(ends) > 1 and 1 < len(found) < 5 else {}


CHOICES: tuple[Callable[[str], Labels], ...] = (
    letter_grades,
    numbered_options,
    letter_range,
    defined_labels,
    arrow_labels,
)


def defined_choice(text: str) -> Labels:
    """The labels of the first recogniser that finds some; else those that sentences each give a condition."""
    return first(CHOICES, text) or dict.fromkeys(ask(conditional_choices, text) or (), "")
