"""Which cases of two runs people should label next: one draw for both, by the doubts about either side."""

from collections.abc import Sequence
from math import sqrt


def either_doubt(*sides: Sequence[float]) -> tuple[float, ...]:
    """The doubt about a difference: errors of two sides add up by their squares.

    Each side's doubts are first put on a mean of 1, because one may be a probability's root and another a distance.
    """
    scaled = [_on_mean_one(side) for side in sides]
    return tuple(sqrt(sum(doubt * doubt for doubt in doubts)) for doubts in zip(*scaled, strict=True))


def chance_of_either(own: float, before: float, after: float) -> float:
    """The chance that a run's own draws chose a case, or the draws that it shares with another run did.

    `own` is the chance by all the run's draws so far, shared ones among them. `before` and `after` are the chances by the
    shared ones alone, without and with the new one, which was made without regard to the run's own draws.
    """
    if own == before:  # nothing was drawn for the run alone: the same figure for both runs, to the last digit
        return after
    return 1.0 if before >= 1.0 else 1.0 - (1.0 - own) * (1.0 - after) / (1.0 - before)


def _on_mean_one(doubts: Sequence[float]) -> list[float]:
    total = sum(doubts)
    return [doubt * len(doubts) / total for doubt in doubts] if total > 0.0 else [1.0] * len(doubts)
