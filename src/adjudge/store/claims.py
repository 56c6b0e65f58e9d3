"""Who works on which block of a run: leases that end by the database's own clock.

A block that was given up stays on the books as one whose lease has ended, so that the next to claim it knows that
some of it may be judged. `until` is null when it is finished.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256

from adjudge.store.packing import from_column, to_column, to_name
from adjudge.store.records import Claim
from adjudge.store.sql import MOST_KEYS, Session, Value, chunks, in_list


def join(
    session: Session,
    run_id: str,
    worker: str,
    seconds: float,
    *,
    dead: Collection[str],
    again: Collection[str],
) -> bool:
    run = to_name(run_id)
    # one at a time: of two who begin at once, the second must see the first
    session.change("UPDATE runs SET state = state WHERE run_id = ?", [run])
    for chunk in chunks([to_column(name) for name in dead], MOST_KEYS):
        session.change(
            f"UPDATE claims SET until = 0 WHERE run_id = ? AND until IS NOT NULL AND worker IN {in_list(len(chunk))}",  # noqa: S608 - placeholders only
            [run, *chunk],
        )
    seat = _seat(worker)
    others = session.query(
        "SELECT 1 FROM claims WHERE run_id = ? AND block < 0 AND block <> ? AND until > {now} LIMIT 1",
        [run, seat],
    )
    if not others:
        session.change("DELETE FROM claims WHERE run_id = ? AND block < 0", [run])
        session.change("UPDATE claims SET until = 0 WHERE run_id = ? AND until IS NOT NULL", [run])
        if remove_judgements(session, run_id, again):
            # blocks do not say which judgements are theirs, so all are looked through again
            session.change("DELETE FROM claims WHERE run_id = ?", [run])
    _hold(session, run, seat, worker, seconds)
    return not others


def claim(
    session: Session, run_id: str, block: int, worker: str, seconds: float, *, dead: Collection[str] = ()
) -> Claim:
    run, name, lease = to_name(run_id), to_column(worker), _micros(seconds)
    values: list[Value] = [run, block, name, lease]
    made = session.change(
        "INSERT INTO claims (run_id, block, worker, until) VALUES (?, ?, ?, {now} + ?)"
        " ON CONFLICT (run_id, block) DO NOTHING",
        values,
    )
    if made:
        return Claim(state="new", worker=worker)
    void = [to_column(each) for each in (worker, *dead)]
    taken = session.change(
        "UPDATE claims SET worker = ?, until = {now} + ? WHERE run_id = ? AND block = ? AND until IS NOT NULL"  # noqa: S608 - placeholders only
        f" AND (until <= {{now}} OR worker IN {in_list(len(void))})",
        [name, lease, run, block, *void],
    )
    if taken:
        return Claim(state="taken_over", worker=worker)
    found = session.query("SELECT worker, until FROM claims WHERE run_id = ? AND block = ?", [run, block])
    if not found:  # given up between the two statements: whoever asks next gets it
        return Claim(state="held", worker="")
    return Claim(state="finished" if found[0][1] is None else "held", worker=from_column(found[0][0]))


def release(session: Session, run_id: str, block: int, worker: str, *, finished: bool) -> None:
    # a worker that lost its lease and finished all the same has finished: its judgements are stored
    session.change(
        "UPDATE claims SET until = NULL, worker = ? WHERE run_id = ? AND block = ?"
        if finished
        else "UPDATE claims SET until = 0 WHERE worker = ? AND run_id = ? AND block = ? AND until IS NOT NULL",
        [to_column(worker), to_name(run_id), block],
    )


def renew(session: Session, run_id: str, worker: str, seconds: float) -> set[int]:
    run, name = to_name(run_id), to_column(worker)
    _hold(session, run, _seat(worker), worker, seconds)
    session.change(
        "UPDATE claims SET until = {now} + ? WHERE run_id = ? AND worker = ? AND until > 0",
        [_micros(seconds), run, name],
    )
    rows = session.query(
        "SELECT block FROM claims WHERE run_id = ? AND worker = ? AND until > 0 AND block >= 0",
        [run, name],
    )
    return {row[0] for row in rows}


def leave(session: Session, run_id: str, worker: str) -> None:
    values: list[Value] = [to_name(run_id), to_column(worker)]
    session.change("DELETE FROM claims WHERE run_id = ? AND worker = ? AND block < 0", values)
    session.change(
        "UPDATE claims SET until = 0 WHERE run_id = ? AND worker = ? AND until IS NOT NULL", values
    )


def workers(session: Session, run_id: str) -> set[str]:
    rows = session.query(
        "SELECT worker FROM claims WHERE run_id = ? AND block < 0 AND until > {now}", [to_name(run_id)]
    )
    return {from_column(row[0]) for row in rows}


def blocks(session: Session, run_id: str) -> dict[int, Claim]:
    rows = session.query(
        "SELECT block, worker, CASE WHEN until IS NULL THEN 2 WHEN until > {now} THEN 1 ELSE 0 END"
        " FROM claims WHERE run_id = ? AND block >= 0",
        [to_name(run_id)],
    )
    states = ("lapsed", "held", "finished")
    return {block: Claim(state=states[state], worker=from_column(name)) for block, name, state in rows}  # type: ignore[arg-type]  # one of the literals


def remove_judgements(session: Session, run_id: str, outcomes: Collection[str]) -> int:
    if not outcomes:
        return 0
    kinds: Sequence[str] = sorted(outcomes)
    values: list[Value] = [to_name(run_id), *kinds]
    named = in_list(len(kinds))
    session.change(
        "DELETE FROM judgement_calls WHERE EXISTS (SELECT 1 FROM judgements j WHERE "  # noqa: S608 - placeholders only
        "j.run_id = judgement_calls.run_id AND j.case_id = judgement_calls.case_id "
        "AND j.judge = judgement_calls.judge AND j.repeat = judgement_calls.repeat "
        f"AND j.run_id = ? AND j.outcome IN {named})",
        values,
    )
    return session.change(f"DELETE FROM judgements WHERE run_id = ? AND outcome IN {named}", values)  # noqa: S608 - as above


def _hold(session: Session, run: str, block: int, worker: str, seconds: float) -> None:
    values: list[Value] = [run, block, to_column(worker), _micros(seconds)]
    session.change(
        "INSERT INTO claims (run_id, block, worker, until) VALUES (?, ?, ?, {now} + ?)"
        " ON CONFLICT (run_id, block) DO UPDATE SET until = excluded.until",
        values,
    )


def _seat(worker: str) -> int:
    """A worker is known to be there by a claim on a number below those of all blocks, which nobody else claims."""
    digest = sha256(worker.encode("utf-8", "surrogatepass")).digest()
    return -1 - (int.from_bytes(digest[:8], "big") >> 1)


def _micros(seconds: float) -> int:
    return int(seconds * 1_000_000)
