"""What the judgements of a run are made under: its models, its judges, what stops it, and how far it is."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from adjudge.labels.case_labels import CaseLabels
from adjudge.options import Shard
from adjudge.procedures.procedure import RequestSettings
from adjudge.records import (
    IN_CODE,
    BadRow,
    Case,
    CombineScore,
    Judge,
    Judgement,
    Jury,
    ModelClient,
)
from adjudge.runs.batch_api.activity import Activity
from adjudge.runs.engine.cascade_state import CascadeState
from adjudge.runs.engine.row_order import RowPositions
from adjudge.runs.engine.run_store import NullRunStore, RunStore


class RunModel(NamedTuple):
    """One of the models of a run, and how requests are made to it."""

    client: ModelClient
    settings: RequestSettings


class PlannedJudgement(NamedTuple):
    """One of the judgements that are made of every row."""

    judge: Judge
    model: RunModel
    repeat: int
    jury: Jury | None = None
    """Whose votes it is made from, instead of a model's reply."""

    @property
    def model_name(self) -> str:
        """Whose judgement it is: the model's, where its score can depend on one."""
        if self.jury is not None:
            return self.jury.name
        return self.model.client.name if self.judge.asks_model else IN_CODE

    @property
    def is_computed(self) -> bool:
        """From other judgements of the row."""
        return self.jury is not None or isinstance(self.judge.score, CombineScore)

    def votes(self) -> tuple["PlannedName", ...]:
        models = () if self.jury is None else self.jury.models
        return tuple(PlannedName(self.judge.name, model, self.repeat) for model in models)

    def of_model(self, model: str, repeat: int) -> "PlannedName":
        return PlannedName(self.judge.name, model, repeat)

    def of(self, part: Judge) -> "PlannedJudgement":
        """Where a part of a combination is judged for it."""
        return self._replace(judge=part)

    @property
    def name(self) -> "PlannedName":
        return PlannedName(self.judge.name, self.model_name, self.repeat)


class PlannedName(NamedTuple):
    judge: str
    model: str
    repeat: int


RowResults: TypeAlias = dict[PlannedName, asyncio.Future[Judgement | None]]
"""The judgements of one row, for those that depend on others; None for one that is not needed."""


class WorkItem(NamedTuple):
    """One judgement to be made."""

    row: Case | BadRow
    planned: PlannedJudgement
    position: int
    made: RowResults | None = None
    """None where no judgement depends on another."""

    @property
    def _future(self) -> "asyncio.Future[Judgement | None] | None":
        future = None if self.made is None else self.made.get(self.planned.name)
        return None if future is None or future.done() else future

    def settle(self, judgement: Judgement | None) -> None:
        """Let those know that wait for it; None: it is not needed."""
        if (future := self._future) is not None:
            future.set_result(judgement)

    def give_up(self) -> None:
        """It will not come."""
        if (future := self._future) is not None:
            future.cancel()


@dataclass(kw_only=True, slots=True)
class StopSignal:
    """Why a run takes no further work. What is in flight is finished, unless it is cancelled."""

    why: str | None = None
    tasks: Collection[asyncio.Task[Any]] = ()
    """Those that judge."""
    defect: Exception | None = None
    """An error that nobody foresaw: raised when what is in flight is finished."""

    unreachable: set[str] = field(default_factory=set)
    """Models that are not asked any more, because everything fails; a run of several goes on with the others."""

    not_asked: int = 0
    """Left unasked because of a limit: another time, or with another limit, the run goes on."""

    on_stop: Callable[[str], None] | None = None
    """Who else is to take no further work, and is told why."""

    @property
    def is_unfinished(self) -> bool:
        return self.why is not None or self.not_asked > 0

    def stop(self, why: str) -> None:
        if self.why is None:
            self.why = why
            if self.on_stop is not None:
                self.on_stop(why)

    def fail(self, error: Exception) -> None:
        self.stop(f"an unexpected error: {type(error).__name__}")
        self.defect = self.defect or error

    def cancel(self) -> None:
        """Give up what is in flight, after `stop`."""
        for task in self.tasks:
            task.cancel()


