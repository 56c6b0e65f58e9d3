"""`python -m training.train`: packed token files -> trained factors, and what they answer on the held-back rows."""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from adjudge.embedded.model.adapter import Adapter, read_adapter
from adjudge.embedded.model.base import BaseWeights, read_base
from adjudge.embedded.model.files import sha256_of
from adjudge.embedded.model.questions import HEADS, QUESTIONS
from adjudge.embedded.model.tokens import ModelTokenizer
from training.batches import fill, moved, plan
from training.evaluate import summary_lines
from training.model import KINDS, ROWS, SCALE, Judge, plain, run_block
from training.packed import MAX_HEADS, Packed, read_packed
from training.rows import HELD_BACK


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

    seed: int = 1
    rank: int = 64
    learning_rate: float = 8e-4
    epochs: int = 3
    batch_tokens: int = 16384
    dropout: float = 0.0
    weight_decay: float = 0.01
    average_decay: float = 0.998
    warm_up: int = 60
    teacher_share: float = 0.0
    """How much of the target is the teacher's, where `training.teach` left one."""
    hold: tuple[int, ...] = ()
    """Further folds left out of training and measured, for teachers that must not have seen what they teach."""
    only: tuple[str, ...] = ()
    """Train on these sources alone; all when empty."""
    start: str = ""
    """The adapter to go on from, whose rank has to be the recipe's; kept as its SHA-256."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """By question, the share of its examples that an epoch shows: of those it knows, enough not to forget them."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Recipe":
        """From JSON, which knows no tuples."""
        settings: dict[str, Any] = dict(given)
        settings |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        return cls(**settings)


class Average:
    """A running average of the trained tensors; it ends up better than any single step."""

    def __init__(self, model: Judge, decay: float) -> None:
        self.decay = decay
        self.trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.kept = [parameter.detach().clone() for parameter in self.trained]
        self.steps = 0

    @torch.no_grad()
    def update(self) -> None:
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 10))
        torch._foreach_lerp_(self.kept, [one.detach() for one in self.trained], 1 - decay)

    @torch.no_grad()
    def swap(self) -> None:
        for mine, theirs in zip(self.kept, self.trained, strict=True):
            held = theirs.detach().clone()
            theirs.copy_(mine)
            mine.copy_(held)


def taught(packed: Packed, teacher: NDArray[np.float32], share: float) -> Packed:
    """The same examples with part of each target the teacher's probability, wherever it gives one."""
    mixed = (1 - share) * packed.target + share * teacher
    return replace(packed, target=np.where(np.isnan(teacher), packed.target, mixed).astype(np.float32))


def loss_of(outputs: Tensor, packed: Packed, reads: NDArray[np.int64], questions: NDArray[np.int8]) -> Tensor:
    """Weighted cross-entropy of the asked question's outputs; a scale's steps share one read's weight."""
    device = outputs.device
    masks = np.zeros((len(QUESTIONS), outputs.shape[1]), np.float32)
    for number, question in enumerate(QUESTIONS):
        masks[number, ROWS[question]] = 1 / HEADS[question]
    targets = np.zeros((len(reads), outputs.shape[1]), np.float32)
    for number, question in enumerate(QUESTIONS):
        here = questions == number
        targets[here, ROWS[question]] = packed.target[reads[here], : HEADS[question]]
    weight = moved(masks[questions] * packed.weight[reads, None], device)
    each = functional.binary_cross_entropy_with_logits(outputs, moved(targets, device), reduction="none")
    return (each * weight).sum() / weight.sum()


