"""What the routes work with: the store, what is made of it on request, and what this server may be asked to do."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from starlette.requests import Request

from adjudge.errors import InputError
from adjudge.judges import built_in_judges
from adjudge.records import Judge
from adjudge.runs.find_model import EMBEDDED
from adjudge.server.asker import Asker
from adjudge.server.cases.index import CaseIndex
from adjudge.server.figures import Comparisons, RunFigures
from adjudge.server.routing import From
from adjudge.store import RunRecord, Store, open_store
from adjudge.store.trust import unknown_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    store: Store
    where: str
    """The store as it was named, for runs that this server starts; never shown, it can hold a password."""
    figures: RunFigures
    index: CaseIndex
    asker: Asker
    comparisons: Comparisons
    models: tuple[str, ...]
    """What requests may name, each as `--model` does; the first where they name none."""
    judges: Mapping[str, Judge] = field(default_factory=dict)
    """What requests may name: the built-in judges and the files given when the server was started."""

    @property
    def unknown(self) -> str | None:
        """What every page says of a store that was not made here."""
        if self.store.trusted:
            return None
        return f"{self.store.where} {unknown_store(self.store.where, self.store.id)}"

    def run(self, reference: str) -> RunRecord:
        """By name, id, start of an id, or `last`, as on the command line."""
        found = self.store.find_run(reference)
        if found is None:
            raise NotFoundError(
                f"run {reference}", "not in this store", "it may have been deleted, or be in another store"
            )
        return found


class NotFoundError(InputError):
    """HTTP 404."""


@contextmanager
def open_service(
    where: str,
    *,
    models: Sequence[str] = (),
    base_url: str | None = None,
    max_cost: Decimal | None = None,
    judges: Sequence[Judge] = (),
) -> Iterator[Service]:
    """Over a store that is there or is made."""
    store = open_store(where)
    try:
        index, asker = CaseIndex(store), Asker(where=where, base_url=base_url, max_cost=max_cost)
        asker.start()
        try:
            yield Service(
                store=store,
                where=where,
                figures=RunFigures(store),
                index=index,
                asker=asker,
                comparisons=Comparisons(store),
                models=tuple(models) or (EMBEDDED,),
                judges={judge.name: judge for judge in (*built_in_judges(), *judges)},
            )
        finally:
            asker.stop()
            index.close()
    finally:
        store.close()


async def get_service(request: Request) -> Service:
    service = request.state.service
    assert isinstance(service, Service)
    return service


Served = Annotated[Service, From(get_service)]
"""How routes get at the service they answer for."""


def swaps(request: Request, *parts: str) -> bool:
    """Whether a script asks for one of these parts of a page that is shown already."""
    return request.headers.get("x-swap") in parts
