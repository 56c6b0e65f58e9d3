"""Systems ranked by pairs: Bradley-Terry strengths with ties (Davidson 1970), intervals by bootstrap over cases."""

from collections.abc import Mapping, Sequence
from math import inf, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

from adjudge.stats.arrays import Array, need_numpy
from adjudge.stats.intervals import CONFIDENCE, Estimate
from adjudge.stats.samples import sample_of_sums
from adjudge.stats.student import t_quantile

RESAMPLES = 1_000
_WHERE = "rankings"
_MOST_STEPS = 60
_LONGEST_STEP = 2.0
_CLOSE = 1e-9
_RIDGE = 1e-12
_LARGEST = 12.0
"""A strength beyond this is on its way to infinity: such a system would lose 1 case in 100,000."""
_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Win(NamedTuple):
    """What a case says of two systems, by their numbers."""

    case: str
    first: int
    second: int
    score: float
    """1 where the first won, 0 where the second did, 0.5 for a tie."""


class Strengths(NamedTuple):
    """Strengths as logarithms, with mean 0: the odds that one system wins are e to the difference."""

    values: tuple[float, ...]
    tie: float
    """Davidson's parameter: of two equal systems `tie / (2 + tie)` of the cases are ties."""
    covariance: tuple[tuple[float, ...], ...]
    separated: bool
    """Some systems lost to others in every case: their strengths have no best value, and half a win each way per pair bounds them."""


class Ranked(NamedTuple):
    system: int
    strength: Estimate
    ranks: tuple[int, int]
    """The best and the worst rank that the cases allow, with 95 % confidence for all systems together."""


class Ranking(NamedTuple):
    systems: tuple[Ranked, ...]
    """Best first."""
    separated: bool
    cases: int


def connected(wins: Sequence[Win], systems: int) -> tuple[tuple[int, ...], ...]:
    """The groups of systems that pairs connect, the largest first; systems of different groups cannot be compared."""
    group = list(range(systems))
    for win in wins:
        old, new = group[win.first], group[win.second]
        group = [new if each == old else each for each in group]
    found = {each: tuple(system for system in range(systems) if group[system] == each) for each in group}
    return tuple(sorted(found.values(), key=lambda members: (-len(members), members)))


def strengths(wins: Sequence[Win], systems: int) -> Strengths:
    """The strengths that make these results most likely; the systems must be connected."""
    fitted = _fit(_counts(wins, systems).sum(0)[None], systems)
    covariance = _covariance(fitted, systems)
    return Strengths(
        values=tuple(map(float, fitted.values[0])),
        tie=float(fitted.ties[0]),
        covariance=tuple(tuple(map(float, row)) for row in covariance),
        separated=bool(fitted.separated[0]),
    )


def rank_systems(wins: Sequence[Win], systems: int, *, seed: int, resamples: int = RESAMPLES) -> Ranking:
    """All systems, best first, each with the interval of its strength and the ranks that it may have.

    Two systems are told apart where the difference of their strengths is above 0 all over intervals that hold all such
    differences together in 95 % of resamples.
    """
    np = need_numpy(_WHERE)
    counts = _counts(wins, systems)
    best = _fit(counts.sum(0)[None], systems)
    values = best.values[0]
    sample = sample_of_sums(counts, np.arange(len(counts)), seed=seed)
    drawn = _fit(sample.draw(resamples, seed), systems).values
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    # resamples of cases that all say the same do not vary, yet the next case may: no error is smaller than the model's
    covariance = _covariance(best, systems)
    own = np.diag(covariance)
    low, high = np.minimum(low, values - _Z * np.sqrt(own)), np.maximum(high, values + _Z * np.sqrt(own))
    pairs = systems * (systems - 1) / 2
    least = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / pairs) * np.sqrt(
        np.maximum(0.0, own[:, None] + own[None, :] - 2 * covariance)
    )
    above = (_least_differences(drawn, len(counts)) > 0) & (values[:, None] - values[None, :] > least)
    better, worse = above.sum(0), above.sum(1)
    systems_ranked = tuple(
        Ranked(
            system=int(system),
            strength=Estimate(
                value=float(values[system]),
                low=float(low[system]),
                high=float(high[system]),
                n=sum(system in (win.first, win.second) for win in wins),
                method="bootstrap over cases",
                clusters=len(counts),
            ),
            ranks=(int(better[system]) + 1, systems - int(worse[system])),
        )
        for system in np.argsort(-values, kind="stable")
    )
    return Ranking(systems=systems_ranked, separated=bool(best.separated[0]), cases=len(counts))


def _least_differences(drawn: Array, cases: int) -> Array:
    """The lower ends of percentile intervals for all differences at once (Mandel and Betensky 2008).

    Resamples of few cases vary too little: the level is the one at which a normal interval would be as wide as Student's.
    """
    np = need_numpy(_WHERE)
    wider = t_quantile(0.5 + CONFIDENCE / 2, cases - 1) * sqrt(cases / (cases - 1)) if cases > 1 else inf
    level = 2 * NormalDist().cdf(wider) - 1
    differences = drawn[:, :, None] - drawn[:, None, :]
    ordered = np.sort(differences, axis=0)
    places = differences.argsort(0, kind="stable").argsort(0, kind="stable")
    furthest = np.minimum(places, len(drawn) - 1 - places).min((1, 2))
    return ordered[int(np.quantile(furthest, 1 - level, method="lower"))]


