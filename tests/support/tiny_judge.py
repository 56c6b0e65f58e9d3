"""A judge small enough to make in a test: the tiny base, and an adapter of random numbers for it."""

from pathlib import Path

import numpy as np
from tiny_base import WIDTH, write_tiny_base

from adjudge.embedded.model.adapter import Adapter, factorise, write_adapter
from adjudge.embedded.model.base import linear_names, read_base
from adjudge.embedded.model.questions import HEADS, Calibration


def write_tiny_judge(folder: Path, *, seed: int = 1) -> tuple[Path, Path]:
    """The base's file and the adapter's."""
    base_file, adapter_file = write_tiny_base(folder / "base.gguf"), folder / "adapter"
    base = read_base(base_file)
    rng = np.random.default_rng(seed)
    factors = {}
    for name in linear_names(base.config):
        rows, columns = base.weights[name].shape
        factors[name] = factorise(rng.normal(0, 0.2, (2, rows)), rng.normal(0, 0.2, (2, columns)))
    heads = {
        question: rng.normal(0, 1, (count, WIDTH)).astype(np.float32) for question, count in HEADS.items()
    }
    calibration = {question: [Calibration()] * count for question, count in HEADS.items()}
    write_adapter(adapter_file, Adapter(factors=factors, heads=heads, calibration=calibration))
    return base_file, adapter_file
