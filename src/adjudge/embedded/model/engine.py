"""Token ids -> the trained heads' outputs, on all cores: one thread a worker, a few short sequences at a time."""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from adjudge.embedded.model.files import PULL, CacheError
from adjudge.embedded.model.merge import TOKENS, Manifest, read_manifest
from adjudge.embedded.model.questions import Question, TokenSequence
from adjudge.embedded.model.tokens import ModelTokenizer
from adjudge.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_TOKENS = 200
"""Padding included. Fewer leave the matrix kernels waiting for memory; many more fall out of a core's cache."""
PADDING = 0
"""Stands behind a shorter sequence, where no earlier token can see it."""

Outputs = list[list[float]]
"""For each place that was read, one number for each output of the question."""

WORKED: ContextVar[list[float]] = ContextVar("worked")
"""Where whoever asks wants to know how many seconds the model worked on it: waiting for a free core is not among them."""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """One sequence that somebody waits for."""

    asked: TokenSequence
    columns: slice
    future: "Future[Outputs]" = field(default_factory=Future)
    batch_seconds: dict[int, float] = field(default_factory=dict)
    """What its batch took, by the batch's identity, so that sequences of one batch count it once."""


class Engine:
    """An open model. `logits` may be called from any number of tasks; their sequences share the workers and the batches."""

    def __init__(
        self,
        *,
        generator: Any,
        tokens: ModelTokenizer,
        manifest: Manifest,
        workers: int,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.tokens = tokens
        self.manifest = manifest
        self.workers = workers
        self._generator = generator
        self._clock = clock
        self._waiting: list[Waiting] = []
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="adjudge-embedded")

    @classmethod
    def open(cls, folder: Path, *, workers: int | None = None) -> Self:
        """Open what `merge` made, after checking it byte for byte; `workers` is the number of cores unless given."""
        count = workers if workers is not None else usable_cores()
        if count < 1:
            raise ValueError(f"{count} workers cannot work")
        manifest = read_manifest(folder)
        prefer_wide_vectors()
        try:
            import ctranslate2  # noqa: PLC0415 - an optional package
        except ModuleNotFoundError:
            raise MissingExtraError("the embedded judge", "embedded") from None
        try:
            generator = ctranslate2.Generator(
                str(folder), device="cpu", compute_type="default", inter_threads=count, intra_threads=1
            )
            tokens = ModelTokenizer(**json.loads((folder / TOKENS).read_text(encoding="utf-8")))
        except (RuntimeError, ValueError, TypeError, OSError) as error:
            raise CacheError(str(folder), f"cannot be opened ({error})", PULL) from error
        return cls(generator=generator, tokens=tokens, manifest=manifest, workers=count)

    async def logits(self, question: Question, asked: Sequence[TokenSequence]) -> list[Outputs]:
        """For each sequence, for each of its positions, the question's outputs."""
        columns = slice(*self.manifest.outputs[question])
        added = [Waiting(sequence, columns) for sequence in asked]
        with self._lock:
            self._waiting += added
        for _ in added:
            self._threads.submit(self._work)
        found = await asyncio.gather(*(asyncio.wrap_future(waiter.future) for waiter in added))
        if (worked := WORKED.get(None)) is not None:
            worked += {
                key: seconds for waiter in added for key, seconds in waiter.batch_seconds.items()
            }.values()
        return found

    def close(self) -> None:
        """Let the sequences at work finish and give the threads back; those that wait are cancelled."""
        with self._lock:
            left, self._waiting = self._waiting, []
        for waiter in left:
            waiter.future.cancel()
        self._threads.shutdown(wait=True)

    def _work(self) -> None:
        """Serve one batch; there is a call for each sequence, so that the last ones may find nothing left to do."""
        with self._lock:
            batch = take_batch(self._waiting)
        batch = [waiter for waiter in batch if waiter.future.set_running_or_notify_cancel()]
        if not batch:
            return
        started = self._clock()
        try:
            outputs = self._forward([waiter.asked.tokens for waiter in batch])
            found = [
                rows[waiter.asked.positions, waiter.columns].tolist()
                for waiter, rows in zip(batch, outputs, strict=True)
            ]
        except BaseException as error:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
            for waiter in batch:
                waiter.future.set_exception(error)
            return
        seconds = self._clock() - started
        for waiter, rows in zip(batch, found, strict=True):
            waiter.batch_seconds[id(batch)] = seconds
            waiter.future.set_result(rows)

    def _forward(self, sequences: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
        """Sequence × place × output. Lengths go along, so that padding is not attended to."""
        import ctranslate2  # noqa: PLC0415 - an optional package
        import numpy as np  # noqa: PLC0415 - an optional package

        lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int32)
        ids = np.full((len(sequences), lengths.max()), PADDING, dtype=np.int32)
        for row, sequence in zip(ids, sequences, strict=True):
            row[: len(sequence)] = sequence
        view = ctranslate2.StorageView.from_array
        return np.array(self._generator.forward_batch(view(ids), view(lengths), return_log_probs=False))


def take_batch(waiting: list[Waiting]) -> list[Waiting]:
    """Take out the one that has waited longest and those nearest to it in length, as many as one batch holds."""
    if not waiting:
        return []
    first = waiting.pop(0)
    length = len(first.asked.tokens)
    batch, longest = [first], length
    for waiter in sorted(waiting, key=lambda other: abs(len(other.asked.tokens) - length)):
        padded = max(longest, len(waiter.asked.tokens))
        if padded * (len(batch) + 1) > BATCH_TOKENS:
            break
        batch.append(waiter)
        longest = padded
        waiting.remove(waiter)
    return batch


def usable_cores() -> int:
    """Those this process may run on, which are fewer than the machine's in many containers."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def prefer_wide_vectors() -> None:
    """CTranslate2 uses AVX-512 on Intel's processors only, unless told; on others that have it a tenth of the time is saved."""
    if sys.platform != "linux":
        return
    try:
        flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    except OSError:
        return
    if {"AuthenticAMD", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"} <= flags:
        os.environ.setdefault("CT2_FORCE_CPU_ISA", "AVX512")