@dataclass(kw_only=True, slots=True)
class Progress:
    begun: bool = False
    """Something has been judged: a fault of the whole file stops a run only before that."""
    complete: bool = True
    """Everything that was to be judged is."""
    positions: RowPositions = field(default_factory=RowPositions)
    expected: int | None = None
    """How many judgements were chosen to be made: counted beforehand, or known when all cases are read."""
    activity: Activity = field(default_factory=Activity)
    judging: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the last of those that were being judged is."""

    def begin(self) -> None:
        self.judging += 1
        self.idle.clear()

    def end(self) -> None:
        self.judging -= 1
        if not self.judging:
            self.idle.set()


@dataclass(frozen=True, kw_only=True, slots=True)
class RunContext:
    """What every judgement of a run is made under."""

    judges: tuple[Judge, ...]
    repeats: int
    models: tuple[RunModel, ...]
    """At least one; for a run of checks in code one that is never asked."""
    run_store: RunStore | NullRunStore
    progress: Progress = field(default_factory=Progress)
    stop_signal: StopSignal = field(default_factory=StopSignal)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    jury: Jury | None = None
    """One more judgement of each case and judge, from those of the models."""
    labels: Mapping[str, CaseLabels] | None = None
    """By case, instead of the cases' own."""
    cascade: CascadeState | None = None
    """From when each model decides, where `jury` is a cascade."""
    shard: Shard | None = None
    """The part of the cases that is judged here; the others take their positions."""

    @property
    def mapped(self) -> Collection[str]:
        """The columns that the person's `--columns` name."""
        return self.models[0].settings.bindings.maps.values()

    def at_once(self, jobs: int) -> int:
        """How many judgements may be under way so that as many calls as `jobs` are in flight."""
        planned_judgements = self.planned_judgements()
        asked = sum(not planned.is_computed for planned in planned_judgements)
        return (
            jobs * len(planned_judgements) // (asked or len(planned_judgements))
        )  # the others wait for these, and ask nobody

    def is_here(self, case_id: str) -> bool:
        return self.shard is None or self.shard.holds(case_id)

    def waits(self, planned: PlannedJudgement, row: Case | BadRow) -> bool:
        """Whether it can be made only when the others of the run are: a cascade's thresholds are learned from them."""
        if self.cascade is None:
            return False
        return planned.judge.asks_model and (
            planned.jury is not None or (self.stage(planned) > 0 and not self.calibrates(row))
        )

    def stage(self, planned: PlannedJudgement) -> int:
        """Of a cascade, from 0."""
        return 0 if self.jury is None else self.jury.models.index(planned.model_name)

    def calibrates(self, row: Case | BadRow) -> bool:
        """Whether people labelled it: every stage of a cascade is then asked, and it is no decision of its."""
        if self.cascade is None or isinstance(row, BadRow):
            return False
        return bool(self.cascade.people(row.case_id, *self.case_labels(row)))

    def learn(self, judgement: Judgement) -> None:
        if self.cascade is not None:
            self.cascade.add(judgement)

    def planned_judgements(self) -> tuple[PlannedJudgement, ...]:
        """What is made of every row, in the order of the judges, of the models, of the repeats; a jury's behind its
        votes. Code judges once.
        """
        found: list[PlannedJudgement] = []
        repeats = range(self.repeats)
        for judge in self.judges:
            models = self.models if judge.asks_model else self.models[:1]
            found += (PlannedJudgement(judge, model, repeat) for model in models for repeat in repeats)
            if self.jury is not None and judge.asks_model:
                own = range(1) if self.cascade is not None else repeats
                found += (PlannedJudgement(judge, models[0], repeat, self.jury) for repeat in own)
        return tuple(found)

    def case_labels(self, case: Case) -> CaseLabels:
        given = None if self.labels is None else self.labels.get(case.case_id)
        return given or CaseLabels(case.fields.get("label"), case.fields.get("annotators"))

    def lose(self, model: str, why: str) -> None:
        """Everything that is asked of it fails. With the last of the models the run ends."""
        self.stop_signal.unreachable.add(model)
        if len(self.stop_signal.unreachable) == len(self.models):
            self.stop_signal.stop(why)
