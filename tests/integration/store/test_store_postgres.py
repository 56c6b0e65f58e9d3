"""What only a Postgres store has to do: keep its password to itself, share a database, survive its server."""

import builtins
import re
import sys
import traceback
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import MissingExtraError, StoreError
from adjudge.store import open_store

MADE = Path(__file__).with_name("conftest.py")


def everything_said(error):
    return f"{error}{error!r}{''.join(traceback.format_exception(error))}{error.__context__}{error.__cause__}"


def test_without_the_driver_the_extra_is_named(monkeypatch):
    original = builtins.__import__

    def absent(name, *arguments, **options):
        if name == "psycopg":
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    monkeypatch.delitem(sys.modules, "psycopg", raising=False)
    url = "postgresql://me:hidden-word@host/db"
    with pytest.raises(MissingExtraError, match=r"pip install .*\[postgres\]") as error:
        open_store(url)
    assert "hidden-word" not in f"{error.value}{error.value!r}{error.value.__context__}"


def test_the_password_is_not_shown(database):
    with closing(open_store(database)) as store:
        shown = f"{store.where} {store!r}"
    assert re.fullmatch(r"postgresql://postgres@127.0.0.1:\d+/postgres", store.where)
    assert "p@ss" not in shown
    assert "p%40ss" not in shown


@pytest.mark.parametrize(
    "change",
    [
        lambda url: url.replace("p%40ss", "wrong-secret"),
        lambda url: url.replace("p%40ss%2Fw%3Ard%3F%25%231", "wrong-secret"),
        lambda url: re.sub(r":\d+/", ":1/", url),
        lambda url: url.replace("/postgres", "/absent-database"),
        lambda url: re.sub(r"//.*@", "//postgres@", url) + "?password=wrong-secret",
        lambda url: url + "?wrong-secret",
        lambda url: url + "?sslpassword=wrong-secret&sslmode=nonsense",
        lambda url: re.sub(r"//.*@", "//postgres:wrong-secret%zz@", url),
        lambda url: re.sub(r"//.*@", "//postgres:wrong-secret@x@", url),
        lambda url: re.sub(r"//.*@", "//postgres:wrong-secret/x@", url),
        lambda url: re.sub(r"//.*@", "//postgres:wrong-secret#x@", url),
        lambda url: re.sub(r"//.*@", "//postgres:wrong-secret?x@", url),
        lambda url: re.sub(r"//.*/", "//postgres:wrong-secret/", url),
    ],
    ids=range(13),
)
def test_no_error_shows_a_password(database, change):
    with pytest.raises(StoreError) as error:
        open_store(change(database))
    said = everything_said(error.value)
    for secret in ("wrong-secret", "p@ss", "p%40ss", "w:rd", "w%3Ard"):
        assert secret not in said
    assert "\n\nhint: " in str(error.value)


def test_a_password_may_come_from_the_environment(database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "p@ss/w:rd?%#1")
    with closing(open_store(re.sub(r"//postgres:[^@]*@", "//postgres@", database))) as store:
        assert store.runs() == []


def test_our_tables_stand_in_a_schema_of_their_own(database):
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS public.runs")
        connection.execute("CREATE TABLE public.runs (theirs TEXT)")
        with closing(open_store(database)) as store:
            assert store.runs() == []
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        connection.execute("DROP TABLE public.runs")
    assert tables == [("runs",)]


def test_a_user_without_rights_is_told_what_to_grant(database):
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN PASSWORD 'guest-secret'")
        try:
            with pytest.raises(StoreError, match="GRANT CREATE ON DATABASE"):
                open_store(re.sub(r"//.*@", "//guest:guest-secret@", database))
            # where an administrator has made the schema, nothing more is needed
            connection.execute("CREATE SCHEMA adjudge AUTHORIZATION guest")
            with closing(open_store(re.sub(r"//.*@", "//guest:guest-secret@", database))) as store:
                assert store.runs() == []
        finally:
            connection.execute("DROP SCHEMA IF EXISTS adjudge CASCADE")
            connection.execute("DROP OWNED BY guest")
            connection.execute("DROP ROLE guest")


def test_a_store_resumes_after_its_connections_are_cut(database, make):
    import psycopg

    with closing(open_store(database)) as store, psycopg.connect(database, autocommit=True) as other:
        store.write(make.pair("c1"))
        assert len(list(store.judgements("r1"))) == 1
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adjudge'"
        )
        store.write(make.pair("c2"))
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adjudge'"
        )
        assert len(list(store.judgements("r1"))) == 2


def test_a_store_resumes_after_its_server_restarts(cluster, database, make):
    with closing(open_store(database)) as store:
        store.write(make.pair("c1"))
        cluster.control("-m", "fast", "restart")
        store.write(make.pair("c2"))
        assert len(list(store.judgements("r1"))) == 2


def test_transactions_that_lock_each_other_are_tried_again(database, make):
    """A judgement and a name in opposite orders, from two connections: one is chosen to fail and does not."""
    import threading

    with closing(open_store(database)) as one, closing(open_store(database)) as two:
        met = threading.Barrier(2)
        done = []

        def work(store, first, second):
            tries = []

            def both(session):
                tries.append(1)
                session.change("UPDATE runs SET state = state WHERE run_id = ?", [first])
                if len(tries) == 1:
                    met.wait()
                session.change("UPDATE runs SET state = state WHERE run_id = ?", [second])

            store.home.write(both)
            done.append(len(tries))

        one.write([make.run("r1"), make.run("r2")])
        threads = [
            threading.Thread(target=work, args=(one, "r1", "r2")),
            threading.Thread(target=work, args=(two, "r2", "r1")),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(done) == [1, 2]


def test_a_lock_whose_connection_is_lost_is_held_no_more(database):
    import psycopg

    with closing(open_store(database)) as store, psycopg.connect(database, autocommit=True) as admin:
        held = store.lock_run("r1")
        admin.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        )
        again = store.lock_run("r1")
        assert again.is_held()
        assert not held.is_held()
        held.release()
        assert store.lock_run("r1") is None
        again.release()
