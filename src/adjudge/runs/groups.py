"""What a case has in common with others, kept with its judgements: its cluster, and what reports can be sliced by."""

from collections.abc import Collection, Mapping

from adjudge.fields import CANONICAL
from adjudge.records import NOTHING, Case, Json

MAX_VALUE_CHARS = 60
"""Characters. A longer text names no group, and would be kept with every judgement."""


def cluster_of(case: Case) -> str | None:
    """The case's `cluster` as text, 3.0 as `3`; None when it has none, or a blank one."""
    value = case.fields.get("cluster")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "" if value is None else str(value).strip()
    return text or None


def slice_values(case: Case, mapped: Collection[str] = ()) -> Mapping[str, Json]:
    """The metadata object, and beside it the short values of the columns that stand for no field. `mapped`: those that
    the person's `--columns` name, which stand for one.
    """
    metadata = case.fields.get("metadata")
    values = metadata if isinstance(metadata, dict) else NOTHING
    others = {
        name: value
        for name, value in case.columns.items()
        if name not in CANONICAL and name not in mapped and name not in values and _is_short(value)
    }
    return {**values, **others} if others else values


def _is_short(value: Json) -> bool:
    return len(value) <= MAX_VALUE_CHARS if isinstance(value, str) else isinstance(value, bool | int | float)
