"""adjudge from Python: judge a file, a list or one case; safe inside a running event loop."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack

from msgspec import structs

from adjudge.analysis.summary.report import Report
from adjudge.dataset import read_cases
from adjudge.documents.rows import result_row
from adjudge.errors import DatasetError, InputError
from adjudge.options import (
    RunKeywords,
    RunOptions,
    Shard,
    called_from_python,
    declared,
    make_options,
)
from adjudge.records import NOTHING, BadRow, Json, Judge, Judgement, ModelClient, ModelFunction, is_vote
from adjudge.runs.against import open_cases
from adjudge.runs.plan import CurrentDate, Pairing, make_plan, reported_date
from adjudge.runs.session import Session, open_session
from adjudge.store import Partial

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
T = TypeVar("T")


def _by_keyword(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The same function, with messages that name its keywords where the command line's name flags."""

    @wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with called_from_python():
            return await function(*args, **kwargs)

    return call


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Run:
    """One plan and its judgements, in the order of the cases, of the judges and of the repeats."""

    name: str
    judges: tuple[Judge, ...]
    judgements: tuple[Judgement, ...]
    current_date: CurrentDate
    partial: Partial | None = None
    """What there is, where the run stopped before it had judged all that was chosen."""
    shard: Shard | None = None
    """With `shard`: the part of the run that this is."""
    kept: bool = True
    """In a store."""
    pairing: Pairing | None = None
    """With `against`: how many cases are in both files, and which are in one only."""
    votes: tuple[Judgement, ...] = ()
    """With a jury: what each of its members said; `judgements` are the jury's."""
    candidate: str | None = None
    """The model that wrote the responses, where that was said."""
    first: int | None = None
    """With `first`: how many rows from the head of the file were judged."""
    repeats: int | None = None
    """How often each case was to be judged; None: as its judgements say."""

    def __repr__(self) -> str:
        partial = "" if self.partial is None else f"{self.partial}, "
        return f"<Run {self.name}: {partial}{len(self.judgements)} judgements>"

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self.judgements)

    def __len__(self) -> int:
        return len(self.judgements)

    def report(self, *, slices: Sequence[str] = ()) -> Report:
        """`slices` are metadata columns to report by."""
        report = Report.of(
            (*self.votes, *self.judgements),
            self.judges,
            slices=slices,
            candidate=self.candidate,
            repeats=self.repeats,
        )
        date = reported_date(self.judges, self.current_date)
        return replace(
            report,
            run=self.name,
            current_date=date,
            partial=self.partial,
            shard=self.shard,
            kept=self.kept,
            pairing=self.pairing,
            first_rows=self.first,
        )

    def rows(self) -> list[dict[str, Json]]:
        """The result rows, as `adjudge run -o rows.jsonl` writes them."""
        return [result_row(judgement, self.name) for judgement in self.judgements]

    def to_pandas(self) -> "pd.DataFrame":
        try:
            import pandas as pd  # noqa: PLC0415 - slow, and not one of our dependencies
        except ImportError:
            raise InputError("to_pandas", "pandas is not installed", "pip install pandas") from None
        return pd.DataFrame(self.rows())


@_by_keyword
async def aevaluate(
    cases: str | Path | Iterable[Mapping[str, Any]] | Any,
    judges: str | Path | Judge | Sequence[str | Path | Judge],
    **options: Unpack[RunKeywords],
) -> Run:
    """Judge every case with every judge.

    `cases` is a file, a list of dicts, a dict of columns or a DataFrame; `judges` are built-in names, judge files or
    loaded judges; `model` is a name, a function of the prompt (text in, text out, sync or async), a `ModelClient`, or a
    list of these; the other keywords are the flags of `adjudge run`.
    """
    listed = [judges] if isinstance(judges, str | Path | Judge) else list(judges)
    plan = make_plan(listed, make_options(**options))
    opened = open_cases(cases, plan)
    plan = opened.plan
    made: list[Judgement] = []
    async with open_session(plan, cases) as session:
        await session.run(opened.rows, made.append, max_held=None)
        made = add_cases(made, session)
        has_jury = session.context.jury is not None
        return Run(
            name=session.run_id,
            judges=plan.judges,
            judgements=tuple(each for each in made if not has_jury or not is_vote(each.model)),
            votes=tuple(each for each in made if has_jury and is_vote(each.model)),
            candidate=plan.options.candidate,
            current_date=session.plan.current_date,
            partial=session.partial,
            shard=session.shard,
            kept=plan.options.store is not None,
            pairing=plan.pairing,
            first=plan.options.first,
            repeats=plan.options.repeat,
        )


@_by_keyword
async def ajudge(
    judge: str | Path | Judge,
    *,
    model: str | ModelClient | ModelFunction | None = None,
    base_url: str | None = None,
    parameters: Mapping[str, Json] = NOTHING,
    temperature: float | None = None,
    store: str | Path | None = None,
    **case: Any,
) -> Judgement:
    """Judge one case, its fields given by name: `ajudge("coverage", question=…, response=…, reference=…)`.

    Nothing is kept unless a `store` is named.
    """
    (row,) = read_cases([case], name="judge")
    if isinstance(row, BadRow):
        raise DatasetError("judge", f"found {row.found}; wanted {row.wanted}", "pass it in another form")
    run = await aevaluate(
        [row],
        judge,
        model=model,
        base_url=base_url,
        parameters=parameters,
        temperature=temperature,
        jobs=1,
        store=store,
    )
    return run.judgements[-1]  # behind those of its parts, where it is a combination


def add_cases(judgements: list[Judgement], session: Session) -> list[Judgement]:
    """With their cases also those that were read back from the store."""
    without = {each.case_id for each in judgements if each.case is None}
    if session.store is None or not without:
        return judgements
    found = {
        case_id: next((entry.case for entry in entries if entry.case is not None), None)
        for case_id, entries in session.store.entries_of(session.run_id, list(without)).items()
    }
    return [
        each if each.case is not None else structs.replace(each, case=found[each.case_id])
        for each in judgements
    ]


def _waited(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function for callers that do not await, named without the `a`.

    Inside a running event loop (a notebook, a web handler) it works in a thread with a loop of its own, so that
    nothing has to be patched.
    """
    parameters, name = signature(function), function.__name__.removeprefix("a")

    @wraps(function)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            bound = parameters.bind(*args, **kwargs)
            make_options(**bound.arguments.get("options", {}))
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(function(*args, **kwargs))
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="adjudge") as thread:
            return thread.submit(asyncio.run, function(*args, **kwargs)).result()

    wait.__name__ = wait.__qualname__ = name
    del wait.__dict__["__wrapped__"]  # with it, errors and `help` would show the function that is awaited
    wait.__signature__ = parameters  # type: ignore[attr-defined]  # what `help` and `inspect.signature` read
    return wait


def with_keywords(found: Signature) -> Signature:
    """`**options` spelled out: the options of a run with their types and defaults."""
    kept = [each for each in found.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    keywords = [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=getattr(RunKeywords.__annotations__[each.name], "__forward_arg__", each.type),
        )
        for each in declared(RunOptions).values()
    ]
    return found.replace(parameters=[*kept, *keywords])


evaluate = _waited(aevaluate)
judge = _waited(ajudge)

for _function in (aevaluate, evaluate):  # what `help` and a notebook's completion read
    setattr(_function, "__signature__", with_keywords(signature(_function)))  # noqa: B010 - not an attribute to mypy
