"""`python -m training.measure`: an adapter as shipped -> its outputs on the held-back rows, before calibration."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from training.model import adapted
from training.packed import read_packed
from training.train import answers


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the base model's GGUF file")
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument("--out", type=Path, required=True, help="the *.outputs.npy file to write")
    parser.add_argument("adapter", type=Path)
    given = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = adapted(read_base(given.base), read_adapter(given.adapter)).to(device)
    outputs = answers(
        model, read_packed(given.prepared / "measure.npz"), 65536 if device.type == "cuda" else 4096, device
    )
    np.save(given.out, outputs)


if __name__ == "__main__":
    main()
