"""Trouble with the file: said clearly, nothing lost, never a half-written row."""

import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.store import open_store
from adjudge.store.schema import STEPS, latest
from adjudge.store.sqlite import SqliteHome
from adjudge.store.store import SqlStore

WRITER = Path(__file__).with_name("conftest.py")

PROGRAM = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("made", sys.argv[1])
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)
from adjudge.errors import StoreError
from adjudge.store import open_store
"""


def program(text):
    return [sys.executable, "-c", PROGRAM + textwrap.dedent(text), str(WRITER)]


def open_file(path, **options):
    return SqlStore(SqliteHome(Path(path), **options))


def said(error):
    """Where, what, and what to do."""
    message = str(error.value)
    assert "\n\nhint: " in message
    return message


# ---- where it is ----


def test_a_folder_that_is_made_is_closed_to_others_and_ignored_by_git(tmp_path):
    with closing(open_store(tmp_path / "new")) as store:
        assert store.where == str(tmp_path / "new" / "store.db")
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "store.db").stat().st_mode) == 0o600


def test_a_folder_that_was_there_is_left_as_it_was(tmp_path):
    mode = tmp_path.stat().st_mode
    with closing(open_store(tmp_path)):
        pass
    assert not (tmp_path / ".gitignore").exists()
    assert tmp_path.stat().st_mode == mode
    assert (tmp_path / "store.db").exists()


def test_a_file_may_have_any_name_that_ends_in_db(tmp_path, make):
    path = tmp_path / "odd name #1 %20 ?mode=ro.db"
    with closing(open_store(path)) as store:
        store.write(make.pair("c1"))
    assert path.exists()
    assert not (tmp_path / ".gitignore").exists()
    with closing(open_store(str(path), create=False)) as store:
        assert len(list(store.judgements("r1"))) == 1


def test_nothing_is_left_beside_the_file_after_closing(tmp_path, make):
    with closing(open_store(tmp_path / "s.db")) as store:
        store.write(make.pair("c1"))
        list(store.judgements("r1"))
    assert [path.name for path in tmp_path.iterdir()] == ["s.db"]


@pytest.mark.parametrize("path", ["absent/store.db", "absent/deeper"])
def test_a_missing_folder_is_named(tmp_path, path):
    with pytest.raises(StoreError) as error:
        open_store(tmp_path / path)
    assert re.search(r"the folder .*absent does not exist", said(error))
    assert list(tmp_path.iterdir()) == []


def test_a_path_through_a_file_is_an_error_and_no_traceback(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError) as error:
        open_store(tmp_path / "file" / "store.db")
    said(error)


def test_a_folder_called_store_db_is_used_as_a_folder(tmp_path):
    (tmp_path / "x.db").mkdir()
    with closing(open_store(tmp_path / "x.db")) as store:
        assert store.where.endswith("x.db/store.db")
    (tmp_path / "y" / "store.db").mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file"):
        open_store(tmp_path / "y")


# ---- rights ----


RIGHTS = """
import os
import adjudge.store.sqlite, adjudge.store.store
if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    store = open_store(sys.argv[2])
    store.write(make.make_pair("c2"))
except StoreError as error:
    print(error)
else:
    print("written")
"""


@pytest.fixture
def public_folder():
    """One that another user may enter; those of pytest are its owner's."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights work otherwise here")
@pytest.mark.parametrize("case", ["folder", "file", "no rights", "new folder"])
def test_without_the_right_to_write_the_message_says_so(public_folder, make, case):
    folder = public_folder / "store"
    folder.mkdir()
    with closing(open_store(folder)) as store:
        store.write(make.pair("c1"))
    (folder / "store.db").chmod(0o444)
    folder.chmod({"folder": 0o555, "file": 0o777, "no rights": 0o000, "new folder": 0o555}[case])
    try:
        target = folder / "new" if case == "new folder" else folder
        done = subprocess.run([*program(RIGHTS), str(target)], capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o700)
    assert done.stderr == ""
    assert str(folder) in done.stdout
    assert re.search(r"no permission|cannot be written to|cannot be opened", done.stdout)
    assert "write permission" in done.stdout or "may write there" in done.stdout
    (folder / "store.db").chmod(0o600)
    with closing(open_store(folder)) as store:
        assert [judgement.case_id for judgement in store.judgements("r1")] == ["c1"]


# ---- full, locked, damaged, foreign, newer ----


