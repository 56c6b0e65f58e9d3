"""The scale a prompt states, what its points mean, and which of them pass."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from adjudge.judges.reading.kinds import (
    NUMBER,
    WHOLE,
    ValueKind,
    chosen,
    conditional_numbers,
    find_ranges,
    number_choices,
    ranged,
)
from adjudge.judges.reading.names import REFERENCE
from adjudge.judges.reading.recogniser import ask, first
from adjudge.judges.reading.vocabulary import in_english
from adjudge.patterns import lazy_pattern

_CUE = lazy_pattern(
    r"\b(?:scale|scores?|scoring|scored|rate|rates|rating|ratings|rated|grades?|grading|graded|points?|likert|on a range|marks?|stars?|rank|rubric|percentages?|percent)\b",
    re.IGNORECASE,
)
_DECIMALS = lazy_pattern(
    r"\b(?:float|floating|continuous|decimals?|fractional|half[- ](?:points?|marks?|stars?)|halves|increments? of 0?\.\d+|steps? of 0?\.\d+)\b",
    re.IGNORECASE,
)
"""Fewer words than beside a value: around a scale `double` is said of brackets."""
_ANCHOR = lazy_pattern(
    r"^[ \t>]{0,12}(?:[-*•+][ \t]+|\|[ \t]*|#{1,6}[ \t]+)?[*_`\"'(\[]{0,3}"
    r"(?P<prefix>(?:a[ \t]+)?(?:score|rating|level|grade|[A-Za-z]{3,20}(?=:[ \t]*\d{1,3}\]))(?:[ \t]++of)?[ \t]*+[:=]?[ \t]*+)?"
    rf"(?P<value>{NUMBER})(?:[ \t]*(?:-|–|~|to)[ \t]*(?P<upto>{NUMBER}))?(?:[ \t]*(?:points?|stars?)\b)?"
    r"[*_`\"')\]]{0,3}(?P<aside>[ \t]*\([^()\n]{1,60}\))?[*_`\"')\]]{0,3}[ \t]*"
    r"(?P<mark>[:=|]|,(?=[ \t]+(?:if|when)\b)|[-–—]{1,2}(?=[ \t])|→|⇒|=>|->|\bmeans\b|\bif\b|\bfor\b|\.(?=[ \t])|(?<=\))(?=[ \t]*$))[*_]{0,2}[ \t]*(?P<text>[^\n]{0,600})$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = lazy_pattern(
    rf"(?<![\w.\-])(?P<value>{NUMBER})[ \t]?(?:(?:=|:|means)[ \t]?(?P<text>[^\n,;=().]{{1,60}})|\((?P<aside>[^()\n]{{1,60}})\))"
    r"[ \t]?[,;]?[ \t]?(?:(?:and|or)[ \t]|(?:…|\.\.\.)[ \t]?[,;]?[ \t]?)?"
)
"""`1 = rude, 2 = cold`, `1 (rude), 2 (cold)`, `1 = rude, 2 = cold, … 5 = warm`: levels in one line."""
_POINT_RULE = lazy_pattern(
    rf",\s(?:then\s)?(?:I will|you should|it should)?\s?(?:say|respond|answer|give|assign|output|return|rate|score)\b[^\n.,\d]{{0,40}}\s(?P<before>{NUMBER})(?=[\s.,;)]|\Z)(?!\.\d)"
    rf"|\b(?:assign|give|score)\b[^\n.,\d]{{0,30}}\s(?P<after>{NUMBER})\s+(?:if|when)\b"
    rf"|[:=][ \t]{{0,4}}(?P<points>{NUMBER})[ \t]+points?[ \t]{{0,4}}$",
    re.IGNORECASE | re.MULTILINE,
)
_ADDITIVE = lazy_pattern(
    r"\badditive\b[^\n.]{0,40}\b(?:point|scor)|\bpoints? (?:are|is) accumulated\b|^\W{0,4}(?:add|award|give|grant) (?:1|one|a) point\b[^\n]{0,400}\n"
    r"\W{0,4}(?:add|award|give|grant) (?:1|one|a|another)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A sum of points begins with none of them."""
