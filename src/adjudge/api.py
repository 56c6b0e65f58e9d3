"""adjudge from Python: judge a file, a list or one case; safe inside a running event loop."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from adjudge.dataset import read_cases
from adjudge.errors import InputError, ModelNameError
from adjudge.models import known_providers, open_model
from adjudge.models.share import SharedClient
from adjudge.records import NOTHING, Json, Judge, Judgement, ModelClient
from adjudge.reports.report import Report
from adjudge.reports.rows import result_row
from adjudge.runs.plan import CurrentDate, make_plan, name_run, told_date

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Run:
    """One plan and its judgements, in the order in which they were made."""

    name: str
    judges: tuple[Judge, ...]
    judgements: tuple[Judgement, ...]
    current_date: CurrentDate

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self.judgements)} judgements>"

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self.judgements)

    def __len__(self) -> int:
        return len(self.judgements)

    def report(self) -> Report:
        return Report.of(self.judgements, self.judges, current_date=told_date(self.judges, self.current_date))

    def rows(self) -> list[dict[str, Json]]:
        """The result rows, as `adjudge run -o rows.jsonl` writes them."""
        return [result_row(judgement, self.name) for judgement in self.judgements]

    def to_pandas(self) -> "pd.DataFrame":
        try:
            import pandas as pd  # noqa: PLC0415 - slow, and not one of our dependencies
        except ImportError:
            raise InputError("to_pandas", "pandas is not installed", "pip install pandas") from None
        return pd.DataFrame(self.rows())


async def aevaluate(
    cases: str | Path | Iterable[Mapping[str, Any]] | Any,
    judges: str | Path | Judge | Sequence[str | Path | Judge],
    *,
    model: str | ModelClient | None = None,
    base_url: str | None = None,
    name: str | None = None,
    map: Mapping[str, str] = NOTHING,  # type: ignore[assignment]  # noqa: A002 - the command line's word for it
    set: Mapping[str, str] = NOTHING,  # type: ignore[assignment]  # noqa: A002 - likewise
    passes: str | None = None,
    temperature: float | None = None,
    max_output_tokens: int | None = None,
    parameters: Mapping[str, Json] = NOTHING,
    repeat: int = 1,
    jobs: int = 64,
    first: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    strict: bool = False,
) -> Run:
    """Judge every case with every judge.

    `cases` is a file, a list of dicts or a DataFrame; `judges` are built-in names, judge files or loaded judges; the
    other arguments are the flags of `adjudge run`.
    """
    some = [judges] if isinstance(judges, str | Path | Judge) else list(judges)
    plan = make_plan(
        some,
        maps=map,
        sets=set,
        passes=passes,
        temperature=temperature,
        max_output_tokens=max_output_tokens,
        parameters=parameters,
        repeats=repeat,
        jobs=jobs,
        first=first,
        sample=sample,
        seed=seed,
    )
    rows = read_cases(cases, maps=map, strict=strict)
    client = find_model(model, plan.judges, base_url=base_url, jobs=jobs)
    try:
        run = name_run(cases, plan, name=name, model=client.name, base_url=base_url)
        async with aclosing(plan.judge(rows, client)) as stream:
            judgements = [judgement async for judgement in stream]
    finally:
        if client is not model:
            await client.close()
    return Run(name=run, judges=plan.judges, judgements=tuple(judgements), current_date=plan.current_date)


async def ajudge(
    judge: str | Path | Judge,
    *,
    model: str | ModelClient | None = None,
    base_url: str | None = None,
    parameters: Mapping[str, Json] = NOTHING,
    temperature: float | None = None,
    **case: Any,
) -> Judgement:
    """Judge one case, its fields given by name: `ajudge("coverage", question=…, response=…, reference=…)`."""
    run = await aevaluate(
        [case],
        judge,
        model=model,
        base_url=base_url,
        parameters=parameters,
        temperature=temperature,
        jobs=1,
        strict=True,
    )
    return run.judgements[0]


def _waited(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function for callers that do not await.

    Inside a running event loop (a notebook, a web handler) it works in a thread with a loop of its own, so that
    nothing has to be patched.
    """

    @wraps(function)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(function(*args, **kwargs))
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="adjudge") as thread:
            return thread.submit(asyncio.run, function(*args, **kwargs)).result()

    return wait


evaluate = _waited(aevaluate)
judge = _waited(ajudge)


def find_model(
    model: str | ModelClient | None,
    judges: Sequence[Judge],
    *,
    base_url: str | None,
    jobs: int,
    environ: Mapping[str, str] = os.environ,
) -> ModelClient:
    """The model that was named. A key in the environment never chooses one by itself."""
    if model is None:
        model = environ.get("ADJUDGE_MODEL") or None
    if model is None:
        raise ModelNameError("model", "none was named", _what_can_be_used(judges, environ))
    if not isinstance(model, str):
        return model
    if model in {"embedded", "replay"}:
        raise ModelNameError(
            f"model {model}", "is not part of this version yet", _what_can_be_used(judges, environ)
        )
    return SharedClient(open_model(model, base_url=base_url, environ=environ, connections=jobs))


def _what_can_be_used(judges: Sequence[Judge], environ: Mapping[str, str]) -> str:
    ready = [
        provider.example
        for provider in known_providers(environ)
        if provider.key_variables and provider.key_set
    ]
    keyed = f"; keys are set for {', '.join(ready)}" if ready else ""
    small = (
        " (the embedded judge, which needs no key, is not part of this version yet)"
        if all(judge.built_in for judge in judges)
        else ""
    )
    return (
        "name one with --model or ADJUDGE_MODEL, such as `openai:gpt-…`, `anthropic:claude-…`, `google:gemini-…`, a local "
        f"server with `--model openai:NAME --base-url URL`, or `scripted:FILE`; `adjudge models` lists them{keyed}{small}"
    )
