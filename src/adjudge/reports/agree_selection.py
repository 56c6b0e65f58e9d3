"""How the labelled cases came to be labelled: with which chances, or by nobody knows what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, TypeVar

from adjudge.store import LabelDraw, SharedDraw

AnyDraw = TypeVar("AnyDraw", LabelDraw, SharedDraw)

NOTHING_KNOWN = (
    "how these cases were chosen for labelling is not known, so the corrected means cannot use them; "
    "`adjudge agree RUN --next 50` draws cases with known chances, `--random-sample` says that these are such a sample"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """How many of some drawn cases have a label."""

    of: str
    """Which drawn cases, for people."""
    drawn: int
    labelled: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which labels may stand for the cases that have none."""

    kind: Literal["all", "draw", "random", "unknown"]
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
    words: str = ""

    @property
    def missing(self) -> int:
        """Cases that were drawn, in a draw with labels, and have none yet."""
        return len(self.if_complete.keys() - self.chances.keys())

    @property
    def weights(self) -> Mapping[str, float] | None:
        """What each labelled case stands for, 1 on average; None where each was as likely to be labelled."""
        if self.kind != "draw" or len({round(chance, 12) for chance in self.chances.values()}) < 2:
            return None
        mean = fmean(1.0 / chance for chance in self.chances.values())
        return {case_id: 1.0 / (chance * mean) for case_id, chance in self.chances.items()}


def how_drawn(draw: LabelDraw) -> str:
    """What made one case likelier than another, for people."""
    if draw.uniform_share >= 1.0 or not draw.basis:
        return "uniform sample"
    return (
        f"the likelier the more doubtful by {draw.basis}; {draw.uniform_share:.0%} of the draw preferred none"
    )


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
        return Selection(
            kind="all",
            chances=dict.fromkeys(marked, 1.0),
            frame=everyone,
            unknown=0,
            words="every judged case has a label",
        )
    if random_sample and marked:
        chance = len(marked) / len(everyone)
        return Selection(
            kind="random",
            chances=dict.fromkeys(marked, chance),
            frame=everyone,
            unknown=0,
            words=f"a random sample of the judged cases, as --random-sample says: each with a chance of {chance:.3g}",
        )
    drawn = _drawn(everyone, marked, draws)
    if drawn is None:
        words = NOTHING_KNOWN if marked else "no judged case has a label"
        return _unknown(everyone, marked, words)
    last, selection = drawn
    return replace(selection, words=f"drawn by `--next` with known chances, {how_drawn(last)}")


def shared_draws(a: Sequence[LabelDraw], b: Sequence[LabelDraw]) -> list[SharedDraw]:
    """Those that the runs of `a` and `b` share, in the order in which they were made."""
    known = {(draw.run_id, draw.at): draw for draw in b if draw.shared is not None}
    found = []
    for draw in a:
        other = None if draw.shared is None else known.get((draw.shared.other, draw.at))
        if draw.shared is None or other is None or other.shared is None or other.shared.other != draw.run_id:
            continue
        if (other.shared.chosen, other.shared.chances) == (draw.shared.chosen, draw.shared.chances):
            found.append(draw.shared)
    return found


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
    shared = shared_draws(draws_a, draws_b)
    if both == everyone or not both:
        found = select(everyone, both, ())
        words = (
            "every case judged in both runs has labels on both sides"
            if both
            else "no case has labels on both sides"
        )
        return replace(found, words=words)
    if shared:
        return _select_shared(everyone, both, shared)
    if draws_a and [(draw.chosen, draw.chances, draw.seed) for draw in draws_a] == [
        (draw.chosen, draw.chances, draw.seed) for draw in draws_b
    ]:  # the same random numbers over the same doubts: as good as one draw
        return select(everyone, both, draws_a)
    one, two = (
        select(everyone, everyone & frozenset(labelled_a), draws_a),
        select(everyone, everyone & frozenset(labelled_b), draws_b),
    )
    drawn_alone = [draws for found, draws in ((one, draws_a), (two, draws_b)) if found.kind == "draw"]
    if "unknown" in {one.kind, two.kind}:
        return _unknown(everyone, both, "how the labelled cases were chosen is not known for both runs")
    if len(drawn_alone) == 2 and {draw.seed for draw in draws_a} & {draw.seed for draw in draws_b}:
        return _unknown(
            everyone,
            both,
            "each run's cases were drawn alone and by the same seed, so the chance of labels on both sides is not known",
        )
    chances = {
        case_id: one.chances[case_id] * two.chances[case_id]
        for case_id in both
        if case_id in one.chances and case_id in two.chances
    }
    frame = one.frame & two.frame
    return Selection(
        kind="draw",
        chances=chances,
        frame=frame,
        unknown=len(both) - len(chances),
        outside=len(everyone - frame),
        words="drawn by `--next` for each run alone: the chance of labels on both sides is the product of the two",
    )


def _select_shared(everyone: frozenset[str], both: frozenset[str], shared: Sequence[SharedDraw]) -> Selection:
    drawn = _drawn(everyone, both, shared)
    if drawn is None:
        return _unknown(everyone, both, "no case that was drawn for both runs has labels on both sides yet")
    words = "drawn by `--next --with` for both runs at once, with known chances"
    return replace(drawn[1], words=words)


def _drawn(
    everyone: frozenset[str], marked: frozenset[str], draws: Sequence[AnyDraw]
) -> tuple[AnyDraw, Selection] | None:
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
        responses.append(Response(of=f"draw {number}", drawn=len(asked), labelled=answered))
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


def _unknown(everyone: frozenset[str], both: frozenset[str], words: str) -> Selection:
    return Selection(kind="unknown", chances={}, frame=everyone, unknown=len(both), words=words)
