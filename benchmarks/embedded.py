"""The embedded judge on this machine's cores, against llama.cpp and against itself in floats.

`python benchmarks/embedded.py DATA [--base GGUF] [--adapter FILE] [--rows 200] [--equal 1000] [--json FILE]`: DATA holds
labelled files. `--without-llama` leaves out the comparison that needs `pip install xllamacpp`.
"""

import argparse
import asyncio
import gzip
import json
import multiprocessing
import os
import platform
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common import Figure, cpu_seconds
from llama_cpp import SET_UPS, Speed, speed, write_lora
from run import table

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.engine import Engine
from adjudge.embedded.model.merge import add, build, merge
from adjudge.embedded.model.pull import base_file
from adjudge.embedded.model.questions import ask_correct, ask_states
from adjudge.embedded.model.small_model import ModelAnswer, SmallModel
from adjudge.embedded.model.tokens import ModelTokenizer
from adjudge.embedded.ready import ADAPTER

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "tests" / "support")]
from plain_llama import plain_outputs

from training.rows import HELD_BACK, fold_of

FACTS = 8
"""Statements checked in one response: about as many as a short reference answer has."""
LLAMA_ROWS = 24
"""It is slow enough for so few to tell."""
PLAIN_ROWS = 3
CORRECTNESS = ("evouna_nq", "evouna_tq", "truthfulqa", "semeval13_scientsbank")
REACH = {"correctness": 9.0, "coverage": 15.0}
EQUAL, WITHIN = 0.98, 0.005
THRESHOLD = 0.5
AT_ONCE = 64
"""Judgements under way at a time, as in a run."""
SEED = 7

