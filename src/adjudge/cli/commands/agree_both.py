"""`adjudge agree A --next N --with B`: one draw for two runs, and the file in which both sides are labelled."""

from datetime import UTC, datetime

from adjudge.analysis.summary.stored import judges_of
from adjudge.cli.commands.agree_next import Next, check_path, probability_range, write_rows
from adjudge.cli.console import print_json, tell
from adjudge.cli.stored import find_run
from adjudge.errors import InputError, SettingsError
from adjudge.reports.agree_both import (
    BothDraws,
    Side,
    ToLabel,
    draw_for_both,
    rows_of_both,
    waiting_of,
)
from adjudge.reports.agree_labels import Reading
from adjudge.reports.agree_rows import Verdicts, collect_verdicts
from adjudge.reports.agree_selection import how_drawn, shared_draws
from adjudge.reports.format import plain_json
from adjudge.store import Store


def write_next_of_both(
    store: Store,
    run_id: str,
    verdicts: Verdicts,
    reading: Reading,
    asked: Next,
    *,
    other: str,
) -> None:
    """A case waits for a label as long as one of its two answers has none."""
    path, seed = asked.path, asked.seed
    check_path(path)
    judge = verdicts.judge
    a = Side(run_id=run_id, verdicts=verdicts, before=store.draws(run_id, judge))
    b = _other(store, run_id, verdicts, other)
    labelled_a, labelled_b = (
        {label.case_id for label in store.labels(side.run_id, judge)} for side in (a, b)
    )
    earlier = shared_draws(a.before, b.before)
    chances = earlier[-1].chances if earlier else {}
    waiting = waiting_of(earlier, a.run_id, b.run_id, labelled_a, labelled_b)
    if asked.count:
        drawn = draw_for_both(
            a, b, count=asked.count, uniform_share=asked.uniform_share, seed=seed, at=datetime.now(UTC)
        )
        if not store.keep_draw(*drawn):
            raise SettingsError(
                "--next", "another draw of these runs was made at the same time", "draw again"
            )
        shared = drawn.a.shared
        assert shared is not None
        wanted = waiting_of([shared], a.run_id, b.run_id, labelled_a, labelled_b)
        _say(drawn, wanted, waiting)
        seed, chances = drawn.a.seed, shared.chances
    elif waiting:
        wanted = waiting
        tell(f"{len(waiting)} cases were drawn for both runs before and lack a label")
    else:
        raise InputError("--next 0", "no case drawn for both runs lacks a label", "draw more with --next N")
    if not wanted:
        tell("all of them are labelled on both sides already: there is no file to fill in")
        return
    rows = list(rows_of_both(wanted, store.case, verdicts.source, seed=seed))
    write_rows(path, rows)
    tell(f"label: {reading.wanted()}")
    if path == "-":
        return
    tell(f"fill in `label` in {path}, and leave `run` as it is; then: adjudge agree {a.run_id} {path}")
    tell(f"and then: adjudge compare {a.run_id} {b.run_id}")
    if asked.as_json:
        print_json(
            {
                "run": a.run_id,
                "with": b.run_id,
                "judge": judge,
                "file": path,
                "rows": len(rows),
                "cases": [each.case_id for each in wanted],
                "sampling_probabilities": plain_json(chances),
            }
        )


def _other(store: Store, run_id: str, verdicts: Verdicts, other: str) -> Side:
    record = find_run(store, other)
    if record.run_id == run_id:
        raise SettingsError(
            "--with", f"run {run_id} is both runs", "name the run that it is to be compared with"
        )
    judged = judges_of(store, record)
    names = [judge.name for judge in judged]
    if verdicts.judge not in names:
        raise InputError(
            f"run {record.run_id}",
            f"was not judged by {verdicts.judge}",
            f"its judges are {', '.join(names) or 'none'}; a label is of one judge's question",
        )
    theirs = collect_verdicts(store.judgements(record.run_id), judged, judge=verdicts.judge)
    scales = [each.source.scale if each.source else None for each in (verdicts, theirs)]
    if scales[0] != scales[1]:
        raise InputError(
            f"runs {run_id} and {record.run_id}",
            f"{verdicts.judge} had another scale in each",
            "judge both with the same judge file, so that one label can be held against both",
        )
    return Side(run_id=record.run_id, verdicts=theirs, before=store.draws(record.run_id, verdicts.judge))


def _say(drawn: BothDraws, wanted: list[ToLabel], waiting: list[ToLabel]) -> None:
    shared = drawn.a.shared
    assert shared is not None
    tell(
        f"drew {len(shared.chosen)} of {len(shared.chances)} cases judged by {drawn.a.judge} in both runs "
        f"(draw {drawn.a.number} of {drawn.a.run_id}, draw {drawn.b.number} of {drawn.b.run_id}, seed {drawn.a.seed}), "
        f"{how_drawn(drawn.a)}; {probability_range(shared.chances)}"
    )
    known = 2 * len(shared.chosen) - sum(len(each.runs) for each in wanted)
    if known:
        tell(f"{known} of their answers have a label already, and are not asked for again")
    if waiting:
        tell(
            f"{len(waiting)} cases drawn for both runs before lack a label: `--next 0 --with {drawn.b.run_id}` "
            "writes them again"
        )
