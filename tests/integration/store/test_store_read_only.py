"""A store in a place where nothing can be written: what is stored can be read, and nothing more."""

import json
import os
import shutil
import subprocess

import pytest
from served import served

import adjudge
from adjudge.cli.main import run_command
from adjudge.errors import StoreError
from adjudge.store import open_store
from adjudge.store.schema import STEPS
from adjudge.store.sqlite import SqliteHome

CASES = [{"id": name, "question": "q", "response": "r", "label": 4} for name in "abc"]


def good(prompt):
    return '{"reason": "It answers.", "score": 4}'


@pytest.fixture
def read_only(tmp_path):
    """Make a folder read-only: by a mount where permissions do not bind (root), else by permissions."""
    mounted = []

    def close(folder):
        if os.geteuid() == 0:
            if subprocess.run(
                ["mount", "--bind", folder, folder], capture_output=True, check=False
            ).returncode:
                pytest.skip("root without the right to mount: no place is read-only to it")
            mounted.append(folder)
            subprocess.run(["mount", "-o", "remount,bind,ro", folder], capture_output=True, check=True)
        else:
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
            mounted.append(folder)
        with pytest.raises(OSError, match=r"Read-only|denied"):
            (folder / "probe").touch()
        return folder

    yield close
    for folder in mounted:
        if os.geteuid() == 0:
            subprocess.run(["umount", folder], capture_output=True, check=True)
        else:
            folder.chmod(0o755)


@pytest.fixture
def stored(tmp_path):
    folder = tmp_path / "a store?#%41"  # characters that mean something in a URI
    for name in ("before", "after"):
        adjudge.evaluate(CASES, judges="relevance", model=good, store=folder, name=name)
    return folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_every_command_that_reads_works_and_one_that_writes_says_why_not(stored, read_only, tmp_path, capfd):
    read_only(stored)
    (tmp_path / "labels.jsonl").write_text(
        "\n".join(json.dumps({"case_id": case["id"], "label": 4}) for case in CASES)
    )
    for command in (
        ["runs"],
        ["report", "before"],
        ["show", "before", "a"],
        ["compare", "before", "after"],
        ["agree", "before", "labels.jsonl"],
        ["export", "before", "-o", "rows.jsonl"],
    ):
        assert run_command([*command, "--store", str(stored)]) == 0, (command, capfd.readouterr().err)
    assert "is read-only: the labels of labels.jsonl are not stored" in capfd.readouterr().err
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 3
    with served(stored) as opened:
        assert opened.read("/api/runs/before/case", params={"case": "a"})["row"]["score"] == 4
    assert run_command(["runs", "--store", str(stored), "rm", "before"]) == 4
    assert "give this user write permission there" in capfd.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_what_a_process_that_still_runs_has_committed_is_read_too(stored, read_only, tmp_path):
    """A copy of a store in use: its last commits are in the log beside it, and must not be passed over."""
    copy = tmp_path / "copy"
    writer = open_store(stored)
    try:
        adjudge.evaluate(CASES, judges="relevance", model=good, store=stored, name="live")
        assert (stored / "store.db-wal").stat().st_size > 0
        shutil.copytree(stored, copy)
    finally:
        writer.close()
    read_only(copy)
    store = open_store(copy, create=False)
    try:
        assert store.find_run("live").judgements == 3
        assert store.read_only
    finally:
        store.close()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_an_older_schema_is_not_brought_up_to_date_there(stored, read_only):
    newer = dict(STEPS)
    newer[max(newer) + 1] = ("CREATE TABLE later (x INTEGER)",)
    read_only(stored)
    with pytest.raises(StoreError, match="cannot be migrated: its folder is read-only"):
        SqliteHome(stored / "store.db", steps=newer)
