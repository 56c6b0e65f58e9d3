"""How many judgements a run has: written down when it ends, since to count ten million takes a second or more."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from adjudge.store.packing import to_name
from adjudge.store.sql import MAX_KEYS, SqlSession, chunks, in_list


class Counts(NamedTuple):
    judgements: int
    not_asked: int


def count(session: SqlSession, runs: Sequence[str]) -> dict[str, Counts]:
    """Of runs, as their column has them, of which nothing is written down: under way, or killed.

    In statements of their own: were they part of the one that reads the runs, Postgres would compile that one for ten
    million rows that it then does not read.
    """
    found: dict[str, Counts] = {}
    for chunk in chunks(runs, MAX_KEYS):
        judgements = _by_run(session, chunk, "")
        not_asked = _by_run(session, chunk, " AND outcome <> 'scored' AND outcome = 'not_asked'")
        found |= {run: Counts(judgements.get(run, 0), not_asked.get(run, 0)) for run in chunk}
    return found


def _by_run(session: SqlSession, runs: Sequence[str], condition: str) -> dict[str, int]:
    rows = session.query(
        f"SELECT run_id, count(*) FROM judgements WHERE run_id IN {in_list(len(runs))}{condition} GROUP BY run_id",  # noqa: S608 - conditions of ours
        runs,
    )
    return {row[0]: row[1] for row in rows}


def keep_counts(session: SqlSession, run_id: str) -> None:
    """Of a run that has ended; one that others still judge has none."""
    session.change(
        "UPDATE runs SET judgements = (SELECT count(*) FROM judgements j WHERE j.run_id = runs.run_id),"
        # `<> 'scored'` says nothing new, but names the index
        " not_asked = (SELECT count(*) FROM judgements j WHERE j.run_id = runs.run_id AND j.outcome <> 'scored'"
        " AND j.outcome = 'not_asked') WHERE run_id = ? AND state <> 'running'",
        [to_name(run_id)],
    )


def forget_counts(session: SqlSession, runs: Collection[str]) -> None:
    """Of runs, as their column has them, whose judgements changed. Where nothing is known nothing is written, so that
    processes which judge one run do not wait for each other.
    """
    if runs:
        session.change(
            "UPDATE runs SET judgements = NULL, not_asked = NULL"  # noqa: S608 - placeholders only
            f" WHERE run_id IN {in_list(len(runs))} AND judgements IS NOT NULL",
            sorted(runs),
        )
