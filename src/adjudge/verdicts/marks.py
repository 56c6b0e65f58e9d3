"""`<score>4</score>`, `[[4]]` and a bare label -> values: the last one decides."""

import re
from collections.abc import Iterator

from adjudge.records import Contract, Json
from adjudge.verdicts.clean import is_wrapping
from adjudge.verdicts.labelled import LINE
from adjudge.verdicts.names import labels_of, properties
from adjudge.verdicts.text_reading import TextReading, allowed_in, only_value, value_of
from adjudge.verdicts.values import ValueProblem, show

BRACKETS = re.compile(r"\[\[([^\[\]]{0,200})\]\]")
_SHORT_NUMBER = r"([-+]?\d{1,6}(?:\.\d{1,6})?)"
TWO_NUMBERS = re.compile(
    rf"[*_`(\[]{{0,3}}{_SHORT_NUMBER}(?:[ \t]{{0,2}}[,;|/][ \t]{{0,2}}|[ \t]{{1,4}}){_SHORT_NUMBER}[*_`)\].]{{0,3}}"
)


def read_tags(text: str, contract: Contract) -> TextReading | None:
    reading = TextReading(mark="tag")
    for name in properties(contract):
        span = _last_tag(text, contract, name)
        if span is None:
            continue
        start, body, body_end, end = span
        if name not in contract.needs:
            reading.values[name] = text[body:body_end].strip()
            continue
        reading.spans.append((start, end))
        if body_end == end:
            reading.problem = f"the tag of `{name}` is not closed"
            return reading
        value = value_of(text[body:body_end], contract, name)
        if isinstance(value, ValueProblem):
            reading.problem = f"`{name}` {value.text}"
            return reading
        reading.values[name] = value
        reading.value_spans[name] = (body, body_end)
    return reading if reading.spans else None


def tagged_prose(text: str, contract: Contract) -> dict[str, str]:
    """The parts in tags that no score is computed from, also where their tag is one that models think in."""
    spans = {
        name: _last_tag(text, contract, name) for name in properties(contract) if name not in contract.needs
    }
    return {name: text[span[1] : span[2]].strip() for name, span in spans.items() if span is not None}


def tag_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Every value that a text gives in a tag of this property."""
    for _, body, body_end, _ in _tags(text, contract, name):
        yield value_of(text[body:body_end], contract, name)


def _last_tag(text: str, contract: Contract, name: str) -> tuple[int, int, int, int] | None:
    found = list(_tags(text, contract, name))
    return found[-1] if found else None


def _tags(text: str, contract: Contract, name: str) -> Iterator[tuple[int, int, int, int]]:
    """Start, body, end of body and end of each element; of one that is not closed the body ends where the text does."""
    spelt = {re.sub(r"[\s-]+", "_", label) for label in (*labels_of(contract, name), name.casefold())}
    words = "|".join(re.escape(word).replace("_", "[_ -]?") for word in sorted(spelt, key=len, reverse=True))
    opened: re.Match[str] | None = None
    for tag in re.finditer(rf"<(/?)\s{{0,4}}(?:{words})\s{{0,4}}>", text, re.IGNORECASE):
        if not tag[1]:
            opened = tag
        elif opened is not None:
            yield opened.start(), opened.end(), tag.start(), tag.end()
            opened = None
    if opened is not None:
        yield opened.start(), opened.end(), len(text), len(text)


def read_brackets(text: str, contract: Contract) -> TextReading | None:
    marks = list(BRACKETS.finditer(text))
    if not marks or len(contract.needs) != 1:
        return None
    name, last = contract.needs[0], marks[-1]
    value = _bracketed(last[1], contract, name)
    if isinstance(value, ValueProblem):
        return TextReading(problem=f"`{name}` {value.text}", spans=[last.span()], mark="brackets")
    return TextReading(
        values={name: value}, spans=[last.span()], value_spans={name: last.span(1)}, mark="brackets"
    )


def bracket_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Every value that a text gives in double brackets."""
    return (_bracketed(found[1], contract, name) for found in BRACKETS.finditer(text))


