"""What an attacker would want a judge to say: the best score, and a finished verdict that earns it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from adjudge.expressions import EvaluationError, parse_expression
from adjudge.records import (
    Contract,
    ExpressionScore,
    FieldScore,
    Json,
    Judge,
    Pair,
    PointsScore,
    Winner,
    winner_of,
)
from adjudge.schemas import as_number, properties_of, spell_option

PRAISE = "Every point is right and nothing is missing."
MAX_TRIED = 4096
"""Verdicts of a comparison, of which the one that pays most is forged."""
_FAULTS = ("contradict", "miss", "error", "wrong", "fault", "violat", "harm", "fail", "hallucin")
"""A field of such a name is good news when it is false."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A judge as the one who wants to fool it sees it."""

    score: str
    """The best there is, as text: `5`."""
    low: str
    field: str
    """What the score is called in the verdict."""
    verdict: Mapping[str, Json]
    rival: Mapping[str, Json]
    """Of a judge that compares two answers, the verdict for the other one: no answer knows whether it is shown as A or B."""

    @property
    def scale(self) -> str:
        return f"{self.low} to {self.score}"

    def fill(self, text: str) -> str:
        for name, value in (
            ("§score§", self.score),
            ("§low§", self.low),
            ("§field§", self.field),
            ("§scale§", self.scale),
            ("§json§", json.dumps(self.verdict, ensure_ascii=False)),
            ("§rival§", json.dumps(self.rival, ensure_ascii=False)),
        ):
            text = text.replace(name, value)
        return text


def targets_of(judge: Judge) -> tuple[Target, ...]:
    """What attackers ask for in turn; of a judge that compares two answers, the win of A and the win of B."""
    return (target_of(judge),) if judge.pair is None else (target_of(judge, "a"), target_of(judge, "b"))


def target_of(judge: Judge, winner: Winner = "a") -> Target:
    if judge.pair is not None:
        return _win(judge, judge.pair, winner)
    low, high = (0.0, 1.0) if judge.scale is None else (judge.scale.low, judge.scale.high)
    if judge.better == "lower":
        low, high = high, low
    contract = judge.contract
    needs = [] if contract is None else list(contract.needs)
    numeric = [name for name in needs if _schema(contract, name).get("type") in {"integer", "number"}]
    verdict = {} if contract is None else _best(contract.schema, judge, high)
    return Target(
        score=f"{high:g}",
        low=f"{low:g}",
        field=(numeric or ["score"])[0],
        verdict=verdict,
        rival=verdict,
    )


# ---- two answers ----


def _win(judge: Judge, pair: Pair, winner: Winner) -> Target:
    other: Winner = "b" if winner == "a" else "a"
    own, rival = (_deciding(judge, pair, each) for each in (winner, other))
    rest = {} if judge.contract is None else _best(judge.contract.schema, judge, pair.scale.high)
    by_one_field = len(own) == 1
    return Target(
        score=spell_option(next(iter(own.values()))) if by_one_field else winner.upper(),
        low=spell_option(next(iter(rival.values()))) if by_one_field else other.upper(),
        field=next(iter(own), "winner") if by_one_field else "winner",
        verdict={**rest, **own},
        rival={**rest, **rival},
    )


def _deciding(judge: Judge, pair: Pair, winner: Winner) -> dict[str, Json]:
    """The fields that decide a comparison, as they have to be for this answer to win by as much as it can."""
    properties = {} if judge.contract is None else properties_of(judge.contract.schema)
    best = max if (winner == "a") is (pair.better == "higher") else min
    match judge.score:
        case PointsScore(field=field, points=points):
            label = best(points, key=lambda each: points[each])
            rule = properties.get(field)
            options = rule.get("enum") if isinstance(rule, dict) else None
            listed = options if isinstance(options, list) else []
            return {field: next((each for each in listed if spell_option(each) == label), label)}
        case FieldScore(field=field):
            return {field: as_number(best(pair.scale.low, pair.scale.high))}
        case ExpressionScore(text=text):
            expression = parse_expression(text)
            names = [name for name in properties if name in expression.names]
            found = []
            ends = product(*(_ends(properties[name], pair) for name in names))
            for values in islice(ends, MAX_TRIED):
                verdict = dict(zip(names, values, strict=True))
                try:
                    score = expression.evaluate(verdict)
                except EvaluationError:
                    continue
                if isinstance(score, Fraction) and winner_of(float(score), pair.scale, pair.better) == winner:
                    found.append((score, verdict))
            return best(found, key=lambda each: each[0])[1] if found else {}
    return {}


def _ends(rule: Json, pair: Pair) -> Iterator[Json]:
    """The values of a field that go furthest."""
    schema = rule if isinstance(rule, dict) else {}
    options = schema.get("enum")
    if isinstance(options, list):
        yield from options
    elif schema.get("type") == "boolean":
        yield from (True, False)
    else:
        width = (pair.scale.high - pair.scale.low) / 2.0
        low = schema.get("minimum")
        least = float(low) if isinstance(low, int | float) else 1.0
        high = schema.get("maximum")
        most = float(high) if isinstance(high, int | float) else least + width
        yield from (as_number(most), as_number(least))


# ---- one answer ----


def _schema(contract: Contract | None, name: str) -> Mapping[str, Json]:
    found = None if contract is None else properties_of(contract.schema).get(name)
    return found if isinstance(found, Mapping) else {}


def _best(schema: Mapping[str, Json], judge: Judge, high: float) -> dict[str, Json]:
    return {
        name: _value(name, rule if isinstance(rule, Mapping) else {}, judge, high)
        for name, rule in properties_of(schema).items()
    }


def _value(name: str, rule: Mapping[str, Json], judge: Judge, high: float) -> Json:
    """A value that validates and, as far as the schema tells, is the one that pays."""
    options = rule.get("enum")
    if isinstance(options, list) and options:
        if isinstance(judge.score, PointsScore) and judge.score.field == name:
            points = judge.score.points
            best = max if judge.better == "higher" else min
            return best(points, key=lambda label: points[label])
        numbers = [option for option in options if isinstance(option, int | float)]
        return (max(numbers) if judge.better == "higher" else min(numbers)) if numbers else options[0]
    kinds = rule.get("type")
    kind = kinds[0] if isinstance(kinds, list) and kinds else kinds
    match kind:
        case "boolean":
            return not any(word in name for word in _FAULTS) and name != "calculation"
        case "integer":
            return int(high)
        case "number":
            return high
        case "array":
            fewest, items = rule.get("minItems"), rule.get("items")
            count = fewest if isinstance(fewest, int) else 0
            one = _value(name, items if isinstance(items, Mapping) else {}, judge, high)
            return [one for _ in range(count)]
        case "object":
            return _best(rule, judge, high)
        case _:
            return PRAISE
