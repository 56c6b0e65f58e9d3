"""The same figures for parts of a run: by the values of a column, and no more values than can be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.analysis.summary.fields import FieldFigures, FieldTally
from adjudge.analysis.summary.sample import Bounds, Group, JudgedRow
from adjudge.documents.records_json import records_json
from adjudge.records import Json, Judge, Scale
from adjudge.stats.intervals import Estimate
from adjudge.stats.populations import population
from adjudge.text import shorten, value_text

MAX_SLICES = 40
"""Of one column; further values are reported together, so that a column of ids costs no more than another."""
MAX_VALUE_CHARS = 80
OTHERS = "(all other values)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """The rows with one value; every figure can be read beside `asked` and `outcomes`."""

    value: str
    asked: int
    judged: int
    not_judged: int
    outcomes: Mapping[str, int]
    mean: Estimate | None = field(metadata=population("judged", "judgement"))
    bounds: Bounds | None = field(metadata=population("asked", "judgement"))
    pass_rate: Estimate | None = field(metadata=population("judged, with pass or fail", "judgement"))
    pass_bounds: Bounds | None = field(metadata=population("asked", "judgement"))
    fields: tuple[FieldFigures, ...]
    """Of a judge without a score."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceColumn:
    column: str
    slices: tuple[Slice, ...]
    """The largest first; `OTHERS` last."""


class SliceTally:
    """Adds up one judge's rows by the columns asked for."""

    def __init__(self, columns: Sequence[str], judge: Judge | None) -> None:
        self._judge = judge
        self._groups: dict[str, dict[str, Group]] = {column: {} for column in columns}
        self._fields: dict[tuple[str, str], FieldTally] = {}

    def add(
        self,
        metadata: Mapping[str, Json],
        kind: str,
        row: JudgedRow | None,
        unscored: tuple[Mapping[str, Json], JudgedRow] | None = None,
    ) -> None:
        """`unscored` is the verdict of a judge without a score, with its row."""
        for column, groups in self._groups.items():
            value = str(records_json(shorten(value_text(metadata.get(column)), MAX_VALUE_CHARS)))
            if value not in groups and len(groups) >= MAX_SLICES:
                value = OTHERS
            group = groups.get(value)
            if group is None:
                group = groups[value] = Group()
            group.add(kind, row)
            if unscored is not None:
                if (column, value) not in self._fields:
                    self._fields[column, value] = FieldTally(self._judge)
                self._fields[column, value].add(*unscored)

    def columns(self, scale: Scale | None) -> tuple[SliceColumn, ...]:
        return tuple(
            SliceColumn(
                column=column,
                slices=tuple(
                    _slice(value, groups[value], scale, self._fields.get((column, value)))
                    for value in sorted(
                        groups, key=lambda value: (value == OTHERS, -groups[value].asked, value)
                    )
                ),
            )
            for column, groups in self._groups.items()
        )


def _slice(value: str, group: Group, scale: Scale | None, fields: FieldTally | None) -> Slice:
    sample, asked = group.sample, group.asked
    judged = len(sample) + group.outcomes.get("judged", 0)
    return Slice(
        value=value,
        asked=asked,
        judged=judged,
        not_judged=asked - judged,
        outcomes=group.outcomes,
        mean=sample.mean(scale),
        bounds=sample.bounds(scale, asked),
        pass_rate=sample.pass_rate(),
        pass_bounds=sample.pass_bounds(asked),
        fields=() if fields is None else fields.figures(),
    )