_DOUBT = lazy_pattern(
    r"\bconfidence\b[^\n.]{0,40}\b(?:score|rating|level|scale)s?\b|\b(?:score|rating|level)s?\b[^\n.]{0,20}\bconfidence\b",
    re.IGNORECASE,
)
"""How sure something is, of the judge or of what it judges, is not how good it is."""
_SENTENCE = lazy_pattern(r"(?:[^.]|\.(?=\d))+")
_VERDICT = lazy_pattern(r"\b(?:verdict|label|judg(?:e)?ment|answer|decision)s?\b", re.IGNORECASE)
_EMPHASIS = lazy_pattern(r"\*\*|__")
_CRITERION = lazy_pattern(
    rf"^[ \t>]{{0,12}}(?:[-*•+]|\d{{1,2}}[.)])?[ \t]*[^\W\d_][^\n():]{{1,40}}\((?P<low>{NUMBER})\s?[-–~]\s?(?P<high>{NUMBER})\)",
    re.MULTILINE,
)
"""`2. Accuracy (1-5)`: a list of criteria, each with the scale behind it."""
_OVERALL = lazy_pattern(r"\b(?:final|overall|total)\b", re.IGNORECASE)
_WORD_AND_POINT = lazy_pattern(
    rf"[^\W\d_]\s{{0,2}}\((?P<first>{NUMBER})\)\s+or\s+(?:[^\W\d_][\w-]*\s{{0,2}}){{1,4}}\((?P<second>{NUMBER})\)",
    re.IGNORECASE,
)
"""`the same (1) or different (0)`."""
_CONDITION = lazy_pattern(r"\b(?:if|when)\b", re.IGNORECASE)
_NAME_END = lazy_pattern(r"[:;.—–|(]|\s-\s|\s-$")
_WORD = lazy_pattern(r"[a-z][a-z'-]{2,24}")
_VALUE = rf"(?P<value>{NUMBER})"
_PERCENT = lazy_pattern(r"\s{0,4}(?:%|percent)")
_AT_LEAST = r"(?:(?P<above>>(?!=)|\babove\b|\bgreater than\b|\bmore than\b|\bexceeds?\b)|>=|≥|\bat least\b)"
_UPWARDS = r"\s*(?:or|and)\s+(?:above|higher|more|greater|over|up)\b"
_PASS_WORDS = ("pass", "accept", "success", "threshold")
"""One of them is in each rule; to look for them takes no time."""
_PASS_RULES = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_VALUE}{_UPWARDS}[^.\n]{{0,40}}\b(?:pass(?:es|ed|ing)?|acceptable)\b",
        rf"\bpass(?:es|ed|ing)?\b[^.\n]{{0,60}}?\b(?:of|minimum(?: of)?|is)\s*{_VALUE}{_UPWARDS}",
        rf"\bpass(?:es|ed|ing)?\b[^.\n]{{0,60}}?{_AT_LEAST}\s*{_VALUE}",
        rf"{_AT_LEAST}\s*{_VALUE}[^.\n]{{0,30}}\bpass(?:es|ed|ing)?\b",
        rf"\b(?:pass(?:ing)?|acceptance|success)\s+(?:score|threshold|mark|grade)\b\s*(?:is|of|:|=)?\s*{_VALUE}",
        rf"\bthreshold\b\s*(?:for passing\s*)?(?:is|of|:|=)\s*{_VALUE}",
    )
)


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
    overall: bool = False
    """Said of the final score."""

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


