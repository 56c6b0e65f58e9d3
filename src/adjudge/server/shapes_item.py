"""What the API says of one item: the case, the verdict, how the score was computed, what was sent, and where else it stands."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from adjudge.analysis.scores import ScoreRows
from adjudge.server.shapes import Shape
from adjudge.server.shapes_items import Neighbour


class CaseField(Shape):
    name: str
    column: str | None = Field(description="The column that it stands in, where that has another name.")
    value: Any


class ItemNote(Shape):
    note: str
    kind: str
    means: str | None


class SentMessage(Shape):
    role: str
    content: str


class ItemCall(Shape):
    """One call behind the judgement: what was sent, what came back, what it took."""

    step: str
    messages: list[SentMessage]
    reply: str
    finish: str
    shared: bool = Field(description="Its reply serves other rows too, as a checklist does.")
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


class ItemLabel(Shape):
    """What one person said."""

    annotator: str
    label: bool | float
    comment: str | None
    run: str = Field(description="The run in which it was said.")
    at: datetime


class OtherJudgement(Shape):
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
    case: Literal["same", "same_response", "another_response", "unknown"] = Field(
        description="Whether the case is the same there: whole, but for other columns, or with another response."
    )


class ItemPlace(Shape):
    """Where the item stands in the list it was reached from."""

    previous: Neighbour | None
    next: Neighbour | None
    position: int | None
    total: int


class ItemDetail(Shape):
    run: str
    key: str
    run_name: str | None
    case_id: str
    place: str | None = Field(description="File and line of the row.")
    bad_row: bool = Field(description="It could not be read as a case, so there is nothing to show of it.")
    scale: tuple[float, float] | None
    row: dict[str, Any] = Field(description="As `adjudge export` writes it.")
    fields: list[CaseField]
    columns: dict[str, Any] = Field(description="The row under its own column names.")
    metadata: dict[str, Any]
    scoring: ScoreRows = Field(description="How the score was computed, or why there is none.")
    notes: list[ItemNote]
    calls: list[ItemCall]
    labels: list[ItemLabel]
    own_label: Any = Field(description="The case's own label.")
    annotators: Any = Field(description="What several people said, where the case says so.")
    others: list[OtherJudgement]
    others_left_out: int
    beside: ItemPlace
