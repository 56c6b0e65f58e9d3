"""The one HTTP client: pooled keep-alive connections, a total timeout per call, bounded bodies, no key to strangers."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

from adjudge.errors import RejectedError, UnavailableError
from adjudge.models.providers.wire import Endpoint
from adjudge.models.secrets import Scrubber

if TYPE_CHECKING:
    import aiohttp

MAX_BODY_BYTES = 32 * 1024 * 1024
FILE_SECONDS = 600.0
"""A file of a batch may take so long to send, whatever the timeout of a request."""
MAX_REDIRECTS = 3
CONNECT_SECONDS = 15.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
KEEPS_METHOD = frozenset({307, 308})
DEFAULT_PORTS = {"http": 80, "https": 443}


class HttpReply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    """Case-insensitive."""
    body: bytes


class FileStatusError(Exception):
    """A file was not given out; the caller says why."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(str(reply.status))
        self.reply = reply


class HttpClient:
    """Posts JSON, and gets. The session is made with the first call, in the event loop that makes it, and kept until `close`."""

    __slots__ = ("_proxy", "_scrubber", "_session", "_slots", "connections", "timeout_seconds")

    def __init__(
        self, *, timeout_seconds: float, connections: int, scrubber: Scrubber, proxy: str | None = None
    ) -> None:
        self.timeout_seconds = timeout_seconds
        self.connections = max(1, connections)
        self._scrubber = scrubber
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None
        # the pool's own limit would count the wait for a free connection as part of the call
        self._slots = asyncio.Semaphore(self.connections)

    def __repr__(self) -> str:
        return f"HttpClient(timeout_seconds={self.timeout_seconds}, connections={self.connections})"

    def open(self) -> "aiohttp.ClientSession":
        """Make the session, if there is none."""
        if self._session is None:
            import aiohttp  # noqa: PLC0415 - slow, and a client that only estimates sends nothing

            connect_seconds = min(CONNECT_SECONDS, self.timeout_seconds)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=self.timeout_seconds, sock_connect=connect_seconds),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Content-Type": "application/json", "User-Agent": "adjudge"},
                auto_decompress=True,
            )
        return self._session

    def post(self, endpoint: Endpoint, body: bytes) -> Awaitable[HttpReply]:
        """The answer, whatever its status; `UnavailableError` when there is none."""
        return self._exchange("POST", endpoint, body, self.timeout_seconds)

    def get(self, endpoint: Endpoint) -> Awaitable[HttpReply]:
        return self._exchange("GET", endpoint, None, self.timeout_seconds)

    def send_file(self, endpoint: Endpoint, body: bytes) -> Awaitable[HttpReply]:
        """As `post`, for a body that takes longer to send than a request may take; `endpoint` says its content type."""
        return self._exchange("POST", endpoint, body, max(self.timeout_seconds, FILE_SECONDS))

    async def lines(self, endpoint: Endpoint) -> AsyncGenerator[bytes, None]:
        """The lines of a file of any length, one at a time; an error's status and body raise `FileStatusError`."""
        session = self.open()
        async with self._slots:
            try:
                async with await self._follow(session, "GET", endpoint, None, self._limits(None)) as response:
                    if response.status != 200:
                        raise FileStatusError(
                            HttpReply(response.status, response.headers, await read_bounded(response))
                        )
                    async for line in lines_of(response):
                        yield line
            except self._failures as error:
                raise self._unavailable(error, endpoint.url, self.timeout_seconds) from None

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(
        self, method: Literal["GET", "POST"], endpoint: Endpoint, body: bytes | None, seconds: float
    ) -> HttpReply:
        session = self.open()
        limits = session.timeout if seconds == self.timeout_seconds else self._limits(seconds)
        async with self._slots:
            try:
                async with await self._follow(session, method, endpoint, body, limits) as response:
                    return HttpReply(response.status, response.headers, await read_bounded(response))
            except self._failures as error:
                raise self._unavailable(error, endpoint.url, seconds) from None

    def _limits(self, seconds: float | None) -> "aiohttp.ClientTimeout":
        """`seconds` is the time for all of it; None: as long as something comes."""
        import aiohttp  # noqa: PLC0415 - loaded by now

        return aiohttp.ClientTimeout(
            total=seconds, sock_connect=self.open().timeout.sock_connect, sock_read=self.timeout_seconds
        )

    @property
    def _failures(self) -> tuple[type[Exception], ...]:
        import aiohttp  # noqa: PLC0415 - loaded by now

        return (TimeoutError, aiohttp.ClientError, UnicodeError)

    async def _follow(
        self,
        session: "aiohttp.ClientSession",
        method: Literal["GET", "POST"],
        endpoint: Endpoint,
        body: bytes | None,
        limits: "aiohttp.ClientTimeout",
    ) -> "aiohttp.ClientResponse":
        url, headers = endpoint.url, {**endpoint.headers, **endpoint.auth}
        for _ in range(MAX_REDIRECTS + 1):
            response = await session.request(
                method,
                url,
                data=body,
                headers=headers,
                allow_redirects=False,
                proxy=self._proxy,
                timeout=limits,
            )
            if response.status not in REDIRECTS:
                return response
            async with response:
                target = self._target(response, url, drops=method == "POST")
            if origin(target) != origin(url):
                headers = dict(endpoint.headers)  # and they stay dropped, wherever the next redirect leads
            url = target
        raise RejectedError(f"{host_and_port(endpoint.url)} redirected more than {MAX_REDIRECTS} times")

    def _target(self, response: "aiohttp.ClientResponse", url: str, *, drops: bool) -> str:
        """`drops`: all but two kinds of redirect would drop what was sent."""
        try:
            target = urljoin(url, response.headers.get("Location", ""))
            parts = urlsplit(target)
            plain = parts.scheme in DEFAULT_PORTS and bool(parts.hostname) and "@" not in parts.netloc
            port = f":{parts.port}" if parts.port is not None else ""
        except ValueError:
            plain = False
        if not plain:
            raise RejectedError(
                f"{host_and_port(url)} redirected to an address that is not plain http or https",
                status=response.status,
            )
        if drops and response.status not in KEEPS_METHOD:
            address = self._scrubber.message(f"{parts.scheme}://{parts.hostname}{port}{parts.path}")
            raise RejectedError(
                f"{host_and_port(url)} answered {response.status}, a redirect to {address} that drops what was sent; "
                f"if that is the right address, set it as the base URL",
                status=response.status,
            )
        return target

    def _unavailable(self, error: Exception, url: str, seconds: float) -> UnavailableError:
        import aiohttp  # noqa: PLC0415 - loaded by now

        where = host_and_port(url)
        why = self._scrubber.message(str(error) or type(error).__name__)
        match error:
            case TimeoutError():  # also aiohttp's own, which are client errors too
                return UnavailableError(
                    f"{where} did not respond within {seconds:g} seconds", maybe_billed=True
                )
            case UnicodeError():  # from the resolver: a name with an empty or endless part
                return UnavailableError(f"could not resolve {where}, or a host that it redirects to")
            case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
                return UnavailableError(
                    f"could not open a secure connection to {where}: {tls_reason(error)}; check the address, the clock and the "
                    f"certificates of this machine"
                )
            case aiohttp.ClientProxyConnectionError():
                return UnavailableError(
                    f"could not connect to the proxy for {where}: check the proxy variables of this machine"
                )
            case aiohttp.ClientConnectorDNSError():
                return UnavailableError(
                    f"could not resolve {where}: check the name in the base URL and the network of this machine"
                )
            case aiohttp.ClientConnectorError():
                reason = error.os_error.strerror or type(error.os_error).__name__
                return UnavailableError(f"could not connect to {where} ({reason}): is the server running?")
            case aiohttp.ClientPayloadError():
                return UnavailableError(
                    f"{where} closed the connection in the middle of its response", maybe_billed=True
                )
            case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError():
                return UnavailableError(
                    f"{where} closed the connection without a response", maybe_billed=True
                )
            case aiohttp.InvalidURL():
                return UnavailableError(f"{where} redirected to an address that cannot be read")
            case _:
                return UnavailableError(f"the request to {where} failed: {why}")


