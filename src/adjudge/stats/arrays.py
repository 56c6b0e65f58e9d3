"""Numpy, when it is there: the one place that asks for the `stats` extra."""

from types import ModuleType
from typing import Any, TypeAlias

from adjudge.errors import MissingExtraError

Array: TypeAlias = Any
"""A numpy array. The core install has no numpy, so its types cannot be named where modules are loaded."""


def need_numpy(where: str) -> ModuleType:
    try:
        import numpy as np  # noqa: PLC0415 - an optional package
    except ImportError:
        raise MissingExtraError(where, "stats") from None
    return np
