"""`--engine ray` as it is typed: the installed command, with a cluster of its own and with one that it finds."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
COMMAND = Path(sys.executable).with_name("adjudge")
QUICK_TO_GIVE_UP = """
import adjudge.runs.cluster.connect as connect
from adjudge.cli.main import main

connect.LOST_SECONDS = 1.0
main()
"""


@pytest.fixture
def hostile_folder(tmp_path):
    """What a clone may bring: a module with the name of one that every worker imports."""
    (tmp_path / "msgspec.py").write_text("open('PWNED', 'w').close()\nraise SystemExit(1)\n")
    return tmp_path


def write_cases(folder, count):
    rows = [{"id": f"c{n}", "question": "q", "response": f"answer {n}"} for n in range(count)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def arguments(server, *more, output="rows.jsonl"):
    return [
        "run",
        "cases.jsonl",
        "--judge",
        "relevance",
        "--model",
        "openai:m",
        "--base-url",
        server.openai_url,
        "--engine",
        "ray",
        "-o",
        output,
        *more,
    ]


def rows_of(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def test_a_cluster_of_its_own_judges_and_runs_no_code_of_the_current_folder(adjudge, hostile_folder):
    pytest.importorskip("ray")
    write_cases(hostile_folder, 20)
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        done = adjudge(*arguments(server), process=True)
        assert done.code == 0, done.err
        assert len(server.requests) == 20
    assert [row["outcome"] for row in rows_of(hostile_folder)] == ["scored"] * 20
    assert not (hostile_folder / "PWNED").exists()


def test_a_config_file_cannot_choose_the_engine(adjudge, tmp_path):
    write_cases(tmp_path, 1)
    (tmp_path / "adjudge.toml").write_text('[run]\nengine = "ray"\n')
    done = adjudge("run", "cases.jsonl", "--judge", "relevance", "--model", "openai:m")
    assert done.code == 2
    assert "engine" in done.err


@pytest.fixture
def head(monkeypatch):
    """A cluster as `ray start --head` leaves it behind, found by `auto`: its folder, by which its processes are ended, and
    the port for clients.
    """
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="adjudge-ray-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("RAY_TMPDIR", folder)
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        (Path(folder) / "token").write_text("1" * 32)  # with none, `ray start` asks nobody for one
        monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", f"{folder}/token")
        words = "start --head --port=0 --num-cpus=2 --include-dashboard=false --object-store-memory=80000000"
        started = subprocess.run(
            [
                *(sys.executable, "-P", "-m", "ray.scripts.scripts"),
                *(*words.split(), f"--ray-client-server-port={port}"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert started.returncode == 0, started.stderr
        try:
            yield folder, port
        finally:
            end_processes(folder)


def end_processes(folder, name=""):
    listed = subprocess.run(["ps", "-ewwo", "pid,args"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        pid, _, command = line.strip().partition(" ")
        if folder in command and name in command:
            os.kill(int(pid), signal.SIGKILL)


def wait_for_port(port):
    for _ in range(600):  # a minute, which is ten times what it takes
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(port)


def test_a_cluster_that_was_started_is_found_asks_for_its_token_and_may_die(adjudge, hostile_folder, head):
    write_cases(hostile_folder, 20)
    folder, port = head
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        auto = arguments(server, "--ray-address", "auto")
        stranger = subprocess.Popen(  # Ray tries for 20 seconds
            [COMMAND, *arguments(server, "--ray-address", "auto", output="stranger.jsonl")],
            cwd=hostile_folder,
            env={**os.environ, "RAY_AUTH_TOKEN": "0" * 32},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        done = adjudge(*auto, process=True)
        assert done.code == 0, done.err
        assert len(server.requests) == 20
        wait_for_port(port)
        client = ["--ray-address", f"ray://127.0.0.1:{port}", "--workers", "1", "--fresh"]
        done = adjudge(*arguments(server, *client), process=True)  # with the token that `auto` found
        assert done.code == 0, done.err
        assert len(server.requests) == 40
        assert not (hostile_folder / "PWNED").exists()
        missing = adjudge(*auto, process=True, environ={"RAY_AUTH_TOKEN_PATH": str(hostile_folder / "none")})
        assert missing.code == 2
        assert "token" in missing.err
        _, told = stranger.communicate(timeout=120)
        assert stranger.returncode == 2
        assert "RAY_AUTH_TOKEN or ~/.ray/auth_token" in told
        assert len(server.requests) == 40

    lost = threading.Event()

    def answer(request):
        del request
        if len(server.requests) > 30 and not lost.is_set():
            lost.set()
            end_processes(folder, "gcs_server")
        return ServerReply(text=GOOD, delay_seconds=0.2)

    write_cases(hostile_folder, 200)
    with ModelServer(handler=answer) as server:
        words = arguments(server, "--ray-address", "auto", "-j", "4", "--fail-under", "3")
        stopped = subprocess.run(
            [sys.executable, "-P", "-c", QUICK_TO_GIVE_UP, *words],
            cwd=hostile_folder,
            capture_output=True,
            text=True,
            check=False,
        )
    assert stopped.returncode == 3, stopped.stderr  # not 1, which would be a failed gate
    assert "the Ray cluster was lost (its head node does not answer)" in stopped.stderr
    assert "run the same command again" in stopped.stderr
    assert 0 < len(rows_of(hostile_folder)) < 200
