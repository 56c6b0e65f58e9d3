"""Who may ask, and what an answer may do in a browser: checked before any route is reached.

Everybody on a machine reaches its loopback, and every page in a browser can send requests there. So each request has to
name this server as its host (a rebound DNS name does not), carry the token in a header or a cookie that no other site's
page can send along, and, where it changes something, come from a page of this server.

A browser sends the cookies of a host to all its ports, whoever serves them. So the pages have a host of their own, whose
name nobody can guess, and the cookie opens nothing under another.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from hmac import compare_digest, digest
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import orjson
from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 32 * 1024 * 1024
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
COOKIE_SECONDS = 30 * 24 * 3600
COOKIE = "adjudge"
LOOPBACK = "127.0.0.1"

POLICY: Mapping[str, str] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "adjudge",
}
HEADERS: Mapping[str, str] = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """Whom the server lets in."""

    token: str
    port: int
    most_body_bytes: int = MAX_BODY_BYTES

    @property
    def page_host(self) -> str:
        """Browsers find the names below `localhost` on this machine, without asking anybody; the same token has the same."""
        return f"{self._derive('host')}.localhost:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What this server is called, lower case, with the port."""
        return frozenset({f"{LOOPBACK}:{self.port}", f"localhost:{self.port}", self.page_host})

    @property
    def session(self) -> str:
        """What the cookie holds: not the token, with which a program could ask from anywhere."""
        return self._derive("session")

    def _derive(self, purpose: str) -> str:
        return digest(self.token.encode(), purpose.encode(), "sha256").hex()[:32]


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            return
        headers = _headers(scope)
        answer = self._refuse(scope, headers) or self._let_in(scope, headers)
        if answer is not None:
            await _answer(send, answer, head=scope["method"] == "HEAD")
            return
        await self._app(scope, _bounded(receive, self._door.most_body_bytes), _with_headers(send))

    def _refuse(self, scope: Scope, headers: Mapping[str, str]) -> "DoorAnswer | None":
        host = headers.get("host", "").lower()
        if host not in self._door.hosts:
            return DoorAnswer(
                status=421,
                problem="the request names another host",
                hint="open the address it printed",
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._door.most_body_bytes:
            most = self._door.most_body_bytes // (1024 * 1024)
            return DoorAnswer(
                status=413, problem=f"a request may have {most} MiB at most", hint="send less at once"
            )
        if scope["method"] not in SAFE_METHODS and not self._from_here(headers):
            return DoorAnswer(
                status=403,
                problem="a request that changes something must come from a page of this server, or carry the token",
                hint="send `Authorization: Bearer TOKEN`",
            )
        return None

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """A cookie proves nothing about who made the browser send it; the origin does, and so does the token itself."""
        if headers.get("origin", "null") != "null":
            origin = urlsplit(headers["origin"])
            return origin.scheme == "http" and origin.netloc.lower() == headers["host"].lower()
        # a form of ours is sent with the origin `null`, as its page sends no referrer; only a browser sets the other
        if "sec-fetch-site" in headers:
            return headers["sec-fetch-site"] == "same-origin"
        return self._bearer(headers)

    def _bearer(self, headers: Mapping[str, str]) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and _is_same(token.strip(), self._door.token)

    def _let_in(self, scope: Scope, headers: Mapping[str, str]) -> "DoorAnswer | None":
        on_page_host = headers["host"].lower() == self._door.page_host
        if self._bearer(headers) or (on_page_host and _is_same(_cookie(headers), self._door.session)):
            return None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == "token"]
        if tokens and _is_same(tokens[0], self._door.token) and scope["method"] in SAFE_METHODS:
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            # `//host` would be another host's address
            path = "/" + quote(scope["path"].lstrip("/\\"), safe="/")
            if not on_page_host:
                return DoorAnswer(
                    status=303,
                    problem="opening adjudge",
                    page=True,
                    location=f"http://{self._door.page_host}{path}?{urlencode(query)}",
                )
            # the cookie is not sent on a way that began elsewhere, such as the file that opens the browser: begin here
            from_here = headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
            return DoorAnswer(
                status=303 if from_here else 200,
                problem="opening adjudge",
                page=True,
                location=path + (f"?{rest}" if rest else ""),
                cookie=f"{COOKIE}={self._door.session}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict",
            )
        return DoorAnswer(
            status=401,
            problem="authentication token required",
            hint="open the address that `adjudge view` printed, or send `Authorization: Bearer TOKEN`",
            page=not scope["path"].startswith("/api/"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DoorAnswer:
    """What the door itself says."""

    status: int
    problem: str = ""
    hint: str = ""
    location: str | None = None
    cookie: str | None = None
    page: bool = False


def _headers(scope: Scope) -> dict[str, str]:
    """Of a name that is given twice the first counts for `host`; two hosts are none."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key == "host" and key in found:
            found[key] = ""
        elif key == "cookie" and key in found:
            found[key] += f"; {value.decode('latin-1')}"
        else:
            found.setdefault(key, value.decode("latin-1"))
    return found


def _is_same(text: str, secret: str) -> bool:
    return compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _cookie(headers: Mapping[str, str]) -> str:
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def _bounded(receive: Receive, most: int) -> Receive:
    """A body that comes without a length is counted as it comes."""
    seen = 0

    async def read() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, "the request is too large")
        return message

    return read


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", [])}
            message = {
                **message,
                "headers": [
                    *message.get("headers", []),
                    *((n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in names),
                    *([] if b"cache-control" in names else [(b"cache-control", b"no-store")]),
                ],
            }
        await send(message)

    return send_with_headers


async def _answer(send: Send, answer: DoorAnswer, *, head: bool) -> None:
    if answer.page:
        body, kind = f"{answer.problem}\n\n{answer.hint}\n".encode(), b"text/plain; charset=utf-8"
    else:
        body, kind = orjson.dumps({"problem": answer.problem, "hint": answer.hint}), b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if answer.location is not None and answer.status == 200:
        headers.append((b"refresh", f"0; url={answer.location}".encode("latin-1")))
    elif answer.location is not None:
        headers.append((b"location", answer.location.encode("latin-1")))
    if answer.cookie is not None:
        headers.append((b"set-cookie", answer.cookie.encode("latin-1")))
    if answer.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    send_with_headers = _with_headers(send)
    await send_with_headers({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else body})
