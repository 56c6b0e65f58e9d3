"""Several systems' files, compared pair by pair: which pairs of answers there are, and which to ask about first."""

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, SettingsError
from adjudge.records import BadRow, Case, Judgement, Scored
from adjudge.runs.against import match_case
from adjudge.runs.plan import Plan
from adjudge.runs.session import Session
from adjudge.stats.several.ranking import Win, connected, most_informative, strengths

FIRST_CASES = 3
"""Of every pair of systems, before it is known which are close."""
CALLS_PER_CASE = 2
"""Both orders are asked."""


class System(NamedTuple):
    name: str
    cases: Mapping[str, Case]
    unread: int
    """Rows of its file that are no cases."""


class Match(NamedTuple):
    """Two systems' answers to one case."""

    case_id: str
    first: int
    second: int
    case: Case


def read_systems(written: Sequence[str], plan: Plan) -> tuple[System, ...]:
    """`FILE`, called by its stem, or `name=FILE`."""
    options = plan.options
    if len(written) < 2:
        raise SettingsError("FILES", f"{len(written)} was given", "name the files of two systems or more")
    found: dict[str, System] = {}
    for each in written:
        name, equals, path = each.partition("=")
        if not equals or Path(each).is_file():
            name, path = Path(each).stem, each
        if name in found or not name:
            raise SettingsError(
                each, f"there is another system called `{name}`", f"give one of them a name: other={path}"
            )
        rows = list(plan.turns(read_cases(path, maps=options.columns, strict=options.strict)))
        cases = {row.case_id: row for row in rows if isinstance(row, Case)}
        found[name] = System(name=name, cases=cases, unread=sum(isinstance(row, BadRow) for row in rows))
    return tuple(found.values())


def find_matches(systems: Sequence[System]) -> dict[tuple[int, int], list[Match]]:
    """The cases that each two systems have in common, in the order of the first one's file."""
    found = {}
    for first, second in itertools.combinations(range(len(systems)), 2):
        one, other = systems[first], systems[second]
        common = [case_id for case_id in one.cases if case_id in other.cases]
        if not common:
            raise DatasetError(
                f"{one.name} and {other.name}",
                "no case id is in both files",
                "give the same cases the same `id` in all files; without ids, cases match by question, reference and context",
            )
        found[first, second] = [
            Match(
                case_id,
                first,
                second,
                match_case(one.cases[case_id], other.cases[case_id], (one.name, other.name)),
            )
            for case_id in common
        ]
    return found


def check_pairwise(plan: Plan) -> None:
    if len(plan.judges) != 1 or plan.judges[0].pair is None:
        raise SettingsError(
            "--judge",
            f"{', '.join(judge.name for judge in plan.judges)} is not one judge that compares two answers",
            "use --judge preference, or one prompt of your own that shows `response_a` and `response_b`",
        )


class Played(NamedTuple):
    wins: tuple[Win, ...]
    unscored: int
    """Comparisons without a verdict."""
    left: int
    """Comparisons that were not asked for, for want of calls."""


async def play(
    session: Session,
    matches: Mapping[tuple[int, int], Sequence[Match]],
    systems: int,
    *,
    take: Callable[[Judgement], None],
) -> Played:
    """Judge the matches: all of them or, where calls are limited, those first that say most about the ranks."""
    known = {match.case.case_id: match for each in matches.values() for match in each}
    wins: list[Win] = []
    unscored: list[str] = []

    def receive(judgement: Judgement) -> None:
        take(judgement)
        match = known[judgement.case_id]
        if isinstance(judgement.outcome, Scored):
            wins.append(
                Win(
                    judgement.cluster or match.case_id,
                    match.first,
                    match.second,
                    judgement.outcome.score.value,
                )
            )
        else:
            unscored.append(judgement.case_id)

    options = session.plan.options
    limit = len(known) if options.max_calls is None else min(len(known), options.max_calls // CALLS_PER_CASE)
    asked = 0
    for batch in _batches(matches, wins, systems, limit=limit, jobs=options.jobs):
        await session.run([match.case for match in batch], receive, most_held=None, more_follow=True)
        asked += len(batch)
        if session.halted is not None:
            break
    return Played(wins=tuple(wins), unscored=len(unscored), left=len(known) - asked)


def _batches(
    matches: Mapping[tuple[int, int], Sequence[Match]],
    wins: Sequence[Win],
    systems: int,
    *,
    limit: int,
    jobs: int,
) -> Iterator[list[Match]]:
    """What to ask next, given the results so far; neighbours in the list of files first, so that all are connected soon."""
    pairs = sorted(matches, key=lambda pair: (pair[1] - pair[0], pair))
    waiting = {pair: deque(matches[pair]) for pair in pairs}
    if limit == sum(map(len, waiting.values())):
        yield [match for each in waiting.values() for match in each]
        return
    chosen, size = pairs, min(limit, sum(min(FIRST_CASES, len(each)) for each in waiting.values()))
    while batch := _next_of(waiting, chosen, size):
        yield batch
        limit -= len(batch)
        order = [pair for pair in pairs if waiting[pair]]
        if len(connected(wins, systems)) == 1:
            order = most_informative(strengths(wins, systems), {pair: len(waiting[pair]) for pair in order})
        # one more case of a pair makes the next less telling, so a batch goes through the better half of them
        chosen, size = order[: max(1, len(order) // 2)], min(limit, jobs)


def _next_of(
    waiting: Mapping[tuple[int, int], deque[Match]], pairs: Sequence[tuple[int, int]], size: int
) -> list[Match]:
    """The next matches, one of each of these pairs in turn."""
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*(waiting[pair] for pair in pairs)))
    batch = list(itertools.islice(filter(None, in_turn), size))
    for match in batch:
        waiting[match.first, match.second].popleft()
    return batch
