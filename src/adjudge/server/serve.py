"""A server on loopback, from its start to Ctrl-C."""

import os
import re
import secrets
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from adjudge.errors import SettingsError
from adjudge.server.app import make_app
from adjudge.server.security import Door
from adjudge.server.service import Service

DEFAULT_PORT = 8321
LOOPBACK = "127.0.0.1"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    port: int
    token: str

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def opened(self, path: str = "") -> str:
        """With the token, to be opened once."""
        return f"{self.url}{path}?token={self.token}"


class Server:
    """Listens at once; answers while `run` runs."""

    def __init__(self, service: Service, *, port: int | None = None, token: str | None = None) -> None:
        """Without a port the usual one, or any that is free; 0 is any. Without a token a new one."""
        self._listening = _listen(port)
        self.address = Address(port=self._listening.getsockname()[1], token=token or new_token())
        self.ready = threading.Event()
        names = (LOOPBACK, "localhost")
        door = Door(
            token=self.address.token, hosts=frozenset(f"{name}:{self.address.port}" for name in names)
        )
        config = uvicorn.Config(
            make_app(service, door),
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
            "holds no token: 16 or more letters, digits, `-` or `_` are wanted",
            "name a file that is not there yet, and one is made",
        )
    return token


def _listen(port: int | None) -> socket.socket:
    for each in [port] if port is not None else [DEFAULT_PORT, 0]:
        # with its protocol named, or asyncio leaves Nagle's algorithm on and every small answer waits 40 ms
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows: no other program may share the port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((LOOPBACK, each))
            made.listen(512)
        except OSError as error:
            made.close()
            problem = error.strerror
        else:
            return made
    raise SettingsError(
        f"--port {port}",
        f"cannot be used ({problem})",
        "name another, or leave it out: any free one is taken",
    )
