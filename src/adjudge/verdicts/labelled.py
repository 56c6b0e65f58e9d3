"""Markdown sections and `Score: 4` lines -> values: the last line under a label decides."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from adjudge.patterns import lazy_pattern
from adjudge.records import Contract, Json
from adjudge.verdicts.names import labels_of, properties
from adjudge.verdicts.text_reading import TextReading, is_scalar, only_value, value_of
from adjudge.verdicts.values import ValueProblem

LINE = lazy_pattern(r"[^\r\n]+")
HEAD_CHARS = 240
OPENING_MARKS = lazy_pattern(r"\A[*_`]{1,4}\s++")
CLOSING_MARKS = lazy_pattern(r"\s[*_`]{1,4}\Z")
RULE = lazy_pattern(r"\A[*_-]{3,}\s*")
VALUE_CHARS = 120
QUALIFIERS = r"(?:(?:the|my|your|final|overall|total)[ \t]{1,4}){0,3}"


class LabelledSection(NamedTuple):
    name: str
    start: int
    """Of the label."""
    body: int
    """Of what follows the label on its line."""
    line_end: int
    inline: bool
    """Whether something follows the label on its line."""


@lru_cache(maxsize=256)
def _head(labels: tuple[str, ...]) -> re.Pattern[str]:
    spelt = sorted(labels, key=len, reverse=True)
    words = "|".join(
        r"[\s_-]{1,4}".join(re.escape(part) for part in re.split(r"[\s_-]+", label)) for label in spelt
    )
    return re.compile(
        r"\A[\s>|]{0,40}(?P<hash>\#{1,6}[ \t]*+)?(?:[-*•+][ \t]++)?(?:\(?\d{1,2}[.)][ \t]*+)?(?P<open>[*_`\"“]{0,4})[ \t]*"
        rf"(?P<name>{QUALIFIERS}(?P<label>{words}))(?!\w)(?P<scale>[ \t]{{0,4}}\([^()]{{0,40}}\))?(?P<shut>[*_`\"”]{{0,4}})[ \t]{{0,20}}"
        r"(?P<sep>[:：=|]|[-–—](?=\s)|(?<=\w)[-–—](?=\d)|is\b)?(?P<after>[*_`\"”]{0,4})[ \t]*(?=(?P<rest>.?))",
        re.IGNORECASE,
    )


def sections(text: str, contract: Contract) -> Iterator[LabelledSection]:
    """Every line that begins with the label of a property, as a heading or before a separator."""
    heads = [(name, _head(labels_of(contract, name))) for name in properties(contract)]
    scalars = {name for name, _ in heads if is_scalar(contract, name)}
    for line in LINE.finditer(text):
        head = text[line.start() : min(line.end(), line.start() + HEAD_CHARS)]
        best: tuple[str, re.Match[str]] | None = None
        for name, pattern in heads:
            match = pattern.match(head)
            if match is not None and _is_heading(match, scalar=name in scalars):
                longer = best is None or len(match["label"]) > len(best[1]["label"])
                best = (name, match) if longer else best
        if best is None:
            continue
        name, match = best
        inline = bool(text[line.start() + match.end() : line.end()].strip(" \t*_`|#"))
        yield LabelledSection(
            name, line.start() + match.start("name"), line.start() + match.end(), line.end(), inline
        )


def _is_heading(match: re.Match[str], *, scalar: bool) -> bool:
    if match["sep"] == "is":
        return scalar
    if match["sep"] or not match["rest"]:
        return True
    bold = bool(match["open"]) and bool(match["shut"] or match["after"])
    number = scalar and match["rest"].isdigit()
    return bool(match["hash"]) or bold or number


def read_labelled(text: str, contract: Contract) -> TextReading | None:
    """Needed values from their last label; the other properties from their sections. None: no label is there."""
    found = list(sections(text, contract))
    reading = TextReading()
    for name in contract.needs:
        own = [index for index, section in enumerate(found) if section.name == name]
        if not own:
            if not is_scalar(contract, name):
                continue
            return _last_line(text, contract, name, found) if len(contract.needs) == 1 else None
        _take(text, contract, found, own[-1], reading)
        if reading.problem:
            return reading
    if not reading.spans:
        return None
    _take_rest(text, contract, found, reading)
    return reading


def labelled_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Every value that a text gives under a label of this property, also in the middle of a line."""
    labels = labels_of(contract, name)
    folded = text.casefold()
    if not any(label.split()[-1] in folded for label in labels if label):
        return
    for _, body in heading_bodies(text, contract, name):
        yield value_of(body, contract, name)
    for mark in _inside(labels).finditer(text):
        # A window, so that a line of nothing but labels costs no quadratic time.
        yield value_of(text[mark.end() : mark.end() + VALUE_CHARS].split("\n", 1)[0], contract, name)