@lru_cache(maxsize=8)
def stated_scales(text: str) -> tuple[Stated, ...]:
    """Every range or choice of numbers that the words around it call a score, a rating or a scale.

    Kept, since several questions about one prompt, and lint after them, begin with it.
    """
    found: list[Stated] = []
    summed = _ADDITIVE.search(text) is not None
    for line in re.finditer(r"[^\n]+", _EMPHASIS.sub("", in_english(text))):
        if not re.search(r"\d|\b(?:one|zero)\b", line[0]) or len(line[0]) > 4000:
            continue
        anchor = _ANCHOR.match(line[0])
        if anchor and anchor["mark"] != "." and not re.search(r"\bscale\b", line[0], re.IGNORECASE):
            continue
        for span in find_ranges(line[0]):
            around = line[0][max(0, span.start - 90) : span.start] + " ⋯ " + line[0][span.end : span.end + 50]
            if not _CUE.search(around) and not _CUE.search(line[0][span.start : span.end]):
                continue
            if _DOUBT.search(around):
                continue
            if "`" in line[0][max(0, span.start - 2) : span.start] and "=" in line[0]:
                continue
            whole = bool(WHOLE.search(around))
            if summed and span.low == 1:
                span = replace(span, low=0.0)  # noqa: PLW2901
            found.append(
                Stated(
                    kind=ranged(span, decimals=bool(_DECIMALS.search(around)), whole=whole),
                    start=line.start() + span.start,
                    overall=_OVERALL.search(around) is not None,
                )
            )
        if not found or found[-1].start < line.start():
            for sentence in _SENTENCE.finditer(line[0]):
                cue = None if _DOUBT.search(sentence[0]) else _CUE.search(sentence[0])
                choices = number_choices(sentence[0][cue.start() :]) if cue else ()
                if len(choices) >= 2 and max(choices) <= 100 and min(choices) >= -10:
                    overall = _OVERALL.search(sentence[0]) is not None
                    start = line.start() + sentence.start()
                    found.append(Stated(kind=chosen(choices), start=start, overall=overall))
    return tuple(found)


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
    found = [read for run in runs if (read := _read_run(text, run)) is not None]
    return found or [read for run in _inline_runs(text) if (read := _read_run(text, run)) is not None]


def _inline_runs(text: str) -> list[list[re.Match[str]]]:
    """Three levels or more that follow each other in one line."""
    runs: list[list[re.Match[str]]] = []
    for match in _INLINE.finditer(text):
        if runs and runs[-1][-1].end() == match.start():
            runs[-1].append(match)
        else:
            runs.append([match])
    return [run for run in runs if len(run) > 2]


def _read_run(text: str, run: list[re.Match[str]]) -> Anchors | None:
    values = [float(match["value"]) for match in run]
    if len(values) < 2 or max(values) > 100:
        return None
    listed = [match.groupdict(default="") for match in run]
    ascending = values == sorted(values)
    if not ascending and values != sorted(values, reverse=True):
        return None
    heading = text[max(0, run[0].start() - 300) : run[0].start()]
    prefixed = any(each.get("prefix") for each in listed)
    after = text[run[-1].end() : run[-1].end() + 120]
    called = prefixed or _is_counted(run, values) or any(map(_CUE.search, (heading, after)))
    if not called and not any(_CUE.search(in_english(around)) for around in (heading, after)):
        return None
    stepwise = not prefixed and any(each.get("mark", "").startswith(".") for each in listed)
    if stepwise and ascending and all(value == int(value) and value >= 1 for value in values):
        near = "\n".join(heading.rstrip().splitlines()[-2:])
        if not re.search(r"\b(?:scale|levels?|scores? mean)\b", near, re.IGNORECASE):
            return None  # `1. Read the question`: steps, not points
    texts: dict[str, str] = {}
    for index, match in enumerate(run):
        end = run[index + 1].start() if index + 1 < len(run) else match.end()
        below = text[match.end() : end].strip()
        aside = listed[index]["aside"].strip(" ()\t")
        said = listed[index]["text"].strip(" *_|\t") or " ".join(
            (below or _indented_below(text, match.end())).split()
        )
        words = ": ".join(part for part in (aside, said) if part)
        upto = listed[index].get("upto")
        written = match["value"] + (f"-{upto}" if upto else "")
        texts[written] = words
    spans = [float(upto) for each in listed if (upto := each.get("upto"))]
    return Anchors(
        texts=texts,
        values=tuple(values + spans),
        words={} if spans else _names(run, values),
        spans=bool(spans),
        decimals=any("." in match["value"] and not match["value"].endswith(".0") for match in run),
        start=run[0].start(),
        end=run[-1].end(),
    )


