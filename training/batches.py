"""Examples of similar length -> padded batches that hold about the same number of tokens."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.packed import Packed

POOL = 4096
"""Examples sorted by length at a time: fewer would pad more, many more would make every batch one kind of question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    ids: Tensor
    rows: Tensor
    positions: Tensor
    reads: NDArray[np.int64]
    """The numbers of the reads in the packed file, in the order of the outputs."""


def plan(
    packed: Packed, chosen: NDArray[np.int64], tokens: int, rng: random.Random | None
) -> list[NDArray[np.int64]]:
    """Which examples go together; shuffled when there is a source of chance, else simply by length."""
    order = list(chosen)
    size = len(order)
    if rng:
        rng.shuffle(order)
        size = POOL
    planned = []
    lengths = packed.lengths
    for start in range(0, len(order), size):
        pool = sorted(order[start : start + size], key=lambda one: int(lengths[one]))
        batch: list[int] = []
        for one in pool:
            if batch and lengths[one] * (len(batch) + 1) > tokens:
                planned.append(np.array(batch))
                batch = []
            batch.append(one)
        planned.append(np.array(batch))
    if rng:
        rng.shuffle(planned)
    return planned


def fill(packed: Packed, examples: NDArray[np.int64], device: torch.device) -> Batch:
    longest = int(packed.lengths[examples].max())
    longest = min(-(-longest // 16) * 16, max(longest, 1024))
    ids = np.zeros((len(examples), longest), np.int64)
    for row, one in enumerate(examples):
        start, end = packed.starts[one], packed.starts[one + 1]
        ids[row, : end - start] = packed.tokens[start:end]
    counts = np.diff(packed.read_starts)[examples]
    reads = packed.reads(examples)
    return Batch(
        ids=moved(ids, device),
        rows=moved(np.repeat(np.arange(len(examples)), counts), device),
        positions=moved(packed.position[reads].astype(np.int64), device),
        reads=reads,
    )


def moved(array: NDArray[np.generic], device: torch.device) -> Tensor:
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor


def filled(packed: Packed, planned: list[NDArray[np.int64]], device: torch.device) -> Iterator[Batch]:
    for examples in planned:
        yield fill(packed, examples, device)
