"""What the API takes and says about labelling: blind cases, labels, draws. Nothing here holds what the judge said."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from adjudge.rubrics import MAX_CRITERIA
from adjudge.server.routing import Query, RequestBody
from adjudge.server.shapes import MAX_NAME_CHARS
from adjudge.stats.labelling import MIN_UNIFORM

MAX_COMMENT_CHARS = 20_000
MAX_DRAWN = 100_000

JudgeName = Annotated[
    str, Meta(max_length=1_000, description="NAME or NAME@HASH; may be left out where the run has one.")
]
Annotator = Annotated[str, Meta(max_length=MAX_NAME_CHARS)]
CaseId = Annotated[str, Meta(max_length=100_000)]
Overlap = Annotated[
    float,
    Meta(
        ge=0.0,
        le=1.0,
        description="The share of the drawn cases that every annotator gets, whoever has labelled them.",
    ),
]
EVERY_CASE = 1.0
"""The overlap with which everybody labels every drawn case."""


class LabelQuery(Query, frozen=True, kw_only=True):
    """Who labels what: what every address of these pages carries."""

    judge: JudgeName = ""
    annotator: Annotator = ""
    overlap: Overlap = EVERY_CASE

    def __post_init__(self) -> None:
        force_setattr(self, "annotator", self.annotator.strip())


class TurnQuery(LabelQuery, frozen=True, kw_only=True):
    case: CaseId = ""
    after: CaseId = ""


LabelValue = bool | float | str
"""A score on the judge's scale, whether it passes, or one of the judge's own words."""


PartValue = bool | float | Annotated[str, Meta(max_length=MAX_NAME_CHARS)] | None
Parts = dict[str, bool | float]


class LabelBody(RequestBody, frozen=True, kw_only=True):
    judge: JudgeName = ""
    annotator: Annotated[str, Meta(pattern=r"\S", max_length=MAX_NAME_CHARS)]
    case_id: Annotated[str, Meta(max_length=100_000)]
    """The case's id, or its ticket."""
    label: (
        bool
        | float
        | Annotated[str, Meta(max_length=MAX_NAME_CHARS)]
        | Annotated[list[PartValue], Meta(max_length=MAX_CRITERIA)]
        | Annotated[dict[str, PartValue], Meta(max_length=MAX_CRITERIA)]
    )
    """Of a rubric or several ratings also a list, in the order of `choices.parts`, or an object by name; null where nothing is said."""
    explanation: Annotated[str, Meta(max_length=MAX_COMMENT_CHARS)] = ""
    seen_verdict: bool = False
    """Given after seeing the judge's verdict: kept apart from blind labels, and in no figure of agreement."""

    def __post_init__(self) -> None:
        force_setattr(self, "annotator", self.annotator.strip())


class DrawBody(RequestBody, frozen=True, kw_only=True):
    judge: Annotated[str, Meta(max_length=1_000)] = ""
    count: Annotated[int, Meta(ge=1, le=MAX_DRAWN)] = 50
    uniform_share: Annotated[float, Meta(ge=MIN_UNIFORM, le=1.0)] = MIN_UNIFORM
    """The share that is sampled uniformly."""
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0


class LabelButton(Struct, frozen=True, kw_only=True):
    """One button."""

    value: LabelValue
    """What to send as `label`."""
    text: str
    keys: list[str]
    """Keys of the keyboard that press it; the first is shown."""
    anchor: str
    """What the judge's file says that it means; empty when it says nothing."""


class NumberField(Struct, frozen=True, kw_only=True):
    """Where a number is typed; null where nothing bounds it."""

    low: float | None
    high: float | None


class PartField(Struct, frozen=True, kw_only=True):
    """A criterion of a rubric, which is met or not, or one of several ratings."""

    name: str
    low: float | None
    """Null for a criterion."""
    high: float | None
    better: str
    """higher or lower"""


class Choices(Struct, frozen=True, kw_only=True):
    """The judge's own scale, for people."""

    options: list[LabelButton]
    number: NumberField | None
    wanted: str
    better: str
    """higher or lower"""
    parts: list[PartField]
    """What is asked about one by one; empty where one label is all."""


class Mine(Struct, frozen=True, kw_only=True):
    """What this annotator said of a case before."""

    label: bool | float | None
    """Null where only some parts are labelled."""
    parts: Parts | None
    explanation: str
    at: datetime


class BlindCase(Struct, frozen=True, kw_only=True):
    """What the judge was shown of a case, and nothing of what it or anybody else said."""

    case_id: str
    ticket: str
    """Names it in addresses and forms, which keep its id only where it is plain text."""
    shown: dict[str, Any]
    """Field -> its text, list or object."""
    draw: int
    place: int
    """From 1, in this annotator's own order."""
    previous: str | None
    """The ticket of the one before it."""
    following: str | None
    mine: Mine | None


class Turn(Struct, frozen=True, kw_only=True):
    """Whose turn it is, and with which case; `case` is null when all have a label of this annotator's."""

    run: str
    key: str
    judge: str
    annotator: str
    overlap: float
    labelled: int
    total: int
    choices: Choices
    description: str
    """What the judge is for, as its file says."""
    prompt: str
    """The judge's prompt, unfilled: what it was asked."""
    case: BlindCase | None
    undo: str | None
    """The ticket of the case that this annotator labelled last."""


class Kept(Struct, frozen=True, kw_only=True):
    """A label is in the store, for good, when this is said."""

    case_id: str
    judge: str
    annotator: str
    label: bool | float | None
    parts: Parts | None
    explanation: str
    seen_verdict: bool
    at: datetime
    labelled: int
    """Drawn cases with a label of this annotator's."""


class Removed(Struct, frozen=True, kw_only=True):
    removed: int


class StoredLabel(Struct, frozen=True, kw_only=True):
    case_id: str
    judge: str
    annotator: str
    label: bool | float | None
    """Null where only some parts are labelled."""
    parts: Parts | None
    """By criterion of a rubric, or by rating."""
    explanation: str | None
    seen_verdict: bool
    """Given after seeing the judge's verdict, so not blind."""
    at: datetime
    draw: int | None
    probability: float | None
    """The sampling probability of the case when the label was given."""


class LabelList(Struct, frozen=True, kw_only=True):
    labels: list[StoredLabel]
    total: int


class ImportNote(Struct, frozen=True, kw_only=True):
    """What became of some rows of a file."""

    kind: str
    text: str


class Imported(Struct, frozen=True, kw_only=True):
    labels: int
    new: int
    notes: list[ImportNote]


class DrawMade(Struct, frozen=True, kw_only=True):
    run: str
    judge: str
    number: int
    drawn: int
    judged: int
    seed: int
    uniform_share: float
    how: str


class Labeller(Struct, frozen=True, kw_only=True):
    """One annotator, and how far."""

    name: str
    labelled: int


class JudgeToLabel(Struct, frozen=True, kw_only=True):
    """One judge of a run, and what there is to label for it."""

    judge: str
    reference: str
    """What to send as `judge`."""
    judged: int
    draws: int
    drawn: int
    mine: int
    """Drawn cases with a label of the annotator asked about."""
    left: int
    """Drawn cases for this annotator that have none."""
    annotators: list[Labeller]


class LabelState(Struct, frozen=True, kw_only=True):
    run: str
    key: str
    name: str | None
    state: str
    annotator: str
    overlap: float
    judges: list[JudgeToLabel]