def _is_counted(run: list[re.Match[str]], values: list[float]) -> bool:
    """`1 = rude, 2 = cold, 3 = neutral`: every step from 0 or 1 has its meaning, so nothing need call it a scale."""
    line = run[0].string[run[0].start() : run[-1].start()]
    if "\n" in line or min(values) not in {0, 1} or not all(re.search(r"[=(]", match[0]) for match in run):
        return False
    steps = [high - low for low, high in itertools.pairwise(sorted(values))]
    # An ellipsis stands for the steps between the last two.
    return set(steps[:-1] if re.search(r"…|\.\.\.", line) else steps) == {1.0}


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
        said = re.sub(r"[*_`\"]" if aside else r"[*`\"]", "", aside or match["text"] or "")
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
    for match in _WORD_AND_POINT.finditer(text):
        found |= {float(match["first"]): None, float(match["second"]): None}
    for sentence in re.finditer(r"[^\n.]+(?:\.\d+[^\n.]*)*", text):
        if _CUE.search(sentence[0]) or _VERDICT.search(sentence[0]):
            found |= {float(value): None for value in conditional_numbers(sentence[0])}
    values = sorted(found)
    if len(values) < 2 or values[-1] > 100:
        return None
    if values == [float(n) for n in range(int(values[0]), int(values[0]) + len(values))]:
        if values == [0.0, 1.0]:
            return ValueKind(type="integer", options=(0, 1), guess=True)
        return ValueKind(type="integer", low=values[0], high=values[-1], guess=True)
    points = tuple(int(value) if value == int(value) else value for value in values)
    if len(points) == 2 and all(isinstance(point, int) for point in points):
        return ValueKind(type="integer", low=values[0], high=values[-1], guess=True)  # its two ends
    return replace(chosen(points), guess=True)


def overall_scale(text: str, anchors: list[Anchors]) -> ValueKind | None:
    """The scale the prompt as a whole is on."""
    found = first((stated_scale, criteria_scale), text)
    if found is not None or not anchors:
        return found or ask(pointed_scale, text)
    return ask(anchored_alike, anchors)


def stated_scale(text: str) -> ValueKind | None:
    """The range or choice that is stated most often; what is said of the final score counts alone."""
    stated = stated_scales(text)
    if not stated:
        return None
    overall = [item for item in stated if item.overall]
    counts = Counter(item.bounds for item in overall or stated)
    most = max(counts.values())
    best = next(item for item in stated if counts[item.bounds] == most)
    same = [item.kind for item in stated if item.bounds == best.bounds]
    with_choice = next((kind for kind in same if kind.options), None)
    whole = next((kind for kind in same if kind.type == "integer"), None)
    return with_choice or whole or best.kind


def criteria_scale(text: str) -> ValueKind | None:
    """The scale that stands behind each of several criteria: `2. Accuracy (1-5)`."""
    ends = [(float(match["low"]), float(match["high"])) for match in _CRITERION.finditer(text)]
    low, high = Counter(ends).most_common(1)[0][0] if ends else (0.0, 0.0)
    # Behind one name alone it may be anything that has two ends.
    guess = len(ends) == 1
    likely = not guess or _CUE.search(text) is not None
    return ValueKind(type="integer", low=low, high=high, guess=guess) if low < high and likely else None


def anchored_alike(anchors: list[Anchors]) -> ValueKind | None:
    """The scale that all lists of points span."""
    spans = {(item.low, item.high) for item in anchors}
    return anchored_scale(anchors[0]) if len(spans) == 1 else None


SCALES = (stated_scale, criteria_scale, anchored_alike, pointed_scale)


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


def find_pass_rule(text: str, low: float, high: float) -> str | None:
    """`a score of 3 or above passes`, `threshold of 0.7`: the rule as an expression over `score`; None when the prompt states none on its own scale."""
    spoken = text.lower()
    if not any(word in spoken for word in _PASS_WORDS):
        return None
    for match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in _PASS_RULES):
        if low <= float(match["value"]) <= high and not _PERCENT.match(text, match.end("value")):
            return f"score {'>' if match.groupdict().get('above') else '>='} {match['value']}"
    return None