def _bracketed(inside: str, contract: Contract, name: str) -> Json | ValueProblem:
    """`[[7]]`, or `[[Rating: 7]]` where the label stands inside."""
    head, colon, tail = inside.partition(":")
    labelled = colon and head.strip().casefold() in labels_of(contract, name)
    return value_of(tail if labelled else inside, contract, name)


def line_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Every line of a text that is nothing but a value."""
    return (only_value(line[0], contract, name) for line in LINE.finditer(text))


def opening_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """What a bare reply can be read as: lines that are nothing but a value, and a first line that opens with a label."""
    lines = [line[0] for line in LINE.finditer(text) if line[0].strip() and not is_wrapping(line[0])]
    yield from (only_value(line, contract, name) for line in lines)
    opening = value_of(lines[0], contract, name, strict_ending=True) if lines else None
    if isinstance(opening, str):
        yield opening


def read_bare(text: str, contract: Contract) -> TextReading | None:
    """The whole reply, a last line that is only the label, or a first or last line that opens with it (`B: because …`)."""
    lines = [line for line in LINE.finditer(text) if line[0].strip() and not is_wrapping(line[0])]
    if len(contract.needs) == 2:
        return _two_numbers(lines, contract)
    if not lines or len(contract.needs) != 1:
        return None
    name = contract.needs[0]
    last, first = lines[-1], lines[0]
    closing = only_value(last[0], contract, name)
    if not isinstance(closing, ValueProblem):
        return TextReading(
            values={name: closing}, spans=[last.span()], value_spans={name: last.span()}, mark="line"
        )
    opening = value_of(first[0], contract, name, strict_ending=True)
    if isinstance(opening, ValueProblem):
        if len(lines) > 1:
            return _closing_label(lines, contract, name)
        problem = f"`{name}` {opening.text}" if len(first[0]) < 80 else f"`{name}` is {show(first[0])}"
        return TextReading(problem=problem, spans=[first.span()])
    others = [only_value(line[0], contract, name) for line in lines[1:]]
    if isinstance(opening, str):
        others.append(value_of(last[0], contract, name, strict_ending=True))
    if any(other != opening for other in others if not isinstance(other, ValueProblem)):
        return TextReading(problem=f"`{name}` names two different values", spans=[first.span()])
    return TextReading(
        values={name: opening}, spans=[first.span()], value_spans={name: first.span()}, mark="line"
    )


def _two_numbers(lines: list[re.Match[str]], contract: Contract) -> TextReading | None:
    """The line that is two numbers and nothing else (`8 9`); of several that differ none."""
    found = [(line, numbers) for line in lines if (numbers := TWO_NUMBERS.fullmatch(line[0].strip()))]
    numeric = (any(each.is_numeric for each in allowed_in(contract, name)) for name in contract.needs)
    if not found or not all(numeric):
        return None
    line, numbers = found[0]
    span = line.span()
    if any(other.groups() != numbers.groups() for _, other in found):
        return TextReading(problem="two lines name different scores", spans=[span])
    values: dict[str, Json] = {}
    for name, written in zip(contract.needs, numbers.groups(), strict=True):
        value = only_value(written, contract, name)
        if isinstance(value, ValueProblem):
            return TextReading(problem=f"`{name}` {value.text}", spans=[span])
        values[name] = value
    return TextReading(values=values, spans=[span], value_spans=dict.fromkeys(values, span), mark="line")


def _closing_label(lines: list[re.Match[str]], contract: Contract, name: str) -> TextReading | None:
    """A last line that opens with a label (`(B) It agrees in part.`), where no other line opens with another.

    Numbers are not read so: `2. It is short.` ends many a list.
    """
    *others, closing = (value_of(line[0], contract, name, strict_ending=True) for line in lines)
    if isinstance(closing, ValueProblem) or not isinstance(closing, str | bool):
        return None
    span = lines[-1].span()
    if any(other != closing for other in others if not isinstance(other, ValueProblem)):
        return TextReading(problem=f"`{name}` names two different values", spans=[span])
    return TextReading(values={name: closing}, spans=[span], value_spans={name: span}, mark="line")
