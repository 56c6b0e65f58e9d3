"""What the JSON API says: the shapes of its answers, which the pages show too."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class ApiRecord(BaseModel):
    model_config = ConfigDict(frozen=True)


class RequestBody(BaseModel):
    """What a request may hold; a name that is not known is refused, so nothing is silently ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ErrorAnswer(ApiRecord):
    """Any answer that is not what was asked for."""

    problem: str
    hint: str


class FigureInterval(ApiRecord):
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
    mean: FigureInterval | None
    scale: tuple[float, float] | None
    pass_rate: FigureInterval | None
    cost: float | None
    cost_unknown: int


class RunRow(ApiRecord):
    run: str
    key: str = Field(description="The run's name in URLs: `/api/runs/{key}`.")
    name: str | None
    state: str
    cases: str | None = Field(description="The file that was judged, if it was a file.")
    judges: list[str]
    model: str | None
    started_at: datetime
    finished_at: datetime | None
    judgements: int
    expected: int | None = Field(description="How many there will be, if known.")
    partial: str | None = Field(
        description="`PARTIAL 7,202 of 20,000` where the run holds fewer than were chosen."
    )
    headlines: list[Headline] | None = Field(
        description="Null in a list for a large run that was not opened yet: `/api/runs/{key}` has them."
    )


class RunList(ApiRecord):
    runs: list[RunRow]
    total: int
    trouble: str | None = None


class RunProgress(ApiRecord):
    """How fast a run is."""

    per_second: float | None = Field(description="Over the latest judgements; null before there are two.")
    seconds_left: float | None
    ends_at: datetime | None


class Column(ApiRecord):
    """A column that a run can be sliced by."""

    name: str
    values: int


class RunDetail(ApiRecord):
    """A run and its figures."""

    run: RunRow
    progress: RunProgress | None = Field(description="Null when the run is not running.")
    plan: dict[str, Any]
    report: dict[str, Any] = Field(description="What `adjudge report RUN --json` prints.")
    columns: list[Column]
    sliced: list[str] = Field(description="The columns that the report above is sliced by.")


# ---- judges ----

LONGEST_NAME = 200
MOST_CASES = 20_000


class JudgeRow(ApiRecord):
    name: str
    hash: str
    key: str = Field(description="The judge's name in URLs: `/api/judges/{key}`.")
    origin: Literal["built-in", "file", "used"] = Field(
        description="`built-in`; `file`: passed to the server with `--judge`; `used`: known from stored runs, cannot be asked."
    )
    description: str
    scale: tuple[float, float] | None
    passes: str | None
    runs: int = Field(description="How many stored runs used it.")


class JudgeList(ApiRecord):
    judges: list[JudgeRow]
    models: list[str] = Field(description="What requests may name; the first is used when they name none.")


class LintFinding(ApiRecord):
    code: str
    rule: str
    message: str
    line: int | None
    hint: str


class CardLine(ApiRecord):
    model: str
    line: str
    findings: list[tuple[str, str, str]] = Field(description="Probe, ruling and what was found, in words.")
    card: dict[str, Any] = Field(description="As `adjudge certify --json` prints it.")


class UsedIn(ApiRecord):
    run: str
    key: str
    name: str | None
    model: str | None


class JudgeDetail(ApiRecord):
    judge: JudgeRow
    described: dict[str, Any] = Field(description="As `adjudge show JUDGE --json` prints it.")
    text: str = Field(description="The judge file.")
    findings: list[LintFinding]
    cards: list[CardLine]
    runs: list[UsedIn] = Field(description="The latest that used it, twenty at most.")


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
CaseBody = Annotated[dict[str, JsonValue], Field(min_length=1, max_length=200)]


class RenderBody(RequestBody):
    judge: Name
    case: CaseBody


class JudgeBody(RequestBody):
    judge: Name = Field(description="The name of a judge, or NAME@HASH, of `GET /api/judges`.")
    model: Name | None = Field(default=None, description="One of the server's models.")
    case: CaseBody = Field(description="The case's columns: question, response, reference, …")


class RunBody(RequestBody):
    judges: Annotated[list[Name], Field(min_length=1, max_length=20)]
    model: Name | None = None
    cases: Annotated[list[CaseBody], Field(min_length=1, max_length=MOST_CASES)]
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None = None
    repeats: Annotated[int, Field(ge=1, le=20)] = 1
    jobs: Annotated[int, Field(ge=1, le=64)] = 16
    max_cost: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None


class MessageSent(ApiRecord):
    step: str
    role: str
    content: str


class Rendered(ApiRecord):
    judge: str
    judge_hash: str
    messages: list[MessageSent]


class JudgedCase(ApiRecord):
    row: dict[str, Any] = Field(description="As one line of `adjudge run -o rows.jsonl`.")
    messages: list[MessageSent]
    replies: list[str]


class RunBegun(ApiRecord):
    run: str
    key: str


class Stopped(ApiRecord):
    stopped: bool
