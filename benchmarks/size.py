"""A Postgres store with one and ten million judgements: what it takes to list, report, find failed cases, look and resume.

`python benchmarks/run.py --only size [--scale 0.1]`: a tenth is one million. A small run is judged for real and
multiplied by SQL, each copy with keys of its own, so that indexes grow as they would; texts are short and shared. It
stops at 30 GB and says how far it got.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import (
    ENVIRONMENT,
    MODEL,
    Figure,
    Server,
    Setting,
    Used,
    run_command,
    serving,
    write_cases,
)

PROGRAM = str(Path(sys.executable).with_name("adjudge"))
SEED = 1_000
MAX_BYTES = 30 * 10**9
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
        FROM small_completions c, generate_series(%s::bigint, %s::bigint) g""",
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
    url = setting.new_store("size")
    figures: list[Figure] = []
    before: dict[str, Used] = {}
    with serving() as server, psycopg.connect(url, autocommit=True) as connection:
        small = write_cases(setting.folder / "small.jsonl", SEED)
        _command("run", str(small), *_asking(server), "--name", "small", "--store", url, "--json")
        copies = 0
        for rows in (wanted // 10, wanted):
            copies = _grow(connection, copies, rows // SEED)
            size, found = _bytes(connection), copies * SEED
            used = look(setting.folder, server, url, connection, copies)
            figures += [_figure(what, took, found, before.get(what), size) for what, took in used.items()]
            before = used
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
        connection.execute("CREATE TEMPORARY TABLE small_completions AS SELECT * FROM adjudge.completions")
    # only to write faster: nothing is measured meanwhile, and a crash would be the end of the benchmark anyway
    _configure(connection, *(f"SET {setting}" for setting in ("fsync = off", "full_page_writes = off")))
    while copies < wanted and _bytes(connection) < MAX_BYTES:
        last = min(wanted, copies + STEP)
        for statement in COPY.values():
            connection.execute(statement, [copies + 1, last])
        copies = last
        print(
            f"  {copies * SEED:,} judgements, {_bytes(connection) / 1e9:.1f} GB", file=sys.stderr, flush=True
        )
    _configure(connection, "RESET ALL")
    connection.execute("VACUUM ANALYZE adjudge.judgements, adjudge.judgement_calls, adjudge.completions")
    return copies


def _configure(connection: Any, *changes: str) -> None:
    for change in changes:
        connection.execute(f"ALTER SYSTEM {change}")
    connection.execute("SELECT pg_reload_conf()")


def _bytes(connection: Any) -> int:
    sql = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    return int(connection.execute(f"{sql} WHERE n.nspname = 'adjudge' AND c.relkind = 'r'").fetchone()[0])


def look(folder: Path, server: Server, url: str, connection: Any, copies: int) -> dict[str, Used]:
    """What each command takes, and each page; at first the run is as if it had been killed."""
    connection.execute(
        "UPDATE adjudge.runs SET state = 'interrupted', judgements = NULL, not_asked = NULL WHERE run_id = 'large'"
    )
    used = {
        "runs, one of them killed": _command("runs", "--store", url),
        "report": _command("report", "large", "--store", url, "--json"),
        "show --failed": _command("show", "large", "--failed", "--store", url),
        "show CASE": _command("show", "large", f"case-000001-{copies}", "--store", url),
    }
    cases = _write_cases(folder, copies)
    last = [f"case-{number:06}-{copies}" for number in range(SEED - MISSING, SEED)]
    for table in ("judgement_calls", "judgements"):
        sql = f"DELETE FROM adjudge.{table} WHERE run_id = 'large' AND case_id = ANY(%s)"
        connection.execute(sql, [last])
    _adopt(connection, cases, server)
    asked = sum(server.ask("calls").values())
    used[f"resume, {MISSING} cases missing"] = _command(
        "run", str(cases), *_asking(server), "--name", "large", "--store", url, "--json"
    )
    asked = sum(server.ask("calls").values()) - asked
    assert asked == MISSING, f"{asked} were asked"
    return used | {"runs": _command("runs", "--store", url), **_pages(url)}


def _write_cases(folder: Path, copies: int) -> Path:
    """The cases of the large run. Those that are missing have texts of their own: no stored reply is for them."""
    rows = [json.loads(line) for line in (folder / "small.jsonl").read_text(encoding="utf-8").splitlines()]
    with (folder / "large.jsonl").open("w", encoding="utf-8") as file:
        for copy in range(1, copies + 1):
            for number, row in enumerate(rows):
                is_missing = copy == copies and number >= SEED - MISSING
                more = {"question": f"{row['question']} ({copies})"} if is_missing else {}
                file.write(json.dumps({**row, "id": f"{row['id']}-{copy}", **more}) + "\n")
    return folder / "large.jsonl"


def _pages(url: str) -> dict[str, Used]:
    """Each page as it is asked for first, and the list once more."""
    program = [PROGRAM, "view", "--store", url, "--no-browser"]
    process = subprocess.Popen(
        program, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stderr.readline())
    assert address is not None
    paths = {
        "view: list of runs": "/",
        "view: run page, without its figures": "/runs/large",
        "view: failed cases, first look": "/runs/large/cases?passed=no",
        "view: failed cases, again": "/runs/large/cases?passed=no",
        "view: a case": "/runs/large/case?case=case-000001-1",
    }
    found: dict[str, Used] = {}
    for name, path in paths.items():
        before = _cpu_seconds(process.pid)
        seconds, status = _get(int(address[1]), address[2], path)
        spent = _cpu_seconds(process.pid) - before
        found[name if status == 200 else f"{name} (HTTP {status})"] = Used(seconds, spent, _peak(process.pid))
    process.terminate()
    process.wait()
    return found


def _get(port: int, token: str, path: str) -> tuple[float, int]:
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    answer.read()
    return time.perf_counter() - started, answer.status


def _cpu_seconds(pid: int) -> float:
    """Of a process that is still alive; 0 where the system does not tell."""
    file = Path(f"/proc/{pid}/stat")
    times = file.read_text().rpartition(")")[2].split()[11:13] if file.exists() else ()
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> float:
    """Megabytes; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def _adopt(connection: Any, cases: Path, server: Server) -> None:
    """As if the run had been made from this file with this server."""
    from hashlib import file_digest  # noqa: PLC0415 - beside its one use

    from adjudge.store.packing import dump_json, load_json, pack, unpack  # noqa: PLC0415 - as above

    with cases.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    ((plan,),) = connection.execute("SELECT plan FROM adjudge.runs WHERE run_id = 'large'").fetchall()
    now = {"cases": digest, "path": str(cases.resolve()), "base_url": server.base_url}
    changed = load_json(unpack(bytes(plan))) | now
    connection.execute("UPDATE adjudge.runs SET plan = %s WHERE run_id = 'large'", [pack(dump_json(changed))])


def _asking(server: Server) -> list[str]:
    return ["-J", "relevance", "-m", MODEL, "--base-url", server.base_url, "-j", "64"]


def _command(*arguments: str) -> Used:
    used = run_command([PROGRAM, *arguments])
    print(
        f"  {arguments[0]}: {used.seconds:.1f} s, {used.cpu_seconds:.1f} s CPU, {used.megabytes:.0f} MB",
        file=sys.stderr,
        flush=True,
    )
    return used


def _figure(what: str, used: Used, rows: int, before: Used | None, size: int) -> Figure:
    return Figure(
        what=f"{rows:,} judgements: {what}",
        measured=f"{used.seconds:.2f} s, {used.cpu_seconds:.2f} s CPU",
        floor="" if before is None else f"{before.seconds:.2f} s, {before.cpu_seconds:.2f} s CPU for a tenth",
        value=used.seconds,
        shown="" if before is None else f"{used.seconds / before.seconds:.1f} ×",
        reach="reported",
        reached=True,
        note=f"at most {used.megabytes:,.0f} MB; {size / rows:,.0f} bytes a judgement",
    )
