"""Several systems' files, compared pair by pair: which pairs of answers there are, and in what order they are asked."""

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, SettingsError
from adjudge.records import BadRow, Case, Failed, Judgement, Scored
from adjudge.runs.against import match_case
from adjudge.runs.plan import Plan
from adjudge.runs.session import Session
from adjudge.stats.several.ranking import Win

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


def order_matches(
    matches: Mapping[tuple[int, int], Sequence[Match]], systems: Sequence[System], *, seed: int
) -> list[Match]:
    """One case of each pair of systems in turn, each pair's cases in a random order of its own: wherever a run stops,
    what it has asked is a uniform sample of each pair. Neighbours in the list of files come first, so that few
    comparisons connect all systems.
    """
    shuffled = []
    for first, second in sorted(matches, key=lambda pair: (pair[1] - pair[0], pair)):
        cases = sorted(matches[first, second], key=lambda match: match.case_id)
        names = f"{systems[first].name} {systems[second].name}"
        random.Random(f"{seed} {names}").shuffle(cases)  # noqa: S311 - an order to be repeated, not a secret
        shuffled.append(cases)
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*shuffled))
    return [match for match in in_turn if match is not None]


async def play(session: Session, matches: Sequence[Match], *, take: Callable[[Judgement], None]) -> Played:
    """Judge the matches, where calls are limited the first of them."""
    known = {match.case.case_id: match for match in matches}
    wins: list[Win] = []
    unscored: list[str] = []

    def receive(judgement: Judgement) -> None:
        take(judgement)
        played = known[judgement.case_id]
        match judgement.outcome:
            case Scored(score=score):
                case_id = judgement.cluster or played.case_id
                wins.append(Win(case_id, played.first, played.second, score.value))
            case Failed(kind="not_asked"):
                pass
            case _:
                unscored.append(judgement.case_id)

    most = session.plan.options.max_calls
    chosen = matches if most is None else matches[: most // CALLS_PER_CASE]
    await session.run([match.case for match in chosen], receive, max_held=None, more_follow=True)
    return Played(wins=tuple(wins), unscored=len(unscored))
