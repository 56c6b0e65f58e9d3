"""All benchmarks, or one, as a table: `python benchmarks/run.py [--only NAME] [--scale 0.1] [--judge NAME] [--store NAME] [--json FILE] [--profile]`."""

import argparse
import importlib
import json
import multiprocessing
import os
import platform
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from common import JUDGES, Figure, Setting
from database import postgres, programs

NAMES = ("cpu", "juries", "wall", "memory", "rerun", "resume", "start", "view", "cluster", "size", "engines")
ON_BOTH = ("cpu", "wall", "memory", "rerun", "resume")
"""Those that are measured with a SQLite store and with a Postgres one; `size` and `cluster` have a Postgres one only, the others SQLite."""
STORES = ("sqlite", "postgres")
COLUMNS = ("what", "measured", "floor", "ratio", "reach", "reached", "note")


def main() -> int:
    parser = argparse.ArgumentParser(description="Each figure is taken beside its floor in the same run.")
    parser.add_argument("--only", choices=NAMES, action="append", help="may be repeated")
    parser.add_argument("--scale", type=float, default=1.0, help="so much of the rows: 0.1 for a quick look")
    parser.add_argument("--judge", choices=JUDGES, default=JUDGES[0], help="`cpu` takes all of them")
    parser.add_argument(
        "--store", choices=STORES, help=f"for {', '.join(ON_BOTH)}; both where Postgres is installed"
    )
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--profile", action="store_true", help="profile the pipeline of `cpu` instead")
    chosen = parser.parse_args()
    if chosen.profile:
        in_own_process("cpu", "profile", chosen.scale, chosen.judge, chosen.store or "sqlite")
        return 0
    figures: list[Figure] = []
    for name in chosen.only or NAMES:
        for store in stores(name, chosen.store):
            print(f"{name}, {store} …", file=sys.stderr, flush=True)
            found = in_own_process(name, "measure", chosen.scale, chosen.judge, store)
            listed = found if isinstance(found, list) else [found]
            named = f", {store}" if name in ON_BOTH else ""
            figures += [replace(each, what=f"{each.what}{named}") for each in listed]
    print(table(figures))
    if chosen.json is not None:
        machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
        report = {
            "machine": machine,
            "scale": chosen.scale,
            "judge": chosen.judge,
            "load": os.getloadavg(),
            "figures": [asdict(figure) for figure in figures],
        }
        chosen.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all(figure.reached for figure in figures) else 1


def stores(name: str, chosen: str | None) -> tuple[str, ...]:
    if name == "size":
        return ("postgres",)
    if name not in ON_BOTH:
        return ("sqlite",)
    return (chosen,) if chosen else STORES if programs() else ("sqlite",)


def in_own_process(name: str, function: str, scale: float, judge: str, store: str) -> "Figure | list[Figure]":
    """So that none has the heap, the caches and the imports of the one before it."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, (name, function, scale, judge, store))


def call(name: str, function: str, scale: float, judge: str, store: str) -> "Figure | list[Figure]":
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix=f"adjudge-{name}-", dir=os.environ.get("BENCH_DIR"))
        )
        server = stack.enter_context(postgres()) if store == "postgres" else None
        found: Figure | list[Figure] = getattr(importlib.import_module(name), function)(
            Setting(folder=Path(folder), scale=scale, judge=judge, server=server)
        )
        return found


def table(figures: list[Figure]) -> str:
    rows = [
        (
            figure.what,
            figure.measured,
            figure.floor,
            figure.shown,
            figure.reach,
            "yes" if figure.reached else "NO",
            figure.note,
        )
        for figure in figures
    ]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (COLUMNS, tuple("─" * width for width in widths), *rows)
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
