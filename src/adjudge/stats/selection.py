"""How the labelled cases came to be labelled: with which sampling probabilities, or by nobody knows what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median_low
from typing import Literal

from adjudge.records import DrawBasis, LabelDraw

SelectionKind = Literal[
    "all",  # every judged case has a label
    "random",  # the person says that it is a uniform random sample
    "draw",  # drawn with known sampling probabilities
    "separate_draws",  # drawn for each of two runs alone
    "no_label",
    "unknown",  # nobody knows how, in one of the runs or in both
    "same_seed",  # drawn for each of two runs alone, by the same random numbers
]
_DRAWN = {"draw", "separate_draws"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """How many of some drawn cases have a label."""

    of: Literal["draw", "more_doubtful", "less_doubtful"]
    drawn: int
    labelled: int
    draw: int | None = None
    """Which one, from 1, where it is of one draw."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which labels may stand for the cases that have none."""

    kind: SelectionKind
    chances: Mapping[str, float]
    """Each labelled case whose chance of being labelled is known -> that chance, response included."""
    frame: frozenset[str]
    """The judged cases that had such a chance: what a corrected mean is the mean of."""
    unknown: int
    """Labelled cases without a known chance: reported, not used to correct."""
    if_complete: Mapping[str, float] = field(default_factory=dict)
    """Where drawn cases have no label yet: every drawn case -> its chance, had all of them one."""
    responses: tuple[Response, ...] = ()
    """By draw, in their order; a draw without any label has changed no one's chance."""
    outside: int = 0
    """Judged cases that were not there when the draw was made."""
    basis: tuple[DrawBasis, ...] = ()
    """What made one case of the last draw likelier than another; empty for a uniform sample."""
    uniform_share: float = 1.0
    """Of that draw, what preferred no case."""

    @property
    def missing(self) -> int:
        """Cases that were drawn, in a draw with labels, and have none yet."""
        return len(self.if_complete.keys() - self.chances.keys())

    @property
    def is_known(self) -> bool:
        return self.kind in _DRAWN or self.kind in {"all", "random"}

    @property
    def weights(self) -> Mapping[str, float] | None:
        """What each labelled case stands for, 1 on average; None where each was as likely to be labelled."""
        if self.kind not in _DRAWN or len({round(chance, 12) for chance in self.chances.values()}) < 2:
            return None
        mean = fmean(1.0 / chance for chance in self.chances.values())
        return {case_id: 1.0 / (chance * mean) for case_id, chance in self.chances.items()}


def select(
    judged: Collection[str],
    labelled: Collection[str],
    draws: Sequence[LabelDraw],
    *,
    random_sample: bool = False,
) -> Selection:
    """`labelled` are judged cases with a label. What the person says (`random_sample`) goes before the store's draws."""
    everyone, marked = frozenset(judged), frozenset(labelled)
    if marked and marked == everyone:
        return Selection(kind="all", chances=dict.fromkeys(marked, 1.0), frame=everyone, unknown=0)
    if random_sample and marked:
        chance = len(marked) / len(everyone)
        return Selection(kind="random", chances=dict.fromkeys(marked, chance), frame=everyone, unknown=0)
    drawn = _drawn(everyone, marked, draws)
    if drawn is None:
        return _unknown(everyone, marked, "unknown" if marked else "no_label")
    last, selection = drawn
    uniform = last.uniform_share >= 1.0
    return replace(
        selection,
        basis=() if uniform else last.basis,
        uniform_share=last.uniform_share if last.basis else 1.0,
    )


