"""What must not grow with the store: how many judgements are read to list runs, to find what failed, to ask again."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from adjudge.analysis.summary.run import failed_cases, stored_cases
from adjudge.records import Failed
from adjudge.store import EndRun, reading
from adjudge.store.store import SqlStore
from adjudge.store.writing import remove_judgements

MANY = 1_200
"""Cases that take several queries."""


class Explaining:
    """A session that keeps how the database would carry out each statement, were the tables large."""

    def __init__(self, session):
        self._session = session
        self.dialect = session.dialect
        self.plans = []

    def query(self, sql, values=()):
        self._explain(sql, values)
        return self._session.query(sql, values)

    def change(self, sql, values=()):
        self._explain(sql, values)
        return self._session.change(sql, values)

    def _explain(self, sql, values):
        if self.dialect.placeholder == "?":
            rows = self._session.query(f"EXPLAIN QUERY PLAN {sql}", values)
        else:
            self._session.change("SET LOCAL enable_seqscan TO off")  # else a small table is read as it stands
            self._session.change("SET LOCAL enable_bitmapscan TO off")
            rows = self._session.query(f"EXPLAIN {sql}", values)
        self.plans.append("\n".join(str(row[-1]) for row in rows))


class CountingHome:
    """A home that keeps the queries made through it."""

    def __init__(self, home):
        self._home = home
        self.queries = []

    def read(self, work):
        return self._home.read(lambda session: work(self._counting(session)))

    def _counting(self, session):
        def query(sql, values=()):
            self.queries.append(sql)
            return session.query(sql, values)

        return SimpleNamespace(query=query, dialect=session.dialect)


def explain(store, work):
    def explained(session):
        explaining = Explaining(session)
        work(explaining)
        return explaining.plans

    return store.home.write(explained)


def failing(make, case_id, **more):
    completion, judgement = make.pair(case_id, **more)
    return [completion, replace(judgement, judgement=replace(judgement.judgement, passed=False))]


def not_asked(make, case_id):
    completion, judgement = make.pair(case_id, outcome=Failed(kind="not_asked", message="limit"))
    return [completion, replace(judgement, judgement=replace(judgement.judgement, passed=None))]


def ended(make, state="interrupted"):
    return EndRun(run_id="r1", state=state, at=make.at, expected=9)


def counts(store):
    (run,) = store.runs()
    assert store.find_run("r1") == run
    return run.judgements, run.not_asked


def drop_judgements(store):
    """Behind its back: whoever counts them finds none."""
    store.home.write(lambda session: session.change("DELETE FROM judgements"))


def test_a_run_that_ended_is_not_counted_again(store, make):
    store.write([make.run(), *make.pair("c1"), *make.pair("c2"), *not_asked(make, "c3")])
    assert counts(store) == (3, 1)
    store.write([*make.pair("c4"), ended(make)])
    drop_judgements(store)
    assert counts(store) == (4, 1)
    counting = CountingHome(store.home)
    SqlStore(counting).runs()
    assert [sql for sql in counting.queries if "FROM judgements" in sql] == []


@pytest.mark.parametrize("change", ["add", "remove", "none"])
def test_a_run_whose_judgements_changed_after_its_end_is_counted(store, make, change):
    store.write([make.run(), *make.pair("c1"), *not_asked(make, "c2"), ended(make)])
    if change == "add":  # as a worker does that was cut off for a while
        store.write(make.pair("c3"))
    elif change == "remove":
        store.remove_judgements("r1", {"not_asked"})
    else:
        store.remove_judgements("r1", {"unreadable"})
    assert counts(store) == {"add": (3, 1), "remove": (1, 0), "none": (2, 1)}[change]


def test_a_run_of_which_parts_are_still_judged_is_counted(store, make):
    started = make.run(plan={"shards": 2})
    store.write([replace(started, shard=1), replace(started, shard=2), *make.pair("c1")])
    store.write([replace(ended(make, "finished"), shard=1)])
    drop_judgements(store)
    assert counts(store) == (0, 0)
    store.write([*make.pair("c2"), replace(ended(make, "finished"), shard=2)])
    drop_judgements(store)
    assert counts(store) == (1, 0)


def test_what_failed_and_what_is_asked_again_is_found_by_an_index(store, make):
    store.write([make.run(), *make.pair("c1"), *failing(make, "c2"), *not_asked(make, "c3")])
    (failed,) = explain(store, lambda session: reading.failed_page(session, "r1", (0, 0)))
    assert "judgements_not_passed" in failed
    removing = explain(store, lambda session: remove_judgements(session, "r1", {"call_failed", "too_long"}))
    assert all("judgements_not_scored" in plan for plan in removing)
    *_, not_asked_plan = explain(store, lambda session: reading.runs(session, counted=True))
    assert "judgements_not_scored" in not_asked_plan


def test_failed_cases_come_in_the_order_of_the_rows_and_each_once(store, make):
    store.write(
        [
            make.run(),
            *failing(make, "c3", position=3),
            *failing(make, "c1", position=1),
            *make.pair("c2", position=2),
            *failing(make, "c1", position=4, repeat=1),
        ]
    )
    assert [key.case_id for key in store.failed("r1")] == ["c1", "c3", "c1"]
    (run,) = store.runs()
    assert failed_cases(store, run) == ["c1", "c3"]


def test_thousands_of_failed_cases_take_a_few_queries(store, make):
    names = [f"c{number:04}" for number in range(MANY)]
    store.write([make.run(), *(write for name in names for write in failing(make, name))])
    counting = CountingHome(store.home)
    (run,) = store.runs()
    found = stored_cases(SqlStore(counting), run, failed_cases(SqlStore(counting), run))
    assert [case.case_id for case in found] == names
    assert all(case.answer and case.results[0].passed is False for case in found)
    assert len(counting.queries) <= 5
