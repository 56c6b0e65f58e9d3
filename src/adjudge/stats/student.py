"""Student's t distribution: its tail and its quantiles, in plain Python."""

from math import exp, inf, lgamma, log, log1p, pi, sqrt, tan
from statistics import NormalDist

_LARGE = 1000.0  # from here on the series below is right to 1e-13, and the fraction would converge slowly
_TINY = 1e-300


def t_quantile(p: float, df: float) -> float:
    """The t with probability `p` below it, at `df` degrees of freedom."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie between 0 and 1, not {p}")
    if not df > 0.0:
        raise ValueError(f"df must be above 0, not {df}")
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    if df == 1.0:
        return tan(pi * (p - 0.5))
    if df == 2.0:
        return (2.0 * p - 1.0) * sqrt(2.0 / (4.0 * p * (1.0 - p)))
    start = _expansion(NormalDist().inv_cdf(p), df)
    return start if df >= _LARGE else _refine(1.0 - p, df, start)


def t_tail(t: float, df: float) -> float:
    """The probability above `t`, for t >= 0."""
    if t < 0.0:
        raise ValueError(f"t must be 0 or more, not {t}")
    return 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t))


def _expansion(z: float, df: float) -> float:
    """Cornish-Fisher expansion around the normal quantile (Abramowitz & Stegun 26.7.5)."""
    z2 = z * z
    g1 = (z2 + 1.0) * z / 4.0
    g2 = ((5.0 * z2 + 16.0) * z2 + 3.0) * z / 96.0
    g3 = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) * z / 384.0
    g4 = ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) * z / 92160.0
    return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df


def _refine(tail: float, df: float, start: float) -> float:
    """Newton steps on the tail, kept inside a bracket that halves when a step would leave it."""
    low, high, t = 0.0, inf, max(start, 1e-8)
    log_norm = lgamma((df + 1.0) / 2.0) - lgamma(df / 2.0) - 0.5 * log(df * pi)
    for _ in range(200):
        excess = t_tail(t, df) - tail
        if excess > 0.0:
            low = t
        else:
            high = t
        density = exp(log_norm - (df + 1.0) / 2.0 * log1p(t * t / df))
        following = t + excess / density if density > 0.0 else inf
        if not low < following < high:
            following = 2.0 * t if high == inf else (low + high) / 2.0
        if abs(following - t) <= 1e-14 * t:
            return following
        t = following
    return t


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Lentz's method, with the usual guard against a denominator of 0."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    result = d
    for m in range(1, 10_000):
        for coefficient in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + coefficient * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + coefficient / c
            c = c if abs(c) > _TINY else _TINY
            result *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return result