def select_pairs(
    judged: Collection[str],
    labelled_a: Collection[str],
    labelled_b: Collection[str],
    draws_a: Sequence[LabelDraw],
    draws_b: Sequence[LabelDraw],
) -> Selection:
    """Which cases, judged in both runs and labelled on both sides, may stand for the rest, and with which chances."""
    everyone = frozenset(judged)
    both = everyone & frozenset(labelled_a) & frozenset(labelled_b)
    if both == everyone or not both:
        return select(everyone, both, ())
    if draws_a and [(draw.chosen, draw.chances, draw.seed) for draw in draws_a] == [
        (draw.chosen, draw.chances, draw.seed) for draw in draws_b
    ]:  # the same random numbers over the same doubts: as good as one draw
        return select(everyone, both, draws_a)
    chosen_a, chosen_b = (
        select(everyone, everyone & frozenset(labelled_a), draws_a),
        select(everyone, everyone & frozenset(labelled_b), draws_b),
    )
    if not chosen_a.is_known or not chosen_b.is_known:
        return _unknown(everyone, both, "unknown")
    if chosen_a.kind == chosen_b.kind == "draw" and {draw.seed for draw in draws_a} & {
        draw.seed for draw in draws_b
    }:
        return _unknown(everyone, both, "same_seed")
    chances = {
        case_id: chosen_a.chances[case_id] * chosen_b.chances[case_id]
        for case_id in both
        if case_id in chosen_a.chances and case_id in chosen_b.chances
    }
    frame = chosen_a.frame & chosen_b.frame
    return Selection(
        kind="separate_draws",
        chances=chances,
        frame=frame,
        unknown=len(both) - len(chances),
        outside=len(everyone - frame),
    )


def responses_by_doubt(doubts: Mapping[str, float], selection: Selection) -> tuple[Response, ...]:
    """How many of the more doubtful drawn cases have a label, and of the others; none where no doubt tells them apart.

    People who leave the hard cases for later make the figures look too good.
    """
    drawn = {case_id: doubt for case_id, doubt in doubts.items() if case_id in selection.if_complete}
    if len(set(drawn.values())) < 2:
        return ()
    middle = median_low(drawn.values())
    doubtful = {case_id for case_id, doubt in drawn.items() if doubt > middle} or {
        case_id for case_id, doubt in drawn.items() if doubt == middle
    }
    return (
        Response(of="more_doubtful", drawn=len(doubtful), labelled=len(doubtful & selection.chances.keys())),
        Response(
            of="less_doubtful",
            drawn=len(drawn.keys() - doubtful),
            labelled=len((drawn.keys() - doubtful) & selection.chances.keys()),
        ),
    )


def _drawn(
    everyone: frozenset[str], marked: frozenset[str], draws: Sequence[LabelDraw]
) -> tuple[LabelDraw, Selection] | None:
    """What the draws say of each case's chance of having a label; None where no drawn case has one.

    A case is labelled when some draw chose it first and its label of that draw came in. So each draw counts by what it
    added to the case's sampling probability times its own response: five labels of a second draw of 100 leave the weights
    of the first nearly as they were.
    """
    chances, complete = dict[str, float](), dict[str, float]()
    before: Mapping[str, float] = {}
    chosen, last, responses = frozenset[str](), None, list[Response]()
    for number, draw in enumerate(draws, 1):
        asked = frozenset(draw.chosen) & everyone
        answered = len(asked & marked)
        responses.append(Response(of="draw", draw=number, drawn=len(asked), labelled=answered))
        if answered:
            chosen, last = chosen | asked, draw
            for case_id in everyone & draw.chances.keys():
                added = max(0.0, draw.chances[case_id] - before.get(case_id, 0.0))
                chances[case_id] = min(1.0, chances.get(case_id, 0.0) + added * answered / len(asked))
                complete[case_id] = min(1.0, complete.get(case_id, 0.0) + added)
        before = draw.chances
    if last is None:
        return None
    known = {case_id for case_id in marked & chosen if chances[case_id] > 0.0}
    return last, Selection(
        kind="draw",
        chances={case_id: chances[case_id] for case_id in known},
        frame=frozenset(chances),
        unknown=len(marked - known),
        if_complete={} if chosen <= marked else {case_id: complete[case_id] for case_id in chosen},
        responses=tuple(responses),
        outside=len(everyone - chances.keys()),
    )


def _unknown(everyone: frozenset[str], both: frozenset[str], kind: SelectionKind) -> Selection:
    return Selection(kind=kind, chances={}, frame=everyone, unknown=len(both))
