"""When a case needs no further repeat: what most of its repeats say is then the same, whatever the rest would say."""

from collections import Counter
from collections.abc import Sequence

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


def vote_of(judgement: Judgement) -> bool | float | str | None:
    if isinstance(judgement.outcome, Failed):
        return judgement.outcome.kind if judgement.outcome.kind == "abstained" else None
    return judgement.outcome.score.value if judgement.passed is None else judgement.passed
