"""`BatchJudge`: judges as a function from batch to batch, for engines that bring their own workers."""

import copyreg
import io
import os
import pickle
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self, TypeVar, Unpack

from adjudge.dataset.frames import ColumnType, add_columns, read_batch, validate_new_columns
from adjudge.errors import SettingsError
from adjudge.labels.case_labels import OWN_LABELS
from adjudge.options import RunKeywords, RunOptions, called_from_python, option
from adjudge.options.exclusions import BATCH_JUDGE, validate_run_options
from adjudge.options.keywords import read_keywords
from adjudge.records import Failed, Forced, Judge, Judgement
from adjudge.runs.cluster.connect import validate_secrets
from adjudge.runs.cluster.workers import by_absolute_path
from adjudge.runs.find_model import default_model
from adjudge.runs.frames import Answer, BatchRunner, NotAsked, column_keys, validate_models
from adjudge.runs.plan import Plan, make_plan, named_models
from adjudge.store.places import holds_secret, is_url

Batch = TypeVar("Batch")
Value = float | bool | str | None
TYPES: Mapping[str, ColumnType] = {
    "score": "double",
    "passed": "boolean",
    "outcome": "string",
    "reason": "string",
    "error": "string",
}


class BatchJudge:
    """Judges batches: a dict of columns, a pandas or polars frame or an Arrow table in, the same with columns added out.

    `judges` and the keywords are those of `evaluate`. It can be pickled; in each process the first batch opens the store
    and the model, and the later ones use them. All batches of the same judges, model and options, or of one `name`, are
    one run in the store, whichever process judges them: nothing is paid for twice, and its limits hold over all of them.
    """

    def __init__(
        self, judges: str | Path | Judge | Sequence[str | Path | Judge], **options: Unpack[RunKeywords]
    ) -> None:
        listed = [judges] if isinstance(judges, str | Path | Judge) else list(judges)
        with called_from_python():
            try:
                made = read_keywords(**options)
            except TypeError as error:
                raise TypeError(f"BatchJudge() {error}") from None
            validate_run_options(made, BATCH_JUDGE)
            validate_models(made)
            self._plan = _with_model(make_plan(listed, _by_absolute_path(made)))
        self._start()

    def _start(self) -> None:
        self._runner: BatchRunner | None = None
        self._opening = threading.Lock()
        repeats = self._plan.options.repeat
        self._names = {
            key: {
                part: f"{key.judge}_{part}" + (f"_{key.repeat + 1}" if repeats > 1 else "") for part in TYPES
            }
            for key in column_keys(self._plan)
        }

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns that are added, with their types as Spark and Arrow call them."""
        return {name: TYPES[part] for names in self._names.values() for part, name in names.items()}

    def __call__(self, batch: Batch) -> Batch:
        """The batch with the judgements of its rows, in their order."""
        with called_from_python():
            options = self._plan.options
            validate_new_columns(batch, self.columns)
            rows = read_batch(batch, maps=options.columns, strict=options.strict)
            answers = self._open().judge(rows) if rows else []
        values: dict[str, list[Value]] = {name: [] for name in self.columns}
        for row in answers:
            for key, answer in row.items():
                for part, value in _parts(answer).items():
                    values[self._names[key][part]].append(value)
        return add_columns(batch, self.columns, values)

    def close(self) -> None:
        """Close the store and the model in this process; another batch opens them again."""
        if self._runner is not None:
            self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        judges = ", ".join(judge.name for judge in self._plan.named)
        models = ", ".join(map(_name, self._plan.options.model))
        return f"<BatchJudge {judges}{f' by {models}' if models else ''}>"

    def __getstate__(self) -> dict[str, object]:
        with called_from_python():
            validate_secrets(self._plan)
            store = str(self._plan.options.store)
            if is_url(store) and holds_secret(store):
                raise SettingsError(
                    option("--store"),
                    "holds a password, which would travel with the pickle",
                    "leave it out of the URL and set PGPASSWORD in the environment of every worker",
                )
        options = self._plan.options
        # a function as model is pickled by whoever pickles this: cloudpickle can, where pickle cannot
        return {
            "plan": _pack(replace(self._plan, options=replace(options, model=()))),
            "model": options.model,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        plan: Plan = pickle.loads(state["plan"])  # noqa: S301 - a part of what is being unpickled
        self._plan = replace(plan, options=replace(plan.options, model=state["model"]))
        self._start()

    def _open(self) -> BatchRunner:
        with self._opening:  # an engine may call it from several threads at once
            if self._runner is None or not self._runner.is_usable:
                self._runner = BatchRunner(self._plan)
                self._closing = weakref.finalize(self, self._runner.close)
            return self._runner


def _parts(answer: Answer) -> dict[str, Value]:
    match answer:
        case NotAsked(why=why):
            return dict.fromkeys(TYPES) | {"outcome": "not_asked", "error": why}
        case Judgement():
            outcome = answer.outcome
            failed = isinstance(outcome, Failed)
            return {
                "score": answer.score,
                "passed": None if failed else answer.passed,
                "outcome": outcome.kind,
                "reason": outcome.reason
                if answer.reason is None and isinstance(outcome, Forced)
                else answer.reason,
                "error": outcome.message
                if isinstance(outcome, Failed) and outcome.kind != "abstained"
                else None,
            }


def _name(model: object) -> str:
    names = (model if isinstance(model, str) else None, getattr(model, "__qualname__", None))
    return next((name for name in names if name), type(model).__name__)


def _with_model(plan: Plan) -> Plan:
    """The model by name also where the environment or nobody names it, so that all workers ask the same."""
    model = named_models(plan.options)
    if not model and plan.asks_model:
        model = (default_model(plan.judges, os.environ),)
    return replace(plan, options=replace(plan.options, model=model))


def _by_absolute_path(options: RunOptions) -> RunOptions:
    """What is a file here is the same file in a worker that was started in another folder."""
    store, labels = options.store, options.labels
    return replace(
        options,
        model=tuple(map(by_absolute_path, options.model)),
        store=store if store is None or is_url(store) else Path(store).absolute(),
        labels=labels if labels is None or str(labels) == OWN_LABELS else Path(labels).absolute(),
    )


def _read_only(mapping: Mapping[str, object]) -> Mapping[str, object]:
    return MappingProxyType(mapping)


class _Packer(pickle.Pickler):
    """For our own records: the standard one has no form for a read-only mapping."""

    dispatch_table = copyreg.dispatch_table | {
        MappingProxyType: lambda mapping: (_read_only, (dict(mapping),))
    }


def _pack(plan: Plan) -> bytes:
    packed = io.BytesIO()
    _Packer(packed).dump(plan)
    return packed.getvalue()
