"""Rows per second of a run that is answered from the store, beside the most that the first run can make."""

import asyncio
import time

from common import Figure, Setting, judge_all, serving, write_cases

ROWS = 100_000
JOBS = 64
LATENCY_SECONDS = 0.2
REACH = 20


def measure(setting: Setting) -> Figure:
    rows = setting.rows(ROWS, least=1_000)
    cases = write_cases(setting.folder / "cases.jsonl", rows)
    store = setting.new_store("store")
    with serving() as server:
        asyncio.run(judge_all(cases, server, store, judge=setting.judge, jobs=JOBS))
        calls = sum(server.ask("calls").values())
        started = time.perf_counter()
        done = asyncio.run(judge_all(cases, server, store, judge=setting.judge, jobs=JOBS))
        seconds = time.perf_counter() - started
        assert done == rows
        assert sum(server.ask("calls").values()) == calls == rows, "a stored judgement was asked for again"
    floor, rate = JOBS / LATENCY_SECONDS, rows / seconds
    return Figure(
        what=f"re-run of {rows:,} stored judgements, rows/s",
        measured=f"{rate:,.0f}/s",
        floor=f"{floor:,.0f}/s",
        value=rate / floor,
        shown=f"{rate / floor:.1f} ×",
        reach=f"≥ {REACH} ×",
        reached=rate / floor >= REACH,
        note=f"floor: -j {JOBS} at {LATENCY_SECONDS * 1000:.0f} ms, as computed",
    )
