"""How many judgements a run has: written down when it ends, since to count ten million takes a second or more."""

from collections.abc import Collection

from adjudge.store.packing import to_name
from adjudge.store.sql import SqlSession, in_list

ALL = "(SELECT count(*) FROM judgements j WHERE j.run_id = runs.run_id)"
# `<> 'scored'` says nothing new, but names the index
NOT_ASKED = (
    "(SELECT count(*) FROM judgements j WHERE j.run_id = runs.run_id AND j.outcome <> 'scored'"
    " AND j.outcome = 'not_asked')"
)
KNOWN_COUNTS = f"judgements = {ALL}, not_asked = {NOT_ASKED}"
COUNTS = (
    f"coalesce(runs.judgements, {ALL}),"
    f" CASE WHEN runs.state = 'finished' THEN 0 ELSE coalesce(runs.not_asked, {NOT_ASKED}) END"
)
"""What is written down, and is counted only where nothing is: while a run is under way, or after it was killed."""


def keep_counts(session: SqlSession, run_id: str) -> None:
    """Of a run that has ended; one that others still judge has none."""
    session.change(
        f"UPDATE runs SET {KNOWN_COUNTS} WHERE run_id = ? AND state <> 'running'",  # noqa: S608 - SQL of ours
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
