"""A store only ever goes forward: every version opens what the first one made."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.store import open_store
from adjudge.store.labels import LABEL_COLUMNS, read_label
from adjudge.store.migrations import STEPS, TABLES, latest
from adjudge.store.packing import dump_json, hash_bytes, pack
from adjudge.store.sqlite import SqliteHome
from adjudge.store.store import SqlStore

FIRST = Path(__file__).with_name("store_v1.sql")
FUTURE = {
    **STEPS,
    latest(STEPS) + 1: ("SELECT 1",),
    latest(STEPS) + 2: ("ALTER TABLE runs ADD COLUMN note TEXT",),
}


@pytest.fixture
def first(tmp_path):
    """A file as format 1 made it."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
    return path


def open_home(url, steps):
    from adjudge.store.postgres import PostgresHome

    return (
        PostgresHome(url, steps=steps) if url.startswith("postgres") else SqliteHome(Path(url), steps=steps)
    )


def version(store):
    return store.home.read(
        lambda session: session.query("SELECT value FROM meta WHERE name = 'schema_version'")
    )


def test_this_version_opens_a_store_of_the_first_format_and_shows_all_of_it(first, make):
    with closing(open_store(first)) as store:
        assert store.check() == []
        assert [run.name for run in store.runs()] == ["first"]
        for case_id in ("c1", "c2"):
            _, judgement = make.pair(case_id)
            assert store.judgement("r1", case_id) == [judgement.judgement]
            assert store.case("r1", case_id) == judgement.case
        assert store.find_completions([make.pair("c1")[0].key])
        assert store.find_judgements([make.pair("c2")[1].reuse_key])
        with pytest.raises(StoreError, match="claims"):
            store.home.read(lambda session: session.query("SELECT * FROM claims"))
        store.write(make.pair("c3"))
        assert len(list(store.judgements("r1"))) == 3


def test_a_store_of_the_first_format_is_taken_through_later_steps(first):
    with closing(SqlStore(SqliteHome(first, steps=FUTURE))) as store:
        assert version(store) == [(str(latest(FUTURE)),)]
        assert store.home.read(lambda session: session.query("SELECT note FROM runs")) == [(None,)]
        assert store.check() == []
        assert len(list(store.judgements("r1", with_calls=True))) == 2
    with pytest.raises(StoreError, match="made by a newer adjudge"):
        open_store(first)


def test_labels_of_an_older_store_are_blind_ones(place, make):
    older = {version: STEPS[version] for version in range(1, 8)}
    body = ["c1", "relevance", "anna", True, "Right.", "r1"]
    values = ["relevance", "c1", hash_bytes(b"case"), "anna", "r1", pack(dump_json(body)), 1, 0.5, 0]
    with closing(SqlStore(open_home(place, older))) as store:
        store.home.write(
            lambda session: session.change(f"INSERT INTO labels VALUES ({', '.join('?' * 9)})", values)
        )
    with closing(open_store(place)) as store:
        rows = store.home.read(lambda session: session.query(f"SELECT {LABEL_COLUMNS} FROM labels l"))
        (label,) = map(read_label, rows)
    assert (label.annotator, label.label, label.explanation) == ("anna", True, "Right.")
    assert (label.draw, label.probability, label.seen_verdict) == (1, 0.5, False)


@pytest.fixture
def place(where, tmp_path):
    return where if where.startswith("postgres") else str(tmp_path / "s.db")


def test_a_new_store_has_the_latest_format_and_only_our_tables(store):
    assert version(store) == [(str(latest(STEPS)),)]
    for table in TABLES:
        store.home.read(lambda session, table=table: session.query(f"SELECT count(*) FROM {table}"))


def test_steps_are_taken_once_and_in_order(place, make):
    with closing(open_store(place)) as store:
        store.write([make.run(), make.judge(), *make.pair("c1")])
    for _ in range(2):
        with closing(SqlStore(open_home(place, FUTURE))) as store:
            assert version(store) == [(str(latest(FUTURE)),)]
            assert store.judgement("r1", "c1") == [make.pair("c1")[1].judgement]
    with pytest.raises(StoreError) as error:
        open_store(place)
    assert "upgrade adjudge" in str(error.value)


def test_a_step_that_fails_leaves_the_store_as_it_was(place, make):
    with closing(open_store(place)) as store:
        store.write(make.pair("c1"))
    broken = {**STEPS, latest(STEPS) + 1: ("ALTER TABLE runs ADD COLUMN note TEXT", "NONSENSE")}
    with pytest.raises(StoreError):
        open_home(place, broken)
    with closing(open_store(place)) as store:
        assert version(store) == [(str(latest(STEPS)),)]
        assert len(list(store.judgements("r1"))) == 1
        with pytest.raises(StoreError):
            store.home.read(lambda session: session.query("SELECT note FROM runs"))
