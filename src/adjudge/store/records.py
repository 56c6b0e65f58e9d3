"""What goes into a store and what comes out, beside the pipeline's own records."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, TypeVar

from msgspec import Struct, ValidationError, convert

from adjudge.rates import News
from adjudge.records import BadRow, Case, Completion, Json, Judge, Judgement, Request

UNPLACED = 1 << 40
"""Positions from here on are of judgements whose place among the rows of their run is not known (yet)."""

T = TypeVar("T")
RunState = Literal["running", "finished", "interrupted", "limit_reached"]
"""`limit_reached`: what --max-cost, --max-calls or --deadline did not allow was not asked."""


class Driver(Struct, frozen=True, kw_only=True):
    """The process that judges a run."""

    host: str
    pid: int
    since: datetime


class ShardRecord(Struct, frozen=True, kw_only=True):
    """A part of a run that a process judges, or has judged."""

    number: int
    state: RunState
    driver: Driver | None
    expected: int | None
    """How many judgements it has, when it is known."""


class RunRecord(Struct, frozen=True, kw_only=True):
    """One plan, and how far it came."""

    run_id: str
    name: str | None
    state: RunState
    plan: Mapping[str, Json]
    started_at: datetime
    finished_at: datetime | None = None
    driver: Driver | None = None
    """The last one there was; whether it still drives the run, only the run's lock tells."""
    expected: int | None = None
    """How many judgements were chosen to be made; None while nobody has read or counted all the cases."""
    judgements: int = 0
    """How many are stored; counted when read, ignored when written."""
    not_asked: int = 0
    """Of these, those that a limit or a deadline left unasked; counted only while the run is unfinished."""

    @property
    def partial(self) -> "Partial | None":
        """None when it holds all that was chosen."""
        done = self.judgements - self.not_asked
        whole = self.state == "finished" or (self.expected is not None and done >= self.expected)
        return None if whole else Partial(done=done, of=self.expected)

    def planned(self, name: str, kind: type[T]) -> T | None:
        """A record that the plan holds; None where it holds none of that kind."""
        try:
            return convert(self.plan.get(name), kind)
        except ValidationError:
            return None


class Partial(Struct, frozen=True, kw_only=True):
    """A run that holds fewer judgements than were chosen: interrupted, stopped or still under way."""

    done: int
    of: int | None
    """None where the cases came through a pipe and were not read to their end."""

    def __str__(self) -> str:
        return f"PARTIAL {self.done:,} of {'unknown' if self.of is None else f'{self.of:,}'}"


def planned_shards(plan: Mapping[str, Json]) -> int | None:
    """In how many parts a run is judged; None: in one."""
    found = plan.get("shards")
    return found if isinstance(found, int) else None


def planned_judges(plan: Mapping[str, Json]) -> list[str]:
    """The judges of a run's plan, each as `name@hash`; none where the plan names none."""
    named = plan.get("judges")
    return [str(each) for each in named] if isinstance(named, list) else []


class PlannedModel(NamedTuple):
    name: str
    base_url: str | None


def planned_models(plan: Mapping[str, Json]) -> list[PlannedModel]:
    """The models of a run's plan, in the order in which they were named; none where the plan names none."""
    names, urls = plan.get("model"), plan.get("base_url")
    if not isinstance(names, list):
        return [] if not names else [PlannedModel(str(names), urls if isinstance(urls, str) else None)]
    known = urls if isinstance(urls, list) else [None] * len(names)
    return [
        PlannedModel(str(name), url if isinstance(url, str) else None)
        for name, url in zip(names, known, strict=False)
    ]


def model_names(plan: Mapping[str, Json]) -> list[str]:
    return [model.name for model in planned_models(plan)]


def has_jury(plan: Mapping[str, Json]) -> bool:
    """Whether a run's verdicts are those of a jury, made from its models' votes."""
    return isinstance(plan.get("jury"), dict)


class StoredCompletion(Struct, frozen=True, kw_only=True):
    key: str
    version: int
    completion: Completion
    """`from_store` is set, and `key` and `version`."""
    at: datetime


class Entry(Struct, frozen=True, kw_only=True):
    """A stored judgement, its place in the order of all, and what was judged."""

    number: int
    judgement: Judgement
    case: Case | None
    """None for a row that could not be read as a case."""


class JudgementKey(NamedTuple):
    """What tells the judgements of a run apart."""

    case_id: str
    judge: str
    model: str
    repeat: int


class RunMark(NamedTuple):
    """Which judgements of a run have been read: other values when one of them was replaced, or came in late."""

    judgements: int = 0
    last: int = 0
    """The highest number."""
    latest: datetime | None = None

    def extend(self, number: int, at: datetime) -> "RunMark":
        return RunMark(
            self.judgements + 1,
            max(self.last, number),
            at if self.latest is None or at > self.latest else self.latest,
        )


class ListedJudgement(Struct, frozen=True, kw_only=True):
    """A stored judgement as far as lists are sorted, filtered and searched by it."""

    number: int
    at: datetime
    case_id: str
    judge: str
    judge_hash: str
    model: str
    repeat: int
    outcome: str
    score: float | None
    passed: bool | None
    probability: float | None
    cost: float | None
    latency_ms: float
    reason: str
    """Why it was scored so, or why it could not be judged."""
    notes: Sequence[str]
    metadata: Mapping[str, Json]
    label: Json
    columns: Mapping[str, Json]
    """The case's; empty where they were not asked for."""


