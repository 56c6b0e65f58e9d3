"""What is worked out once for a record, by which one it is: hashing a whole judge would take longer than the work."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

MAX_KEPT = 256
Record = TypeVar("Record")
P = ParamSpec("P")
T = TypeVar("T")


def cache_by_identity(
    make: Callable[Concatenate[Record, P], T],
) -> Callable[Concatenate[Record, P], T]:
    """Keep what is made of a record that never changes: a judge is asked about all cases, and reads all their replies.

    What is made is not to be changed either.
    """
    kept: dict[Hashable, tuple[Record, T]] = {}  # with the record, so that its id is not given to another one

    @wraps(make)
    def made(record: Record, /, *args: P.args, **keywords: P.kwargs) -> T:
        key = (id(record), *args)
        found = kept.get(key)
        if found is None or found[0] is not record:
            if len(kept) >= MAX_KEPT:
                kept.clear()
            found = kept[key] = (record, make(record, *args, **keywords))
        return found[1]

    return made
