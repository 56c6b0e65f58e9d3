"""`python -m training.teach`: models that each held some folds back -> what they say about the rows they never saw."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.questions import QUESTIONS
from training.model import Judge, adapted, run_block
from training.packed import Packed, read_packed
from training.train import Recipe, answers, new_model


def load(base_path: Path, path: Path, device: torch.device) -> tuple[Judge, Recipe]:
    """A trained model as `training.train` saved it."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    recipe = Recipe.of(json.loads(arrays.pop("recipe").tobytes()))
    model = new_model(read_base(base_path), recipe)
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in arrays.items():
            parameters[name].copy_(torch.from_numpy(value.astype(np.float32)))
    return model.to(device), recipe


def out_of_fold(
    packed: Packed, taught: Sequence[tuple[NDArray[np.float32], frozenset[int]]]
) -> NDArray[np.float32]:
    """The mean probability at each read over the models that held its fold back; not a number where none did."""
    fold = packed.fold[packed.example_of_read]
    total = np.zeros_like(packed.target)
    count = np.zeros(len(fold))
    for outputs, held in taught:
        here = np.isin(fold, list(held))
        total[here] += 1 / (1 + np.exp(-outputs[here]))
        count[here] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray(total / np.where(count == 0, np.nan, count)[:, None], np.float32)


def held(packed: Packed, recipe: Recipe, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.flatnonzero(np.isin(packed.fold, recipe.hold) & ~known)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the base model's GGUF file")
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--start", type=Path, help="the adapter that the students go on from …")
    parser.add_argument(
        "--known", nargs="*", default=[], choices=QUESTIONS, help="… and the questions that it teaches itself"
    )
    parser.add_argument(
        "trained", type=Path, nargs="+", help="what `training.train` wrote with `hold` in its recipe"
    )
    given = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    models = [load(given.base, path, device) for path in given.trained]
    if given.compile:
        block = torch.compile(run_block, dynamic=True)
        for model, _ in models:
            model.block = block
    started = adapted(read_base(given.base), read_adapter(given.start)).to(device) if given.start else None
    for path in sorted(given.prepared.glob("train_*.npz")):
        packed = read_packed(path)
        known = np.isin(packed.question, [QUESTIONS.index(name) for name in given.known])
        said = [
            (answers(model, packed, 65536, device, held(packed, recipe, known)), frozenset(recipe.hold))
            for model, recipe in models
        ]
        teacher = out_of_fold(packed, said)
        if started is not None:
            reads = known[packed.example_of_read]
            outputs = answers(started, packed, 65536, device, np.flatnonzero(known))
            teacher[reads] = 1 / (1 + np.exp(-outputs[reads]))
        name = path.name.replace("train_", "teacher_").replace(".npz", ".npy")
        np.save(given.prepared / name, teacher.astype(np.float16))


if __name__ == "__main__":
    main()
