"""How long the pages take over a large run: each kind of request beside the smallest that the same server answers."""

import http.client
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from common import HERE, Figure, Setting

sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from seeded_store import PHRASE, RARE, seed_store

from adjudge.server.serve import Address, Server
from adjudge.server.service import Service, open_service
from adjudge.store import open_store

REACH = 200.0
"""Times the floor, which is 1.5 ms on a fast machine: 300 ms."""
REACH_FIRST = 6.0
"""Times as long as it takes only to read the same judgements from the store: what the first who looks at a run waits for."""
ROUNDS = 9
PAGE = "/runs/seeded"
RUN = f"{PAGE}/cases"
SEARCH = f"/api{RUN}?{urlencode({'q': 'case-000000', 'size': 1})}"


def measure(setting: Setting) -> list[Figure]:
    rows = setting.rows(100_000, least=2_000)
    where = setting.folder / "store"
    seed_store(where, rows)
    floor = read_all(where)
    with open_service(str(where)) as service, serving(service) as address:
        client = Client(address)
        first = [
            client.first_look(name, path, rows, floor)
            for name, path in {
                "first look: run page": f"{PAGE}?now=1",
                "first look: case list": RUN,
                "first look: search": SEARCH,
            }.items()
        ]
        again, size = client.milliseconds(PAGE)
        return [
            *first,
            compared("run page, again", again, client.milliseconds(SEARCH)[0], size),
            *ask_all(client, rows),
        ]


def read_all(where: Path) -> float:
    """Seconds of CPU for reading every judgement."""
    with closing(open_store(where)) as store:
        began = time.process_time()
        for _ in store.judgements("seeded"):
            pass
        return time.process_time() - began


def ask_all(client: "Client", rows: int) -> list[Figure]:
    figures = []
    for name, parameters in questions(rows).items():
        floor, _ = client.milliseconds(SEARCH)
        path = f"{RUN}?{urlencode(parameters, doseq=True, quote_via=quote)}"
        taken, size = client.milliseconds(path, swap="swap" in name)
        figures.append(compared(name, taken, floor, size))
    return figures


def compared(name: str, taken: float, floor: float, size: int) -> Figure:
    return Figure(
        what=name,
        measured=f"{taken:.0f} ms",
        floor=f"{floor:.1f} ms",
        value=taken / floor,
        shown=f"{taken / floor:.1f}×",
        reach=f"≤ {REACH:g}×",
        reached=taken / floor <= REACH,
        note=f"{size / 1_000:.0f} kB, load {os.getloadavg()[0]:.1f}",
    )


def questions(rows: int) -> dict[str, dict[str, object]]:
    """What is asked of the page -> its parameters; the floor is one row by its id, as JSON."""
    deep = rows // 2
    return {
        "cases: first page": {},
        "cases: first page, swapped": {},
        "cases: half way through": {"first": deep},
        "cases: last page": {"first": rows - 50},
        "cases: by score": {"sort": "score"},
        "cases: by gap": {"sort": "-gap"},
        "cases: by latency": {"sort": "-latency"},
        "cases: by latency, half way": {"sort": "-latency", "first": deep},
        "cases: one outcome, rare": {"outcome": "refused"},
        "cases: one outcome, common": {"outcome": "scored"},
        "cases: one slice": {"slice": "topic=billing"},
        "cases: a range of scores": {"low": 2, "high": 4},
        "cases: disagreement, by gap": {"label": "disagree", "sort": "-gap"},
        "cases: common word": {"q": "order"},
        "cases: common word, by latency": {"q": "order", "sort": "-latency"},
        "cases: rare word": {"q": RARE},
        "cases: phrase": {"q": f'"{PHRASE}"'},
        "cases: one letter": {"q": "o"},
        "cases: all of these at once": {
            "judge": "relevance", "outcome": "scored", "slice": ["topic=billing", "language=de"], "q": "team",
            "low": 1, "label": "labelled", "sort": "-latency",
        },
    }  # fmt: skip


@contextmanager
def serving(service: Service) -> Iterator[Address]:
    server = Server(service, port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    server.ready.wait()
    try:
        yield server.address
    finally:
        server.stop()
        thread.join()


class Client:
    """One connection that stays open, as a browser's does."""

    def __init__(self, address: Address) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", address.door.port)
        self._headers = {"Authorization": f"Bearer {address.token}"}

    def first_look(self, name: str, path: str, rows: int, floor: float) -> Figure:
        """What whoever asks first waits for; in CPU, because the server is this process."""
        began, cpu = time.perf_counter(), time.process_time()
        self._get(path, {})
        taken, cpu = time.perf_counter() - began, time.process_time() - cpu
        return Figure(
            what=name,
            measured=f"{cpu:.1f} s CPU",
            floor=f"{floor:.1f} s to read",
            value=cpu / floor,
            shown=f"{cpu / floor:.1f}×",
            reach=f"≤ {REACH_FIRST:g}×",
            reached=cpu / floor <= REACH_FIRST,
            note=f"{rows:,} judgements in {taken:.1f} s, load {os.getloadavg()[0]:.1f}",
        )

    def milliseconds(self, path: str, *, swap: bool = False) -> tuple[float, int]:
        """The middle of several, and the bytes of the answer."""
        taken, size = [], 0
        for _ in range(ROUNDS):
            began = time.perf_counter()
            size = self._get(path, {"X-Swap": "cases"} if swap else {})
            taken.append((time.perf_counter() - began) * 1_000)
        return statistics.median(taken), size

    def _get(self, path: str, headers: dict[str, str]) -> int:
        self._connection.request("GET", path, headers={**self._headers, **headers})
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:300])
        return len(body)
