"""The pages' server for tests: its application in this process, or a whole server on a free port."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.testclient import TestClient

from adjudge.judges import load_judge
from adjudge.server.app import make_app
from adjudge.server.security import Door
from adjudge.server.serve import Address, Server
from adjudge.server.service import Service, open_service

TOKEN = "a-token-for-tests"
PORT = 8321
DOOR = Door(token=TOKEN, port=PORT)


@dataclass(frozen=True, kw_only=True)
class Served:
    client: TestClient
    """Carries the token."""
    stranger: TestClient
    """A browser that carries nothing yet."""
    service: Service

    def read(self, path: str, **options: object) -> dict:
        """The JSON of an answer that must be a good one."""
        answer = self.client.get(path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def served(
    where: str | Path, *, models: Sequence[str] = (), judges: Sequence[str | Path] = ()
) -> Iterator[Served]:
    with open_service(str(where), models=models, judges=[load_judge(each) for each in judges]) as service:
        app = make_app(service, DOOR)
        bases = f"http://127.0.0.1:{PORT}", f"http://{DOOR.page_host}"
        given = {"Authorization": f"Bearer {TOKEN}"}
        with (
            TestClient(app, base_url=bases[0], headers=given, raise_server_exceptions=False) as client,
            TestClient(app, base_url=bases[1], raise_server_exceptions=False) as stranger,
        ):
            yield Served(client=client, stranger=stranger, service=service)


@contextmanager
def live(
    where: str | Path, *, models: Sequence[str] = (), judges: Sequence[str | Path] = ()
) -> Iterator[Address]:
    """A server that answers over HTTP; `address.opened("runs/…")` is what a browser opens first."""
    with (
        open_service(str(where), models=models, judges=[load_judge(each) for each in judges]) as service,
        listening(service) as address,
    ):
        yield address


@contextmanager
def listening(service: Service) -> Iterator[Address]:
    server = Server(service, port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    server.ready.wait()
    try:
        yield server.address
    finally:
        server.stop()
        thread.join()


def finish_runs(service: Service) -> None:
    """Until the runs that requests began are over."""
    asker = service.asker

    async def wait() -> None:
        while asker._tasks:
            await asyncio.wait(asker._tasks)

    asyncio.run_coroutine_threadsafe(wait(), asker._loop).result()
