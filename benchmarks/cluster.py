"""A run on a Ray cluster of three nodes on this machine, where a worker, a node and the driver die, and what Ray costs.

`python benchmarks/run.py --only cluster [--scale 0.1]`. It takes a while: every node and every worker is a process.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from common import ENVIRONMENT, MODEL, Figure, Server, Setting, judge_all, serving, write_cases
from database import PASSWORD, postgres

ROWS, JOBS, LATENCY_MS = 20_000, 64, 20
WORKERS = 4
MANY = 8
REPLY_TOKENS = 960
"""What the server says that it read and wrote, each time."""
REACH = {"overhead": 1.2, "embedded": 1.8}


def measure(setting: Setting) -> list[Figure]:
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "PGPASSWORD": PASSWORD}
    with postgres() as url:
        figures = []
        with cluster() as nodes:
            figures += _survives(setting, nodes, url)
            figures += _limits(setting, nodes, url)
            figures += _resumes(setting, nodes, url)
        figures += _overhead(setting, url)
    figures += _embedded(setting)
    return figures


@contextmanager
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an extra

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.removable = [made.add_node(num_cpus=1) for _ in range(2)]
    try:
        yield made
    finally:
        made.shutdown()


def command(
    cases: Path, server: Server, store: str, *more: str, jobs: int = JOBS, judge: str = "relevance"
) -> list[str]:
    program = str(Path(sys.executable).with_name("adjudge"))
    options = ["-J", judge, "-m", MODEL, "--base-url", server.base_url, "-j", str(jobs)]
    return [program, "run", str(cases), *options, "--store", store, *more]


def on_ray(nodes: Any, workers: int) -> list[str]:
    return ["--engine", "ray", "--ray-address", nodes.address, "--workers", str(workers)]


def workers_alive() -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::BlockWorker" in line]


def _watch(server: Server, steps: list[tuple[int, Callable[[], object]]], ended: threading.Event) -> None:
    """Do each when the server has been asked so often."""
    while steps and not ended.wait(0.2):
        asked = sum(server.ask("calls").values())
        while steps and asked >= steps[0][0]:
            steps.pop(0)[1]()


def _survives(setting: Setting, nodes: Any, url: str) -> list[Figure]:
    rows = setting.rows(ROWS, least=400)
    cases = write_cases(setting.folder / "survives.jsonl", rows)
    lost = nodes.removable.pop()
    with serving(delay_ms=LATENCY_MS) as server:
        steps: list[tuple[int, Callable[[], object]]] = [
            (rows // 4, lambda: os.kill(workers_alive()[0], signal.SIGKILL)),
            (rows // 2, lambda: nodes.remove_node(lost, allow_graceful=False)),
        ]
        ended = threading.Event()
        watching = threading.Thread(target=_watch, args=(server, steps, ended))
        watching.start()
        started = time.perf_counter()
        subprocess.run(
            command(cases, server, url, "--name", "survives", *on_ray(nodes, WORKERS)),
            check=True,
            capture_output=True,
            env=ENVIRONMENT,
        )
        seconds = time.perf_counter() - started
        ended.set()
        watching.join()
        calls = server.ask("calls")
    kept = _judged(url, "survives")
    twice = sum(calls.values()) - len(calls)
    once = kept == len(calls) == rows and not steps
    return [
        Figure(
            what=f"{rows:,} cases, three nodes, a worker killed and a node removed",
            measured=f"{kept:,} judged once, {seconds:.0f} s",
            floor=f"{rows:,}",
            value=float(kept),
            shown=f"{twice} calls made twice",
            reach=f"all once, ≤ {2 * JOBS} calls twice",
            reached=once and twice <= 2 * JOBS,
        )
    ]


def _limits(setting: Setting, nodes: Any, url: str) -> list[Figure]:
    """Counted by the server: what many workers send together."""
    rows = setting.rows(3_000, least=400)
    cases = write_cases(setting.folder / "limits.jsonl", rows)
    calls, per_minute, cost = rows // 2, rows // 3, rows // 4
    asked = _asked(cases, nodes, url, "calls", "--max-calls", str(calls))
    paced = _asked(cases, nodes, url, "pace", "--rpm", str(per_minute), "--max-calls", str(calls))
    busiest = max(bisect_left(paced, start + 60) - at for at, start in enumerate(paced))
    limit = str(cost * REPLY_TOKENS / 1_000_000)
    priced = _asked(cases, nodes, url, "cost", "--max-cost", limit, "--price", "1,1")
    return [
        _held(f"--max-calls {calls:,}, {MANY} workers", len(asked), calls, "calls"),
        _held(f"--rpm {per_minute:,}, {MANY} workers", busiest, per_minute, "in the busiest 60 seconds"),
        _held(f"--max-cost {limit}, {MANY} workers", len(priced), cost, "calls at its price"),
    ]


def _asked(cases: Path, nodes: Any, url: str, name: str, *limits: str) -> list[float]:
    """When the server was asked, by a run under these limits."""
    with serving(delay_ms=LATENCY_MS) as server:
        asking = command(cases, server, url, "--name", name, *limits, *on_ray(nodes, MANY))
        subprocess.run(asking, check=False, capture_output=True, env=ENVIRONMENT)
        return sorted(server.ask("times"))


def _held(what: str, found: int, allowed: int, counted: str) -> Figure:
    return Figure(
        what=what,
        measured=f"{found:,} {counted}",
        floor=f"{allowed:,}",
        value=found / allowed,
        shown=f"{found / allowed:.3f} ×",
        reach="≤ 1 ×",
        reached=found <= allowed,
    )


def _resumes(setting: Setting, nodes: Any, url: str) -> list[Figure]:
    rows = setting.rows(4_000, least=400)
    cases = write_cases(setting.folder / "resumes.jsonl", rows)
    with serving(delay_ms=LATENCY_MS) as server:
        asking = command(cases, server, url, "--name", "resumes", *on_ray(nodes, WORKERS))
        first = subprocess.Popen(
            asking, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
        )
        _watch(server, [(rows // 2, first.kill)], threading.Event())
        first.wait()
        subprocess.run(asking, check=True, capture_output=True, env=ENVIRONMENT)
        calls = server.ask("calls")
    twice = sum(calls.values()) - len(calls)
    kept = _judged(url, "resumes")
    return [
        Figure(
            what=f"{rows:,} cases, the driver killed and the command given again",
            measured=f"{kept:,} judged once",
            floor=f"{rows:,}",
            value=float(kept),
            shown=f"{twice} calls made twice",
            reach=f"all once, ≤ {2 * JOBS} calls twice",
            reached=kept == len(calls) == rows and twice <= 2 * JOBS,
        )
    ]


def _judged(url: str, run: str) -> int:
    from adjudge.store import open_store  # noqa: PLC0415 - other benchmarks measure small processes

    with closing(open_store(url)) as store:
        return len({judgement.case_id for judgement in store.judgements(run)})


def _overhead(setting: Setting, url: str) -> list[Figure]:
    """One worker beside this process, by turns, without the start of either."""
    import ray  # noqa: PLC0415 - an extra

    rows = setting.rows(10_000, least=1_000)
    cases = write_cases(setting.folder / "overhead.jsonl", rows)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        with serving() as server:
            warm = write_cases(setting.folder / "warm.jsonl", 64)
            seconds = {}
            for engine in ("local", "ray"):
                asyncio.run(_timed(warm, server, url, engine))
                seconds[engine] = asyncio.run(_timed(cases, server, url, engine))
    finally:
        ray.shutdown()
    ratio = seconds["ray"] / seconds["local"]
    return [
        Figure(
            what=f"--engine ray with one worker beside local, {rows:,} cases",
            measured=f"{seconds['ray']:.1f} s",
            floor=f"{seconds['local']:.1f} s",
            value=ratio,
            shown=f"{ratio:.2f} ×",
            reach=f"≤ {REACH['overhead']} ×",
            reached=ratio <= REACH["overhead"],
        )
    ]


async def _timed(cases: Path, server: Server, url: str, engine: str) -> float:
    started = time.perf_counter()
    await judge_all(
        cases, server, url, judge="relevance", jobs=JOBS, engine=engine, name=f"{engine}-{cases.stem}"
    )
    return time.perf_counter() - started


def _embedded(setting: Setting) -> list[Figure]:
    """The embedded judge on two workers beside one."""
    import ray  # noqa: PLC0415 - an extra

    import adjudge  # noqa: PLC0415 - as above

    rows = setting.rows(800, least=60)
    cases = write_cases(setting.folder / "embedded.jsonl", rows)
    seconds = {}
    for workers in (1, 2):
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
        )
        try:
            for name, count in (("warm", 8), ("all", None)):
                started = time.perf_counter()
                adjudge.evaluate(
                    cases,
                    "relevance",
                    model="embedded",
                    engine="ray",
                    workers=workers,
                    first=count,
                    store=setting.folder / f"{workers}-{name}",
                )
                seconds[workers] = time.perf_counter() - started
        finally:
            ray.shutdown()
    ratio = seconds[1] / seconds[2]
    return [
        Figure(
            what=f"the embedded judge on two workers beside one, {rows} cases",
            measured=f"{rows / seconds[2]:.1f} a second",
            floor=f"{rows / seconds[1]:.1f} a second",
            value=ratio,
            shown=f"{ratio:.2f} ×",
            reach=f"≥ {REACH['embedded']} ×",
            reached=ratio >= REACH["embedded"],
        )
    ]
