"""What the fields of verdicts say where no score sums them up: labels by their shares, numbers by their means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adjudge.analysis.summary.sample import ALONE, JudgedRow, RowSample
from adjudge.judges.reading.names import is_reason
from adjudge.records import Json, Judge
from adjudge.schemas import choices_of, properties_of, spell_option
from adjudge.stats.intervals import Estimate
from adjudge.stats.populations import population

MAX_FIELDS = 50
MAX_LABELS = 20
"""A field with more different values is text, not a label."""
MAX_LABEL_CHARS = 60
_ENTRIES = "[]"


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelShare:
    label: str
    share: Estimate = field(metadata=population("judged with this field", "value of the field"))
    """A case whose verdict lists several values counts with each; they are one piece of evidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldFigures:
    """One field of the verdicts of a judge without a score."""

    name: str
    """`accuracy.score` of a nested object, `statements[].verdict` of the entries of a list."""
    labels: tuple[LabelShare, ...]
    """Of a label or a truth value, as the prompt lists them, else the most frequent first."""
    mean: Estimate | None = field(metadata=population("judged with this field", "value of the field"))
    """Of a number."""


class FieldTally:
    """Adds up the verdicts of one judge, field by field."""

    def __init__(self, judge: Judge | None) -> None:
        schema = judge.contract.schema if judge is not None and judge.contract is not None else {}
        self._choices = dict(_listed_choices(schema))
        self._rated = {rating.name for rating in judge.ratings} if judge is not None else set()
        self._fields: dict[str, _FieldSample] = {}
        self._units: dict[tuple[bool, int], int] = {}
        self._cases = 0

    def add(self, verdict: Mapping[str, Json], row: JudgedRow) -> None:
        """`row` says which case and cluster a verdict is of."""
        self._cases += 1
        # the entries of one verdict's lists are one piece of evidence
        case = self._cases if row.case == ALONE else row.case
        unit = (False, case) if row.cluster == ALONE else (True, row.cluster)
        together = row._replace(cluster=self._units.setdefault(unit, len(self._units)))
        for path, value in _leaves(verdict):
            if path in self._rated:
                continue
            known = self._fields.get(path)
            if known is None:
                if len(self._fields) >= MAX_FIELDS:
                    continue
                known = self._fields[path] = _FieldSample(self._choices.get(path, ()))
            known.add(value, together if _ENTRIES in path else row)

    def figures(self) -> tuple[FieldFigures, ...]:
        return tuple(
            figures
            for path, known in self._fields.items()
            if (figures := known.figures(path)).labels or figures.mean
        )


class _FieldSample:
    """The values of one field, labels as their numbers."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        self._listed = bool(labels)
        self._labels = {label: float(place) for place, label in enumerate(labels)}
        self._sample = RowSample()
        self._numeric = not labels
        self._is_text = False

    def add(self, value: Json, row: JudgedRow) -> None:
        number = not isinstance(value, bool) and isinstance(value, int | float)
        if number and not self._listed:
            if not self._labels:
                self._sample.add(row._replace(score=float(value)))  # type: ignore[arg-type]  # as was asked
            return
        label = spell_option(value).strip()
        if len(self._sample) and self._numeric and not self._labels:
            return  # a word among numbers
        self._numeric = False
        known = (
            label
            if label in self._labels
            else next((each for each in self._labels if each.casefold() == label.casefold()), label)
        )
        if known not in self._labels and (
            len(label) > MAX_LABEL_CHARS or len(self._labels) >= MAX_LABELS or not label
        ):
            self._is_text = True
            return
        self._sample.add(row._replace(score=self._labels.setdefault(known, float(len(self._labels)))))

    def figures(self, path: str) -> FieldFigures:
        labels: tuple[LabelShare, ...] = ()
        if self._labels and not self._is_text:
            shares = (
                LabelShare(label=label, share=share)
                for label, place in self._labels.items()
                if (share := self._sample.share(place)) is not None
            )
            labels = tuple(shares if self._listed else sorted(shares, key=lambda each: -each.share.value))
        mean = self._sample.mean(None) if self._numeric else None
        return FieldFigures(name=path, labels=labels, mean=mean)


def _leaves(value: Json | Mapping[str, Json], path: str = "") -> Iterator[tuple[str, Json]]:
    """Each number, label and truth value of a verdict with its path; reasons are left out."""
    if isinstance(value, Mapping):
        for name, child in value.items():
            if not (isinstance(child, str) and is_reason(name)):
                yield from _leaves(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child, f"{path}{_ENTRIES}")
    elif value is not None:
        yield path, value


def _listed_choices(
    schema: Json | Mapping[str, Json], path: str = ""
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Path -> the labels that a schema lists for it."""
    if not isinstance(schema, dict):
        return
    if labels := choices_of(schema):
        yield path, labels
    for name, child in properties_of(schema).items():
        yield from _listed_choices(child, f"{path}.{name}" if path else name)
    yield from _listed_choices(schema.get("items"), f"{path}{_ENTRIES}")
