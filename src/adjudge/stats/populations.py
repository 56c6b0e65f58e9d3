"""Which cases a figure is of, and what it counts: stated with the field that holds it, and published with it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Cases = Literal[
    "asked",
    "judged",
    "judged, with pass or fail",
    "scored by the model",
    "scored or abstained",
    "judged with token probabilities",
    "judged with this criterion",
    "judged with this criterion, and labelled",
    "judged with this rating",
    "judged with this rating, and labelled",
    "judged with this field",
    "judged and labelled",
    "judged more than once",
    "judged in both orders",
    "judged in both orders, one answer preferred",
    "judged in both orders, one answer won, lengths differ",
    "judged by the check and the judge",
    "judged by both jurors",
    "judged by the jury and labelled",
    "judged in both runs",
    "judged and labelled in both runs",
    "asked in both runs",
    "those that could be drawn for labels",
    "those that could be drawn for labels, counted in `population`",
    "judged, and could be drawn for labels",
    "those that could be drawn for labels in both runs",
    "labelled by several people",
    "labelled, in the half kept for the test",
    "not labelled",
    "called for in this run",
    "tried by the probe",
    "untouched, judged more than once",
    "attacked, failed untouched",
    "compared, of the systems connected by verdicts",
]
"""`judged` is scored by a model, judged without a score or forced by rule; `asked` has all the others too, whatever became of them."""

Unit = Literal[
    "judgement",
    "case",
    "pair of repeats",
    "claim",
    "value of the field",
    "reply",
    "label",
    "trial",
    "comparison",
]
"""What is counted or averaged: each `judgement` (a repeat is one), or each `case` once (the mean over its repeats)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    cases: Cases
    unit: Unit


def population(cases: Cases, unit: Unit) -> Mapping[str, Population]:
    """The metadata of a record's field that holds a figure: `mean: Estimate = field(metadata=population(…))`."""
    return {"population": Population(cases=cases, unit=unit)}


def populations_of(record: object) -> dict[str, Population]:
    """What the figures of a record, or of a type of records, are of: by the names of their fields."""
    return {
        each.name: each.metadata["population"]
        for each in fields(record)  # type: ignore[arg-type]  # a record or its type
        if "population" in each.metadata
    }
