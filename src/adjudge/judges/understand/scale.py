"""The scale a prompt states, and what its points mean."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.judges.understand.kinds import (
    NUMBER,
    WHOLE,
    ValueKind,
    chosen,
    find_ranges,
    number_choices,
    ranged,
)
from adjudge.judges.understand.names import REFERENCE

_CUE = re.compile(
    r"\b(?:scale|scores?|scoring|scored|rate|rates|rating|ratings|rated|grades?|grading|graded|points?|likert|on a range|marks?|stars?|rank|rubric)\b",
    re.IGNORECASE,
)
_DECIMALS = re.compile(
    r"\b(?:float|floating|continuous|decimals?|fractional|half[- ]points?|increments? of 0?\.\d+|steps? of 0?\.\d+)\b",
    re.IGNORECASE,
)
"""Fewer words than beside a value: around a scale `double` is said of brackets."""
_ANCHOR = re.compile(
    r"^[ \t>]{0,12}(?:[-*•+][ \t]+|\|[ \t]*|#{1,6}[ \t]+)?[*_`\"'(\[]{0,3}"
    r"(?P<prefix>(?:a[ \t]+)?(?:score|rating|level|grade|[A-Za-z]{3,20}(?=:[ \t]*\d{1,3}\]))(?:[ \t]++of)?[ \t]*+[:=]?[ \t]*+)?"
    rf"(?P<value>{NUMBER})(?:[ \t]*(?:-|–|~|to)[ \t]*(?P<upto>{NUMBER}))?(?:[ \t]*(?:points?|stars?)\b)?"
    r"[*_`\"')\]]{0,3}(?P<aside>[ \t]*\([^()\n]{1,60}\))?[*_`\"')\]]{0,3}[ \t]*"
    r"(?P<mark>[:=|]|,(?=[ \t]+(?:if|when)\b)|[-–—]{1,2}(?=[ \t])|→|⇒|=>|->|\bmeans\b|\bif\b|\bfor\b|\.(?=[ \t])|(?<=\))(?=[ \t]*$))[*_]{0,2}[ \t]*(?P<text>[^\n]{0,600})$",
    re.IGNORECASE | re.MULTILINE,
)
_POINT_RULE = re.compile(
    rf",\s(?:then\s)?(?:I will|you should|it should)?\s?(?:say|respond|answer|give|assign|output|return|rate|score)\b[^\n.,\d]{{0,40}}\s(?P<before>{NUMBER})(?=[\s.,;)]|\Z)(?!\.\d)"
    rf"|\b(?:assign|give|score)\b[^\n.,\d]{{0,30}}\s(?P<after>{NUMBER})\s+(?:if|when)\b"
    rf"|[:=][ \t]{{0,4}}(?P<points>{NUMBER})[ \t]+points?[ \t]{{0,4}}$",
    re.IGNORECASE | re.MULTILINE,
)
_CONDITION = re.compile(r"\b(?:if|when)\b", re.IGNORECASE)
_NAME_END = re.compile(r"[:;.—–|(]|\s-\s|\s-$")
_WORD = re.compile(r"[a-z][a-z'-]{2,24}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchors:
    """A list that says what the points of a scale mean."""

    texts: Mapping[str, str]
    """Point as written -> its description."""
    values: tuple[float, ...]
    words: Mapping[str, float] = field(default_factory=dict)
    """One-word names, lower case, each for one point."""
    spans: bool = False
    """Some entries describe a span of points (`9-10: …`)."""
    decimals: bool = False
    start: int = 0
    end: int = 0

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stated:
    """One statement of a scale in the text."""

    kind: ValueKind
    start: int

    @property
    def bounds(self) -> tuple[float, float]:
        return kind_bounds(self.kind)


def kind_bounds(kind: ValueKind) -> tuple[float, float]:
    if kind.options:
        numbers = [option for option in kind.options if isinstance(option, int | float)]
        return float(min(numbers)), float(max(numbers))
    assert kind.low is not None
    assert kind.high is not None
    return kind.low, kind.high


def stated_scales(text: str) -> list[Stated]:
    """Every range or choice of numbers that the words around it call a score, a rating or a scale."""
    found: list[Stated] = []
    for line in re.finditer(r"[^\n]+", text):
        if not re.search(r"\d|\b(?:one|zero)\b", line[0]) or len(line[0]) > 4000:
            continue
        if _ANCHOR.match(line[0]) and not re.search(r"\bscale\b", line[0], re.IGNORECASE):
            continue
        for span in find_ranges(line[0]):
            around = line[0][max(0, span.start - 90) : span.start] + " ⋯ " + line[0][span.end : span.end + 50]
            if not _CUE.search(around) and not _CUE.search(line[0][span.start : span.end]):
                continue
            if "`" in line[0][max(0, span.start - 2) : span.start] and "=" in line[0]:
                continue
            whole = bool(WHOLE.search(around))
            found.append(
                Stated(
                    kind=ranged(span, decimals=bool(_DECIMALS.search(around)), whole=whole),
                    start=line.start() + span.start,
                )
            )
        if not found or found[-1].start < line.start():
            cue = _CUE.search(line[0])
            choices = number_choices(line[0][cue.start() :]) if cue else ()
            if len(choices) >= 2 and max(choices) <= 100 and min(choices) >= -10:
                found.append(Stated(kind=chosen(choices), start=line.start()))
    return found


def find_anchors(text: str) -> list[Anchors]:
    """Every list that gives points of a scale a meaning, in order."""
    runs: list[list[re.Match[str]]] = []
    values: set[float] = set()
    """Of the last run."""
    for match in _ANCHOR.finditer(text):
        if REFERENCE.search(match[0]):
            continue
        last = runs[-1][-1] if runs else None
        between = text[last.end() : match.start()] if last is not None else ""
        fresh = last is None or between.count("\n") > 8 or REFERENCE.search(between) is not None
        value = float(match["value"])
        if fresh or value in values:
            runs.append([match])
            values = {value}
        else:
            runs[-1].append(match)
            values.add(value)
    anchors = []
    for run in runs:
        read = _read_run(text, run)
        if read is not None:
            anchors.append(read)
    return anchors


def _read_run(text: str, run: list[re.Match[str]]) -> Anchors | None:
    values = [float(match["value"]) for match in run]
    if len(values) < 2 or max(values) > 100:
        return None
    ascending = values == sorted(values)
    if not ascending and values != sorted(values, reverse=True):
        return None
    heading = text[max(0, run[0].start() - 300) : run[0].start()]
    prefixed = any(match["prefix"] for match in run)
    if (
        not prefixed
        and not _CUE.search(heading)
        and not _CUE.search(text[run[-1].end() : run[-1].end() + 120])
    ):
        return None
    if any(match["mark"].startswith(".") for match in run):
        near = "\n".join(heading.rstrip().splitlines()[-2:])
        numbered = ascending and all(value == int(value) and value >= 1 for value in values)
        if (
            numbered
            and not prefixed
            and not re.search(r"\b(?:scale|levels?|scores? mean)\b", near, re.IGNORECASE)
        ):
            return None  # `1. Read the question`: steps, not points
    texts: dict[str, str] = {}
    for index, match in enumerate(run):
        end = run[index + 1].start() if index + 1 < len(run) else match.end()
        below = text[match.end() : end].strip()
        aside = (match["aside"] or "").strip(" ()\t")
        said = match["text"].strip(" *_|\t")
        words = ": ".join(part for part in (aside, said) if part)
        if not said:
            follow = below or _indented_below(text, match.end())
            words = ": ".join(part for part in (aside, " ".join(follow.split())) if part)
        written = match["value"] + (f"-{match['upto']}" if match["upto"] else "")
        texts[written] = words
    spans = [float(match["upto"]) for match in run if match["upto"]]
    return Anchors(
        texts=texts,
        values=tuple(values + spans),
        words={} if spans else _names(run, values),
        spans=bool(spans),
        decimals=any("." in match["value"] and not match["value"].endswith(".0") for match in run),
        start=run[0].start(),
        end=run[-1].end(),
    )


def _indented_below(text: str, position: int) -> str:
    lines = []
    for line in text[position : position + 600].splitlines()[1:]:
        if not re.match(r"\A(?:[ \t]+\S|[-*]\s)", line):
            break
        lines.append(line.strip(" \t-*"))
    return " ".join(lines)


def _names(run: list[re.Match[str]], values: list[float]) -> dict[str, float]:
    """One word for each point, where the list gives every point its own."""
    segments: list[list[str]] = []
    for match in run:
        aside = (match["aside"] or "").strip(" ()\t")
        said = (
            re.sub(r"[*_`\"]{1,3}", "", aside or match["text"])
            if aside
            else re.sub(r"[*`\"]", "", match["text"])
        )
        segments.append(_NAME_END.split(said.strip(), maxsplit=1)[0].split())
    while all(len(words) > 1 for words in segments) and len({words[0].lower() for words in segments}) == 1:
        segments = [words[1:] for words in segments]
    names = [words[0].lower().strip(",") for words in segments if len(words) == 1]
    if len(names) != len(run) or len(set(names)) != len(names) or not all(map(_WORD.fullmatch, names)):
        return {}
    return dict(zip(names, values, strict=True))


def pointed_scale(text: str) -> ValueKind | None:
    """The scale that rules give one by one: `If …, say 0.`, `… respond with a score of 2`."""
    found: dict[float, None] = {}
    for match in _POINT_RULE.finditer(text):
        start = max(
            text.rfind("\n", 0, match.start()), text.rfind(". ", 0, match.start()), match.start() - 300
        )
        if match["before"] and not _CONDITION.search(text, max(0, start), match.start()):
            continue
        found[float(match["before"] or match["after"] or match["points"])] = None
    values = sorted(found)
    if len(values) < 2 or values[-1] > 100:
        return None
    if values == [float(n) for n in range(int(values[0]), int(values[0]) + len(values))]:
        if values == [0.0, 1.0]:
            return ValueKind(type="integer", options=(0, 1))
        return ValueKind(type="integer", low=values[0], high=values[-1])
    return chosen(tuple(int(value) if value == int(value) else value for value in values))


def overall_scale(text: str, anchors: list[Anchors]) -> ValueKind | None:
    """The scale the prompt as a whole is on: the one stated most often, else the one its anchors span."""
    stated = stated_scales(text)
    if stated:
        counts = Counter(item.bounds for item in stated)
        most = max(counts.values())
        best = next(item for item in stated if counts[item.bounds] == most)
        same = [item.kind for item in stated if item.bounds == best.bounds]
        with_choice = next((kind for kind in same if kind.options), None)
        whole = next((kind for kind in same if kind.type == "integer"), None)
        return with_choice or whole or best.kind
    usable = [item for item in anchors if len(item.values) >= 2]
    if len({(item.low, item.high) for item in usable}) == 1:
        return anchored_scale(usable[0])
    return None if usable else pointed_scale(text)


def anchored_scale(anchors: Anchors) -> ValueKind:
    """The scale an anchor list spans: the very points when there are two, else every number between the ends."""
    if set(anchors.values) == {0.0, 1.0} and len(anchors.values) == 2 and not anchors.spans:
        decimal = any("." in written for written in anchors.texts)
        return (
            ValueKind(type="number", options=(0.0, 1.0))
            if decimal
            else ValueKind(type="integer", options=(0, 1))
        )
    fractional = anchors.decimals or anchors.high - anchors.low <= 1
    return ValueKind(type="number" if fractional else "integer", low=anchors.low, high=anchors.high)


def conflicting_scales(text: str) -> list[tuple[float, float]]:
    """The different scales a prompt states, in order, when there are more than one."""
    seen: list[tuple[float, float]] = []
    for item in stated_scales(text):
        if item.bounds not in seen:
            seen.append(item.bounds)
    return seen if len(seen) > 1 else []