def test_a_full_disk_is_said_and_what_was_stored_stays(tmp_path, make):
    with closing(open_file(tmp_path / "s.db")) as store:
        store.write([make.run(), make.judge()])
        pages = store.home._writer.execute("PRAGMA page_count").fetchone()[0]
        store.home._writer.execute(f"PRAGMA max_page_count = {pages + 40}")
        kept = 0
        with pytest.raises(StoreError) as error:  # noqa: PT012 - how many fit is the database's affair
            while True:
                store.write([write for n in range(10) for write in make.pair(f"c{kept + n}")])
                kept += 10
        assert "the disk is full" in said(error)
        assert kept > 0
        assert len(list(store.judgements("r1"))) == kept
        assert store.check() == []
        store.home._writer.execute(f"PRAGMA max_page_count = {pages + 4000}")
        store.write(make.pair("after"))
        assert len(list(store.judgements("r1"))) == kept + 1


def test_a_file_size_limit_is_said_and_what_was_stored_stays(tmp_path):
    done = subprocess.run(
        [
            *program("""
            import resource
            kept = 0
            store = open_store(sys.argv[2])
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
            try:
                while True:
                    store.write([write for n in range(10) for write in make.make_pair(f"c{kept + n}")])
                    kept += 10
            except StoreError as error:
                print(error)
            print("kept", kept)
            """),
            str(tmp_path / "s.db"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert re.search(r"could not be read or written|the disk is full", done.stdout)
    kept = int(done.stdout.split()[-1])
    assert kept > 0
    with closing(open_store(tmp_path / "s.db")) as store:
        assert len(list(store.judgements("r1"))) == kept
        assert [problem for problem in store.check() if "lacks its run" not in problem and "lacks its judge" not in problem
                and "more of the same" not in problem] == []  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting takes root on Linux")
def test_a_small_disk_is_said_to_be_full(tmp_path, make):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        kept = 0
        with closing(open_store(disk / "store")) as store:
            with pytest.raises(StoreError, match=r"the disk is full|could not be read or written"):  # noqa: PT012 - how many fit is the file system's affair
                while True:
                    store.write([write for n in range(10) for write in make.pair(f"c{kept + n}")])
                    kept += 10
            assert kept > 0
            assert len(list(store.judgements("r1"))) == kept
    finally:
        subprocess.run(["umount", disk], check=True)


LOCKER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline() if sys.argv[2] == "until told" else time.sleep(0.5)
connection.execute("ROLLBACK")
connection.close()
"""


def lock(path, how_long):
    other = subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(path), how_long],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "locked\n"
    return other


def test_a_locked_store_is_waited_for_and_then_said_to_be_locked(tmp_path, make):
    with closing(open_file(tmp_path / "s.db", busy_seconds=0.2)) as store:
        other = lock(tmp_path / "s.db", "until told")
        with pytest.raises(StoreError) as error:
            store.write(make.pair("c1"))
        assert "kept it locked for 0.2 seconds" in said(error)
        assert list(store.judgements("r1")) == []  # reading goes on
        other.communicate("\n")
        store.write(make.pair("c1"))
        assert len(list(store.judgements("r1"))) == 1


def test_a_lock_that_ends_in_time_is_not_an_error(tmp_path, make):
    with closing(open_file(tmp_path / "s.db")) as store:
        other = lock(tmp_path / "s.db", "for a while")
        store.write(make.pair("c1"))
        other.communicate()
        assert len(list(store.judgements("r1"))) == 1


@pytest.mark.parametrize("content", [b"question,answer\n1,2\n" * 100, b"\0" * 5_000, b"x"])
def test_a_file_that_is_no_database_is_left_alone(tmp_path, content):
    path = tmp_path / "cases.db"
    path.write_bytes(content)
    with pytest.raises(StoreError) as error:
        open_store(path)
    assert "is not a store" in said(error)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE customers (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not one of adjudge's"):
        open_store(path)
    assert path.read_bytes() == before


def test_another_programs_meta_table_is_not_taken_for_ours(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE meta (name TEXT, value TEXT)")
    with pytest.raises(StoreError, match="not one of adjudge's"):
        open_store(path)


def test_a_store_from_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "s.db"
    with closing(open_store(path)) as store:
        store.home.write(lambda session: session.change("UPDATE meta SET value = '99' WHERE name = 'format'"))
    with pytest.raises(StoreError) as error:
        open_store(path)
    known = latest(STEPS)
    assert f"format 99, made by a newer adjudge; this one knows formats up to {known}" in said(error)
    assert "upgrade adjudge" in said(error)


def test_damage_is_found_by_check_and_said_when_met(tmp_path, make):
    path = tmp_path / "s.db"
    with closing(open_store(path)) as store:
        store.write([make.run(), make.judge()])
        store.write([write for number in range(500) for write in make.pair(f"c{number}")])
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    for page in range(pages // 2, pages, 2):  # the first ones say what tables there are
        content[page * 4096 : page * 4096 + 2000] = b"\xa5" * 2000
    path.write_bytes(content)
    with closing(open_store(path)) as store:
        problems = store.check()
        assert problems
        assert len(problems) < 100
        with pytest.raises(StoreError) as error:
            list(store.judgements("r1", with_calls=True))
        assert "is damaged" in said(error)
        assert "store check" in said(error)


def test_a_file_cut_in_half_is_said_to_be_damaged(tmp_path, make):
    path = tmp_path / "s.db"
    with closing(open_store(path)) as store:
        store.write([write for number in range(500) for write in make.pair(f"c{number}")])
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError, match="is damaged"):
        read_all(path)


def read_all(path):
    with closing(open_store(path)) as store:
        assert store.check()
        return list(store.judgements("r1", with_calls=True))


# ---- many processes, killed processes ----

STREAM = """
import itertools
store = open_store(sys.argv[2])
for number in itertools.count():
    if number == int(sys.argv[4]):
        break
    names = [f"{sys.argv[3]}-{number}-{position}" for position in range(7)]
    store.write([write for name in names for write in make.make_pair(name)])
    print(" ".join(names), flush=True)
store.close()
"""


def stream(path, worker, batches=-1, **options):
    return subprocess.Popen(
        [*program(STREAM), str(path), worker, str(batches)], stdout=subprocess.PIPE, text=True, **options
    )


def test_two_processes_write_one_file_at_once(tmp_path):
    writers = [stream(tmp_path / "s.db", worker, 30) for worker in ("a", "b")]
    acknowledged = [name for writer in writers for name in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(acknowledged) == 2 * 30 * 7
    with closing(open_store(tmp_path / "s.db")) as store:
        assert {judgement.case_id for judgement in store.judgements("r1")} == set(acknowledged)
        assert sum(1 for _ in store.judgements("r1")) == len(acknowledged)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_writer_killed_at_any_moment_leaves_whole_rows_and_all_it_acknowledged(tmp_path, make):
    path = tmp_path / "s.db"
    with closing(open_store(path)) as store:
        store.write([make.run(), make.judge()])
    acknowledged = []
    for attempt in range(5):
        writer = stream(path, f"w{attempt}")
        for _ in range(3 + 11 * attempt):  # killed while it writes what comes after these
            acknowledged += writer.stdout.readline().split()
        writer.kill()
        rest = writer.communicate()[0]
        acknowledged += [
            name for line in rest.splitlines(keepends=True) if line.endswith("\n") for name in line.split()
        ]
        assert writer.returncode == -signal.SIGKILL
        with closing(open_store(path)) as store:
            assert store.check() == []
            found = [judgement.case_id for judgement in store.judgements("r1")]
            assert len(found) == len(set(found))
            assert len(found) % 7 == 0  # batches are whole
            assert set(acknowledged) <= set(found)
            assert len(found) - len(acknowledged) <= 7 * (
                attempt + 1
            )  # at most the batch under way, each time
    assert len(acknowledged) > 700


@pytest.mark.skipif(os.name != "posix", reason="locks of other systems belong to the open file")
def test_a_process_that_has_the_store_open_twice_keeps_its_locks(tmp_path):
    """A process loses all its locks on a file as soon as it closes it once, and another then deletes the log under it."""
    write = """
        store = open_store(sys.argv[2])
        store._home.write(lambda s: s.change("INSERT INTO meta (name, value) VALUES ('other', '1')"))
        store.close()
    """
    with closing(open_store(tmp_path)) as first:
        open_store(tmp_path).close()
        subprocess.run([*program(write), str(tmp_path)], check=True)
        first._home.write(lambda s: s.change("INSERT INTO meta (name, value) VALUES ('ours', '1')"))
    with closing(sqlite3.connect(tmp_path / "store.db")) as database:
        names = {name for (name,) in database.execute("SELECT name FROM meta")}
    assert {"other", "ours"} <= names
