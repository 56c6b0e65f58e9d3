"""What the API says of a run's cases: a list of them, what it can be filtered by, and one of them whole."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from adjudge.analysis.scores import ScoreRows
from adjudge.records import Message
from adjudge.server.labels.shapes import Choices, StoredLabel


class ListedCase(Struct, frozen=True, kw_only=True):
    """One judgement, in a line; texts are beginnings."""

    number: int
    """Its place in the order in which the store's judgements were made."""
    case_id: str
    judge: str
    judge_hash: str
    model: str
    repeat: int
    outcome: str
    error_kind: str
    score: float | None
    exact: float | None
    passed: bool | None
    probability: float | None
    label_score: float | None
    """What people say, on average, on the judge's scale."""
    label_pass: float | None
    """The share of people who would pass it."""
    gap: float | None
    """How far the judge is from people: 0 is the same, 1 the whole scale."""
    cost: float | None
    latency_ms: float
    calls: int
    from_store: bool
    at: datetime
    cluster: str | None
    question: str
    response: str
    reference: str
    reason: str
    """Why it was scored so, or why it could not be judged."""
    notes: list[str]
    metadata: dict[str, str]


class ListedCases(Struct, frozen=True, kw_only=True):
    """Rows `first` to `first + size` of the `total` that fit."""

    run: str
    rows: list[ListedCase]
    total: int
    first: int
    size: int
    judgements: int
    """Judgements of the run."""
    labelled: int
    """Judgements of the run that have a label."""


class Value(Struct, frozen=True, kw_only=True):
    value: str
    count: int


class SliceValues(Struct, frozen=True, kw_only=True):
    """A metadata column with few enough values to choose from."""

    name: str
    key: str
    """The column in a `slice` parameter: `slice={key}={value}`."""
    values: list[Value]


class FilterChoices(Struct, frozen=True, kw_only=True):
    """What a run's cases can be filtered by, each with how many cases that is of the whole run."""

    judges: list[Value]
    outcomes: list[Value]
    notes: list[Value]
    slices: list[SliceValues]
    columns: list[str]
    """All metadata columns, also those with too many values to list."""
    passes: bool
    """Whether any judge has a pass rule."""
    labelled: int


class Neighbour(Struct, frozen=True, kw_only=True):
    """Another case of the same selection."""

    case_id: str
    judge: str
    model: str
    repeat: int


class CaseField(Struct, frozen=True, kw_only=True):
    name: str
    column: str | None
    """The column that it stands in, where that has another name."""
    value: Any


class NoteDetail(Struct, frozen=True, kw_only=True):
    note: str
    kind: str
    means: str | None


class CallDetail(Struct, frozen=True, kw_only=True):
    """One call behind the judgement: what was sent, what came back, what it took."""

    step: str
    messages: list[Message]
    reply: str
    finish: str
    shared: bool
    """Its reply serves other rows too, as a checklist does."""
    from_store: bool
    attempts: int
    model_snapshot: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost: float | None
    latency_ms: float
    temperature: float | None
    max_output_tokens: int | None
    parameters: dict[str, Any]
    notes: list[str]


class OtherJudgement(Struct, frozen=True, kw_only=True):
    """The same case under another judge, in another repeat or in another run."""

    run: str
    key: str
    name: str | None
    judge: str
    judge_hash: str
    model: str
    repeat: int
    outcome: str
    score: float | None
    passed: bool | None
    at: datetime
    case: Literal["same", "same_response", "another_response", "unknown"]
    """Whether the case is the same there: whole, but for other columns, or with another response."""


class ListPosition(Struct, frozen=True, kw_only=True):
    """Where the case stands in the list it was reached from."""

    previous: Neighbour | None
    next: Neighbour | None
    position: int | None
    total: int


class CaseDetail(Struct, frozen=True, kw_only=True):
    run: str
    key: str
    run_name: str | None
    case_id: str
    place: str | None
    """File and line of the row."""
    bad_row: bool
    """It could not be read as a case, so there is nothing to show of it."""
    scale: tuple[float, float] | None
    row: dict[str, Any]
    """As `adjudge export` writes it."""
    fields: list[CaseField]
    columns: dict[str, Any]
    """The row under its own column names."""
    metadata: dict[str, Any]
    scoring: ScoreRows
    """How the score was computed, or why there is none."""
    notes: list[NoteDetail]
    calls: list[CallDetail]
    labels: list[StoredLabel]
    own_label: Any
    """The case's own label."""
    annotators: Any
    """What several people said, where the case says so."""
    choices: Choices | None
    """What a label can be; null where the case cannot be labelled."""
    others: list[OtherJudgement]
    others_left_out: int
    in_list: ListPosition | None
    """In the list that the filter gives; null where the run is too large to be listed."""
    among_failed: ListPosition | None
    """Among the failed cases of that list's judge; null when none failed, or the list holds no others."""
