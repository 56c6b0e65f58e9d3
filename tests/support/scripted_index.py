"""A package index on 127.0.0.1 that keeps what it was asked, and breaks off, refuses or redirects as a test says."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from adjudge.embedded.download import Release

MODEL = b"GGUF" + bytes(number % 251 for number in range(60_000))


def small_wheel(model: bytes = MODEL) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("small/model.gguf"), model)
    return buffer.getvalue()


def small_release() -> Release:
    wheel = small_wheel()
    return Release(
        project="small-model",
        version="1.0",
        wheel="small_model-1.0-py3-none-any.whl",
        wheel_bytes=len(wheel),
        wheel_sha256=hashlib.sha256(wheel).hexdigest(),
        member="small/model.gguf",
        member_bytes=len(MODEL),
        member_sha256=hashlib.sha256(MODEL).hexdigest(),
    )


@dataclass
class Index:
    wheel: bytes = field(default_factory=small_wheel)
    page: str | None = None
    """Else a page that links the wheel with its hash."""
    statuses: list[int] = field(default_factory=list)
    """Answered in this order to requests for the wheel, before it is served."""
    page_statuses: list[int] = field(default_factory=list)
    cut_after: list[int] = field(default_factory=list)
    """The connection ends after so many bytes, once for each."""
    ranges: bool = True
    redirect: str | None = None
    """Where the wheel is said to be."""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple"

    @property
    def wheel_requests(self) -> list[dict[str, str]]:
        return [headers for path, headers in self.asked if path.endswith(".whl")]


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.asked.append((self.path, dict(self.headers)))
            if self.path.endswith(".whl"):
                self.serve_wheel()
            elif index.page_statuses:
                self.send_error(index.page_statuses.pop(0))
            else:
                release = small_release()
                link = f'<a href="/files/{release.wheel}#sha256={release.wheel_sha256}">{release.wheel}</a>'
                self.serve(200, (index.page or f"<html><body>{link}</body></html>").encode(), {})

        def serve_wheel(self) -> None:
            if index.statuses:
                self.send_error(index.statuses.pop(0))
                return
            if index.redirect:
                self.serve(302, b"", {"Location": index.redirect})
                return
            start = 0
            if index.ranges and "Range" in self.headers:
                start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            total = len(index.wheel)
            told = {"Content-Range": f"bytes {start}-{total - 1}/{total}"} if start else {}
            self.serve(206 if start else 200, index.wheel[start:], told)

        def serve(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            cut = index.cut_after.pop(0) if index.cut_after and self.path.endswith(".whl") else len(body)
            with suppress(ConnectionError):  # whoever asked may have heard enough
                self.wfile.write(body[:cut])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
