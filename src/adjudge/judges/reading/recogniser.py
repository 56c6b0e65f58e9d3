"""A recogniser reads one turn of phrase: a small function that gives what it finds, or nothing. Lists of them are asked in order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_OFF: set[str] = set()


def ask(recogniser: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What it finds; nothing while it is switched off."""
    return None if name_of(recogniser) in _OFF else recogniser(*args, **kwargs)


def first(recognisers: Iterable[Callable[P, T]], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What the first of them finds that finds anything."""
    return next((found for each in recognisers if (found := ask(each, *args, **kwargs))), None)


@contextmanager
def without(name: str) -> Iterator[None]:
    """For measuring what a recogniser is worth; readings are kept, so clear what keeps them."""
    _OFF.add(name)
    try:
        yield
    finally:
        _OFF.discard(name)


def name_of(recogniser: object) -> str:
    name: str = getattr(recogniser, "__name__", "")
    return name.removeprefix("_").removeprefix("find_")
