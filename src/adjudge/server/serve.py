"""A server on loopback, from its start to Ctrl-C."""

import asyncio
import os
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from adjudge.errors import SettingsError
from adjudge.server.app import make_app
from adjudge.server.security import LOOPBACK, Door
from adjudge.server.service import Service

DEFAULT_PORT = 8321
REQUEST_SECONDS = 30.0
"""For a whole request to arrive, from the opening of its connection or its first byte."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    door: Door

    @property
    def token(self) -> str:
        return self.door.token

    @property
    def url(self) -> str:
        """Of the pages, for a browser: nothing else needs to know their host."""
        return f"http://{self.door.page_host}/"

    @property
    def api_url(self) -> str:
        """For programs, which send the token in a header."""
        return f"http://{LOOPBACK}:{self.door.port}/"

    def opened(self, path: str = "") -> str:
        """With the token, to be opened once."""
        return f"{self.url}{path}?token={self.token}"


@contextmanager
def opening_file(address: str) -> Iterator[str]:
    """The address of a file that leads a browser on to `address`, which holds the token.

    What a program is started with stands in the process list, for everybody on the machine; the file is for its owner.
    """
    # browsers from the snap store read neither temporary nor hidden folders
    home = Path.home() if Path("/snap").is_dir() and os.access(Path.home(), os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="adjudge-view-", dir=home) as folder:
        file = Path(folder) / "open.html"
        target = escape(address)
        file.write_text(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={target}">'
            f'<title>adjudge</title><a href="{target}">adjudge</a>\n',
            encoding="ascii",
        )
        yield file.as_uri()


class Server:
    """Listens at once; answers while `run` runs."""

    def __init__(
        self,
        service: Service,
        *,
        port: int | None = None,
        token: str | None = None,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        """Without a port the usual one, or any that is free; 0 is any. Without a token a new one."""
        self._listening = _listen(port)
        door = Door(token=token or new_token(), port=self._listening.getsockname()[1])
        self.address = Address(door=door)
        self.ready = threading.Event()
        config = uvicorn.Config(
            make_app(service, door),
            http=_protocol(request_seconds),
            log_level="warning",
            access_log=False,  # the first line of a session would hold the token
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
            lifespan="off",
        )
        self._server = _Announcing(config, self.ready)

    def run(self) -> None:
        """Until it is stopped or interrupted."""
        with self._listening:
            self._server.run(sockets=[self._listening])

    def stop(self) -> None:
        self._server.should_exit = True


def _protocol(request_seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's own, which closes idle connections; here those that stop in the middle of a request are closed too."""

    class Protocol(H11Protocol):
        _unfinished: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _watch(self) -> None:
            if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
                self._forget()  # the request is whole: what takes time now is the answer
            elif self._unfinished is None:
                self._unfinished = self.loop.call_later(request_seconds, self.transport.close)

        def _forget(self) -> None:
            if self._unfinished is not None:
                self._unfinished.cancel()
                self._unfinished = None

    return Protocol


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._ready.set()


def new_token() -> str:
    return secrets.token_urlsafe(24)


def kept_token(path: Path) -> str:
    """The token in a file, which is made, for its owner alone, where there is none."""
    try:
        with suppress(FileExistsError):
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(new_token() + "\n")
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise SettingsError(
            f"--token-file {path}", f"cannot be used ({error})", "name another file"
        ) from None
    if not _TOKEN.fullmatch(token):
        raise SettingsError(
            f"--token-file {path}",
            "has no valid token: 16 or more letters, digits, `-` or `_` are needed",
            "name a file that is not there yet, and one is made",
        )
    return token


def _listen(port: int | None) -> socket.socket:
    for each in [port] if port is not None else [DEFAULT_PORT, 0]:
        # with its protocol named, or asyncio leaves Nagle's algorithm on and every small answer waits 40 ms
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows: no other program may share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, each))
            listener.listen(512)
        except OSError as error:
            listener.close()
            problem = error.strerror
        else:
            return listener
    raise SettingsError(
        f"--port {port}",
        f"cannot be used ({problem})",
        "name another, or leave it out: any free one is taken",
    )
