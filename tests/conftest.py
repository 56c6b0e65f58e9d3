"""What every test runs under. The network beyond loopback is blocked by `--allow-hosts` in pyproject.toml."""

import atexit
import gc
import io
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from adjudge.cli.main import run_command
from adjudge.store import trust

# how long an example takes says something about the machine, not about the code
settings.register_profile("adjudge", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("adjudge")

# stores that tests make are not the person's
os.environ["ADJUDGE_STATE"] = tempfile.mkdtemp(prefix="adjudge-tests-state-")
atexit.register(shutil.rmtree, os.environ["ADJUDGE_STATE"], ignore_errors=True)

# tests write thousands of stores, each of which waits for the disk; in memory, where there is enough of it, nothing waits
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 * 1024**3:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


LONG = {"test_ray_command.py", "test_hostile_judges.py", "test_server_schema.py", "test_cli_certify.py"}
"""Files with a test that takes ten seconds or more."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Each process begins to read the tests at another place: what one has compiled, the others find on the disk."""
    report = yield
    worker = getattr(collector.config, "workerinput", None)
    if worker is not None and isinstance(collector, pytest.Directory) and report.result:
        first = len(report.result) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        report.result = report.result[first:] + report.result[:first]
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items):
    """The same order in every process before it is made random. Long tests come first: one that is left for the end keeps
    one process busy, and the others wait for it.
    """
    items.sort(key=lambda item: item.path)
    yield
    items.sort(key=lambda item: item.path.name not in LONG)


gc.disable()  # a quarter of the time that it takes to find the tests


def pytest_collection_finish():
    """Nine thousand tests and all modules stay until the end: no garbage collection needs to look at them again."""
    gc.collect()
    gc.freeze()
    gc.enable()


SEEDS = Path(__file__).parents[2] / "shared" / "seeds"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch, tmp_path):
    """A key, a model, a config file or a store of the person running the tests must not change what they test."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if (name.startswith("ADJUDGE_") and name != "ADJUDGE_STATE") or name.endswith(
            ("_API_KEY", "_BASE_URL", "_AUTH_TOKEN", "_AD_TOKEN")
        ):
            monkeypatch.delenv(name)


@pytest.fixture
def seeds():
    """The four real prompts this project starts from; they are not part of the repository."""
    if not SEEDS.is_dir():
        pytest.skip("the seed prompts are not beside this repository")
    return {path.name[:3]: path for path in sorted(SEEDS.glob("*.txt"))}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With ADJUDGE_TESTS_NO_SKIPS a skipped test fails: in CI everything is there, or the set-up is broken."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and NO_SKIPS:
        report.outcome = "failed"
        report.longrepr = (
            f"skipped where nothing may be skipped: {call.excinfo.value if call.excinfo else ''}"
        )
    return report


HANGING_SECONDS = 600
"""Ends a test that hangs; no command takes nearly as long, however busy the machine is."""
NO_SKIPS = bool(os.environ.get("ADJUDGE_TESTS_NO_SKIPS"))


@dataclass(frozen=True, kw_only=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def adjudge(tmp_path):
    """The command in an empty folder: `adjudge("run", "cases.jsonl", …)`.

    It runs in this process, since starting one takes longer than most of what is tested. With `process=True` it is the
    installed command; so are those that tests interrupt, kill or run side by side.
    """
    command = Path(sys.executable).with_name("adjudge")

    def call(*arguments, stdin="", environ=None, cwd=tmp_path, process=False):
        words = [str(argument) for argument in arguments]
        given = stdin.encode() if isinstance(stdin, str) else stdin
        variables = {"COLUMNS": "118", **(environ or {})}
        if not process:
            return _run_here(words, given, variables, cwd)
        done = subprocess.run(
            [command, *words],
            cwd=cwd,
            input=given,
            capture_output=True,
            env={**os.environ, **variables},
            timeout=HANGING_SECONDS,
            check=False,
        )
        return Done(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    return call


def _run_here(words, given, variables, cwd):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        for name, value in variables.items():
            patch.setenv(name, value)
        streams = [
            io.TextIOWrapper(io.BytesIO(each), encoding="utf-8", write_through=True)
            for each in (given, b"", b"")
        ]
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setattr(trust, "_made_by_this_process", set())  # as in a process of its own
        code = run_command(words)
        out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return Done(code=code, out=out, err=err)
