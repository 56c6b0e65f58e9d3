"""A run under way: its model behind retries and limits, its place in the store, and how it ends."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from adjudge import __version__
from adjudge.dataset.count import count_rows
from adjudge.errors import SettingsError
from adjudge.models import (
    FirstCallClient,
    Governor,
    RetryingClient,
    SharedClient,
    context_tokens,
)
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.models.clients.confidential import ConfidentialClient
from adjudge.models.clients.first import MAX_WAIT_SECONDS
from adjudge.models.clients.pace import Pace
from adjudge.models.prices import list_price
from adjudge.options import Price, RunOptions, Shard, option
from adjudge.records import IN_CODE, BadRow, Case, Json, Judgement, Jury, ModelClient
from adjudge.runs.batch_api.queue import IN_FLIGHT, BatchClient, BatchQueue
from adjudge.runs.budget import (
    ASSUMED_OUTPUT_TOKENS,
    Budget,
    BudgetedClient,
    StoredAccount,
)
from adjudge.runs.cluster.assignment import Assignment
from adjudge.runs.engine.cascade_state import CascadeState
from adjudge.runs.engine.context import RunContext, RunModel, StopSignal
from adjudge.runs.engine.loop import execute
from adjudge.runs.engine.row_order import MAX_HELD
from adjudge.runs.engine.run_store import TRIED_AGAIN, NullRunStore, RunStore
from adjudge.runs.find_model import find_models
from adjudge.runs.given_labels import read_case_labels
from adjudge.runs.identity import ChosenRun, choose_batch_run, choose_run, describe_run, remembered_date
from adjudge.runs.lock import hold_run, watched_lock
from adjudge.runs.plan import TODAY, Plan, named_models
from adjudge.runs.replay import REPLAY, open_replay
from adjudge.runs.reuse import StoredClient
from adjudge.store import BatchRecord, EndRun, KeepJudge, Partial, StartRun, Store, open_store
from adjudge.store.group import GroupCommit
from adjudge.store.records import RunState
from adjudge.store.trust import UnknownStoreError

if TYPE_CHECKING:
    from adjudge.runs.cluster.workers import Workers

"""What `--retry` may name: outcomes whose replies are stored."""
Receiver = Callable[[Judgement], None]
MAX_PROMPT_TOKENS = 1_000_000
"""A limit on money holds at the prices of long prompts too, which are up to twice as high."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One run under way."""

    run_id: str
    plan: Plan
    resumes: bool
    """It was begun before; what it has judged is not judged again."""
    context: RunContext
    limits: "RunLimits"
    store: Store | None
    workers: "Workers | None" = None
    """On a cluster, where the run is judged there."""

    @property
    def shard(self) -> Shard | None:
        """The part of the run that is judged here."""
        return self.context.shard

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(model.client.name for model in self.context.models)

    @property
    def model(self) -> str:
        """The model's name; of several, with commas between them."""
        return ", ".join(self.models)

    @property
    def halted(self) -> str | None:
        """Why it took no further work, where it did."""
        return self.context.stop_signal.why

    @property
    def expected(self) -> int | None:
        """How many judgements were chosen to be made, as far as that is known."""
        return self.context.progress.expected

    @property
    def partial(self) -> Partial | None:
        """What there is of the run when `run` ended early; None when it did not."""
        progress, stop_signal = self.context.progress, self.context.stop_signal
        if progress.complete and not stop_signal.is_unfinished:
            return None
        found = None if self.store is None or self.shard is not None else self.store.find_run(self.run_id)
        if found is None:
            positions = progress.positions
            done = positions.settled_count + positions.skipped - stop_signal.not_asked
            return Partial(done=done, of=progress.expected)
        return Partial(done=found.judgements - found.not_asked, of=progress.expected)

    @property
    def in_flight(self) -> int:
        if self.limits.batch_queue is not None:
            return self.limits.batch_queue.in_flight
        here = sum(governor.in_flight for governor in self.limits.governors)
        return here if self.workers is None else self.workers.in_flight

    @property
    def resumed(self) -> int:
        """How many judgements were there already, as far as the rows have been read."""
        return self.context.progress.positions.skipped

    @property
    def spent(self) -> Decimal:
        """US dollars, as far as known."""
        return self.limits.budget.spent if self.workers is None else self.workers.spent

    @property
    def overrun(self) -> str | None:
        """That a reply cost more than was reserved for it, in words."""
        return self.limits.budget.overrun

    def stop(self, why: str) -> None:
        """Take no further work; what is in flight is finished. Batches go on without us."""
        self.limits.stopper(self.context.stop_signal)(why)

    @property
    def leaves_at_once(self) -> bool:
        """After `stop` nothing is waited for: batches are collected another time."""
        return self.limits.batch_queue is not None

    @property
    def batches(self) -> list[BatchRecord]:
        """Those that the provider has, or may have, and of which something is not collected."""
        if self.limits.batch_queue is None or self.store is None:
            return []
        return [batch for model in self.models for batch in self.store.batches_under_way(self.run_id, model)]

    def cancel(self) -> None:
        """Give up what is in flight, after `stop`."""
        self.context.stop_signal.cancel()

    async def run(
        self,
        cases: Iterable[Case | BadRow],
        take: Receiver,
        *,
        made: Receiver | None = None,
        max_held: int | None = MAX_HELD,
        more_follow: bool = False,
    ) -> None:
        """Judge the cases. `take` gets every judgement in the order of the cases, those from before the run was
        interrupted among them, and at last those that `cases` do not have any more, or did not come to; `made` gets the
        new ones as they are made.

        What had to wait for an earlier case is read back from the store, its calls without their texts, unless
        `max_held` is None. `more_follow`: there will be another call, so what it may come to is left to it.
        """
        jobs = self.context.at_once(self.plan.options.jobs)
        if self.limits.batch_queue is not None:
            jobs = min(IN_FLIGHT, self.expected or IN_FLIGHT)
        chosen = self.plan.select(cases)
        if self.workers is None:
            judged = execute(chosen, self.context, jobs=jobs, max_held=max_held, receive=made)
        else:
            judged = self.workers.execute(chosen, self.context, receive=made)
        async with aclosing(judged) as stream:
            async for judgement in stream:
                take(judgement)
        if self.store is not None and self.resumes and not more_follow:
            for judgement in self.store.judgements(
                self.run_id, first=self.context.progress.positions.planned
            ):
                if self.context.is_here(judgement.case_id):
                    take(judgement)


