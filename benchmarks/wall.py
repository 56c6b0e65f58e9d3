"""Wall time of a run against a server that takes 200 ms, beside the time the waiting alone takes."""

import asyncio
import math
import time

from common import Figure, Setting, judge_all, serving, write_cases

ROWS = 20_000
JOBS = 256
LATENCY_MS = 200
REACH = 1.25


def measure(setting: Setting) -> Figure:
    rows = setting.rows(ROWS, least=2 * JOBS)
    folder = setting.folder
    with serving() as server:  # imports, caches
        asyncio.run(
            judge_all(
                write_cases(folder / "warm.jsonl", JOBS),
                server,
                setting.new_store("warm"),
                judge=setting.judge,
                jobs=JOBS,
            )
        )
    cases, store = write_cases(folder / "cases.jsonl", rows), setting.new_store("store")
    with serving(delay_ms=LATENCY_MS) as server:
        started = time.perf_counter()
        asyncio.run(judge_all(cases, server, store, judge=setting.judge, jobs=JOBS))
        seconds = time.perf_counter() - started
    floor = math.ceil(rows / JOBS) * LATENCY_MS / 1000
    return Figure(
        what=f"wall time, {rows:,} rows, {LATENCY_MS} ms server, -j {JOBS}",
        measured=f"{seconds:.2f} s",
        floor=f"{floor:.2f} s",
        value=seconds / floor,
        shown=f"{seconds / floor:.2f} ×",
        reach=f"≤ {REACH} ×",
        reached=seconds / floor <= REACH,
    )
