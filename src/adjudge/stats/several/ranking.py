"""Systems ranked by pairs: Bradley-Terry strengths with ties (Davidson 1970), intervals by bootstrap over cases."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist
from typing import NamedTuple

from adjudge.stats.arrays import Array, need_numpy
from adjudge.stats.clusters import warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate
from adjudge.stats.samples import sample_of_sums
from adjudge.stats.student import t_quantile

RESAMPLES = 1_000
_WHERE = "rankings"
_MAX_STEPS = 60
_MAX_STEP_CHARS = 2.0
_CLOSE = 1e-9
_RIDGE = 1e-12
_MAX_VALUE = 12.0
"""A strength beyond this is on its way to infinity: such a system would lose 1 case in 100,000."""
_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Win(NamedTuple):
    """What a case says of two systems, by their numbers."""

    case: str
    first: int
    second: int
    score: float
    """1 where the first won, 0 where the second did, 0.5 for a tie."""


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
    """Or clusters, where those are what the intervals are made over."""
    clustered: bool


def connected(wins: Sequence[Win], systems: int) -> tuple[tuple[int, ...], ...]:
    """The groups of systems that pairs connect, the largest first; systems of different groups cannot be compared."""
    group = list(range(systems))
    for win in wins:
        old, new = group[win.first], group[win.second]
        group = [new if each == old else each for each in group]
    found = {each: tuple(system for system in range(systems) if group[system] == each) for each in group}
    return tuple(sorted(found.values(), key=lambda members: (-len(members), members)))


def rank_systems(wins: Sequence[Win], systems: int, *, seed: int, resamples: int = RESAMPLES) -> Ranking:
    """All systems, best first, each with the interval of its strength and the ranks that it may have.

    Two systems are told apart where the interval of the difference of their strengths is above 0, at a level that holds
    for all pairs together (Bonferroni).
    """
    np = need_numpy(_WHERE)
    counts = _counts(wins, systems)
    cases = len(counts)
    best = _fit(counts.sum(0)[None], systems)
    values = best.values[0]
    drawn = _fit(sample_of_sums(counts, np.arange(cases), seed=seed).draw(resamples, seed), systems).values
    covariance = _covariance(best, systems)
    own = np.diag(covariance)
    low, high = _limits(values, drawn, own, cases)
    lowest, _ = _limits(
        values[:, None] - values[None, :],
        drawn[:, :, None] - drawn[:, None, :],
        own[:, None] + own[None, :] - 2 * covariance,
        cases,
        comparisons=systems * (systems - 1) // 2,
    )
    if best.separated[0]:
        low, high, lowest = _widen_separated(counts, systems, low, high, lowest)
    above = lowest > 0
    better, worse = above.sum(0), above.sum(1)
    systems_ranked = tuple(
        Ranked(
            system=int(system),
            strength=Estimate(
                value=float(values[system]),
                low=float(low[system]),
                high=float(high[system]),
                n=sum(system in (win.first, win.second) for win in wins),
                method="bootstrap over cases, widened as Student's t is",
                clusters=cases,
                warning=warn_of_few(cases),
            ),
            ranks=(int(better[system]) + 1, systems - int(worse[system])),
        )
        for system in np.argsort(-values, kind="stable")
    )
    return Ranking(
        systems=systems_ranked, separated=bool(best.separated[0]), cases=cases, clustered=_clustered(wins)
    )


def _clustered(wins: Sequence[Win]) -> bool:
    """Whether some pair meets more than once in what is taken for one case."""
    return len({win[:3] for win in wins}) < len(wins)


def _limits(
    values: Array, drawn: Array, model_variance: Array, cases: int, *, comparisons: int = 1
) -> tuple[Array, Array]:
    """Percentile intervals, each side widened by as much as Student's t is wider than the normal distribution: resamples of
    few cases (or clusters of them) vary too little. They hold together for this many comparisons; infinite for one case.

    Resamples of cases that all say the same do not vary, yet the next case may: no error is smaller than the model's.
    """
    np = need_numpy(_WHERE)
    if cases == 1:
        return np.full(values.shape, -inf), np.full(values.shape, inf)
    level = 1 - (1 - CONFIDENCE) / 2 / comparisons
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    wider = t_quantile(level, cases - 1) * sqrt(cases / (cases - 1)) / _Z
    least = NormalDist().inv_cdf(level) * np.sqrt(np.maximum(0.0, model_variance))
    return values - np.maximum(wider * (values - low), least), values + np.maximum(
        wider * (high - values), least
    )


def _widen_separated(
    counts: Array, systems: int, low: Array, high: Array, lowest: Array
) -> tuple[Array, Array, Array]:
    """Where a system always won or always lost, nothing tells how alike the comparisons of a cluster are: no interval is
    narrower than if each cluster were one comparison of each pair.
    """
    np = need_numpy(_WHERE)
    tables = counts.reshape(-1, 2, systems, systems)
    played = tables[:, 0] + tables[:, 0].swapaxes(1, 2) + tables[:, 1]
    fitted = _fit((tables / np.maximum(1.0, played)[:, None]).reshape(len(counts), -1).sum(0)[None], systems)
    values, covariance = fitted.values[0], _covariance(fitted, systems)
    own = np.diag(covariance)
    margin = _Z * np.sqrt(np.maximum(0.0, own))
    level = 1 - (1 - CONFIDENCE) / 2 / (systems * (systems - 1) // 2)
    apart = NormalDist().inv_cdf(level) * np.sqrt(
        np.maximum(0.0, own[:, None] + own[None, :] - 2 * covariance)
    )
    return (
        np.minimum(low, values - margin),
        np.maximum(high, values + margin),
        np.minimum(lowest, values[:, None] - values[None, :] - apart),
    )


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
    separated |= np.abs(values).max(1) > _MAX_VALUE
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
    for _ in range(_MAX_STEPS):
        gradient, information = _derivatives(values, ties, counts)
        information[:, :systems, :systems] += (
            1.0 / systems
        )  # all strengths together are free: their mean stays 0
        information = np.where(free[:, :, None] & free[:, None, :], information, np.eye(systems + 1))
        information += _RIDGE * np.eye(systems + 1)  # far out there is no information left
        step = np.linalg.solve(information, np.where(free, gradient, 0.0)[:, :, None])[:, :, 0]
        step = np.clip(step, -_MAX_STEP_CHARS, _MAX_STEP_CHARS)
        values = np.clip(values + step[:, :systems], -2 * _MAX_VALUE, 2 * _MAX_VALUE)
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
