"""`python -m training.prepare`: labelled files and the base model's vocabulary -> packed token files."""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.tokens import ModelTokenizer
from training.examples import Example, Maker, to_measure, to_train
from training.packed import pack, write_packed
from training.rows import HELD_BACK, MEASURED_ONLY, TRAINED, Row, read_rows

EPOCHS = 4
SEED = 20


def prepare(data: Path, base: Path, out: Path, *, epochs: int, seed: int, made: bool = True) -> None:
    """Write `measure.npz` and one differently varied `train_N.npz` for each epoch."""
    out.mkdir(parents=True, exist_ok=True)
    maker = Maker(ModelTokenizer.of(read_base(base)))
    rows = [row for source in (*TRAINED, *MEASURED_ONLY) for row in read_rows(data, source)]
    measured = [example for row in rows if is_measured(row) for example in to_measure(row, maker)]
    write_packed(out / "measure.npz", pack(measured))
    report("measure", measured)
    usable = [row for row in rows if row.trainable]
    for epoch in range(epochs):
        rng = random.Random(seed + epoch)  # noqa: S311 - a repeatable choice, not a secret
        examples = list(to_train(usable, maker, rng, made=made))
        write_packed(out / f"train_{epoch}.npz", pack(examples))
        report(f"train_{epoch}", examples)


def is_measured(row: Row) -> bool:
    return row.source in MEASURED_ONLY or row.fold in HELD_BACK


def report(name: str, examples: Sequence[Example]) -> None:
    tokens = sum(len(example.asked.tokens) for example in examples)
    counts = Counter(f"{example.source}:{example.question}" for example in examples)
    print(f"{name}: {len(examples)} examples, {tokens / 1e6:.2f} M tokens")  # noqa: T201 - progress of a command
    for kind, count in sorted(counts.items()):
        print(f"  {kind} {count}")  # noqa: T201 - as above


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled *.jsonl.gz files")
    parser.add_argument("--base", type=Path, required=True, help="the base model's GGUF file")
    parser.add_argument("--out", type=Path, default=Path("data/prepared"))
    parser.add_argument(
        "--epochs", type=int, default=EPOCHS, help="differently varied copies of the training rows"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--plain", action="store_true", help="rows as labelled only, to see what the rest is worth"
    )
    given = parser.parse_args(arguments)
    prepare(given.data, given.base, given.out, epochs=given.epochs, seed=given.seed, made=not given.plain)


if __name__ == "__main__":
    main()
