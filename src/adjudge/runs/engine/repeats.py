"""What most repeats of a case say, and when no further repeat could change it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from adjudge.records import Failed, Judgement


def could_change(made: Sequence[Judgement], most: int) -> bool:
    """Whether the repeats that are left of `most` could overtake, or catch up with, what is said most so far.

    A vote is whether a repeat passed, its score where there is no pass rule, or that it abstained; what could not be
    judged is none.
    """
    votes = Counter(vote for vote in map(vote_of, made) if vote is not None)
    counts = sorted(votes.values(), reverse=True)
    first, second = (*counts, 0, 0)[:2]
    return first - second <= most - len(made)


def standing(made: Iterable[Judgement]) -> Judgement:
    """Of a case's repeats the first that says what most of them say, which may be that the judge cannot tell."""
    repeats = sorted(made, key=lambda each: each.repeat)
    votes = [vote_of(each) for each in repeats]
    known = Counter(vote for vote in votes if vote is not None)
    return repeats[votes.index(known.most_common(1)[0][0])] if known else repeats[0]


def by_most(judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """What stands for each case, judge and model; a case's judgements follow each other."""
    for _, of_case in groupby(judgements, key=lambda each: each.case_id):
        made: dict[tuple[str, str, str], list[Judgement]] = {}
        for each in of_case:
            made.setdefault((each.judge, each.judge_hash, each.model), []).append(each)
        yield from map(standing, made.values())


def is_settled(made: Sequence[Judgement], most: int) -> bool:
    """Whether there will be no further repeat; one that is missing between others is still to come."""
    if {each.repeat for each in made} != set(range(len(made))):
        return False
    return len(made) >= most or not could_change(made, most)


def vote_of(judgement: Judgement) -> bool | float | str | None:
    if isinstance(judgement.outcome, Failed):
        return judgement.outcome.kind if judgement.outcome.kind == "abstained" else None
    return judgement.outcome.score.value if judgement.passed is None else judgement.passed
