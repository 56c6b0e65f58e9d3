"""How sure the model was of the value that decides, from its tokens' log probabilities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.records import Contract, Json, TokenLogprob, Verdict
from adjudge.verdicts.names import FieldNames, properties
from adjudge.verdicts.objects import OPENER, FoundObject
from adjudge.verdicts.read import find_last
from adjudge.verdicts.scan import TOKEN, scan, string_end
from adjudge.verdicts.text_reading import value_of
from adjudge.verdicts.validate import validate_value
from adjudge.verdicts.values import NUMBER, ValueProblem

ROUNDING = 1e-6
"""So far above 0 a log-probability may be, as providers round."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueTokens:
    """A reply's tokens, and where in their text the value stands that the score is computed from."""

    tokens: Sequence[TokenLogprob]
    name: str
    """The property of the verdict."""
    value: Json
    start: int
    end: int

    @property
    def probability(self) -> float | None:
        """Of the value, given the text before it; None where the log-probabilities are not any."""
        total, position = 0.0, 0
        for token in self.tokens:
            end = position + len(token.token)
            if position < self.end and end > self.start:
                total += token.logprob
            position = end
        return min(1.0, math.exp(total)) if math.isfinite(total) and total <= ROUNDING else None


def value_tokens(
    logprobs: Sequence[TokenLogprob], contract: Contract, verdict: Verdict
) -> ValueTokens | None:
    """Where the needed property's value stands in the reply's last verdict.

    None when several properties are needed, or the value is not found as the verdict has it.
    """
    if len(contract.needs) != 1 or not logprobs:
        return None
    name = contract.needs[0]
    wanted = verdict.parts.get(name)
    if wanted is None or isinstance(wanted, list | dict):
        return None
    text = "".join(token.token for token in logprobs)
    span = _value_span(text, contract, name, wanted)
    if span is None:
        return None
    return ValueTokens(tokens=logprobs, name=name, value=wanted, start=span[0], end=span[1])


def _value_span(text: str, contract: Contract, name: str, wanted: Json) -> tuple[int, int] | None:
    taken = find_last(text, contract, FieldNames.of(contract))
    if taken.object is not None:
        return _in_object(text, taken.object, contract, name, wanted)
    if taken.reading is None or name not in taken.reading.value_spans:
        return None
    start, end = taken.reading.value_spans[name]
    value = value_of(text[start:end], contract, name)
    if isinstance(value, ValueProblem) or value != wanted:
        return None
    # Words that follow the value (`4 - strong`) are not the value.
    number = (
        NUMBER.search(text, start, end)
        if isinstance(wanted, int | float) and not isinstance(wanted, bool)
        else None
    )
    stripped = text[start:end]
    inner_start = start + len(stripped) - len(stripped.lstrip(" \t*_`([\"'"))
    if number is not None:
        return number.span()
    first = stripped.casefold().find(str(wanted).casefold())
    return (start + first, start + first + len(str(wanted))) if first >= 0 else (inner_start, end)


def _in_object(
    text: str, found: FoundObject, contract: Contract, name: str, wanted: Json
) -> tuple[int, int] | None:
    names = FieldNames.of(contract)
    start: int | None = found.start
    for _ in range(2):  # the object itself, then one that it wraps
        if start is None:
            return None
        loose = scan(text, start)
        for key, at in zip(loose.keys, loose.values_at, strict=True):
            if names.property_of(key) == name:
                return _token_span(text, at, contract, name, wanted)
        inner = OPENER.search(text, start + 1, found.end)
        start = None if inner is None else inner.start()
    return None


def _token_span(text: str, at: int, contract: Contract, name: str, wanted: Json) -> tuple[int, int] | None:
    token = TOKEN.search(text, at)
    if token is None or token[0] in "{}[],:":
        return None
    start, end = token.span()
    if token[0] in "\"'“„":
        closing = string_end(text, start)
        if closing is None:
            return None
        start, end = start + 1, closing
    raw: Json = text[start:end]
    if raw in ("true", "false") and token[0] == raw:
        raw = raw == "true"
    value = validate_value(raw, properties(contract)[name], name, [], contract.words.get(name, {}))
    return (start, end) if not isinstance(value, ValueProblem) and value == wanted else None
