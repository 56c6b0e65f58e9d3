"""A loopback server that speaks just enough of OpenAI's chat completions, in as little CPU as Python allows.

It runs in a process of its own (`python server.py DELAY_MS [--keep]`), prints its port, and ends when its standard
input does, so that it never outlives whoever started it. `GET /calls` says how often each case was asked, by the
`case-000123` in its prompt, and `GET /times` when anything was; `GET /bodies` gives back, with `--keep`, what was sent.
"""

import asyncio
import json
import re
import sys
from collections import Counter
from time import monotonic
from typing import Any

CASE = re.compile(rb"case-\d{6}")
SERIAL, NUMBER = b"########", b"@@@,@@@"
CORRECTNESS = {
    "reason": f"Both say the same distance, and the detail around it agrees (reply {SERIAL.decode()}).",
    "contradicts": False,
    "misses_critical": False,
    "calculation": False,
    "numbers": [
        {"expected": f"1,{NUMBER.decode()} km", "response": f"1,{NUMBER.decode()} km", "critical": True}
    ],
}
RELEVANCE = {
    "reason": f"It answers what was asked, and all of it, from the data at hand (reply {SERIAL.decode()}).",
    "score": 4,
}
PREFERENCE = {"reason": f"The first is clearer (reply {SERIAL.decode()}).", "winner": "A"}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def answer_with(verdict: dict[str, Any]) -> bytes:
    """A whole answer, with marks where the call's and the case's numbers go."""
    reply = json.dumps(
        {
            "id": "chatcmpl-benchmark",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "benchmark-1",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": json.dumps(verdict), "refusal": None},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
        }
    ).encode()
    return HEAD % len(reply) + reply


ANSWERS = {
    "correctness": answer_with(CORRECTNESS),
    "relevance": answer_with(RELEVANCE),
    "irrelevance": answer_with(RELEVANCE | {"score": 2}),
    "preference": answer_with(PREFERENCE),
}
FIELDS = {"correctness": b"misses_critical", "preference": b'"winner"'}
"""What tells the judges apart: a field of the verdict that only they ask for."""


class Book:
    """What was asked so far."""

    def __init__(self, *, keep: bool) -> None:
        self.keep = keep
        self.calls: Counter[str] = Counter()
        self.bodies: list[str] = []
        self.times: list[float] = []
        self.count = 0

    def note(self, body: bytes) -> bytes:
        """Every reply is another text with another number in it, as a model's are: no cache can know it."""
        self.count += 1
        self.times.append(monotonic())
        found = CASE.search(body)
        name = found[0] if found else b"case-000000"
        self.calls[name.decode()] += 1
        if self.keep:
            self.bodies.append(body.decode())
        usual = "irrelevance" if name.endswith(b"000") else "relevance"  # one case in a thousand fails
        judge = next((judge for judge, field in FIELDS.items() if field in body), usual)
        answer = ANSWERS[judge]
        return answer.replace(SERIAL, b"%08d" % self.count).replace(NUMBER, name[-6:-3] + b"," + name[-3:])


class Connection(asyncio.Protocol):
    def __init__(self, book: Book, delay: float) -> None:
        self.book = book
        self.delay = delay
        self.held = b""
        self.loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.held = held = self.held + data if self.held else data
        end = held.find(b"\r\n\r\n")
        if end < 0:
            return
        head = held[:end]
        if head.startswith(b"GET"):
            self.held = b""
            self.tell(head)
            return
        start = head.lower().find(b"content-length:") + 15
        size = int(head[start:].split(b"\r\n", 1)[0])
        if len(held) < end + 4 + size:
            return
        self.held = b""  # our clients do not pipeline
        answer = self.book.note(held[end + 4 :])
        if self.delay:
            self.loop.call_later(self.delay, self.send, answer)
        else:
            self.transport.write(answer)

    def tell(self, head: bytes) -> None:
        book = self.book
        said = book.bodies if b"/bodies" in head else book.times if b"/times" in head else book.calls
        text = json.dumps(said).encode()
        self.transport.write(HEAD % len(text) + text)

    def send(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)


async def serve(delay_ms: float, *, keep: bool) -> None:
    loop, book = asyncio.get_running_loop(), Book(keep=keep)
    server = await loop.create_server(
        lambda: Connection(book, delay_ms / 1000), "127.0.0.1", 0, backlog=2_000
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), keep="--keep" in sys.argv))
