"""A store that was not made here can be read; no run takes its answers for the model's."""

import logging
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from types import SimpleNamespace

import pytest
from jsonl import write_lines
from served import served

import adjudge
from adjudge.cli.main import run_command
from adjudge.errors import InputError
from adjudge.store import open_store
from adjudge.store.trust import is_tracked, known_stores, state_folder

STORE = ".adjudge/store.db"


@pytest.fixture
def planted(capsys, tmp_path_factory, monkeypatch):
    """Ten cases, scored 5 by whoever made the store; and the command whose answers it holds."""
    monkeypatch.setenv("ADJUDGE_STATE", str(tmp_path_factory.mktemp("state")))
    rows = [{"id": f"c{at}", "question": "q?", "response": "An answer."} for at in range(10)]
    replies = [{"case_id": row["id"], "reply": {"reason": "Bought.", "score": 5}} for row in rows]
    for name, lines in (("cases", rows), ("replies", replies)):
        write_lines(f"{name}.jsonl", lines)
    command = [
        "run",
        "cases.jsonl",
        "--judge",
        "relevance",
        "--model",
        "scripted:replies.jsonl",
        "--name",
        "r",
    ]
    assert run_command([*command, "-o", "rows.jsonl"]) == 0
    give_id(theirs := token_hex(16))
    capsys.readouterr()
    return SimpleNamespace(command=command, id=theirs)


