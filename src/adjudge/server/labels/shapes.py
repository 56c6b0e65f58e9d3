"""What the API takes and says about labelling: blind cases, labels, draws. Nothing here holds what the judge said."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import AfterValidator, Field, StringConstraints

from adjudge.rubrics import MOST_CRITERIA
from adjudge.server.shapes import ApiRecord, RequestBody
from adjudge.stats.labelling import LEAST_UNIFORM

LONGEST_NAME = 200
LONGEST_COMMENT = 20_000
MOST_DRAWN = 100_000

Annotator = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)]
JudgeName = Annotated[
    str, Query(max_length=1_000, description="NAME or NAME@HASH; may be left out where the run has one.")
]
Somebody = Annotated[str, AfterValidator(str.strip), Query(max_length=LONGEST_NAME)]
CaseId = Annotated[str, Query(max_length=100_000)]
Overlap = Annotated[
    float,
    Query(
        ge=0.0,
        le=1.0,
        allow_inf_nan=False,
        description="The share of the drawn cases that every annotator gets, whoever has labelled them.",
    ),
]
EVERY_CASE = 1.0
"""The overlap with which everybody labels every drawn case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelQuery:
    """Who labels what: what every address of these pages carries."""

    judge: JudgeName = ""
    annotator: Somebody = ""
    overlap: Overlap = EVERY_CASE


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnQuery(LabelQuery):
    case: CaseId = ""
    after: CaseId = ""


LabelValue = bool | float | str
"""A score on the judge's scale, whether it passes, or one of the judge's own words."""


PartValue = bool | float | Annotated[str, StringConstraints(max_length=LONGEST_NAME)] | None
Parts = dict[str, bool | float]


class LabelBody(RequestBody):
    judge: str = Field(
        default="", max_length=1_000, description="NAME or NAME@HASH; may be left out where the run has one."
    )
    annotator: Annotator
    case_id: str = Field(max_length=100_000, description="The case's id, or its ticket.")
    label: (
        bool
        | float
        | Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
        | Annotated[list[PartValue], Field(max_length=MOST_CRITERIA)]
        | Annotated[dict[str, PartValue], Field(max_length=MOST_CRITERIA)]
    ) = Field(
        description="Of a rubric or several ratings also a list, in the order of `choices.parts`, or an object by name; null where nothing is said."
    )
    explanation: str = Field(default="", max_length=LONGEST_COMMENT)
    seen_verdict: bool = Field(
        default=False,
        description="Given after seeing the judge's verdict: kept apart from blind labels, and in no figure of agreement.",
    )


class DrawBody(RequestBody):
    judge: str = Field(default="", max_length=1_000)
    count: int = Field(default=50, ge=1, le=MOST_DRAWN)
    uniform_share: float = Field(
        default=LEAST_UNIFORM, ge=LEAST_UNIFORM, le=1.0, description="The share that is sampled uniformly."
    )
    seed: int = Field(default=0, ge=0, le=2**31)


class LabelButton(ApiRecord):
    """One button."""

    value: LabelValue = Field(description="What to send as `label`.")
    text: str
    keys: list[str] = Field(description="Keys of the keyboard that press it; the first is shown.")
    anchor: str = Field(description="What the judge's file says that it means; empty when it says nothing.")


class NumberField(ApiRecord):
    """Where a number is typed; null where nothing bounds it."""

    low: float | None
    high: float | None


class PartField(ApiRecord):
    """A criterion of a rubric, which is met or not, or one of several ratings."""

    name: str
    low: float | None = Field(description="Null for a criterion.")
    high: float | None
    better: str = Field(description="higher or lower")


class Choices(ApiRecord):
    """The judge's own scale, for people."""

    options: list[LabelButton]
    number: NumberField | None
    wanted: str
    better: str = Field(description="higher or lower")
    parts: list[PartField] = Field(
        description="What is asked about one by one; empty where one label is all."
    )


class Mine(ApiRecord):
    """What this annotator said of a case before."""

    label: bool | float | None = Field(description="Null where only some parts are labelled.")
    parts: Parts | None
    explanation: str
    at: datetime


class BlindCase(ApiRecord):
    """What the judge was shown of a case, and nothing of what it or anybody else said."""

    case_id: str
    ticket: str = Field(
        description="Names it in addresses and forms, which keep its id only where it is plain text."
    )
    shown: dict[str, Any] = Field(description="Field -> its text, list or object.")
    draw: int
    place: int = Field(description="From 1, in this annotator's own order.")
    previous: str | None = Field(description="The ticket of the one before it.")
    following: str | None
    mine: Mine | None


class Turn(ApiRecord):
    """Whose turn it is, and with which case; `case` is null when all have a label of this annotator's."""

    run: str
    key: str
    judge: str
    annotator: str
    overlap: float
    labelled: int
    total: int
    choices: Choices
    description: str = Field(description="What the judge is for, as its file says.")
    prompt: str = Field(description="The judge's prompt, unfilled: what it was asked.")
    case: BlindCase | None
    undo: str | None = Field(description="The ticket of the case that this annotator labelled last.")


class Kept(ApiRecord):
    """A label is in the store, for good, when this is said."""

    case_id: str
    judge: str
    annotator: str
    label: bool | float | None
    parts: Parts | None
    explanation: str
    seen_verdict: bool
    at: datetime
    labelled: int = Field(description="Drawn cases with a label of this annotator's.")


class Removed(ApiRecord):
    removed: int


class StoredLabel(ApiRecord):
    case_id: str
    judge: str
    annotator: str
    label: bool | float | None = Field(description="Null where only some parts are labelled.")
    parts: Parts | None = Field(description="By criterion of a rubric, or by rating.")
    explanation: str | None
    seen_verdict: bool = Field(description="Given after seeing the judge's verdict, so not blind.")
    at: datetime
    draw: int | None
    probability: float | None = Field(
        description="The sampling probability of the case when the label was given."
    )


class LabelList(ApiRecord):
    labels: list[StoredLabel]
    total: int


class ImportNote(ApiRecord):
    """What became of some rows of a file."""

    kind: str
    text: str


class Imported(ApiRecord):
    labels: int
    new: int
    notes: list[ImportNote]


class DrawMade(ApiRecord):
    run: str
    judge: str
    number: int
    drawn: int
    judged: int
    seed: int
    uniform_share: float
    how: str


class Labeller(ApiRecord):
    """One annotator, and how far."""

    name: str
    labelled: int


class JudgeToLabel(ApiRecord):
    """One judge of a run, and what there is to label for it."""

    judge: str
    reference: str = Field(description="What to send as `judge`.")
    judged: int
    draws: int
    drawn: int
    mine: int = Field(description="Drawn cases with a label of the annotator asked about.")
    left: int = Field(description="Drawn cases for this annotator that have none.")
    annotators: list[Labeller]


class LabelState(ApiRecord):
    run: str
    key: str
    name: str | None
    state: str
    annotator: str
    overlap: float
    judges: list[JudgeToLabel]
