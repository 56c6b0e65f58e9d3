"""Two runs over the same cases: the mean difference, one test of it, and the interval that is that test inverted."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, sqrt
from operator import getitem
from random import Random
from statistics import NormalDist

from adjudge.records import Scale
from adjudge.stats.clusters import MIN_CLUSTERS, Clusters, Spread, degrees, flat_bound, warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate
from adjudge.stats.paired_rates import score_interval, score_statistic
from adjudge.stats.student import t_quantile, t_tail

FLIPS = 9_999
_ENUMERATED = 13
"""Up to so many clusters all flips are tried: 2 ** 12 of them, since a flip and its opposite say the same."""
_MAX_GROUPS = 4_096
"""More clusters than this are flipped in random groups: a sum of symmetric sums is symmetric, so the test holds."""
_ALPHA = 1.0 - CONFIDENCE
_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """B - A over matched cases. `p` is at most 0.05 exactly when the interval of `difference` leaves out 0."""

    difference: Estimate
    p: float
    exact: bool
    """Whether every flip was tried; otherwise `p` is of a seeded sample of them, or of the score test."""
    p_error: float
    """The Monte Carlo standard error of `p`; 0 where no flips were drawn."""
    effect_size: float | None
    """The mean difference in standard deviations of the differences (Cohen's d_z); None where they do not vary."""
    detectable: float | None
    """The smallest true difference that this many cases would have shown with 80 % power; None likewise."""

    @property
    def significant(self) -> bool:
        return self.p <= _ALPHA


def compare(
    differences: Iterable[tuple[Hashable, float]], scale: Scale | None = None, *, seed: int = 0
) -> Comparison | None:
    """Compare `(cluster, B - A)` pairs; None for no pairs.

    Where every difference is 0 or the whole scale, as for passes and fails, and there are ten clusters or more, the
    score test decides (McNemar's), and the interval is Tango's, which inverts it. Flips would cover too little there:
    where few pairs differ, most on one side, the differences from a supposed one are far from symmetric.

    Otherwise the flips decide. Under no difference, a cluster's sum of differences is as likely to have the other sign. Flipping the set F gives
    a mean at least as extreme as the one seen exactly when 0 lies between the means of F and of the rest. The same
    holds of any supposed difference d, so p(d) is the share of flips with d between those two means, and the interval,
    all d with p(d) above 0.05, is read off their sorted ends: the test and the interval cannot disagree.

    `scale` is of the scores, not of their differences.
    """
    rows = list(differences)
    sample = Clusters(rows)
    spread = sample.spread()
    if spread is None:
        return None
    reach = scale.high - scale.low if scale else inf
    least, most = min(-reach, spread.low), max(reach, spread.high)
    if spread.clusters >= MIN_CLUSTERS and all(abs(value) in (0.0, reach) for _, value in rows):
        return _of_passes(rows, spread, reach)
    if spread.clusters == 1 or spread.flat:
        return _flat(rows, spread, least, most)
    sums = sample.sums()
    ends, exact = _ends(sums, seed)
    tries = len(ends) + 1  # flipping nothing is one of them, and always as extreme
    p = (1 + sum(low <= 0.0 <= high for low, high in ends)) / tries
    needed = floor(_ALPHA * tries + 1e-9)
    low, high = -inf, inf
    if needed:
        low = sorted(low for low, _ in ends)[needed - 1]
        high = sorted((high for _, high in ends), reverse=True)[needed - 1]
    difference = Estimate(
        value=spread.mean,
        low=max(low, least),
        high=min(high, most),
        n=spread.n,
        method="paired permutation test, "
        + ("all permutations" if exact else f"{tries - 1:,} permutations, seed {seed}"),
        clusters=spread.clusters,
        warning=warn_of_few(spread.clusters)
        or _warn_of_few_differing(
            sum(value != 0.0 for _, value in sums), clustered=spread.clusters < spread.n
        ),
    )
    return Comparison(
        difference=difference,
        p=p,
        exact=exact,
        p_error=0.0 if exact else sqrt(p * (1.0 - p) / tries),
        effect_size=effect_size([value for _, value in rows]),
        detectable=detectable_difference(spread),
    )


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d_z: the mean difference in standard deviations of the differences."""
    n = len(differences)
    if n < 2:
        return None
    mean = sum(differences) / n
    variance = sum((value - mean) ** 2 for value in differences) / (n - 1)
    if variance <= (1e-9 * max(1.0, *map(abs, differences))) ** 2:
        return None
    return mean / sqrt(variance)


def detectable_difference(spread: Spread, *, power: float = 0.8) -> float | None:
    """The smallest true difference that a test at this spread finds with this power."""
    if spread.clusters < 2 or spread.flat:
        return None
    critical = t_quantile(0.5 + CONFIDENCE / 2.0, spread.df) + t_quantile(power, spread.df)
    return critical * sqrt(spread.variance)


def _of_passes(rows: list[tuple[Hashable, float]], spread: Spread, reach: float) -> Comparison:
    """The score test and Tango's interval, over as many pairs as the clusters are worth.

    The pairs are divided by how many times larger the variance over clusters (CR2) is than that of independent pairs,
    never by less than 1. Where no pair differs, or all do alike, each cluster counts as one.
    """
    only_b, only_a = (sum(sign * value > 0.0 for _, value in rows) for sign in (1.0, -1.0))
    clustered = spread.clusters < spread.n
    worth, critical, method = 1.0, _Z, "McNemar's score test, Tango's interval"
    if clustered:
        mean = spread.mean / reach
        alone = ((only_a + only_b) / spread.n - mean * mean) / (spread.n - 1)
        worth = spread.n / spread.clusters
        if not spread.flat:
            worth = max(1.0, spread.variance / (reach * reach * alone))
        critical = t_quantile(0.5 + CONFIDENCE / 2.0, spread.df)
        method = f"McNemar's score test over clusters, Tango's interval (CR2{degrees(spread.df)})"
    counts = only_a / worth, only_b / worth, spread.n / worth
    statistic = abs(score_statistic(*counts))
    p = 2.0 * (t_tail(statistic, spread.df) if clustered else NormalDist().cdf(-statistic))
    low, high = score_interval(*counts, critical=critical)
    differing = len({cluster for cluster, value in rows if value})
    return Comparison(
        difference=Estimate(
            value=spread.mean,
            low=reach * low,
            high=reach * high,
            n=spread.n,
            method=method,
            clusters=spread.clusters,
            warning=_warn_of_few_differing(differing, clustered=True) if clustered else None,
        ),
        p=min(1.0, p),
        exact=False,
        p_error=0.0,
        effect_size=effect_size([value for _, value in rows]),
        detectable=detectable_difference(spread),
    )


def _warn_of_few_differing(count: int, *, clustered: bool) -> str | None:
    if not 0 < count < MIN_CLUSTERS:
        return None
    units = "clusters" if clustered else "cases"
    return f"the two sides differ in {count} {units}: an interval over fewer than {MIN_CLUSTERS} of them is unreliable"


def _flat(rows: list[tuple[Hashable, float]], spread: Spread, least: float, most: float) -> Comparison:
    """Clusters that do not differ: p is that of all flips, or the level at which the scale's bound would leave out 0.

    Whichever is larger.
    """
    estimate = flat_bound(spread, least, most)
    mean = spread.mean
    if spread.clusters == 1 or mean == 0.0 or estimate.low == -inf:
        p = 1.0
    else:
        room = -least if mean > 0.0 else most
        bound = 2.0 * (room / (abs(mean) + room)) ** spread.clusters
        p = min(1.0, max(bound, 2.0 ** (1 - spread.clusters)))
        if p > _ALPHA and not estimate.low <= 0.0 <= estimate.high:  # all flips are too few to say so
            estimate = replace(estimate, low=min(estimate.low, 0.0), high=max(estimate.high, 0.0))
    return Comparison(
        difference=estimate,
        p=p,
        exact=True,
        p_error=0.0,
        effect_size=effect_size([value for _, value in rows]),
        detectable=detectable_difference(spread),
    )


def _ends(sums: list[tuple[int, float]], seed: int) -> tuple[list[tuple[float, float]], bool]:
    """For each flip but the empty one, the means of the flipped and of the other clusters, the lesser first."""
    n = sum(count for count, _ in sums)
    total = sum(value for _, value in sums)
    tiny = 1e-12 * max(abs(value / count) for count, value in sums)
    exact = len(sums) <= _ENUMERATED
    flipped = _all_flips(sums) if exact else _some_flips(sums, seed)
    ends: list[tuple[float, float]] = []
    for part in flipped:
        count, value = round(part.imag), part.real
        if count in (0, n):
            ends.append((-inf, inf))
            continue
        means = (value / count, (total - value) / (n - count))
        low, high = (0.0 if abs(mean) <= tiny else mean for mean in means)  # 0.1 + 0.2 - 0.3 is 0
        ends.append((low, high) if low <= high else (high, low))
    return ends, exact


def _all_flips(sums: list[tuple[int, float]]) -> list[complex]:
    """Sum (real) and count (imaginary) of each set of clusters without the first: the others are their opposites."""
    return _subset_sums([complex(value, count) for count, value in sums[1:]])[1:]


def _some_flips(sums: list[tuple[int, float]], seed: int) -> list[complex]:
    """As `_all_flips`, for random sets."""
    random = Random(seed)  # noqa: S311 - a seeded sample, not a secret
    kinds = Counter(complex(value, count) for count, value in sums)
    if 8 * len(kinds) <= min(len(sums), _MAX_GROUPS):
        # Of c clusters alike only the number flipped matters: the ones among c random bits.
        return [
            sum(part * random.getrandbits(times).bit_count() for part, times in kinds.items())
            for _ in range(FLIPS)
        ]
    parts = [complex(value, count) for count, value in sums]
    if len(parts) > _MAX_GROUPS:
        random.shuffle(parts)
        parts = [sum(parts[start::_MAX_GROUPS], 0j) for start in range(_MAX_GROUPS)]
    # Eight at a time, looked up by a random byte.
    tables = [_subset_sums(parts[start : start + 8]) for start in range(0, len(parts), 8)]
    last = len(tables[-1]) - 1
    found: list[complex] = []
    for _ in range(FLIPS):
        chosen = bytearray(random.randbytes(len(tables)))
        chosen[-1] &= last
        found.append(sum(map(getitem, tables, chosen), 0j))
    return found


def _subset_sums(parts: list[complex]) -> list[complex]:
    found = [0j]
    for part in parts:
        found += [one + part for one in found]
    return found
