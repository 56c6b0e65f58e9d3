"""What the JSON API says: the shapes of its answers, which the pages show too."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ApiRecord(BaseModel):
    model_config = ConfigDict(frozen=True)


class ErrorAnswer(ApiRecord):
    """Any answer that is not what was asked for."""

    problem: str
    hint: str


class Interval(ApiRecord):
    """A figure with its 95 % interval; an end that nothing bounds is null."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str
    warning: str | None = None


class Headline(ApiRecord):
    """One judge with one model, in a line."""

    judge: str
    judge_hash: str
    model: str | None
    asked: int
    judged: int
    outcomes: dict[str, int]
    mean: Interval | None
    scale: tuple[float, float] | None
    pass_rate: Interval | None
    cost: float | None
    cost_unknown: int


class RunRow(ApiRecord):
    run: str
    key: str = Field(description="The run in an address: `/api/runs/{key}`.")
    name: str | None
    state: str
    cases: str | None = Field(description="The file that was judged, where it was one.")
    judges: list[str]
    model: str | None
    started_at: datetime
    finished_at: datetime | None
    judgements: int
    expected: int | None = Field(description="How many there will be, where that can be told.")
    partial: str | None = Field(
        description="`PARTIAL 7,202 of 20,000` where the run holds fewer than were chosen."
    )
    headlines: list[Headline] | None = Field(
        description="Null in a list, for a large run that nobody has looked at: `/api/runs/{key}` has them."
    )


class RunList(ApiRecord):
    runs: list[RunRow]
    total: int
    trouble: str | None = None


class RunProgress(ApiRecord):
    """How fast a run goes on."""

    per_second: float | None = Field(description="Of the latest judgements; null before there are two.")
    seconds_left: float | None
    ends_at: datetime | None


class Column(ApiRecord):
    """What a run can be sliced by."""

    name: str
    values: int


class RunDetail(ApiRecord):
    """A run and its figures."""

    run: RunRow
    progress: RunProgress | None = Field(description="Null for a run that does not go on.")
    plan: dict[str, Any]
    report: dict[str, Any] = Field(description="What `adjudge report RUN --json` prints.")
    columns: list[Column]
    sliced: list[str] = Field(description="The columns that the report above is sliced by.")
