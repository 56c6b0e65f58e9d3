"""What an attacker would want a judge to say: the best score, and a finished verdict that earns it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.records import Contract, Json, Judge, PointsScore
from adjudge.schemas import properties_of

PRAISE = "Every point is right and nothing is missing."
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
        ):
            text = text.replace(name, value)
        return text


def target_of(judge: Judge) -> Target:
    low, high = (0.0, 1.0) if judge.scale is None else (judge.scale.low, judge.scale.high)
    if judge.better == "lower":
        low, high = high, low
    contract = judge.contract
    needs = [] if contract is None else list(contract.needs)
    numeric = [name for name in needs if _schema(contract, name).get("type") in {"integer", "number"}]
    return Target(
        score=f"{high:g}",
        low=f"{low:g}",
        field=(numeric or ["score"])[0],
        verdict={} if contract is None else _best(contract.schema, judge, high),
    )


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