def most_informative(known: Strengths, asked: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Pairs of systems, those first of which one more case says most; `asked` counts the cases that each still has."""

    def gain(pair: tuple[int, int]) -> float:
        first, second = pair
        covariance = known.covariance
        variance = covariance[first][first] + covariance[second][second] - 2 * covariance[first][second]
        return log1p(_information(known.values[first] - known.values[second], known.tie) * variance)

    return sorted((pair for pair, left in asked.items() if left), key=lambda pair: (-gain(pair), pair))


def _information(difference: float, tie: float) -> float:
    """What one case says of the difference of two strengths."""
    np = need_numpy(_WHERE)
    wins, draws = np.exp(difference / 2), tie
    total = wins + 1 / wins + draws
    won, tied = wins / total, draws / total
    return float(won + tied / 4 - (won + tied / 2) ** 2)


# ---- the fit: many sets of counts at once ----------------------------------------------------------------


class _Peak(NamedTuple):
    values: Array
    ties: Array
    separated: Array
    counts: Array


def _counts(wins: Sequence[Win], systems: int) -> Array:
    """A row per case: how often each system beat each other one, then how often the two tied."""
    np = need_numpy(_WHERE)
    numbers = {case: number for number, case in enumerate(dict.fromkeys(win.case for win in wins))}
    found = np.zeros((len(numbers), 2, systems, systems))
    for win in wins:
        first, second = (win.first, win.second) if win.score >= 0.5 else (win.second, win.first)
        if win.score == 0.5:
            found[numbers[win.case], 1, (first, second), (second, first)] += 1
        else:
            found[numbers[win.case], 0, first, second] += 1
    return found.reshape(len(numbers), -1)


def _fit(rows: Array, systems: int) -> _Peak:
    """The peak of the likelihood; where it has none, half a win each way for every pair of systems makes one."""
    np = need_numpy(_WHERE)
    counts = rows.reshape(-1, 2, systems, systems)
    separated = ~_strongly_connected((counts[:, 0] + counts[:, 1]) > 0)
    values, ties = _climb(counts)
    # ties alone bound no strength where the share of ties may grow with it
    separated |= np.abs(values).max(1) > _LARGEST
    counts = counts.copy()
    counts[separated, 0] += 0.5 * (1 - np.eye(systems))
    values[separated], ties[separated] = _climb(counts[separated])
    values -= values.mean(1, keepdims=True)
    return _Peak(values=values, ties=ties, separated=separated, counts=counts)


def _climb(counts: Array) -> tuple[Array, Array]:
    """Newton's method: the likelihood has no second peak."""
    np = need_numpy(_WHERE)
    systems = counts.shape[-1]
    decided, tied = counts[:, 0].sum((1, 2)) > 0, counts[:, 1].sum((1, 2)) > 0
    values = np.zeros((len(counts), systems))
    ties = tied.astype(float)
    free = np.concatenate([np.repeat(decided[:, None], systems, 1), (decided & tied)[:, None]], 1)
    for _ in range(_MOST_STEPS):
        gradient, information = _derivatives(values, ties, counts)
        information[:, :systems, :systems] += (
            1.0 / systems
        )  # all strengths together are free: their mean stays 0
        information = np.where(free[:, :, None] & free[:, None, :], information, np.eye(systems + 1))
        information += _RIDGE * np.eye(systems + 1)  # far out there is no information left
        step = np.linalg.solve(information, np.where(free, gradient, 0.0)[:, :, None])[:, :, 0]
        step = np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        values = np.clip(values + step[:, :systems], -2 * _LARGEST, 2 * _LARGEST)
        ties = np.clip(ties * np.exp(step[:, systems]), 0.0, 1e9)
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    return values, ties


def _covariance(fitted: _Peak, systems: int) -> Array:
    """Of the strengths of the first fit. They are known but for a shift: the direction in which all grow alike has no information."""
    np = need_numpy(_WHERE)
    information = _derivatives(fitted.values, fitted.ties, fitted.counts)[1][0, :systems, :systems]
    return np.linalg.pinv(information, rcond=1e-12, hermitian=True)


def _derivatives(values: Array, ties: Array, counts: Array) -> tuple[Array, Array]:
    """The gradient of the log-likelihood by strengths and by the logarithm of `ties`, and the information of both."""
    np = need_numpy(_WHERE)
    won, tied = counts[:, 0], counts[:, 1]
    played = won + won.swapaxes(1, 2) + tied
    half = np.exp(np.clip((values[:, :, None] - values[:, None, :]) / 2, -30, 30))
    total = half + 1 / half + ties[:, None, None]
    wins, draws = half / total, ties[:, None, None] / total
    points = wins + draws / 2
    systems = values.shape[1]
    gradient = np.empty((len(values), systems + 1))
    gradient[:, :systems] = (won + tied / 2 - played * points).sum(2)
    gradient[:, systems] = (tied - played * draws).sum((1, 2)) / 2
    spread = played * (wins + draws / 4 - points**2)
    both = (played * draws * (0.5 - points)).sum(2)
    information = np.empty((len(values), systems + 1, systems + 1))
    information[:, :systems, :systems] = -spread
    index = np.arange(systems)
    information[:, index, index] = spread.sum(2) - spread[:, index, index]
    information[:, :systems, systems] = information[:, systems, :systems] = both
    information[:, systems, systems] = (played * draws * (1 - draws)).sum((1, 2)) / 2
    return gradient, information


def _strongly_connected(edges: Array) -> Array:
    """Whether every system can be reached from every other one along wins and ties (Ford 1957)."""
    np = need_numpy(_WHERE)
    systems = edges.shape[1]
    reached = edges | np.eye(systems, dtype=bool)
    for _ in range(max(1, (systems - 1).bit_length())):
        reached = (reached.astype(float) @ reached.astype(float)) > 0
    return reached.all((1, 2))
