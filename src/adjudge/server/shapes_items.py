"""What the API says of a run's items: rows of the table, a page of them, and what they can be filtered by."""

from datetime import datetime

from pydantic import Field

from adjudge.server.shapes import Shape


class ItemRow(Shape):
    """One judgement, in a line; texts are beginnings."""

    number: int = Field(description="Its place in the order in which the store's judgements were made.")
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
    label_score: float | None = Field(description="What people say, on average, on the judge's scale.")
    label_pass: float | None = Field(description="The share of people who would pass it.")
    gap: float | None = Field(
        description="How far the judge is from people: 0 is the same, 1 the whole scale."
    )
    cost: float | None
    latency_ms: float
    calls: int
    from_store: bool
    at: datetime
    cluster: str | None
    question: str
    response: str
    reason: str = Field(description="Why it was scored so, or why it could not be judged.")
    notes: list[str]
    metadata: dict[str, str]


class ItemPage(Shape):
    """Rows `first` to `first + size` of the `total` that fit."""

    run: str
    rows: list[ItemRow]
    total: int
    first: int
    size: int
    judgements: int = Field(description="Judgements of the run.")


class Value(Shape):
    value: str
    count: int


class SliceValues(Shape):
    """A metadata column with few enough values to choose from."""

    name: str
    key: str = Field(description="The column in a `slice` parameter: `slice={key}={value}`.")
    values: list[Value]


class ItemChoices(Shape):
    """What a run's items can be filtered by, each with how many items that is of the whole run."""

    judges: list[Value]
    outcomes: list[Value]
    notes: list[Value]
    slices: list[SliceValues]
    columns: list[str] = Field(description="All metadata columns, also those with too many values to list.")
    passes: bool = Field(description="Whether any judge has a pass rule.")
    labelled: int


class Neighbour(Shape):
    """Another item of the same selection."""

    case_id: str
    judge: str
    model: str
    repeat: int