def heading_bodies(text: str, contract: Contract, name: str) -> Iterator[tuple[LabelledSection, str]]:
    """Every line that begins with a label of this property, and what stands where its value belongs."""
    found = list(sections(text, contract))
    for index, section in enumerate(found):
        if section.name == name:
            yield section, text[slice(*_body(text, contract, found, index))].strip().rstrip("|")


def inner_values(
    text: str, contract: Contract, name: str, *, last_line: bool
) -> Iterator[Json | ValueProblem]:
    """Values under labels inside lines, each up to the next label: where no line begins with one, the last decides."""
    lines = [line[0][:4000] for line in LINE.finditer(text) if line[0].strip()]
    for line in lines[-1:] if last_line else lines:
        marks = list(_inside(labels_of(contract, name)).finditer(line))
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        for mark, end in zip(marks, ends, strict=False):
            yield value_of(line[mark.end() : end][:VALUE_CHARS], contract, name)


def _body(text: str, contract: Contract, found: list[LabelledSection], index: int) -> tuple[int, int]:
    """Where the value of a section stands: on its line, on the next one, or up to the next section."""
    section = found[index]
    end = found[index + 1].start if index + 1 < len(found) else len(text)
    if not is_scalar(contract, section.name):
        return section.body, end
    if section.inline:
        return section.body, section.line_end
    below = LINE.search(text, section.line_end, end)
    while below is not None and not below[0].strip():
        below = LINE.search(text, below.end(), end)
    return below.span() if below is not None else (section.line_end, section.line_end)


def _take(
    text: str, contract: Contract, found: list[LabelledSection], index: int, reading: TextReading
) -> None:
    section = found[index]
    body_start, body_end = _body(text, contract, found, index)
    value = value_of(text[body_start:body_end].strip().rstrip("|"), contract, section.name)
    if isinstance(value, ValueProblem):
        reading.problem = f"`{section.name}` {value.text}"
        reading.spans.append((section.start, body_end))
        return
    reading.values[section.name] = value
    reading.spans.append((section.start, body_end))
    reading.value_spans[section.name] = (body_start, body_end)


def _take_rest(text: str, contract: Contract, found: list[LabelledSection], reading: TextReading) -> None:
    for index, section in enumerate(found):
        if section.name in contract.needs:
            continue
        end = text.rfind("\n", 0, found[index + 1].start) + 1 if index + 1 < len(found) else len(text)
        body = text[section.body : max(section.body, end)].strip(" \t\r\n")
        if body := _without_marks(body):
            reading.values[section.name] = body  # the last section of a name stays


def _without_marks(body: str) -> str:
    """The text of a section without emphasis that opens or closes it, and without a rule under it."""
    body = OPENING_MARKS.sub("", body, count=1)
    before, _, last = body.rpartition("\n")
    if RULE.fullmatch(last):
        return before.rstrip()
    return CLOSING_MARKS.sub("", body, count=1)


@lru_cache(maxsize=256)
def _inside(labels: tuple[str, ...]) -> re.Pattern[str]:
    """A label in the middle of a line: before a separator, or in brackets of its own (`[RESULT] 4`)."""
    bracketed = "|".join(re.escape(label) for label in labels if label.endswith("]"))
    words = "|".join(re.escape(label) for label in labels if not label.endswith("]"))
    marks = [rf"(?<![\w\"'`“‘])(?:{words})[*_`]{{0,4}}[ \t]{{0,4}}[:：=]"] if words else []
    if bracketed:
        marks.append(rf"(?<![\"'`“‘])(?:{bracketed})[*_`]{{0,4}}[ \t]{{0,4}}[:：=]?")
    return re.compile("|".join(marks), re.IGNORECASE)


def _last_line(text: str, contract: Contract, name: str, found: list[LabelledSection]) -> TextReading | None:
    """No line begins with the label: it stands inside the last line, or that line is nothing but a value."""
    lines = [line for line in LINE.finditer(text) if line[0].strip()]
    if not lines:
        return None
    last = lines[-1]
    marks = list(
        _inside(labels_of(contract, name)).finditer(text, last.start(), min(last.end(), last.start() + 4000))
    )
    if marks:
        start, body = marks[-1].span()
    elif (contract.form == "sections" or len(lines) == 1) and not isinstance(
        lone := only_value(last[0], contract, name), ValueProblem
    ):
        start = body = last.start()
        others = [only_value(line[0], contract, name) for line in lines]
        if any(other != lone for other in others if not isinstance(other, ValueProblem)):
            return TextReading(
                problem=f"`{name}` is not labelled and several lines could be it", spans=[(start, last.end())]
            )
    else:
        return None
    value = value_of(text[body : last.end()], contract, name)
    if isinstance(value, ValueProblem):
        return TextReading(problem=f"`{name}` {value.text}", spans=[(start, last.end())])
    reading = TextReading(
        values={name: value},
        spans=[(start, last.end())],
        value_spans={name: (body, last.end())},
        mark="label" if marks else "line",
    )
    _take_rest(text[:start], contract, [s for s in found if s.start < start], reading)
    return reading
