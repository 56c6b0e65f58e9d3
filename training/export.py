"""`python -m training.export`: one or more trained models -> the adapter file that ships."""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.embedded.model.adapter import Adapter, Factor, factorise, read_adapter, write_adapter
from adjudge.embedded.model.base import BaseWeights, linear_names, read_base
from adjudge.embedded.model.questions import HEADS, QUESTIONS, Calibration, Question

SCALE = 2.0
"""What the factors' product is multiplied by in training; not imported from there, since exporting needs no torch."""


def added(
    trained: Mapping[str, NDArray[np.floating]], base: BaseWeights, name: str
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What training added to the base weight of that name, as two factors whose product it is."""
    layer, kind = int(name.split(".")[2]), "_".join(name.split(".")[3:5])
    if f"up.{kind}" in trained:
        up, down = (trained[f"{part}.{kind}"][layer].astype(np.float32) for part in ("up", "down"))
        return SCALE * up, down
    delta = trained[f"base.{kind}"][layer].astype(np.float32) - base.weights[name]
    return delta, np.eye(delta.shape[1], dtype=np.float32)


def shortened(up: NDArray[np.float32], down: NDArray[np.float32], rank: int) -> Factor:
    """The nearest product of that rank, both sides carrying the same share of each rank's size."""
    left, left_rest = np.linalg.qr(up)
    right, right_rest = np.linalg.qr(down.T)
    inner_left, sizes, inner_right = np.linalg.svd(left_rest @ right_rest.T, full_matrices=False)
    root = np.sqrt(sizes[:rank])
    return factorise(up=(left @ inner_left[:, :rank] * root).T, down=(right @ inner_right[:rank].T * root).T)


def merged(
    models: Sequence[Mapping[str, NDArray[np.floating]]], base: BaseWeights, rank: int
) -> Iterator[tuple[str, Factor]]:
    """The mean of what the models added: their factors side by side, cut to the rank."""
    for name in linear_names(base.config):
        ups, downs = zip(*(added(one, base, name) for one in models), strict=True)
        mean = (np.concatenate(ups, axis=1) / len(models)).astype(np.float32)
        yield name, shortened(mean, np.concatenate(downs), rank)


def heads_of(models: Sequence[Mapping[str, NDArray[np.floating]]]) -> dict[Question, NDArray[np.float32]]:
    rows = np.mean([one["heads"] for one in models], axis=0).astype(np.float32)
    return dict(zip(QUESTIONS, np.split(rows, np.cumsum(list(HEADS.values()))[:-1]), strict=True))


def uncalibrated(models: Sequence[Mapping[str, NDArray[np.floating]]]) -> dict[Question, list[Calibration]]:
    """The trained offsets alone, until `training.calibrate` has fitted better ones."""
    bias = np.mean([one["bias"] for one in models], axis=0)
    parts = np.split(bias, np.cumsum(list(HEADS.values()))[:-1])
    return {
        question: [Calibration(intercept=float(value)) for value in part]
        for question, part in zip(QUESTIONS, parts, strict=True)
    }


def export(paths: Sequence[Path], base_path: Path, out: Path, rank: int, notes: Mapping[str, Any]) -> Adapter:
    base = read_base(base_path)
    models = [dict(np.load(path, allow_pickle=False)) for path in paths]
    provenance = {
        **notes,
        "base_sha256": hashlib.sha256(base_path.read_bytes()).hexdigest(),
        "rank": rank,
        "recipes": [json.loads(one["recipe"].tobytes()) for one in models],
    }
    adapter = Adapter(
        factors=dict(merged(models, base, rank)),
        heads=heads_of(models),
        calibration=uncalibrated(models),
        provenance=provenance,
    )
    write_adapter(out, adapter)
    return read_adapter(out)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the base model's GGUF file")
    parser.add_argument("--out", type=Path, default=Path("src/adjudge/embedded/adapter.npz"))
    parser.add_argument("--rank", type=int, default=72)
    parser.add_argument(
        "--notes", type=json.loads, default={}, help="what else to keep of where it came from, as JSON"
    )
    parser.add_argument(
        "trained", type=Path, nargs="+", help="what `training.train` wrote; several are averaged"
    )
    given = parser.parse_args(arguments)
    export(given.trained, given.base, given.out, given.rank, given.notes)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")  # noqa: T201 - what the command has done


if __name__ == "__main__":
    main()