class JudgementLine(Struct, frozen=True, kw_only=True):
    """One judgement of a case, in whatever run, as far as a list shows it."""

    run_id: str
    judge: str
    judge_hash: str
    model: str
    repeat: int
    outcome: str
    score: float | None
    passed: bool | None
    case_hash: str | None
    """Equal ones are of the same case as it stands, answer and all; None for a row that could not be read."""
    at: datetime


class KeepCompletion(Struct, frozen=True, kw_only=True):
    key: str
    version: int
    request: Request
    completion: Completion
    model: str
    base_url: str | None
    at: datetime


class KeepJudgement(Struct, frozen=True, kw_only=True):
    run_id: str
    judgement: Judgement
    case: Case | BadRow
    calls: tuple[tuple[str, int], ...]
    """(key, version) of the completion behind each of the judgement's calls, in the same order."""
    reuse_key: str | None
    position: int = UNPLACED
    """Its place among the rows of its run: in the order of the cases, of the judges, of the models, of the repeats."""
    replaces: frozenset[str] | None = None
    """Outcomes of an earlier judgement whose place it takes; it also takes that of one whose case was another text.
    None: the first one made counts."""


class PlaceJudgement(Struct, frozen=True, kw_only=True):
    """A stored judgement stands elsewhere in the rows of its run than it did when it was made."""

    run_id: str
    key: JudgementKey
    position: int


class KeepJudge(Struct, frozen=True, kw_only=True):
    judge: Judge


class StartRun(Struct, frozen=True, kw_only=True):
    """A run that is there already goes on: its state and driver are set, its plan and start stay."""

    run: RunRecord
    shard: int | None = None
    """The part of it whose driver that is."""


class EndRun(Struct, frozen=True, kw_only=True):
    run_id: str
    state: RunState
    at: datetime
    expected: int | None = None
    """None leaves what is known of it as it is."""
    shard: int | None = None
    """The part of it that ended so. The run is finished when all its parts are."""


class Spending(NamedTuple):
    """Requests that may have been billed, and what they cost or at most cost."""

    calls: int = 0
    nanodollars: int = 0

    def plus(self, other: "Spending") -> "Spending":
        return Spending(self.calls + other.calls, self.nanodollars + other.nanodollars)

    def minus(self, other: "Spending") -> "Spending":
        return Spending(self.calls - other.calls, self.nanodollars - other.nanodollars)


class AddSpending(Struct, frozen=True, kw_only=True):
    """To what the run has spent; less than nothing gives back what was drawn and not used."""

    run_id: str
    spent: Spending


class Process(NamedTuple):
    """One of those that work on a run."""

    run_id: str
    token: str
    """Random, to tell it from the others."""
    asked_at: float = 0.0
    """When it last asked what they have met, on the store's clock."""


class TellNews(Struct, frozen=True, kw_only=True):
    """To the other processes of the run."""

    process: Process
    news: News


class BatchContent(Struct, frozen=True, kw_only=True):
    """What a batch consists of."""

    keys: tuple[str, ...]
    """What the reply to each of its requests will be stored under."""
    drawn: tuple[Spending, ...]
    """What was set aside for each, of limits of the run."""
    adjustments: Mapping[str, object]
    """How its requests differ from what we would have liked to send."""


class BatchRecord(Struct, frozen=True, kw_only=True):
    """Requests of a run that were handed to a provider as one, or are about to be."""

    batch_id: str
    """Ours, which goes along with it."""
    run_id: str
    model: str
    provider_id: str | None = None
    """None: nobody knows whether it was sent."""
    content: BatchContent
    at: datetime
    collected: frozenset[str] = frozenset()
    """Keys whose replies were stored since; looked up when read, ignored when written."""


class CloseBatch(Struct, frozen=True, kw_only=True):
    """Everything that came of it is stored."""

    batch_id: str


class KeptLabel(Struct, frozen=True, kw_only=True):
    """What one person said of a case, as the judge's verdict on it would be written."""

    case_id: str
    judge: str
    label: bool | float | None
    """Whether it passes, or its score on the judge's scale; None where only some of its parts are labelled."""
    run_id: str
    """The run in which it was given."""
    annotator: str = ""
    """Empty when nobody is named."""
    explanation: str | None = None
    draw: int | None = None
    """The draw of that run in which the case was chosen for labelling; None when nothing chose it that we know of."""
    probability: float | None = None
    """The chance with which it had been drawn when the label was given."""
    tuning: bool = False
    """Whether the judge was tuned on it, so that it says nothing about how the judge does elsewhere."""
    seen_verdict: bool = False
    """Whether it was given after seeing what the judge said: kept apart, and in no figure of agreement."""
    parts: Mapping[str, bool | float] | None = None
    """By criterion of a rubric, whether it is met; or by rating."""
    at: datetime


Write = (
    KeepCompletion
    | KeepJudgement
    | PlaceJudgement
    | KeepJudge
    | StartRun
    | EndRun
    | AddSpending
    | TellNews
    | CloseBatch
)