def give_id(store_id):
    with closing(sqlite3.connect(STORE)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE name = 'store_id'")
        if store_id is not None:
            connection.execute("INSERT INTO meta VALUES ('store_id', ?)", [store_id])


def test_a_run_does_not_reuse_what_a_planted_store_holds(planted, capsys):
    assert run_command([*planted.command[:-1], "again"]) == 2
    said = capsys.readouterr()
    assert f"adjudge store trust {STORE}" in said.err
    assert f"ADJUDGE_TRUST_STORE={planted.id}" in said.err
    assert said.out == ""
    assert run_command([*planted.command, "--fresh"]) == 2
    assert run_command([*planted.command[:5], "replay"]) == 2
    with pytest.raises(InputError, match="was not made here"):
        adjudge.evaluate(
            "cases.jsonl", judges=["relevance"], model="scripted:replies.jsonl", store=".adjudge"
        )


def test_it_can_be_read_under_a_line_that_names_it(planted, capsys):
    for command in (
        ["runs"],
        ["report", "r"],
        ["show", "r", "c1"],
        ["export", "r", "-o", "-"],
        ["store", "check"],
    ):
        assert run_command(command) == 0
        said = capsys.readouterr()
        assert f"{STORE} was not made here by you (store {planted.id})" in said.err, command
        assert said.out, command
    assert run_command(["estimate", *planted.command[1:-2]]) == 0
    assert "0 are answered from the store" in capsys.readouterr().out
    with served(".adjudge", models=["scripted:replies.jsonl"]) as pages:
        for path in ("/", "/runs/r", "/judges"):
            assert f"{STORE} was not made here by you" in pages.client.get(path).text
        order = {"judges": ["relevance"], "cases": [{"question": "q?", "response": "An answer."}]}
        refused = pages.client.post("/api/runs", json=order)
        assert (refused.status_code, "was not made here" in refused.text) == (400, True)


def test_it_is_used_once_it_is_trusted(planted, capsys):
    assert run_command(["store", "trust", ".adjudge"]) == 0
    assert capsys.readouterr().out == f"{STORE}: trusted (store {planted.id})\n"
    assert run_command([*planted.command[:-1], "again", "--json"]) == 0
    said = capsys.readouterr()
    assert "was not made here" not in said.err
    with served(".adjudge") as pages:
        assert "was not made here" not in pages.client.get("/").text
    with closing(open_store(".adjudge")) as store:
        made = list(store.judgements("again", with_calls=True))
    assert [judgement.outcome.score.value for judgement in made] == [5] * 10
    assert all(call.completion.from_store for judgement in made for call in judgement.calls)


def test_a_variable_names_a_store_to_trust(planted, monkeypatch):
    monkeypatch.setenv("ADJUDGE_TRUST_STORE", "f" * 32)
    assert run_command(planted.command) == 2
    monkeypatch.setenv("ADJUDGE_TRUST_STORE", f"{'f' * 32},{planted.id}")
    assert run_command(planted.command) == 0


@pytest.mark.parametrize("store_id", [None, "../../../known", ""])
def test_a_store_without_an_id_of_ours_gets_one_and_is_not_trusted(planted, store_id):
    give_id(store_id)
    with closing(open_store(".adjudge")) as store:
        assert store.id is not None
        assert not store.trusted
        found = store.id
    assert run_command(planted.command) == 2
    assert run_command(["store", "trust", ".adjudge"]) == 0
    assert run_command(planted.command) == 0
    assert (known_stores() / found).read_text() == f"{Path(STORE).absolute()}\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("index_version", [2, 4])
def test_a_store_that_git_tracks_is_not_reused_whoever_made_it(planted, capsys, monkeypatch, index_version):
    git = ["git", "-c", "core.fsmonitor=false", "-c", f"index.version={index_version}"]
    subprocess.run([*git, "init", "-q"], check=True)
    run_command(planted.command)
    assert "git tracks" not in capsys.readouterr().err
    subprocess.run([*git, "add", "-f", "cases.jsonl", STORE, "replies.jsonl"], check=True)
    run_command(planted.command)
    assert "git tracks it, so it came with the repository" in capsys.readouterr().err
    assert run_command(["store", "trust", ".adjudge"]) == 0
    assert "git tracks it, so anyone who can change" in capsys.readouterr().err
    assert run_command(planted.command) == 2
    assert "`git rm --cached .adjudge/store.db`" in capsys.readouterr().err
    monkeypatch.setenv("ADJUDGE_TRUST_STORE", planted.id)
    assert run_command(planted.command) == 0
    assert is_tracked(Path("cases.jsonl"))
    assert is_tracked(Path("replies.jsonl"))
    assert not is_tracked(Path("rows.jsonl"))
    assert not is_tracked(Path("store.db"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("format_", ["sha1", "sha256"])
@pytest.mark.parametrize("index", ["index.version=2", "index.version=4", "core.splitIndex=true"])
def test_a_tracked_file_is_found_in_every_kind_of_index(tmp_path, monkeypatch, format_, index):
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "core.fsmonitor=false", "-c", index]
    for name in ("a.txt", "folder/a.txt", "folder/Store.db-wal", "folder/store.db-wal2", "z.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(name)
    subprocess.run([*git, "init", "-q", f"--object-format={format_}"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    for name in ("a.txt", "folder/store.db-wal", "folder/store.db-wal2", "z.txt"):
        assert is_tracked(Path(name)), name
    for name in ("folder/store.db", "store.db-wal", "folder/z.txt"):
        assert not is_tracked(Path(name)), name
    subprocess.run([*git, "rm", "-q", "--cached", "z.txt"], check=True)
    assert is_tracked(Path("z.txt")) == ("split" in index)  # the shared part is older


def test_a_state_folder_that_cannot_be_written_is_said_and_the_run_resumes(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ADJUDGE_STATE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING), closing(open_store(tmp_path / "made")) as store:
        assert store.trusted
        assert f"ADJUDGE_TRUST_STORE={store.id}" in caplog.text
    with closing(open_store(tmp_path / "made")) as store:
        assert store.trusted


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"ADJUDGE_STATE": "/x/y", "XDG_STATE_HOME": "/s"}, "linux", Path("/x/y")),
        ({"XDG_STATE_HOME": "/s"}, "linux", Path("/s/adjudge")),
        ({"XDG_STATE_HOME": "in/the/clone"}, "linux", Path.home() / ".local/state/adjudge"),
        ({}, "linux", Path.home() / ".local/state/adjudge"),
        ({}, "darwin", Path.home() / "Library/Application Support/adjudge"),
        ({"LOCALAPPDATA": "/l"}, "win32", Path("/l/adjudge/state")),
    ],
)
def test_the_state_folder_is_the_users(environ, platform, folder):
    assert state_folder(environ, platform) == folder


def test_tests_keep_their_stores_out_of_the_persons_state_folder():
    assert not Path(os.environ["ADJUDGE_STATE"]).is_relative_to(Path.home() / ".local")
