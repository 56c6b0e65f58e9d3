"""What the JSON API says: the shapes of its answers, which the pages show too."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from adjudge.judges.lint import Finding
from adjudge.server.routing import RequestBody


class ErrorAnswer(Struct, frozen=True, kw_only=True):
    """Any answer that is not what was asked for."""

    problem: str
    hint: str


class FigureInterval(Struct, frozen=True, kw_only=True):
    """A figure with its 95 % interval; an end that nothing bounds is null."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str
    warning: str | None = None


class Headline(Struct, frozen=True, kw_only=True):
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


class RunRow(Struct, frozen=True, kw_only=True):
    run: str
    key: str
    """The run's name in URLs: `/api/runs/{key}`."""
    name: str | None
    state: str
    cases: str | None
    """The file that was judged, if it was a file."""
    judges: list[str]
    model: str | None
    started_at: datetime
    finished_at: datetime | None
    judgements: int
    expected: int | None
    """How many there will be, if known."""
    partial: str | None
    """`PARTIAL 7,202 of 20,000` where the run holds fewer than were chosen."""
    headlines: list[Headline] | None
    """Null in a list for a large run that was not opened yet: `/api/runs/{key}` has them."""


class RunList(Struct, frozen=True, kw_only=True):
    runs: list[RunRow]
    total: int
    trouble: str | None = None


class RunProgress(Struct, frozen=True, kw_only=True):
    """How fast a run is."""

    per_second: float | None
    """Over the latest judgements; null before there are two."""
    seconds_left: float | None
    ends_at: datetime | None


class Column(Struct, frozen=True, kw_only=True):
    """A column that a run can be sliced by."""

    name: str
    values: int


class RunDetail(Struct, frozen=True, kw_only=True):
    """A run and its figures."""

    run: RunRow
    progress: RunProgress | None
    """Null when the run is not running."""
    plan: dict[str, Any]
    report: dict[str, Any]
    """What `adjudge report RUN --json` prints."""
    columns: list[Column]
    sliced: list[str]
    """The columns that the report above is sliced by."""


# ---- judges ----

MAX_NAME_CHARS = 200
MAX_CASES = 20_000


Origin = Literal["built-in", "file", "used"]


class JudgeRow(Struct, frozen=True, kw_only=True):
    name: str
    hash: str
    key: str
    """The judge's name in URLs: `/api/judges/{key}`."""
    origin: Origin
    """`built-in`; `file`: passed to the server with `--judge`; `used`: known from stored runs, cannot be asked."""
    description: str
    scale: tuple[float, float] | None
    passes: str | None
    runs: int
    """How many stored runs used it."""


class JudgeList(Struct, frozen=True, kw_only=True):
    judges: list[JudgeRow]
    models: list[str]
    """What requests may name; the first is used when they name none."""


class CardLine(Struct, frozen=True, kw_only=True):
    model: str
    line: str
    findings: list[tuple[str, str, str]]
    """Probe, ruling and what was found, in words."""
    card: dict[str, Any]
    """As `adjudge certify --json` prints it."""


class UsedIn(Struct, frozen=True, kw_only=True):
    run: str
    key: str
    name: str | None
    model: str | None


class JudgeDetail(Struct, frozen=True, kw_only=True):
    judge: JudgeRow
    described: dict[str, Any]
    """As `adjudge show JUDGE --json` prints it."""
    text: str
    """The judge file."""
    findings: list[Finding]
    cards: list[CardLine]
    runs: list[UsedIn]
    """The latest that used it, twenty at most."""


Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARS)]
CaseBody = Annotated[dict[str, Any], Meta(min_length=1, max_length=200)]


class RenderBody(RequestBody, frozen=True, kw_only=True):
    judge: Name
    case: CaseBody


class JudgeBody(RequestBody, frozen=True, kw_only=True):
    judge: Name
    """The name of a judge, or NAME@HASH, of `GET /api/judges`."""
    model: Name | None = None
    """One of the server's models."""
    case: CaseBody
    """The case's columns: question, response, reference, …"""


class RunBody(RequestBody, frozen=True, kw_only=True):
    judges: Annotated[list[Name], Meta(min_length=1, max_length=20)]
    model: Name | None = None
    cases: Annotated[list[CaseBody], Meta(min_length=1, max_length=MAX_CASES)]
    name: Name | None = None
    repeats: Annotated[int, Meta(ge=1, le=20)] = 1
    jobs: Annotated[int, Meta(ge=1, le=64)] = 16
    max_cost: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    max_calls: Annotated[int, Meta(ge=1)] | None = None


class MessageSent(Struct, frozen=True, kw_only=True):
    step: str
    role: str
    content: str


class Rendered(Struct, frozen=True, kw_only=True):
    judge: str
    judge_hash: str
    messages: list[MessageSent]


class JudgingAnswer(Struct, frozen=True, kw_only=True):
    row: dict[str, Any]
    """As one line of `adjudge run -o rows.jsonl`."""
    messages: list[MessageSent]
    replies: list[str]


class RunBegun(Struct, frozen=True, kw_only=True):
    run: str
    key: str


class Stopped(Struct, frozen=True, kw_only=True):
    stopped: bool
