"""The scores that a prompt's own examples show."""

import re

from msgspec import Struct

from adjudge.judges.reading.kinds import NUMBER
from adjudge.judges.reading.names import EXAMPLE_CUE, REFERENCE
from adjudge.judges.reading.skeleton import Leaf, find_objects
from adjudge.patterns import lazy_pattern

_LINE = lazy_pattern(
    rf"^[^\n]{{0,80}}?\b(?P<label>(?:final |overall |total )?(?:score|rating|grade))\b[`\"'*_]{{0,4}}\s{{0,2}}(?P<mark>[:=])?\s{{0,2}}[`\"'*_\[]{{0,4}}(?P<value>{NUMBER})(?![\d.]*\d)(?!\s*(?:-|–|to|or|,)\s*\d)",
    re.IGNORECASE | re.MULTILINE,
)
_ANNOUNCED = lazy_pattern(r"\b(?:examples?|for instance|sample|worked|demonstration)\b", re.IGNORECASE)
_BRACKETS = lazy_pattern(rf"\[\[\s*(?P<value>{NUMBER})\s*\]\]")
_FALLBACK = lazy_pattern(
    r"\b(?:fallback|cannot|can't|missing|error|not possible|invalid input|empty)\b", re.IGNORECASE
)


class ExampleScore(Struct, frozen=True, kw_only=True):
    value: float
    position: int | None
    """In the body; None where it cannot be found there."""


def example_scores(body: str, outline: str, rating: str) -> list[ExampleScore]:
    """Scores in worked examples: JSON with a number in the rating's place, and `Score: 4` where an example is announced."""
    found: list[ExampleScore] = []
    objects = find_objects(outline)
    for example in objects:
        leaf = example.node[rating]
        if not isinstance(leaf, Leaf) or not re.fullmatch(NUMBER, leaf.text.strip()):
            continue
        before = outline[max(0, example.start - 400) : example.start]
        if EXAMPLE_CUE.search(before) and not _FALLBACK.search(before[-300:]):
            found.append(ExampleScore(value=float(leaf.text), position=_locate(body, outline, example.start)))
    for pattern in (_LINE, _BRACKETS):
        for match in pattern.finditer(outline):
            if REFERENCE.search(match[0]) or _in_rubric(outline, match):
                continue
            if any(example.start <= match.start() < example.end for example in objects):
                continue
            if pattern is _LINE and not match["mark"] and not _ANNOUNCED.search(match[0]):
                continue
            before = outline[max(0, match.start() - 600) : match.end()]
            if _ANNOUNCED.search(before) and not _FALLBACK.search(match[0]):
                found.append(
                    ExampleScore(value=float(match["value"]), position=_locate(body, outline, match.start()))
                )
    return found


def _in_rubric(outline: str, match: re.Match[str]) -> bool:
    """`Score 1: …` describes a point, and `a score of 3 or above` a rule: neither is an example's score."""
    line_start = outline.rfind("\n", 0, match.start()) + 1
    line_end = outline.find("\n", match.end())
    line = outline[line_start : line_end if line_end >= 0 else len(outline)]
    if re.match(rf"\W{{0,6}}(?:score|rating|level)\s+{NUMBER}\s*[:(=-]", line, re.IGNORECASE):
        return True
    after = outline[match.end() : match.end() + 20]
    return (
        re.match(r"\A\s*(?:(?:or|and)\s+(?:above|higher|more|below|lower)|(?:points?|means)\b)", after)
        is not None
    )


def _locate(body: str, outline: str, position: int) -> int | None:
    """The same words in the body; templates rarely stand inside examples."""
    words = outline[position : position + 24].strip()
    found = body.find(words) if len(words) > 3 else -1
    return found if found >= 0 else None
