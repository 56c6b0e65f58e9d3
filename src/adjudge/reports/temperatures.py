"""What temperature a stored run asked for: its rows no longer say it, its plan does."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from adjudge.records import Json, Judge

NOT_KEPT: Mapping[str, float | None] = MappingProxyType({})


def asked_temperatures(plan: Mapping[str, Json], judges: Iterable[Judge]) -> dict[str, float | None]:
    """By `name@hash`, what a stored run's plan says; of one that does not name them, the run's where no judge has its own."""
    named, kept = plan.get("judges"), plan.get("temperatures")
    if isinstance(named, list) and isinstance(kept, list) and len(named) == len(kept):
        return {str(judge): _degree(said) for judge, said in zip(named, kept, strict=True)}
    if "temperature" not in plan:
        return {}
    said = _degree(plan["temperature"])
    return {
        f"{judge.name}@{judge.hash}": said if judge.temperature is None else judge.temperature
        for judge in judges
    }


def _degree(said: Json) -> float | None:
    return float(said) if isinstance(said, int | float) else None
