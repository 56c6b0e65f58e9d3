"""How long the pages take over a large run: each kind of request beside the smallest that the same server answers."""

import http.client
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from common import HERE, Figure, Setting

sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from seeded_store import PHRASE, RARE, seed_store

from adjudge.server.serve import Address, Server
from adjudge.server.service import Service, open_service
from adjudge.store import open_store

REACH = 200.0
"""Times the floor, which is about 1.5 ms: 300 ms."""
REACH_COPY = 4.0
"""Times as long as it takes only to read the same judgements from the store."""
ROUNDS = 9
RUN = "/runs/seeded/items"


def measure(setting: Setting) -> list[Figure]:
    rows = setting.rows(100_000, least=2_000)
    where = setting.folder / "store"
    seed_store(where, rows)
    floor = read_all(where)
    began = time.process_time()
    with open_service(str(where)) as service:
        while not service.followed("seeded").complete:
            time.sleep(0.05)
        copied = time.process_time() - began
        megabytes = (where / "view.db").stat().st_size / 1e6
        figures = [
            Figure(
                what=f"copy {rows:,} judgements",
                measured=f"{copied:.1f} s CPU",
                floor=f"{floor:.1f} s to read",
                value=copied / floor,
                shown=f"{copied / floor:.1f}×",
                reach=f"≤ {REACH_COPY:g}×",
                reached=copied / floor <= REACH_COPY,
                note=f"{rows / copied:,.0f} a second; {megabytes:.0f} MB",
            )
        ]
        with serving(service) as address:
            return figures + ask_all(address, rows)


def read_all(where: Path) -> float:
    """Seconds of CPU for reading every judgement with its case."""
    store = open_store(where)
    began, after = time.process_time(), 0
    while entries := store.entries("seeded", after):
        after = entries[-1].number
    taken = time.process_time() - began
    store.close()
    return taken


def ask_all(address: Address, rows: int) -> list[Figure]:
    client = Client(address)
    smallest = f"/api{RUN}?{urlencode({'q': 'case-000000', 'size': 1})}"
    client.milliseconds(smallest)
    figures = []
    for name, parameters in questions(rows).items():
        floor, _ = client.milliseconds(smallest)
        taken, size = client.milliseconds(
            f"{RUN}?{urlencode(parameters, doseq=True, quote_via=quote)}", swap="swap" in name
        )
        figures.append(
            Figure(
                what=name,
                measured=f"{taken:.0f} ms",
                floor=f"{floor:.1f} ms",
                value=taken / floor,
                shown=f"{taken / floor:.1f}×",
                reach=f"≤ {REACH:g}×",
                reached=taken / floor <= REACH,
                note=f"{size / 1_000:.0f} kB, load {os.getloadavg()[0]:.1f}",
            )
        )
    return figures


def questions(rows: int) -> dict[str, dict[str, object]]:
    """What is asked of the page -> its parameters; the floor is one row by its id, as JSON."""
    deep = rows // 2
    return {
        "items: first page": {},
        "items: first page, swapped": {},
        "items: half way through": {"first": deep},
        "items: last page": {"first": rows - 50},
        "items: by score": {"sort": "score"},
        "items: by gap": {"sort": "-gap"},
        "items: by latency": {"sort": "-latency"},
        "items: by latency, half way": {"sort": "-latency", "first": deep},
        "items: one outcome, rare": {"outcome": "refused"},
        "items: one outcome, common": {"outcome": "scored"},
        "items: one slice": {"slice": "topic=billing"},
        "items: a range of scores": {"low": 2, "high": 4},
        "items: disagreement, by gap": {"label": "disagree", "sort": "-gap"},
        "items: common word": {"q": "order"},
        "items: common word, by latency": {"q": "order", "sort": "-latency"},
        "items: rare word": {"q": RARE},
        "items: phrase": {"q": f'"{PHRASE}"'},
        "items: one letter": {"q": "o"},
        "items: all of these at once": {
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
        self._connection = http.client.HTTPConnection("127.0.0.1", address.port)
        self._headers = {"Authorization": f"Bearer {address.token}"}

    def milliseconds(self, path: str, *, swap: bool = False) -> tuple[float, int]:
        """The middle of several, and the bytes of the answer."""
        taken, size = [], 0
        for _ in range(ROUNDS):
            began = time.perf_counter()
            self._connection.request(
                "GET", path, headers={**self._headers, **({"X-Swap": "items"} if swap else {})}
            )
            answer = self._connection.getresponse()
            body = answer.read()
            taken.append((time.perf_counter() - began) * 1_000)
            assert answer.status == 200, (path, answer.status, body[:300])
            size = len(body)
        return statistics.median(taken), size
