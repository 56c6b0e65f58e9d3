"""A store only ever goes forward: every version opens what the first one made."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.store import JudgementKey, open_store
from adjudge.store.labels import LABEL_COLUMNS, read_label
from adjudge.store.migrations import STEPS, TABLES, latest
from adjudge.store.packing import COLUMN_CHARS, dump_json, hash_bytes, load_json, pack, unpack
from adjudge.store.sql import insert
from adjudge.store.sqlite import SqliteHome
from adjudge.store.store import SqlStore
from adjudge.store.writing import CALLS, COMPLETIONS, JUDGEMENTS, TEXTS, Bases, make_rows

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


MODELS = next(number for number, steps in STEPS.items() if any(map(callable, steps)))
BEFORE_MODELS = {number: steps for number, steps in STEPS.items() if number < MODELS}
LONG = "scripted:/" + "folder/" * 40


def write_without_models(session, writes):
    """As adjudge stored judgements when a run had one model: it stood in the body only."""
    rows = make_rows(writes, Bases())
    insert(session, "texts", TEXTS, list(rows.texts.values()))
    insert(session, "completions", COMPLETIONS, list(rows.completions.values()))
    columns = [column for column in JUDGEMENTS if column != "model"]
    for key, judgement in zip(rows.judgements, [w.judgement for w in writes[1::2]], strict=True):
        row = dict(zip(JUDGEMENTS, rows.judgements[key], strict=True))
        body = {"model": judgement.model, **load_json(unpack(row["body"]))}
        full = [judgement.case_id, judgement.judge] if len(judgement.case_id) > COLUMN_CHARS else None
        row |= {"body": pack(dump_json(body)), "full_names": full and pack(dump_json(full))}
        insert(session, "judgements", columns, [tuple(row[column] for column in columns)])
        calls = [column for column in CALLS if column != "model"]
        kept = [dict(zip(CALLS, call, strict=True)) for call in rows.calls[key]]
        insert(session, "judgement_calls", calls, [tuple(call[column] for column in calls) for call in kept])


def test_judgements_from_before_several_models_keep_theirs(place, make):
    made = [make.pair(case_id, model=model, position=at) for at, (case_id, model) in enumerate(
        [("c1", "openai:m"), ("c" * 300, "openai:m"), ("c3", LONG)]
    )]  # fmt: skip
    with closing(SqlStore(open_home(place, BEFORE_MODELS))) as old:
        old.home.write(lambda session: session.change(
            "INSERT INTO runs (run_id, state, plan, started_at) VALUES ('r1', 'running', ?, 0)", [b"\0{}"]
        ))  # fmt: skip
        old.home.write(lambda session: write_without_models(session, [w for pair in made for w in pair]))
        old.home.write(lambda session: session.change("DELETE FROM judgements WHERE case_id = 'c1'"))
        old.home.write(lambda session: write_without_models(session, made[0]))
    with closing(open_store(place)) as store:
        judgements = [pair[1].judgement for pair in made]
        assert list(store.judgements("r1", with_calls=True)) == judgements
        assert [each.case_id for _, each in store.judgements_after("r1", 0)] == ["c" * 300, "c3", "c1"]
        keys = {
            JudgementKey(each.case_id, "relevance", each.model, 0): at for at, each in enumerate(judgements)
        }
        assert store.done_among("r1", [each.case_id for each in judgements]) == keys
        assert store.find_judgements([made[2][1].reuse_key])[made[2][1].reuse_key].model == LONG
        store.write([*made[2], *make.pair("c1", model="openai:other", position=3)])
        assert [each.model for each in store.judgements("r1")] == [
            "openai:m",
            "openai:m",
            LONG,
            "openai:other",
        ]


def test_a_damaged_judgement_does_not_stop_a_store_from_going_forward(place, make):
    with closing(SqlStore(open_home(place, BEFORE_MODELS))) as old:
        old.home.write(lambda session: write_without_models(session, make.pair("c1")))
        old.home.write(lambda session: session.change("UPDATE judgements SET body = ?", [b"\1?"]))
    with closing(open_store(place)) as store:
        assert any("judgement r1/c1/relevance//0: compressed bytes" in problem for problem in store.check())


def test_runs_of_an_older_store_are_counted_once_when_it_is_migrated(place):
    older = {version: STEPS[version] for version in range(1, 12)}
    with closing(SqlStore(open_home(place, older))) as store:
        store.home.write(
            lambda session: session.change(
                "INSERT INTO runs (run_id, state, plan, started_at) VALUES ('r1', 'finished', ?, 0), ('r2', 'running', ?, 1)",
                [pack(b"{}"), pack(b"{}")],
            )
        )
    with closing(open_store(place)) as store:
        known = store.home.read(
            lambda session: session.query("SELECT run_id, judgements, not_asked FROM runs ORDER BY run_id")
        )
    assert known == [("r1", 0, 0), ("r2", None, None)]
