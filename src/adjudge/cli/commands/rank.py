"""`adjudge rank`: several systems' answers, compared pair by pair."""

import asyncio
from dataclasses import replace

from adjudge.analysis.ranking.document import ranking_document
from adjudge.analysis.ranking.figures import rank
from adjudge.cli.console import print_document, print_json, print_message
from adjudge.cli.interrupts import Interrupts, plan_judges
from adjudge.cli.main import EXIT_INTERRUPTED, EXIT_NOT_MEASURED
from adjudge.cli.progress import ProgressLine
from adjudge.options import RunOptions
from adjudge.runs.find_model import one_model
from adjudge.runs.plan import Plan, PlannedRanking
from adjudge.runs.session import open_session
from adjudge.runs.tournament import System, find_matches, order_matches, play, read_systems, validate_pairwise
from adjudge.stats.arrays import need_numpy


def command(*, files: tuple[str, ...], judges: tuple[str, ...], options: RunOptions, as_json: bool) -> int:
    need_numpy("rankings")
    one_model(options)
    plan = plan_judges(judges, options)
    validate_pairwise(plan)
    systems = read_systems(files, plan)
    for system in systems:
        if system.unread:
            print_message(f"warning: {system.name}: {system.unread:,} rows are not readable as cases")
    return asyncio.run(_rank(plan, systems, as_json=as_json))


async def _rank(plan: Plan, systems: tuple[System, ...], *, as_json: bool) -> int:
    matches = find_matches(systems)
    total = sum(map(len, matches.values()))
    names = tuple(system.name for system in systems)
    seed = plan.options.seed or 0
    planned = PlannedRanking(systems=names, comparisons=total, seed=seed)
    plan = replace(plan, ranking=planned)
    with ProgressLine() as progress:
        async with open_session(plan, None) as session:
            print_message(
                f"model {session.model} · {len(systems)} systems, {total:,} comparisons · run {session.run_id}"
            )
            progress.watched, progress.total = session, total
            with Interrupts(session) as interrupts:
                ordered = order_matches(matches, systems, seed=seed)
                played = await play(session, ordered, take=progress.count)
            stopped, halted = interrupts.seen, session.halted
            found = rank(
                planned,
                played.wins,
                unscored=played.unscored,
                judge=plan.judges[0].name,
                model=session.model,
                run=session.run_id,
            )
    if as_json:
        print_json(found)
    else:
        print_document(ranking_document(found))
    if stopped:
        print_message("interrupted; run the same command again: what was answered is not asked again")
        return EXIT_INTERRUPTED
    if halted is not None or not found.ranking:
        print_message(f"not measured: {halted or 'no comparison has a verdict'}")
        return EXIT_NOT_MEASURED
    return 0
