"""Where a score stands on its judge's scale."""

from fractions import Fraction
from functools import lru_cache
from typing import Literal

from adjudge.expressions import exact_number
from adjudge.records import Scale

Better = Literal["higher", "lower"]


def exact_float(value: float) -> Fraction:
    found = exact_number(value)
    return found if found is not None else Fraction(value)


@lru_cache(maxsize=1024)
def normalize(scale: Scale | None, better: str, exact: float) -> float | None:
    """(exact - low) / (high - low), turned round for `better: lower`; None where there is no scale to stand on."""
    if scale is None or scale.low == scale.high:
        return None
    low, high = exact_float(scale.low), exact_float(scale.high)
    share = (exact_float(exact) - low) / (high - low)
    return float(1 - share if better == "lower" else share)


def lowest(scale: Scale, better: str) -> float:
    """The worst score there is: the high end where lower is better."""
    return scale.high if better == "lower" else scale.low


def off_scale(scale: Scale | None, value: Fraction) -> bool:
    return scale is not None and _off_scale(scale, value.as_integer_ratio())


@lru_cache(maxsize=1024)
def _off_scale(scale: Scale, ratio: tuple[int, int]) -> bool:
    """Kept, because scores are few; by two integers, because a fraction takes longer to look up."""
    return not exact_float(scale.low) <= Fraction(*ratio) <= exact_float(scale.high)


def plain(value: Fraction | float) -> str:
    """4.0 -> `4`, 3.5 -> `3.5`, 1/3 -> `0.333333`: as a person writes it in a message."""
    return f"{float(value):.6g}"
