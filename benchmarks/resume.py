"""A run that is killed again and again: every judgement once, and calls made twice only for those in flight at a kill.

In flight at a kill is what the server was asked for in that life of the process and the store does not hold after it.
"""

import json
import random
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

from common import ENVIRONMENT, Figure, Server, Setting, adjudge_command, serving, write_cases

ROWS = 2_000
KILLS = 50
JOBS = 16
LATENCY_MS = 30
SEED = 3


def measure(setting: Setting) -> Figure:
    rows, kills = setting.rows(ROWS, least=100), max(3, round(KILLS * setting.scale))
    folder = setting.folder
    cases = write_cases(folder / "cases.jsonl", rows)
    store, chance = setting.new_store("store"), random.Random(SEED)
    in_flight: Counter[str] = Counter()
    most, killed = 0, 0
    with serving(delay_ms=LATENCY_MS) as server:
        command = adjudge_command(
            cases, server, store, judge=setting.judge, jobs=JOBS, output=folder / "rows.jsonl"
        )
        for _ in range(kills):
            before = Counter(server.ask("calls"))
            # some die while they start, most after some calls; all lives together do not finish the run
            if not live_and_die(command, server, chance, calls=chance.randint(0, round(1.5 * rows / kills))):
                break
            killed += 1
            asked = Counter(server.ask("calls")) - before
            lost = set(asked) - stored_cases(store)
            in_flight.update(lost)
            most = max(most, len(lost))
        last = start(command)
        assert last.wait() == 0, f"exit {last.returncode}"
        calls = Counter(server.ask("calls"))
    judged = judged_cases(store)
    with (folder / "rows.jsonl").open(encoding="utf-8") as file:
        reported = Counter(json.loads(line)["case_id"] for line in file)
    wanted = {f"case-{number:06}" for number in range(rows)}
    missing = len(wanted - set(judged)) + len(wanted - set(reported))
    duplicates = judged.total() - len(judged) + reported.total() - len(reported)
    again = calls.total() - len(calls)
    unexplained = sum(abs(calls[name] - 1 - in_flight[name]) for name in wanted)
    wrong = missing + duplicates + unexplained + max(0, most - JOBS)
    return Figure(
        what=f"resume, kill -9 at {killed} moments of {rows:,} rows",
        measured=f"{len(judged):,} judged, {duplicates} twice, {missing} missing",
        floor=f"{again} calls again, {in_flight.total()} were in flight",
        value=wrong,
        shown=f"{wrong} wrong",
        reach="0 wrong",
        reached=wrong == 0 and killed == kills,
        note=f"-j {JOBS}, {LATENCY_MS} ms; at most {most} in flight at a kill; seed {SEED}",
    )


def start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def live_and_die(command: list[str], server: Server, chance: random.Random, *, calls: int) -> bool:
    """Whether it was killed; not, when it was through before."""
    until = sum(server.ask("calls").values()) + calls
    process = start(command)
    if calls == 0:
        time.sleep(chance.uniform(0, 1))
    while process.poll() is None and sum(server.ask("calls").values()) < until:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 2 * LATENCY_MS / 1000))
    process.kill()
    killed = process.wait() < 0
    time.sleep(0.05)  # what it sent at last reaches the server
    return killed


def stored_cases(store: str) -> set[str]:
    return {name for (name,) in query(store, "SELECT case_id FROM completions")}


def judged_cases(store: str) -> Counter[str]:
    assert len(query(store, "SELECT run_id FROM runs")) == 1, "it went on as another run"
    return Counter(name for (name,) in query(store, "SELECT case_id FROM judgements"))


def query(store: str, sql: str) -> list[tuple[str]]:
    if store.startswith("postgresql://"):
        return query_postgres(store, sql)
    if not Path(store).exists():
        return []
    connection = sqlite3.connect(store)
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):  # killed before it was made
            return []
        raise
    finally:
        connection.close()


def query_postgres(store: str, sql: str) -> list[tuple[str]]:
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(store, options="-c search_path=adjudge") as connection:
        try:
            return connection.execute(sql.encode()).fetchall()
        except psycopg.errors.UndefinedTable:  # as above
            return []
