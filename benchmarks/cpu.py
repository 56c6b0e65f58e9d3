"""CPU per judgement of the whole pipeline, beside a bare loop that posts the same bodies and parses the replies."""

import asyncio
import cProfile
import pstats
from collections.abc import Iterator
from statistics import median

import aiohttp
import orjson
from common import JUDGES, Figure, Server, Setting, cpu_seconds, judge_all, serving, write_cases

ROWS = 2_000
JOBS = 64
ROUNDS = 5
REACH = 2.0


def measure(setting: Setting) -> list[Figure]:
    return [asyncio.run(_measure(setting, judge, setting.rows(ROWS))) for judge in JUDGES]


async def _measure(setting: Setting, judge: str, rows: int) -> Figure:
    """Rounds of both, by turns, so that both see the same machine."""
    cases = write_cases(setting.folder / "cases.jsonl", rows)
    with serving(keep=True) as server:  # also warms up: imports, caches
        await judge_all(cases, server, setting.new_store(f"{judge}-bodies"), judge=judge, jobs=JOBS)
        bodies = [body.encode() for body in server.ask("bodies")]
    floors, pipelines = [], []
    for turn in range(ROUNDS):
        store = setting.new_store(f"{judge}-{turn}")
        with serving() as server:
            started = cpu_seconds()
            await post_all(bodies, server)
            floors.append((cpu_seconds() - started) / rows * 1000)
            started = cpu_seconds()
            done = await judge_all(cases, server, store, judge=judge, jobs=JOBS)
            pipelines.append((cpu_seconds() - started) / rows * 1000)
            assert done == rows == len(bodies)
    value = median(pipeline / floor for pipeline, floor in zip(pipelines, floors, strict=True))
    return Figure(
        what=f"CPU per judgement ({judge}), {rows:,} rows, 0 ms server, -j {JOBS}",
        measured=f"{median(pipelines):.3f} ms",
        floor=f"{median(floors):.3f} ms",
        value=value,
        shown=f"{value:.2f} ×",
        reach=f"≤ {REACH} ×",
        reached=value <= REACH,
        note=f"median of {ROUNDS} rounds",
    )


async def post_all(bodies: list[bytes], server: Server) -> None:
    """The floor: nothing but aiohttp and orjson."""
    url, left = f"{server.base_url}/chat/completions", iter(bodies)
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), headers={"Content-Type": "application/json"}
    ) as session:
        await asyncio.gather(*(_post(session, url, left) for _ in range(JOBS)))


async def _post(session: aiohttp.ClientSession, url: str, bodies: Iterator[bytes]) -> None:
    for body in bodies:
        async with session.post(url, data=body) as response:
            reply = orjson.loads(await response.read())
        orjson.loads(reply["choices"][0]["message"]["content"])


def profile(setting: Setting, *, lines: int = 25) -> None:
    """Where the event loop's thread spends its time, functions by their own time."""
    rows = setting.rows(ROWS)
    cases = write_cases(setting.folder / "cases.jsonl", rows)
    with serving() as server:
        asyncio.run(judge_all(cases, server, setting.new_store("warm"), judge=setting.judge, jobs=JOBS))
        profiler = cProfile.Profile()
        profiler.enable()
        asyncio.run(judge_all(cases, server, setting.new_store("profiled"), judge=setting.judge, jobs=JOBS))
        profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(lines)
