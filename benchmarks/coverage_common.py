"""What the simulations of `coverage.py` have in common: scenarios, how they are measured, and the table of the results."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any
from zlib import crc32

import numpy as np

from adjudge.records import Scale
from adjudge.stats.intervals import Estimate, Undefined

UNIT = Scale(low=0.0, high=1.0)
FIVE = Scale(low=1.0, high=5.0)
PROMISED = (0.93, 0.97)
WARN_BELOW = 0.9
RESAMPLES = 999
"""Half of what is used in earnest, for time; fewer resamples only make the ends noisier."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A yes or no instead of an interval: whether it was wrong."""

    wrong: bool


Found = Iterator[tuple[str, Estimate | Undefined | Decision | None, float]]
"""A figure's name, what was found, and the truth; for a decision, how often it may be wrong."""
Draw = Callable[[np.random.Generator], Found]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    scenario: str
    figure: str
    domain: bool
    replications: int
    covered: float
    """For a decision, the share that were right."""
    error: float
    too_low: float
    """The share of intervals that lie below the truth."""
    too_high: float
    width: float
    undefined: float
    warned: float = 0.0
    """The share of intervals that came with a warning."""
    covered_unwarned: float | None = None
    """Of the intervals without a warning; None where all had one."""
    wrong_at_most: float | None = None
    """For a decision; None for an interval."""

    @property
    def missed(self) -> bool:
        if not self.domain:
            return False
        if self.wrong_at_most is not None:  # a share that may be exactly this is above it half of the time
            return 1.0 - self.covered > self.wrong_at_most + 2.0 * self.error
        return not PROMISED[0] <= self.covered <= PROMISED[1]

    @property
    def silent(self) -> bool:
        """Whether it covers too little, and more than a twentieth of all samples miss the truth without a warning."""
        if self.figure == "naive" or self.wrong_at_most is not None or self.covered >= WARN_BELOW:
            return False
        return (1.0 - self.warned) * (1.0 - (self.covered_unwarned or 0.0)) > 0.05


SCENARIOS: dict[str, tuple[bool, Draw]] = {}
SEEDS: dict[str, int] = {}


def scenario(name: str, *, domain: bool, seed: int | None = None) -> Callable[[Draw], Draw]:
    """`seed`: of a scenario that was renamed, so that the published table stays the same."""

    def keep(draw: Draw) -> Draw:
        SCENARIOS[name] = (domain, draw)
        SEEDS[name] = crc32(name.encode()) if seed is None else seed
        return draw

    return keep


def sizes_of(random: np.random.Generator, clusters: int) -> Array:
    """One to many cases per cluster, five on average."""
    return random.geometric(0.2, clusters)


def measure(name: str, replications: int) -> list[Row]:
    domain, draw = SCENARIOS[name]
    random = np.random.default_rng(SEEDS[name])
    hits: dict[str, list[tuple[bool, bool, float, bool]]] = defaultdict(list)
    decisions: dict[str, list[bool]] = defaultdict(list)
    allowed: dict[str, float] = {}
    truths: dict[str, float] = {}
    undefined: dict[str, int] = defaultdict(int)
    for _ in range(replications):
        for figure, found, truth in draw(random):
            if isinstance(found, Decision):
                decisions[figure].append(found.wrong)
                allowed[figure] = truth
            elif isinstance(found, Estimate):
                truths[figure] = truth
                hits[figure].append(
                    (
                        found.high < truth,
                        found.low > truth,
                        found.high - found.low,
                        found.warning is not None,
                    )
                )
            else:
                undefined[figure] += 1
    rows = []
    for figure in hits.keys() | undefined.keys() | decisions.keys():
        seen = hits[figure] or [(wrong, False, 0.0, False) for wrong in decisions[figure]]
        count = max(1, len(seen))
        below, above, width, warned = (sum(hit[part] for hit in seen) / count for part in range(4))
        covered = 1.0 - below - above
        plain = [not (hit[0] or hit[1]) for hit in seen if not hit[3]]
        rows.append(
            Row(
                scenario=name,
                figure=figure,
                domain=domain and figure != "naive" and _is_inside(figure, truths.get(figure)),
                replications=len(seen),
                covered=covered,
                error=sqrt(max(covered * (1 - covered), 1e-6) / count),
                too_low=below,
                too_high=above,
                width=width,
                undefined=undefined[figure] / replications,
                warned=warned,
                covered_unwarned=sum(plain) / len(plain) if plain else None,
                wrong_at_most=allowed.get(figure),
            )
        )
    return sorted(rows, key=lambda row: row.figure)


def _is_inside(figure: str, truth: float | None) -> bool:
    """The domain is of rates from 0.1 to 0.9, and these are rates."""
    return (
        truth is None
        or not figure.startswith(("accuracy", "precision", "recall", "f1", "macro_f1", "within_one"))
        or 0.1 <= truth <= 0.9 + 1e-9
    )


def table(rows: list[Row]) -> str:
    lines = [
        "| scenario | figure | covers | ± | too low | too high | width | undefined | warned | in the domain |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.scenario} | {row.figure} | {row.covered:.3f} | {row.error:.3f} | {row.too_low:.3f} | "
        f"{row.too_high:.3f} | {row.width:.3f} | {row.undefined:.3f} | {row.warned:.3f} | {_kept(row)} |"
        for row in rows
        if row.wrong_at_most is None
    ]
    decisions = [row for row in rows if row.wrong_at_most is not None]
    if decisions:
        lines += [
            "",
            "| scenario | decision | wrong | ± | at most | in the domain |",
            "|---|---|---|---|---|---|",
            *(
                f"| {row.scenario} | {row.figure} | {1 - row.covered:.4f} | {row.error:.4f} | "
                f"{row.wrong_at_most:.3f} | {_kept(row)} |"
                for row in decisions
            ),
        ]
    return "\n".join(lines)


def _kept(row: Row) -> str:
    return "" if not row.domain else "yes, MISSED" if row.missed else "yes"