async def lines_of(response: "aiohttp.ClientResponse") -> AsyncGenerator[bytes, None]:
    rest = b""
    async for chunk in response.content.iter_any():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line
        if len(rest) > MAX_BODY_BYTES:
            raise UnavailableError(
                f"{host_and_port(str(response.url))} sent a line of more than {MAX_BODY_BYTES // 2**20} MB"
            )
    if rest:
        yield rest


async def read_bounded(response: "aiohttp.ClientResponse") -> bytes:
    """The body, or an error once it is larger than any reply is."""
    length = response.content_length
    if length is not None and length < MAX_BODY_BYTES and "Content-Encoding" not in response.headers:
        return await response.read()
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            response.close()
            raise UnavailableError(
                f"{host_and_port(str(response.url))} sent more than {MAX_BODY_BYTES // 2**20} MB; the answer was dropped",
                status=response.status,
                maybe_billed=True,
            )
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port: a key that was given for https is not sent to the same name over http."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


def host_and_port(url: str) -> str:
    """`api.example.com`, with the port where it is not the scheme's own; never credentials or a path."""
    scheme, host, port = origin(url)
    host = f"[{host}]" if ":" in host else host
    return host if port == DEFAULT_PORTS.get(scheme) else f"{host}:{port}"


def tls_reason(error: Exception) -> str:
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"certificate not accepted ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError) and cause.reason:
        return cause.reason.replace("_", " ").lower()
    return "TLS failed"