Row = dict[str, Any]
Ask = Callable[[SmallModel, Row], Coroutine[Any, Any, ModelAnswer]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    rate: float
    cpu_ms: float
    tokens: float
    load_seconds: float
    memory_mb: float


async def ask_whether_correct(model: SmallModel, row: Row) -> ModelAnswer:
    return await model.correct(
        question=row["question"], expected=[row["reference"]], response=row["response"]
    )


async def ask_what_it_states(model: SmallModel, row: Row) -> ModelAnswer:
    return await model.states(text=row["response"], statements=facts(row))


async def ask_how_relevant(model: SmallModel, row: Row) -> ModelAnswer:
    return await model.relevant(question=row["question"], response=row["response"])


async def ask_how_helpful(model: SmallModel, row: Row) -> ModelAnswer:
    return await model.helpful(question=row["question"], response=row["response"])


JUDGES: dict[str, tuple[str, Ask]] = {
    "correctness": ("evouna_nq", ask_whether_correct),
    "coverage": ("realsumm", ask_what_it_states),
    "relevance": ("feedbackqa", ask_how_relevant),
    "helpfulness": ("feedbackqa", ask_how_helpful),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--base", type=Path, default=base_file())
    parser.add_argument("--adapter", type=Path, default=ADAPTER)
    parser.add_argument("--rows", type=int, default=200, help="judgements timed for each judge")
    parser.add_argument("--equal", type=int, default=1000, help="rows compared with the model in floats")
    parser.add_argument("--without-llama", action="store_true")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    folder = merge(given.base, given.adapter)
    figures: list[Figure] = []
    for judge, (name, _) in JUDGES.items():
        rows = read_rows(given.data, [name], given.rows)
        ours = in_own_process(measure, folder, given.adapter, judge, rows)
        theirs: list[Speed] = []
        if judge in REACH and not given.without_llama:
            theirs = measure_llama(given.base, given.adapter, judge, rows[:LLAMA_ROWS])
        figures += speed_figures(judge, ours, theirs)
    rows = read_rows(given.data, CORRECTNESS, given.equal)
    with tempfile.TemporaryDirectory(prefix="adjudge-float-") as floats:
        build(given.base, given.adapter, Path(floats), made_from=("base", "adapter"), quantization=None)
        figures += equality_figures(folder, Path(floats), given.base, given.adapter, rows)
    print(table(figures))
    if given.json is not None:
        machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
        report = {"machine": machine, "load": os.getloadavg(), "figures": [asdict(one) for one in figures]}
        given.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all(figure.reached for figure in figures) else 1


def read_rows(data: Path, names: Sequence[str], count: int) -> list[Row]:
    """As many of each set, drawn with a fixed seed from the questions that no adapter was trained on."""
    rows: list[Row] = []
    for name in names:
        with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        found = [row for row in found if row["response"] and fold_of(row["meta"]["qid"]) in HELD_BACK]
        random.Random(SEED).shuffle(found)
        rows += found[: -(-count // len(names))]
    return rows[:count]


def facts(row: Row) -> list[str]:
    return [unit["text"] for unit in row["meta"]["scus"]][:FACTS]


def in_own_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """So that its memory and its load time are its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def measure(folder: Path, adapter: Path, judge: str, rows: Sequence[Row]) -> Measured:
    start = time.perf_counter()
    model = SmallModel(Engine.open(folder), read_adapter(adapter))
    asyncio.run(ask_all(model, judge, rows[:1]))
    loaded = time.perf_counter()
    asyncio.run(ask_all(model, judge, rows[:8]))
    begun, used = time.perf_counter(), cpu_seconds()
    said = asyncio.run(ask_all(model, judge, rows))
    wall, cpu = time.perf_counter() - begun, cpu_seconds() - used
    memory = resident_mb()
    model.close()
    return Measured(
        rate=len(rows) / wall,
        cpu_ms=1000 * cpu / len(rows),
        tokens=sum(one.tokens for one in said) / len(rows),
        load_seconds=loaded - start,
        memory_mb=memory,
    )


def resident_mb() -> float:
    """Now, not at most: what a process has at most counts the one it was started from."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


async def ask_all(model: SmallModel, judge: str, rows: Sequence[Row]) -> list[ModelAnswer]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(row: Row) -> ModelAnswer:
        async with room:
            return await JUDGES[judge][1](model, row)

    return await asyncio.gather(*map(one, rows))


def measure_llama(base: Path, adapter: Path, judge: str, rows: Sequence[Row]) -> list[Speed]:
    """The same tokens, a statement at a time: what the texts share is in its cache."""
    tokens = ModelTokenizer.of(read_base(base))
    if judge == "coverage":
        judgements = [
            [ask_states(tokens, text=row["response"], statements=[fact])[0].tokens for fact in facts(row)]
            for row in rows
        ]
    else:
        judgements = [
            [
                ask_correct(
                    tokens, question=row["question"], expected=[row["reference"]], response=row["response"]
                ).tokens
            ]
            for row in rows
        ]
    with tempfile.TemporaryDirectory(prefix="adjudge-lora-") as folder:
        lora = write_lora(adapter, Path(folder) / "adapter.gguf")
        return [speed(base, lora, judgements, *one) for one in SET_UPS]


def speed_figures(judge: str, ours: Measured, theirs: Sequence[Speed]) -> list[Figure]:
    """One line for the judge alone, one for each way to run llama.cpp; its usual way is the one with a figure to reach."""
    figures = [
        Figure(
            what=f"{judge}: judgements a second",
            measured=f"{ours.rate:.1f}/s",
            floor="–",
            value=ours.rate,
            shown="–",
            reach="–",
            reached=True,
            note=f"{ours.cpu_ms:.0f} ms CPU, {ours.tokens:.0f} tokens each; ready in {ours.load_seconds:.1f} s, "
            f"{ours.memory_mb:.0f} MB",
        )
    ]
    for one, reach in zip(theirs, (REACH.get(judge), None), strict=False):
        ratio = ours.rate / one.judgements_per_second
        figures.append(
            Figure(
                what=f"{judge}: llama.cpp, {one.set_up}",
                measured=f"{ours.rate:.1f}/s",
                floor=f"{one.judgements_per_second:.2f}/s",
                value=ratio,
                shown=f"{ratio:.1f} ×",
                reach=f"≥ {reach:.0f} ×" if reach else "–",
                reached=reach is None or ratio >= reach,
                note=f"{one.cpu_ms:.0f} ms CPU each, {one.cpu_ms / ours.cpu_ms:.1f} × ours",
            )
        )
    return figures


def equality_figures(
    folder: Path, floats: Path, base: Path, adapter: Path, rows: Sequence[Row]
) -> list[Figure]:
    """Whether rounding to bytes changes decisions, and whether the float model is the plain one."""
    ours = in_own_process(decide, folder, adapter, rows)
    theirs = in_own_process(decide, floats, adapter, rows)
    same = sum((a >= THRESHOLD) == (b >= THRESHOLD) for a, b in zip(ours, theirs, strict=True)) / len(rows)
    labels = [row["label"] > THRESHOLD for row in rows]
    right, right_in_floats = (
        sum((one >= THRESHOLD) == label for one, label in zip(said, labels, strict=True)) / len(rows)
        for said in (ours, theirs)
    )
    apart = sum(abs(a - b) for a, b in zip(ours, theirs, strict=True)) / len(rows)
    worst = in_own_process(worst_difference, floats, base, adapter, rows[:PLAIN_ROWS])
    return [
        Figure(
            what="decisions as in float32",
            measured=f"{same:.2%} of {len(rows)}",
            floor="–",
            value=same,
            shown=f"{same:.2%}",
            reach=f"≥ {EQUAL:.0%}",
            reached=same >= EQUAL,
            note=f"probabilities differ by {apart:.3f} on average",
        ),
        Figure(
            what="accuracy as in float32",
            measured=f"{right:.2%}",
            floor=f"{right_in_floats:.2%}",
            value=right - right_in_floats,
            shown=f"{100 * (right - right_in_floats):+.2f} points",
            reach="within half a point",
            reached=right >= right_in_floats - WITHIN,
        ),
        Figure(
            what="float32 as in plain numpy",
            measured=f"{worst:.1e} apart",
            floor="–",
            value=worst,
            shown=f"{worst:.1e}",
            reach="≤ 1e-02",
            reached=worst <= 1e-2,
            note=f"largest difference of an output, {PLAIN_ROWS} rows",
        ),
    ]


def decide(folder: Path, adapter: Path, rows: Sequence[Row]) -> list[float]:
    model = SmallModel(Engine.open(folder), read_adapter(adapter))
    said = asyncio.run(ask_all(model, "correctness", rows))
    model.close()
    return [one.probabilities[0] for one in said]


def worst_difference(floats: Path, base_path: Path, adapter_path: Path, rows: Sequence[Row]) -> float:
    base, adapter = read_base(base_path), read_adapter(adapter_path)
    weights = dict(base.weights)
    add(adapter, weights)
    engine = Engine.open(floats)
    asked = [
        ask_correct(
            engine.tokens, question=row["question"], expected=[row["reference"]], response=row["response"]
        )
        for row in rows
    ]
    found = asyncio.run(engine.logits("correct", asked))
    engine.close()
    plain = [plain_outputs(weights, base.config, one.tokens, adapter.heads["correct"])[-1] for one in asked]
    return max(abs(fast[0][0] - float(slow[0])) for fast, slow in zip(found, plain, strict=True))


if __name__ == "__main__":
    sys.exit(main())
