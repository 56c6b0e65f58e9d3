"""How the labelled cases came to be labelled: with which chances, or by nobody knows what."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from adjudge.store import LabelDraw

NOTHING_KNOWN = (
    "how these cases were chosen for labelling is not known, so the corrected means cannot use them; "
    "`adjudge agree RUN --next 50` draws cases with known chances, `--random-sample` says that these are such a sample"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which labels may stand for the cases that have none."""

    kind: Literal["all", "draw", "random", "unknown"]
    chances: Mapping[str, float]
    """Each labelled case whose chance of being labelled is known -> that chance."""
    frame: frozenset[str]
    """The judged cases that had such a chance: what a corrected mean is the mean of."""
    unknown: int
    """Labelled cases without a known chance: reported, not used to correct."""
    missing: int = 0
    """Cases that were drawn and have no label yet."""
    outside: int = 0
    """Judged cases that were not there when the draw was made."""
    words: str = ""


def how_drawn(draw: LabelDraw) -> str:
    """What made one case likelier than another, for people."""
    if draw.uniform_share >= 1.0 or not draw.basis:
        return "each case as likely as another"
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
    chosen, last, seen = frozenset[str](), None, frozenset[str]()
    for draw in draws:
        seen |= frozenset(draw.chosen)
        if marked & frozenset(draw.chosen):  # a draw that nobody has labelled yet has changed no one's chance
            chosen, last = seen, draw
    if last is None:
        words = NOTHING_KNOWN if marked else "no judged case has a label"
        return Selection(kind="unknown", chances={}, frame=everyone, unknown=len(marked), words=words)
    known = marked & chosen & last.chances.keys()
    frame = everyone & last.chances.keys()
    return Selection(
        kind="draw",
        chances={case_id: last.chances[case_id] for case_id in known},
        frame=frame,
        unknown=len(marked - known),
        missing=len((chosen & everyone) - marked),
        outside=len(everyone - frame),
        words=f"drawn by `--next` with known chances, {how_drawn(last)}",
    )
