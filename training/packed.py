"""Many examples as a few flat arrays, in one file that needs no tokenizer to be read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.questions import HEADS, QUESTIONS

if TYPE_CHECKING:
    from training.examples import Example

MAX_HEADS = max(HEADS.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]
    """Where each example's tokens begin, and after the last one where they all end."""
    question: NDArray[np.int8]
    fold: NDArray[np.int8]
    source: NDArray[np.int16]
    read_starts: NDArray[np.int64]
    """Where each example's reads begin, as for tokens."""
    position: NDArray[np.int16]
    target: NDArray[np.float32]
    """One row a read, one column an output; unused columns are zero."""
    weight: NDArray[np.float32]
    sources: list[str]
    keys: list[str]

    def __len__(self) -> int:
        return len(self.question)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def reads(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of those examples' reads, in order."""
        if not len(examples):
            return np.zeros(0, np.int64)
        return np.concatenate(
            [np.arange(self.read_starts[one], self.read_starts[one + 1]) for one in examples]
        )

    @property
    def example_of_read(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self)), np.diff(self.read_starts))


def pack(examples: "Sequence[Example]") -> Packed:
    sources = sorted({example.source for example in examples})
    reads = [target for example in examples for target in example.targets]
    return Packed(
        tokens=np.array([token for example in examples for token in example.asked.tokens], np.uint16),
        starts=np.cumsum([0, *(len(example.asked.tokens) for example in examples)]),
        question=np.array([QUESTIONS.index(example.question) for example in examples], np.int8),
        fold=np.array([example.fold for example in examples], np.int8),
        source=np.array([sources.index(example.source) for example in examples], np.int16),
        read_starts=np.cumsum([0, *(len(example.targets) for example in examples)]),
        position=np.array([place for example in examples for place in example.asked.positions], np.int16),
        target=np.array([target + [0.0] * (MAX_HEADS - len(target)) for target in reads], np.float32),
        weight=np.array(
            [
                one
                for example in examples
                for one in example.weights or [example.weight] * len(example.targets)
            ],
            np.float32,
        ),
        sources=sources,
        keys=[example.key for example in examples],
    )


def write_packed(path: Path, packed: Packed) -> None:
    arrays = {
        name: getattr(packed, name) for name in Packed.__dataclass_fields__ if name not in {"sources", "keys"}
    }
    words = json.dumps({"sources": packed.sources, "keys": packed.keys}).encode()
    np.savez_compressed(path, words=np.frombuffer(words, np.uint8), **arrays)


def read_packed(path: Path) -> Packed:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    words = json.loads(arrays.pop("words").tobytes())
    return Packed(**arrays, **words)
