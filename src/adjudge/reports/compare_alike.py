"""Whether two runs were judged alike: which of their judges belong together, and what else differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.errors import InputError, SettingsError
from adjudge.records import Json
from adjudge.store import planned_judges

_ALSO_SHOWN = ("base_url", "temperature", "parameters", "maps", "sets", "repeats", "current_date")
"""Of the plan: told, not refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePair:
    """A judge of A and the judge of B that it is compared with, as `name@hash`."""

    a: str
    b: str

    @property
    def names(self) -> tuple[str, str]:
        return judge_name(self.a), judge_name(self.b)


@dataclass(frozen=True, kw_only=True, slots=True)
class Alike:
    pairs: tuple[JudgePair, ...]
    refused: tuple[str, ...]
    """What makes the runs not comparable as they stand, in words."""
    noted: tuple[str, ...]
    """What differs and may matter."""


def judge_name(reference: str) -> str:
    return reference.rpartition("@")[0]


def find_alike(plan_a: Mapping[str, Json], plan_b: Mapping[str, Json], chosen: Sequence[str]) -> Alike:
    """Compare what two runs asked, and of whom. `chosen`: `JUDGE`, or `JUDGE_OF_A=JUDGE_OF_B`; none: all judges."""
    judges_a, judges_b = _judges(plan_a), _judges(plan_b)
    refused: list[str] = []
    if chosen:
        pairs = [_chosen(text, judges_a, judges_b) for text in chosen]
    elif len(judges_a) == len(judges_b) == 1:
        pairs = [JudgePair(a=next(iter(judges_a.values())), b=next(iter(judges_b.values())))]
    else:
        pairs = [JudgePair(a=judges_a[name], b=judges_b[name]) for name in judges_a if name in judges_b]
        for side, mine, others in (("A", judges_a, judges_b), ("B", judges_b, judges_a)):
            alone = [reference for name, reference in mine.items() if name not in others]
            if alone:
                refused.append(f"only {side} has {_and(alone)}")
    if not pairs:
        raise InputError(
            "A and B",
            f"share no judge: A has {_and(list(judges_a.values()))}, B has {_and(list(judges_b.values()))}",
            "name a judge of each: --only JUDGE_OF_A=JUDGE_OF_B --across",
        )
    refused += [f"the judge is {pair.a} in A and {pair.b} in B" for pair in pairs if pair.a != pair.b]
    if plan_a.get("model") != plan_b.get("model"):
        refused.append(f"the model is {plan_a.get('model')} in A and {plan_b.get('model')} in B")
    noted = [
        f"{name.replace('_', ' ')} is {_shown(plan_a.get(name))} in A and {_shown(plan_b.get(name))} in B"
        for name in _ALSO_SHOWN
        if plan_a.get(name) != plan_b.get(name)
    ]
    return Alike(pairs=tuple(pairs), refused=tuple(refused), noted=tuple(noted))


def _judges(plan: Mapping[str, Json]) -> dict[str, str]:
    return {judge_name(reference): reference for reference in planned_judges(plan)}


def _chosen(text: str, judges_a: Mapping[str, str], judges_b: Mapping[str, str]) -> JudgePair:
    name_a, equals, name_b = text.partition("=")
    name_b = name_b if equals else name_a
    for side, name, judges in (("A", name_a, judges_a), ("B", name_b, judges_b)):
        if name not in judges:
            raise SettingsError(
                "--only", f"{side} has no judge `{name}`", f"its judges are {_and(list(judges))}"
            )
    return JudgePair(a=judges_a[name_a], b=judges_b[name_b])


def _and(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"


def _shown(value: Json) -> str:
    return "not set" if value is None or value in ({}, []) else str(value)
