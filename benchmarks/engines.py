"""`BatchJudge` inside Ray Data, Dask, Spark and Daft, with the code of the guide, and what an engine adds to it.

`python benchmarks/run.py --only engines [--scale 0.1]`. Engines that are not installed are skipped, with the reason.
"""

import importlib.util
import os
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from common import MODEL, Figure, Setting, serving, write_cases

ROWS, JOBS, LATENCY_MS = 2_000, 64, 20
GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "engines.md"
ENGINES = {
    "Ray Data": ("ray", "import ray"),
    "Dask": ("dask", "import dask.dataframe"),
    "Spark": ("pyspark", "from pyspark.sql"),
    "Daft": ("daft", "import daft"),
}
"""By the package it needs, and how its block of the guide begins."""


def measure(setting: Setting) -> list[Figure]:
    """Every row is to be judged once, whatever the engine; how long it takes is told, and nothing is promised of it."""
    import pandas as pd  # noqa: PLC0415 - only here

    warnings.simplefilter("ignore")
    os.environ |= {
        "OPENAI_API_KEY": "unused",
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYSPARK_PYTHON": sys.executable,
    }
    rows = setting.rows(ROWS)
    path = write_cases(setting.folder / "cases.jsonl", rows)
    cases = pd.read_json(path, lines=True)[["id", "question", "response", "reference"]]
    alone = _judged("", cases, setting)[0]
    return [
        _figure(engine, *needs, cases=cases, setting=setting, alone=alone)
        for engine, needs in ENGINES.items()
    ]


def _figure(engine: str, package: str, opening: str, *, cases: Any, setting: Setting, alone: float) -> Figure:
    if importlib.util.find_spec(package) is None:
        return Figure(
            what=engine,
            measured="skipped",
            floor="–",
            value=0.0,
            shown="–",
            reach="–",
            reached=True,
            note=f"{package} is not installed: pip install -r requirements/bench.txt",
        )
    blocks = re.findall(
        r"^```py(?:thon)?\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (code,) = (block for block in blocks if block.startswith(opening))
    seconds, judged, asked = _judged(code.partition("\nassert")[0], cases, setting, engine)
    once = judged == len(cases) == asked
    return Figure(
        what=f"{engine}, {len(cases):,} rows, {LATENCY_MS} ms server, -j {JOBS}",
        measured=f"{seconds:.1f} s, {judged:,} judged, {asked:,} asked",
        floor=f"{alone:.1f} s without it",
        value=seconds / alone,
        shown=f"{seconds / alone:.1f} ×",
        reach="each row judged and asked once",
        reached=once,
        note="with the engine's start",
    )


def _judged(code: str, cases: Any, setting: Setting, name: str = "alone") -> tuple[float, int, int]:
    """Seconds, rows with a score, and requests."""
    import adjudge  # noqa: PLC0415 - only here

    with serving(delay_ms=LATENCY_MS) as server:
        options = {
            "model": MODEL,
            "base_url": server.base_url,
            "store": str(setting.folder / f"{name}.db"),
            "jobs": JOBS,
        }
        judge = adjudge.BatchJudge("correctness", **options)  # type: ignore[arg-type]  # as the guide writes it
        shown: dict[str, Any] = {"adjudge": adjudge, "cases": cases, "options": options, "judge": judge}
        began = time.perf_counter()
        try:
            exec(code or "frame = judge(cases)", shown)
        finally:
            seconds = time.perf_counter() - began
            judge.close()
            for engine, end in (("ray", "shutdown"), ("spark", "stop")):
                if engine in shown:
                    getattr(shown[engine], end)()
        return (
            seconds,
            int(shown["frame"]["correctness_score"].notna().sum()),
            sum(server.ask("calls").values()),
        )