@asynccontextmanager
async def open_session(
    plan: Plan, source: object, *, environ: Mapping[str, str] = os.environ, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[Session]:
    """Everything a run needs, opened in order and closed in reverse; the run's end is written down however it ends."""
    options = plan.options
    async with AsyncExitStack() as stack:
        stack.enter_context(relaxed_gc())
        store = cluster = None
        if options.engine == "ray":
            from adjudge.runs.cluster.connect import open_cluster  # noqa: PLC0415 - for that engine only

            cluster = await stack.enter_async_context(open_cluster(plan))
        if options.store is not None:
            store = open_store(options.store)
            stack.callback(store.close)
            if not store.trusted:
                raise UnknownStoreError(store.where, store.id)
        if plan.asks_model and named_models(options, environ) == (REPLAY,):
            asked = open_replay(store, source, plan)
        else:
            asked = find_models(plan, environ=environ)
        _close_at_end(asked, options, stack)
        limits = _make_limits(options, models=len(asked), clock=clock)
        described = describe_run(source, plan, models=asked, version=__version__)
        if options.batch and described["identity"] is None and options.name is None:
            raise SettingsError(
                option("--batch"),
                "needs a name by which the run is found again, since its cases are not read from a file",
                f"add {option('--name')}",
            )
        if store is not None and plan.current_date.source == TODAY:
            plan = plan.on(remembered_date(store, described) or plan.current_date)
            described["current_date"] = plan.current_date.day
        context = _with_cascade(_conditions(asked, plan, limits, clock), plan)
        rows = count_chosen(source, plan)
        expected = None if rows is None else rows * len(context.planned_judgements())
        context.progress.expected = expected if options.shard is None else None
        if store is None:
            chosen = choose_run(None, described, name=options.name)
            context = _with_shared_calls(context)
        else:
            chosen, lock = hold_run(store, described, name=options.name, shard=options.shard)
            chosen = replace(chosen, record=structs.replace(chosen.record, expected=expected))
            await stack.enter_async_context(watched_lock(lock, limits.stopper(context.stop_signal)))
            context = await stack.enter_async_context(
                _start_run(context, options, store, chosen, limits=limits)
            )
        workers = None
        if cluster is not None:
            from adjudge.runs.cluster.workers import open_workers  # noqa: PLC0415 - for that engine only

            # by name, also where the environment or nobody named them
            named = replace(options, model=options.model or tuple(client.name for client in asked))
            order = Assignment(chosen=chosen, plan=replace(plan, options=named))
            workers = await stack.enter_async_context(open_workers(cluster, order, rows=rows))
        yield Session(
            run_id=chosen.record.run_id,
            plan=plan,
            resumes=chosen.resumes,
            context=context,
            limits=limits,
            store=store,
            workers=workers,
        )


GC_THRESHOLD = 10_000
"""Objects made and not dropped before cycles are looked for. A run holds some hundred cases, which make none."""


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Look for cycles less often while a run is under way, unless the program has chosen to look even less often.

    At Python's own threshold it takes a seventh of the processor time of a judgement.
    """
    usual = gc.get_threshold()
    if 0 < usual[0] < GC_THRESHOLD:
        gc.set_threshold(GC_THRESHOLD, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class RunLimits(NamedTuple):
    """What holds the requests of a run back."""

    budget: Budget
    pace: Pace
    governors: tuple[Governor, ...]
    """One for each model."""
    batch_queue: BatchQueue | None = None
    """With `--batch`, which sends requests together instead."""

    def stopper(self, stop_signal: StopSignal) -> Callable[[str], None]:
        """How a run ends early: a day may pass before what is in flight in batches is finished."""
        return stop_signal.stop if self.batch_queue is None else self.batch_queue.leave


def _make_limits(options: RunOptions, *, models: int, clock: Clock) -> RunLimits:
    deadline = None if options.deadline is None else clock.now() + options.deadline
    budget = Budget(max_cost=options.max_cost, max_calls=options.max_calls, deadline=deadline, clock=clock)
    pace = Pace(rpm=options.rpm, tpm=options.tpm, clock=clock)
    governor = Governor(jobs=options.jobs, pace=pace, deadline=deadline, clock=clock)
    batch_queue = BatchQueue(budget=budget, clock=clock, detach=options.detach) if options.batch else None
    governors = (governor, *(governor.for_another_model() for _ in range(models - 1)))
    return RunLimits(budget, pace, governors, batch_queue)


def _limit_models(
    asked: Sequence[ModelClient], plan: Plan, limits: RunLimits, clock: Clock
) -> tuple[RunModel, ...]:
    return tuple(
        _limit_model(client, plan, limits, governor, clock)
        for client, governor in zip(asked, limits.governors, strict=True)
    )


def _limit_model(
    client: ModelClient, plan: Plan, limits: RunLimits, governor: Governor, clock: Clock
) -> RunModel:
    """The model behind the run's budget, and retries and limits of its own."""
    options = plan.options
    price = options.price
    if options.max_cost is not None:
        price = price or known_price(client, plan.settings.parameters)
    settings = replace(
        plan.settings,
        context_tokens=context_tokens(client.name, client.base_url),
        max_output_tokens=None if options.max_cost is None else ASSUMED_OUTPUT_TOKENS,
    )
    if price is not None and options.max_cost is not None:
        longest = max(
            (judge.max_output_tokens or ASSUMED_OUTPUT_TOKENS for judge in plan.judges if judge.asks_model),
            default=0,
        )
        limits.budget.reply_cost = max(limits.budget.reply_cost, price.output * longest / 1_000_000)
    is_given = options.price is not None
    sent = client if plan.confidential is None else ConfidentialClient(client, *plan.confidential)
    budgeted = BudgetedClient(sent, limits.budget, price=price, price_is_given=is_given)
    retrying = RetryingClient(budgeted, governor=governor, clock=clock)
    if limits.batch_queue is not None and client.name != IN_CODE:
        batched = BatchClient(
            client, limits.batch_queue, direct=retrying, price=price, price_is_given=is_given
        )
        return RunModel(batched, settings)
    if not client.learns:
        return RunModel(retrying, settings)
    # what the first reply costs is known before the others are sent, where that matters
    max_wait_seconds = MAX_WAIT_SECONDS if options.max_cost is None else None
    return RunModel(FirstCallClient(retrying, max_wait_seconds=max_wait_seconds), settings)


def _close_at_end(asked: Sequence[ModelClient], options: RunOptions, stack: AsyncExitStack) -> None:
    """What was not given to us open."""
    for client in asked:
        if not any(client is given for given in options.model):
            stack.push_async_callback(client.close)


def _conditions(asked: Sequence[ModelClient], plan: Plan, limits: RunLimits, clock: Clock) -> RunContext:
    """Of a run whose place in the store is not opened yet."""
    options = plan.options
    return RunContext(
        judges=plan.judges,
        repeats=options.repeat,
        models=_limit_models(asked, plan, limits, clock),
        run_store=NullRunStore(),
        jury=make_jury(options, [client.name for client in asked]) if plan.asks_model else None,
        labels=read_case_labels(options.labels),
        shard=options.shard,
    )


def _with_cascade(context: RunContext, plan: Plan) -> RunContext:
    """The same with what learns from labels, where a cascade does."""
    jury, labels = context.jury, plan.options.labels
    if jury is not None and jury.rule == "cascade":
        (judge,) = (judge for judge in plan.judges if judge.asks_model)
        cascade = CascadeState(judge, jury)
        cascade.check(context.labels, labels)
        return replace(context, cascade=cascade)
    return context


@asynccontextmanager
async def _start_run(
    context: RunContext, options: RunOptions, store: Store, chosen: ChosenRun, *, limits: RunLimits
) -> AsyncIterator[RunContext]:
    """The same context with a store behind them. A run that does not end well can go on."""
    run, shard = chosen.record, chosen.shard
    part, of_case = (None, None) if shard is None else (shard.number, shard.holds)
    store.write([*(KeepJudge(judge=judge) for judge in context.judges), StartRun(run=run, shard=part)])
    if chosen.resumes:
        # no reply is stored for these, or the person wants another: they are judged again
        again = TRIED_AGAIN | options.retry
        if context.jury is not None:
            # what was made from such votes; a cascade's thresholds, and so its verdicts, depend on every vote
            store.remove_computed(
                run.run_id,
                context.jury.name,
                None if context.cascade is not None else again,
                of_case=of_case,
            )
        store.remove_judgements(run.run_id, again, of_case=of_case)
        # what comes through a pipe may come in another order
        if run.plan.get("identity") is None and shard is None:
            store.displace(run.run_id)
    is_shared = shard is not None or options.engine != "local"
    async with _attach_store(context, options, store, chosen, limits=limits, is_shared=is_shared) as kept:
        state: RunState = "interrupted"
        try:
            yield kept
            if not kept.stop_signal.is_unfinished and kept.progress.complete:
                state = "finished"
            elif kept.stop_signal.why is None and kept.stop_signal.not_asked:
                state = "limit_reached"
        finally:
            ended = EndRun(
                run_id=run.run_id,
                state=state,
                at=datetime.now(UTC),
                expected=kept.progress.expected,
                shard=part,
            )
            assert isinstance(kept.run_store, RunStore)
            await kept.run_store.write(ended)


@asynccontextmanager
async def _attach_store(
    context: RunContext,
    options: RunOptions,
    store: Store,
    chosen: ChosenRun,
    *,
    limits: RunLimits,
    is_shared: bool,
) -> AsyncIterator[RunContext]:
    """The same context with replies and judgements kept, and limits counted, in the store of a run that has begun."""
    run = chosen.record
    async with AsyncExitStack() as stack:
        group = GroupCommit(store)
        stack.push_async_callback(group.close)
        account = StoredAccount(store, group, run.run_id, is_shared=is_shared)
        limits.budget.account = limits.pace.account = account
        stack.callback(limits.budget.give_back)
        batch_queue = limits.batch_queue
        if batch_queue is not None:
            await batch_queue.open(store, group, run.run_id, context.progress, context.stop_signal)
            stack.push_async_callback(batch_queue.close)
        # what is in a batch can be collected again after a crash
        room = asyncio.Semaphore(options.jobs if batch_queue is None else IN_FLIGHT)
        clients = [
            StoredClient(
                asked,
                group,
                # what a function said is for the run that asked it, also when its id is used again after `runs rm`
                scope=f"{run.run_id} {run.started_at.isoformat()}" if asked.within_run else None,
                fresh_since=run.started_at if options.fresh else None,
                room=room,
                activity=context.progress.activity,
            )
            for asked, _ in context.models
        ]
        run_store = RunStore(group, chosen, clients, fresh=options.fresh, retry=options.retry)
        models = tuple(
            model._replace(client=client) for model, client in zip(context.models, clients, strict=True)
        )
        yield replace(context, models=models, run_store=run_store)


class JoinedRun(NamedTuple):
    context: RunContext
    limits: RunLimits


@asynccontextmanager
async def join_session(
    order: Assignment, *, environ: Mapping[str, str] = os.environ, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[JoinedRun]:
    """For a process that judges blocks of a run which another drives: what that one has begun, it neither begins nor ends."""
    assert order.plan.options.store is not None
    with closing(open_store(order.plan.options.store, create=False)) as store:
        chosen = replace(order.chosen, resumes=True)
        # there is a worker for each core
        async with _join_run(
            order.plan, store, lambda _: chosen, environ=environ, clock=clock, cores=1
        ) as joined:
            yield joined


@asynccontextmanager
async def join_frames(
    plan: Plan, *, environ: Mapping[str, str] = os.environ, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[JoinedRun]:
    """For a process that judges batches of a run which nobody drives: it is begun by whoever comes first."""
    options = plan.options
    if options.store is None:
        async with _join_run(plan, None, None, environ=environ, clock=clock) as joined:
            yield joined
        return
    with closing(open_store(options.store)) as store:
        if not store.trusted:
            raise UnknownStoreError(store.where, store.id)

        def choose(asked: Sequence[ModelClient]) -> ChosenRun:
            if options.name is None and any(client.within_run for client in asked):
                raise SettingsError(
                    option("--model"),
                    "is a function, and nothing tells whether it is still the same as when its replies were stored",
                    f"give the run a {option('--name')} and another one when the function changes, set "
                    f"`adjudge_version` on the function, or keep nothing with {option('--store', 'None')}",
                )
            described = describe_run(None, plan, models=asked, version=__version__)
            chosen = choose_batch_run(store, described, name=options.name)
            store.write([KeepJudge(judge=judge) for judge in plan.judges])
            return chosen

        async with _join_run(plan, store, choose, environ=environ, clock=clock) as joined:
            yield joined


@asynccontextmanager
async def _join_run(
    plan: Plan,
    store: Store | None,
    choose: Callable[[Sequence[ModelClient]], ChosenRun] | None,
    *,
    environ: Mapping[str, str],
    clock: Clock,
    cores: int | None = None,
) -> AsyncIterator[JoinedRun]:
    """The models of a run behind its limits, and its place in the store, where there is one."""
    options = plan.options
    async with AsyncExitStack() as stack:
        asked = find_models(plan, environ=environ, cores=cores)
        _close_at_end(asked, options, stack)
        limits = _make_limits(options, models=len(asked), clock=clock)
        context = _conditions(asked, plan, limits, clock)
        if store is None or choose is None:
            yield JoinedRun(_with_shared_calls(context), limits)
            return
        kept = await stack.enter_async_context(
            _attach_store(context, options, store, choose(asked), limits=limits, is_shared=True)
        )
        yield JoinedRun(kept, limits)


def _with_shared_calls(context: RunContext) -> RunContext:
    """Without a store, what several judgements need alike is asked for once."""
    shared = (model._replace(client=SharedClient(model.client)) for model in context.models)
    return replace(context, models=tuple(shared))


def make_jury(options: RunOptions, models: Sequence[str]) -> Jury | None:
    if options.cascade:
        return Jury(rule="cascade", models=tuple(models), quorum=1, agree=options.agree)
    if options.jury is None:
        return None
    quorum = len(models) // 2 + 1 if options.quorum is None else options.quorum
    if not 1 <= quorum <= len(models):
        raise SettingsError(
            option("--quorum"),
            f"{quorum} votes are more than there are models ({len(models)})",
            f"choose 1 to {len(models)}",
        )
    return Jury(rule=options.jury, models=tuple(models), quorum=quorum)


def count_chosen(source: object, plan: Plan) -> int | None:
    """How many cases are to be judged, where they can be counted without being read."""
    rows = count_rows(source) if plan.pairing is None else plan.pairing.rows
    options = plan.options
    if rows is None or options.turns == "each":
        return None
    chosen = [limit for limit in (rows, options.first, options.sample) if limit is not None]
    return min(chosen)


def known_price(
    client: ModelClient, parameters: Mapping[str, Json], *, prompt_tokens: int = MAX_PROMPT_TOKENS
) -> Price:
    """The price list's, for the provider's own service; a limit on money needs one. Some services have prices for long
    prompts, for short ones, and for what a parameter asks for.
    """
    if client.is_free:
        return Price(input=Decimal(0), output=Decimal(0))
    provider, _, model = client.name.partition(":")
    price = list_price(provider, model, parameters, prompt_tokens=prompt_tokens) if model else None
    if price is None:
        raise SettingsError(
            option("--max-cost"),
            f"the price of {client.name} is not known",
            f"give it with {option('--price')} in US dollars per million input and output tokens, or limit calls with {option('--max-calls')}",
        )
    return Price(input=price.input * 1_000_000, output=price.output * 1_000_000)
