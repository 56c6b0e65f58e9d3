"""How likely each value was where a reply has the one it decided for, from the alternatives to its tokens."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.identity_cache import cache_by_identity
from adjudge.patterns import lazy_pattern
from adjudge.records import Contract, Json, TokenLogprob
from adjudge.schemas import spell_option
from adjudge.verdicts.probability import ROUNDING, ValueTokens
from adjudge.verdicts.text_reading import allowed_in
from adjudge.verdicts.values import (
    DRESSING,
    TRANSLATION,
    Allowed,
    ValueProblem,
    as_number,
    fit_number,
    parse_number,
    plain,
)

OPENING = f"{DRESSING}([{{<:"
"""What may stand before a value in its first token."""
STARTED = lazy_pattern(r"[-+]?(?:[0-9]{1,40}(?:[.,][0-9]{0,40})?|[.,][0-9]{1,40})")
"""A number, or the beginning of one: `1`, `1.`, `1.5`."""
TOO_MUCH = 1.001
"""Probabilities that add up to more than this are not probabilities."""


class ValueShare(NamedTuple):
    value: Json
    probability: float


class Reading(NamedTuple):
    """What a beginning of a value comes to."""

    value: Json
    """None: it could still become several values, or none on the scale."""
    length: int
    """Of what was read of it, without what follows the value."""


NOTHING_READ = Reading(None, 0)


@cache_by_identity
def spelled_values(contract: Contract) -> tuple[str, ...]:
    """How the value that the score needs may be spelled, in lower case: numbers by their digits where they are many.

    None where the score needs several values, or one that is not a number or a label.
    """
    if len(contract.needs) != 1:
        return ()
    spelled: dict[str, None] = {}
    for allowed in allowed_in(contract, contract.needs[0]):
        spelled.update(dict.fromkeys(allowed.labels))
        if allowed.is_numeric:
            spelled.update(dict.fromkeys(allowed.spelled_numbers or "0123456789-."))
    return tuple(spelled)


def value_shares(found: ValueTokens, contract: Contract) -> tuple[ValueShare, ...]:
    """Values that could have stood there, each with its probability; what is left to 1 is none of them, or not known.

    Another value parts from the one that was given at one of its tokens, or goes on after it (`1`, `10`). What would
    have followed is not known there: a beginning that several values share counts for none of them. Empty where no
    alternatives are given, or they are no probabilities.
    """
    reader = _Reader(found, contract)
    shares: dict[str, ValueShare] = {}
    given = 1.0
    """Probability of the tokens up to here."""

    def add(value: Json, probability: float) -> None:
        key = plain(spell_option(value)) if as_number(value) is None else f"{as_number(value):g}"
        before = shares.get(key)
        shares[key] = ValueShare(value, probability + (before.probability if before else 0.0))

    for token, start in reader.tokens():
        own = _probability(token.logprob)
        alternatives = _others(token)
        if own is None or alternatives is None:
            return ()
        ends = start >= found.end
        """The token after the value: what matters is only whether another would have made it longer."""
        longer = 0.0
        for text, probability in alternatives:
            reading = reader.read(start, text)
            if ends and reading.length <= reader.value_length:
                continue
            longer += probability
            if reading.value is not None:
                add(reading.value, given * probability)
        given *= max(0.0, 1.0 - longer) if ends else own
    add(found.value, given)
    total = math.fsum(share.probability for share in shares.values())
    if not reader.alternatives or total > TOO_MUCH:
        return ()
    return tuple(each._replace(probability=each.probability / max(1.0, total)) for each in shares.values())


def _others(token: TokenLogprob) -> list[tuple[str, float]] | None:
    """The alternatives without the token itself; None where one is no probability."""
    found = [(text, _probability(logprob)) for text, logprob in token.alternatives]
    if any(probability is None for _, probability in found):
        return None
    known = [(text, probability) for text, probability in found if probability is not None]
    own = next((place for place, (text, _) in enumerate(known) if text == token.token), None)
    return known if own is None else known[:own] + known[own + 1 :]


def _probability(logprob: float) -> float | None:
    if logprob == -math.inf:
        return 0.0
    return min(1.0, math.exp(logprob)) if math.isfinite(logprob) and logprob <= ROUNDING else None


class _Reader:
    """Reads what would stand in the value's place with one of its tokens exchanged."""

    def __init__(self, found: ValueTokens, contract: Contract) -> None:
        self._found = found
        self._text = "".join(token.token for token in found.tokens)
        self._allowed = allowed_in(contract, found.name)
        self._value_tokens = list(self._overlapping())
        self.alternatives = any(token.alternatives for token, _ in self._value_tokens)
        self._merges = any(
            sum(character.isdigit() for character in text) > 1
            for token, _ in self._value_tokens
            for text, _ in ((token.token, 0.0), *token.alternatives)
        )
        """The model writes several digits as one token, so that `1` is not the beginning of `10`."""
        self.value_length = self.read(found.start, self._text[found.start : found.end]).length

    def tokens(self) -> Sequence[tuple[TokenLogprob, int]]:
        """Those of the value and, where the last of them ends with it, the one after; each with where it starts."""
        return self._value_tokens

    def _overlapping(self) -> Iterator[tuple[TokenLogprob, int]]:
        start = 0
        for token in self._found.tokens:
            end = start + len(token.token)
            if end > self._found.start and start <= self._found.end:
                yield token, start
            start = end

    def read(self, start: int, token: str) -> Reading:
        """What the value would be with this token at this place of the text."""
        text = token
        if start <= self._found.start:
            before = self._text[start : self._found.start]
            text = token[len(before) :] if token.startswith(before) else token.lstrip(OPENING)
        whole = (self._text[self._found.start : start] + text).translate(TRANSLATION).lstrip(DRESSING)
        for allowed in self._allowed:
            started = STARTED.match(whole) if allowed.is_numeric else None
            reading = (
                self._label(whole, allowed) if started is None else self._number(whole, started[0], allowed)
            )
            if reading.length:
                return reading
        return NOTHING_READ

    def _number(self, whole: str, started: str, allowed: Allowed) -> Reading:
        body = started.rstrip(".,")
        number = parse_number(body)
        if number is None:
            return Reading(None, len(started))
        fitted = fit_number(number, allowed)
        closed = len(started) < len(whole) or (len(body) < len(started) and not allowed.has_fractions)
        length = len(body) if closed or len(body) == len(started) else len(started)
        if isinstance(fitted, ValueProblem) or (
            not closed and self._could_go_on(body, number, started, allowed)
        ):
            return Reading(None, length)
        return Reading(fitted, length)

    def _could_go_on(self, body: str, number: float, started: str, allowed: Allowed) -> bool:
        """Whether more digits would make another number on the scale. Those after a point change little."""
        if "." in body or "," in body:
            return False
        if allowed.has_fractions and number != allowed.maximum:
            return True
        if len(body) < len(started) or self._merges:
            return False
        listed = allowed.spelled_numbers
        if listed:
            return any(each.startswith(body) and as_number(each) != number for each in listed)
        return allowed.high is None or abs(number) * 10 <= max(abs(allowed.high), abs(allowed.low or 0.0))

    def _label(self, whole: str, allowed: Allowed) -> Reading:
        said = plain(whole.rstrip(f"{DRESSING}.,;:!)]}}>"))
        labels = allowed.labels
        begun = [label for label in labels if label.startswith(said)] if said else []
        if not begun:
            return NOTHING_READ
        values = {spell_option(labels[label]) for label in begun}
        closed = said in labels and whole.rstrip() != whole.rstrip(f"{DRESSING}.,;:!)]}}>")
        if said in labels and (closed or len(values) == 1):
            return Reading(labels[said], len(said))
        return Reading(labels[begun[0]] if len(values) == 1 else None, len(said))
