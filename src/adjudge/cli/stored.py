"""What commands that read the store share."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from adjudge.cli.console import print_message
from adjudge.errors import InputError
from adjudge.store import RunRecord, Store, open_store
from adjudge.store.trust import unknown_store


@contextmanager
def stored(where: str) -> Iterator[Store]:
    """The store, which must be there: reading makes none."""
    store = open_store(where, create=False)
    try:
        announce_origin(store)
        yield store
    finally:
        store.close()


def announce_origin(store: Store) -> None:
    """Whoever reads figures from a store that somebody else made, or could change, is told so."""
    if not store.trusted:
        print_message(f"note: {store.where} {unknown_store(store.where, store.id)}")


def known_columns(columns: Iterable[str]) -> str:
    """What a report can be sliced by, for somebody who asked for something else."""
    names = ", ".join(list(columns)[:20])
    return f"there are {names}" if names else "the cases have no metadata and no short columns of their own"


def find_run(store: Store, reference: str) -> RunRecord:
    found = store.find_run(reference)
    if found is None:
        known = ", ".join(run.run_id for run in store.runs(counted=False)[:5])
        raise InputError(
            f"run {reference}",
            f"is not in {store.where}",
            f"the latest are {known}; `adjudge runs` lists all" if known else "it has no runs yet",
        )
    return found
