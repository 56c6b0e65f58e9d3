"""What the API says about judges, and what it takes to ask one."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from adjudge.server.shapes import ApiRecord

LONGEST_NAME = 200
MOST_CASES = 20_000


class JudgeRow(ApiRecord):
    name: str
    hash: str
    key: str = Field(description="The judge in an address: `/api/judges/{key}`.")
    origin: Literal["built-in", "file", "used"] = Field(
        description="`built-in`; `file`: given when the server was started; `used`: known from stored runs, cannot be asked."
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


class Asked(BaseModel):
    """What a request says; a name that is not known here is refused, so nothing is silently ignored."""

    model_config = ConfigDict(extra="forbid")


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
CaseBody = Annotated[dict[str, JsonValue], Field(min_length=1, max_length=200)]


class Rendering(Asked):
    judge: Name
    case: CaseBody


class Judging(Asked):
    judge: Name = Field(description="The name of a judge, or NAME@HASH, of `GET /api/judges`.")
    model: Name | None = Field(default=None, description="One of the server's models.")
    case: CaseBody = Field(description="The case's columns: question, response, reference, …")


class RunWanted(Asked):
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


class Judged(ApiRecord):
    row: dict[str, Any] = Field(description="As one line of `adjudge run -o rows.jsonl`.")
    messages: list[MessageSent]
    replies: list[str]


class RunBegun(ApiRecord):
    run: str
    key: str


class Stopped(ApiRecord):
    stopped: bool
