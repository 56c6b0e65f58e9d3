"""What commands that read the store share."""

from collections.abc import Iterator
from contextlib import contextmanager

from adjudge.errors import InputError
from adjudge.store import RunRecord, Store, open_store


@contextmanager
def stored(where: str) -> Iterator[Store]:
    """The store, which must be there: reading makes none."""
    store = open_store(where, create=False)
    try:
        yield store
    finally:
        store.close()


def find_run(store: Store, reference: str) -> RunRecord:
    found = store.find_run(reference)
    if found is None:
        known = ", ".join(run.run_id for run in store.runs()[:5])
        raise InputError(
            f"run {reference}",
            f"is not in {store.where}",
            f"the latest are {known}; `adjudge runs` lists all"
            if known
            else "nothing has been run into it yet",
        )
    return found
