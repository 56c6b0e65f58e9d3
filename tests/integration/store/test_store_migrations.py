"""A store only ever goes forward (`store/schema.py`): the steps of a later format are taken once, in order, or not at all."""

from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.store import open_store
from adjudge.store.schema import STEPS, TABLES, latest
from adjudge.store.sqlite import SqliteHome
from adjudge.store.store import SqlStore

FUTURE = {
    **STEPS,
    latest(STEPS) + 1: ("SELECT 1",),
    latest(STEPS) + 2: (
        "ALTER TABLE runs ADD COLUMN note TEXT",
        lambda session: session.change("UPDATE runs SET note = 'from before'"),
    ),
}


def open_home(url, steps):
    from adjudge.store.postgres import PostgresHome

    return (
        PostgresHome(url, steps=steps) if url.startswith("postgres") else SqliteHome(Path(url), steps=steps)
    )


def stored_format(store):
    return store.home.read(lambda session: session.query("SELECT value FROM meta WHERE name = 'format'"))


@pytest.fixture
def place(where, tmp_path):
    return where if where.startswith("postgres") else str(tmp_path / "s.db")


def test_a_new_store_has_the_latest_format_and_only_our_tables(store):
    assert stored_format(store) == [(str(latest(STEPS)),)]
    for table in TABLES:
        store.home.read(lambda session, table=table: session.query(f"SELECT count(*) FROM {table}"))


def test_steps_are_taken_once_and_in_order(place, make):
    with closing(open_store(place)) as store:
        store.write([make.run(), make.judge(), *make.pair("c1")])
    for _ in range(2):
        with closing(SqlStore(open_home(place, FUTURE))) as store:
            assert stored_format(store) == [(str(latest(FUTURE)),)]
            notes = store.home.read(lambda session: session.query("SELECT note FROM runs"))
            assert notes == [("from before",)]
            assert store.judgement("r1", "c1") == [make.pair("c1")[1].judgement]
            assert store.check() == []
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
        assert stored_format(store) == [(str(latest(STEPS)),)]
        assert len(list(store.judgements("r1"))) == 1
        with pytest.raises(StoreError):
            store.home.read(lambda session: session.query("SELECT note FROM runs"))


def test_a_store_from_before_the_first_release_is_refused_in_one_sentence(place):
    with closing(open_store(place)) as store:
        store.home.write(
            lambda session: session.change(
                "UPDATE meta SET name = 'schema_version', value = '13' WHERE name = 'format'"
            )
        )
    with pytest.raises(StoreError, match="from before the first release") as error:
        open_store(place)
    assert "name another store" in str(error.value)
