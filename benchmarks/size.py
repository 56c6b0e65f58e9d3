"""A Postgres store with ten million judgements: how long it takes to list, report, look for failed cases and resume.

`python benchmarks/run.py --only size [--scale 0.1]`: a tenth is one million. A small run is judged for real and
multiplied by SQL, each copy with keys of its own, so that indexes grow as they would; texts are short and shared. It
stops at 30 GB and says how far it got.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import ENVIRONMENT, MODEL, Figure, Server, Setting, judge_all, serving, write_cases
from database import postgres

SEED = 1_000
MOST_BYTES = 30 * 10**9
STEP = 200
"""Copies of the small run that one statement makes."""
MISSING = 100
"""Cases of the large run that are left to judge."""
COLUMNS = {
    "judgements": "run_id, case_id, judge, model, repeat, judge_hash, outcome, score, exact, normalized, passed, body, "
    "case_hash, reuse_key, at, full_names, position",
    "judgement_calls": "run_id, case_id, judge, model, repeat, position, completion_key, completion_version",
}
COPY = {
    "completions": """INSERT INTO adjudge.completions SELECT sha256(c.key || int8send(g)), c.version, c.model, c.base_url,
        c.prompt_hash, c.schema_hash, c.temperature, c.max_output_tokens, c.parameters, c.case_id || '-' || g, c.judge,
        c.step, c.repeat, c.reply, c.reply_hash, c.finish, c.structured, c.model_snapshot, c.input_tokens,
        c.output_tokens, c.cached_tokens, c.cost, c.latency_ms, c.attempts, c.notes, c.logprobs, c.at, c.measured
        FROM adjudge.completions c, generate_series(%s::bigint, %s::bigint) g WHERE c.case_id NOT LIKE '%%-%%-%%'""",
    "judgements": f"""INSERT INTO adjudge.judgements ({COLUMNS["judgements"]}) SELECT 'large', j.case_id || '-' || g,
        j.judge, j.model, j.repeat, j.judge_hash, j.outcome, j.score, j.exact, j.normalized, j.passed, j.body,
        j.case_hash, sha256(j.reuse_key || int8send(g)), j.at, j.full_names, j.position + (g - 1) * {SEED}
        FROM generate_series(%s::bigint, %s::bigint) g, adjudge.judgements j WHERE j.run_id = 'small'""",
    "judgement_calls": f"""INSERT INTO adjudge.judgement_calls ({COLUMNS["judgement_calls"]}) SELECT 'large',
        l.case_id || '-' || g, l.judge, l.model, l.repeat, l.position, sha256(l.completion_key || int8send(g)),
        l.completion_version FROM generate_series(%s::bigint, %s::bigint) g, adjudge.judgement_calls l
        WHERE l.run_id = 'small'""",
}


def measure(setting: Setting) -> list[Figure]:
    import psycopg  # noqa: PLC0415 - an extra

    wanted = setting.rows(10_000_000, least=10 * SEED)
    figures: list[Figure] = []
    before: dict[str, float] = {}
    with postgres() as url, serving() as server, psycopg.connect(url, autocommit=True) as connection:
        small = write_cases(setting.folder / "small.jsonl", SEED)
        asyncio.run(judge_all(small, server, url, judge="relevance", jobs=64, name="small"))
        copies = 0
        for rows in (wanted // 10, wanted):
            copies = _grow(connection, copies, rows // SEED)
            size = _bytes(connection)
            found = copies * SEED
            seconds = _times(setting.folder, server, url, connection, copies)
            figures += [_figure(what, took, found, before.get(what), size) for what, took in seconds.items()]
            before = seconds
            if found < rows:
                break
    return figures


def _grow(connection: Any, copies: int, wanted: int) -> int:
    if copies == 0:
        connection.execute(
            "INSERT INTO adjudge.runs (run_id, name, state, plan, started_at, finished_at, driver, expected) "
            "SELECT 'large', 'large', 'interrupted', plan, started_at, finished_at, NULL, NULL FROM adjudge.runs "
            "WHERE run_id = 'small'"
        )
    while copies < wanted and _bytes(connection) < MOST_BYTES:
        last = min(wanted, copies + STEP)
        for statement in COPY.values():
            connection.execute(statement, [copies + 1, last])
        copies = last
        print(
            f"  {copies * SEED:,} judgements, {_bytes(connection) / 1e9:.1f} GB", file=sys.stderr, flush=True
        )
    connection.execute("VACUUM ANALYZE adjudge.judgements, adjudge.judgement_calls, adjudge.completions")
    return copies


def _bytes(connection: Any) -> int:
    sql = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    return int(connection.execute(f"{sql} WHERE n.nspname = 'adjudge' AND c.relkind = 'r'").fetchone()[0])


def _times(folder: Path, server: Server, url: str, connection: Any, copies: int) -> dict[str, float]:
    seconds = {
        "runs": _command(["runs", "--store", url]),
        "report": _command(["report", "large", "--store", url, "--json"]),
        "show --failed": _command(["show", "large", "--failed", "--store", url]),
    }
    cases = folder / "large.jsonl"
    rows = [json.loads(line) for line in (folder / "small.jsonl").read_text(encoding="utf-8").splitlines()]
    with cases.open("w", encoding="utf-8") as file:
        for copy in range(1, copies + 1):
            file.writelines(json.dumps({**row, "id": f"{row['id']}-{copy}"}) + "\n" for row in rows)
    last = [f"{row['id']}-{copies}" for row in rows[-MISSING:]]
    for table in ("judgement_calls", "judgements"):
        connection.execute(
            f"DELETE FROM adjudge.{table} WHERE run_id = 'large' AND case_id = ANY(%s)", [last]
        )
    _adopt(connection, cases)
    asked = sum(server.ask("calls").values())
    model = ["-J", "relevance", "-m", MODEL, "--base-url", server.base_url, "-j", "64"]
    output = ["-o", str(folder / "rows.csv")]
    seconds["resume"] = _command(
        ["run", str(cases), *model, "--name", "large", "--store", url, *output], timeout=3_600
    )
    assert sum(server.ask("calls").values()) - asked == MISSING
    connection.execute("UPDATE adjudge.runs SET state = 'interrupted' WHERE run_id = 'large'")
    return seconds


def _adopt(connection: Any, cases: Path) -> None:
    """As if the run had been made from this file."""
    from hashlib import file_digest  # noqa: PLC0415 - beside its one use

    from adjudge.store.packing import dump_json, load_json, pack, unpack  # noqa: PLC0415 - as above

    with cases.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    ((plan,),) = connection.execute("SELECT plan FROM adjudge.runs WHERE run_id = 'large'").fetchall()
    changed = load_json(unpack(bytes(plan))) | {"cases": digest, "path": str(cases.resolve())}
    connection.execute("UPDATE adjudge.runs SET plan = %s WHERE run_id = 'large'", [pack(dump_json(changed))])


def _command(arguments: list[str], timeout: float = 1_800) -> float:
    program = str(Path(sys.executable).with_name("adjudge"))
    started = time.perf_counter()
    subprocess.run(
        [program, *arguments], check=True, capture_output=True, env=ENVIRONMENT | _password(), timeout=timeout
    )
    return time.perf_counter() - started


def _password() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("PG")}


def _figure(what: str, seconds: float, rows: int, before: float | None, size: int) -> Figure:
    grown = "" if before is None else f"{seconds / before:.1f} × the tenth"
    return Figure(
        what=f"Postgres, {rows:,} judgements: {what}",
        measured=f"{seconds:.1f} s",
        floor="",
        value=seconds,
        shown=grown or f"{1e6 * seconds / rows:.1f} µs each",
        reach="reported",
        reached=True,
        note=f"{size / rows:,.0f} bytes a judgement",
    )
