"""Exact numbers: what JSON wrote as 0.1 is one tenth, and halves round up."""

import math
from fractions import Fraction
from functools import lru_cache

MAX_BITS = 4096
"""Far beyond any score; a longer integer is hostile, and products of many would fill the memory."""


def exact_number(value: object) -> Fraction | None:
    """The number as its decimal text says it; None for what is no finite number of a sane size.

    Booleans are not numbers here: who wants them counted says so.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value) if value.bit_length() <= MAX_BITS else None
    if isinstance(value, float):
        return _of_float(value) if math.isfinite(value) else None
    return None


@lru_cache(maxsize=1024)
def _of_float(value: float) -> Fraction:
    """Kept, because scores are few and reading a text takes long."""
    return Fraction(repr(value))


def round_half_up(value: Fraction, digits: int = 0) -> Fraction:
    """2.5 -> 3 and -2.5 -> -2: a half always goes up, as people write it down."""
    unit = 10**digits
    return Fraction(math.floor(value * unit + Fraction(1, 2)), unit)


def is_usable(value: Fraction) -> bool:
    """Small enough to compute on with."""
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= MAX_BITS
