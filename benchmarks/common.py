"""What the benchmarks share: the figures they report, the cases, the loopback server, and one run of the pipeline."""

import json
import os
import resource
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

JUDGES = ("correctness", "relevance")
"""The first is the harder: numbers in free text are compared. The other gives a score and a reason."""
MODEL = "openai:benchmark-1"
HERE = Path(__file__).parent
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("OPENAI_", "ADJUDGE_")) and "proxy" not in name.lower()
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One line of the table. `value` is what is held against `reach`: mostly `measured` divided by `floor`."""

    what: str
    measured: str
    floor: str
    value: float
    shown: str
    reach: str
    reached: bool
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    folder: Path
    """Empty, and the benchmark's own."""
    scale: float
    """1 is the size that the figures are promised for."""
    judge: str = JUDGES[0]
    server: str | None = None
    """The URL of a Postgres server for the stores; None: they are SQLite files."""

    def new_store(self, name: str) -> str:
        """Where a store can be made."""
        if self.server is None:
            return str(self.folder / f"{name}.db")
        import psycopg  # noqa: PLC0415 - an extra

        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return f"{self.server.rpartition('/')[0]}/{name}"

    def rows(self, count: int, *, least: int = 64) -> int:
        return max(least, round(count * self.scale))


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    port: int

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def ask(self, what: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{what}", timeout=60) as reply:
            return json.loads(reply.read())


@contextmanager
def serving(*, delay_ms: float = 0, keep: bool = False) -> Iterator[Server]:
    command = [sys.executable, str(HERE / "server.py"), str(delay_ms), *(["--keep"] if keep else [])]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Server(port=int(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def write_cases(path: Path, count: int, *, start: int = 0) -> Path:
    """Rows of about 600 characters, each with a text of its own."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(start, start + count):
            name, distance = f"case-{number:06}", f"1,{number // 1000:03},{number % 1000:03} km"
            row = {
                "id": name,
                "question": f"How far is it by road from the harbour to the depot of {name}, and which way is best?",
                "response": f"By road it is {distance} from the harbour to depot {number}. The coastal road is the better one in "
                f"summer; in winter lorries take the valley, since the pass is often closed. {'It is paved. ' * 8}",
                "reference": f"It is {distance} to depot {number}, by the coastal road in summer and through the valley in winter.",
                "metadata": {"system": "benchmark", "batch": number // 1000},
            }
            file.write(json.dumps(row) + "\n")
    return path


async def judge_all(
    cases: Path,
    server: Server,
    store: Path | str,
    *,
    judge: str,
    jobs: int,
    models: tuple[str, ...] = (MODEL,),
    **more: Any,
) -> int:
    """One run as `adjudge run` makes it, from the file to the committed rows, in this process."""
    from adjudge.dataset import read_cases  # noqa: PLC0415 - other benchmarks measure processes that must stay small
    from adjudge.options import RunOptions  # noqa: PLC0415 - likewise
    from adjudge.records import Judgement  # noqa: PLC0415 - likewise
    from adjudge.runs.plan import make_plan  # noqa: PLC0415 - likewise
    from adjudge.runs.session import open_session  # noqa: PLC0415 - likewise

    options = RunOptions(model=models, base_url=server.base_url, jobs=jobs, store=store, **more)
    done = 0

    def take(judgement: Judgement) -> None:
        nonlocal done
        assert judgement.outcome.kind == "scored", judgement.outcome
        done += 1

    async with open_session(
        make_plan([judge], options, environ={}), str(cases), environ=ENVIRONMENT
    ) as session:
        await session.run(read_cases(cases), take)
    return done


def cpu_seconds() -> float:
    """Of this process, all its threads, user and system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Used(NamedTuple):
    """What a command took."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    """Its largest resident size; a child's counts its parent's, so whoever asks stays small."""


def run_command(command: list[str]) -> Used:
    started = perf_counter()
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command[1]}: exit {process.returncode}"
    return Used(
        perf_counter() - started,
        used.ru_utime + used.ru_stime,
        used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6,
    )


def adjudge_command(
    cases: Path, server: Server, store: str, *, judge: str, jobs: int, output: Path
) -> list[str]:
    program = str(Path(sys.executable).with_name("adjudge"))
    options = ["-J", judge, "-m", MODEL, "--base-url", server.base_url, "-j", str(jobs)]
    return [program, "run", str(cases), *options, "--store", store, "-o", str(output)]