@torch.no_grad()
def answers(
    model: Judge, packed: Packed, tokens: int, device: torch.device, wanted: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """The asked question's outputs at every read, or zeros at those of examples that are not wanted."""
    model.eval()
    found = np.zeros((len(packed.position), MAX_HEADS), np.float32)
    for examples in plan(packed, np.arange(len(packed)) if wanted is None else wanted, tokens, None):
        batch = fill(packed, examples, device)
        outputs = model(batch.ids, batch.rows, batch.positions).float().cpu().numpy()
        for read, row, question in zip(batch.reads, outputs, asked_at(packed, batch.reads), strict=True):
            name = QUESTIONS[question]
            found[read, : HEADS[name]] = row[ROWS[name]]
    return found


def asked_at(packed: Packed, reads: NDArray[np.int64]) -> NDArray[np.int8]:
    example = np.searchsorted(packed.read_starts, reads, side="right") - 1
    return packed.question[example]


def new_model(base: BaseWeights, recipe: Recipe) -> Judge:
    torch.manual_seed(recipe.seed)
    model = Judge(base.config, base.weights, recipe.rank, recipe.dropout)
    tokens = ModelTokenizer.of(base)
    embedding = base.weights["model.embed_tokens.weight"]
    model.start_heads(embedding[tokens.encode("yes")[0]] - embedding[tokens.encode("no")[0]])
    return model


@torch.no_grad()
def start_from(model: Judge, adapter: Adapter) -> None:
    """Take over an adapter's factors and its outputs."""
    for kind in KINDS:
        for layer in range(model.config.layers):
            up, down = adapter.factors[f"model.layers.{layer}.{kind}.weight"].scaled()
            model.down[plain(kind)][layer].copy_(torch.from_numpy(down))
            model.up[plain(kind)][layer].copy_(torch.from_numpy(up.T / SCALE))
    for question in QUESTIONS:
        model.heads[ROWS[question]].copy_(torch.from_numpy(adapter.heads[question]))


def chosen(packed: Packed, recipe: Recipe, rng: random.Random) -> NDArray[np.int64]:
    left_out = HELD_BACK | set(recipe.hold)
    wanted = ~np.isin(packed.fold, list(left_out))
    if recipe.only:
        wanted &= np.isin(
            packed.source, [packed.sources.index(name) for name in recipe.only if name in packed.sources]
        )
    share = np.array([recipe.shares.get(name, 1.0) for name in QUESTIONS])
    wanted &= np.random.default_rng(rng.getrandbits(32)).random(len(packed)) < share[packed.question]
    return np.flatnonzero(wanted)


def train(
    model: Judge, epochs: Sequence[Packed], recipe: Recipe, device: torch.device, seconds: float
) -> Average:
    """Train for the recipe's epochs, or until the time is up: the learning rate falls to nothing by then either way."""
    rng = random.Random(recipe.seed)  # noqa: S311 - a repeatable shuffle
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        trained,
        lr=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        betas=(0.9, 0.98),
        fused=device.type == "cuda",
    )
    average = Average(model, recipe.average_decay)
    plans = [
        (packed, plan(packed, chosen(packed, recipe, rng), recipe.batch_tokens, rng))
        for packed in (epochs[number % len(epochs)] for number in range(recipe.epochs))
    ]
    total = sum(len(planned) for _, planned in plans)
    begun, step = time.monotonic(), 0
    for number, (packed, planned) in enumerate(plans):
        model.train()
        losses = []
        for examples in planned:
            done = max(step / total, (time.monotonic() - begun) / seconds)
            if done >= 1:
                break
            rate = (
                recipe.learning_rate
                * min(1.0, (step + 1) / recipe.warm_up)
                * max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
            )
            for group in optimiser.param_groups:
                group["lr"] = rate
            batch = fill(packed, examples, device)
            outputs = model(batch.ids, batch.rows, batch.positions)
            loss = loss_of(outputs, packed, batch.reads, asked_at(packed, batch.reads))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            average.update()
            step += 1
            if step % 25 == 0:
                losses.append(loss.item())
            if step % 200 == 0:
                say(f"step {step}/{total}, loss {np.mean(losses[-8:]):.4f}, {time.monotonic() - begun:.0f} s")
        say(
            f"epoch {number}: step {step}/{total}, loss {np.mean(losses or [0]):.4f}, {time.monotonic() - begun:.0f} s"
        )
    return average


def read_epoch(path: Path, recipe: Recipe) -> Packed:
    packed = read_packed(path)
    teacher = path.with_name(path.name.replace("train_", "teacher_").replace(".npz", ".npy"))
    if not recipe.teacher_share or not teacher.exists():
        return packed
    return taught(packed, np.load(teacher).astype(np.float32), recipe.teacher_share)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - progress of a command


def save(path: Path, model: Judge, recipe: Recipe) -> None:
    """The trained tensors in half precision: factors, or for whole matrices what was added, are small numbers."""
    arrays = {
        name: value.detach().cpu().numpy() for name, value in model.named_parameters() if value.requires_grad
    }
    halves: dict[str, Any] = {
        name: value.astype(np.float32 if name in {"heads", "bias"} else np.float16)
        for name, value in arrays.items()
    }
    np.savez(path, recipe=np.frombuffer(json.dumps(asdict(recipe)).encode(), np.uint8), **halves)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the base model's GGUF file")
    parser.add_argument("--prepared", type=Path, default=Path("data/prepared"))
    parser.add_argument("--out", type=Path, default=Path("data/trained"))
    parser.add_argument("--name", default="judge")
    parser.add_argument(
        "--recipe", type=json.loads, default={}, help='changes to the recipe as JSON: {"seed": 2}'
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="stop training after this long")
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args(arguments)
    recipe = Recipe.of(given.recipe)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # cuDNN's attention plans anew for every shape, and batches come in hundreds of shapes.
    torch.backends.cuda.enable_cudnn_sdp(False)
    model = new_model(read_base(given.base), recipe)
    if recipe.start:
        start_from(model, read_adapter(Path(recipe.start)))
        recipe = replace(recipe, start=sha256_of(Path(recipe.start)))
    model = model.to(device)
    if given.compile:
        model.block = torch.compile(run_block, dynamic=True)
    epochs = [read_epoch(path, recipe) for path in sorted(given.prepared.glob("train_*.npz"))]
    measure = read_packed(given.prepared / "measure.npz")
    average = train(model, epochs, recipe, device, given.seconds)
    average.swap()
    given.out.mkdir(parents=True, exist_ok=True)
    outputs = answers(model, measure, 65536, device)
    np.save(given.out / f"{given.name}.outputs.npy", outputs.astype(np.float16))
    save(given.out / f"{given.name}.npz", model, recipe)
    for line in summary_lines(measure, outputs):
        say(f"{given.name} {line}")


if __name__ == "__main__":
    main()
