"""Base URLs as people write them: checked, without their credentials, with the provider's path on the end."""

import ipaddress
from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, unquote_plus, urlsplit, urlunsplit

from adjudge.errors import ModelNameError

PLAIN_QUERIES = frozenset({"api-version", "version", "alt"})


class BaseUrl(NamedTuple):
    scheme: str
    host: str
    netloc: str
    """Host and port, no credentials."""
    path: str
    """Without a trailing slash."""
    query: str
    basic_auth: str | None
    """The value of an Authorization header, where the URL held credentials."""
    secrets: tuple[str, ...]

    @property
    def public(self) -> str:
        """For people: without credentials and query."""
        return f"{self.scheme}://{self.netloc}{self.path}"

    def join(self, path: str, *, drop: tuple[str, ...] = (), query: str = "") -> str:
        """The URL of an endpoint; endings in `drop` are what people paste along with the base URL."""
        base = self.path
        for ending in drop:
            base = base.removesuffix(ending)
        queries = "&".join(part for part in (self.query, query) if part)
        return urlunsplit((self.scheme, self.netloc, f"{base}{path}", queries, ""))

    def __repr__(self) -> str:
        return f"BaseUrl({self.public})"


def parse_base_url(text: str, *, where: str) -> BaseUrl:
    """`where` names the flag or variable it came from; the text itself is never shown, as it may hold a password."""
    wanted = "give a full address such as http://localhost:8000/v1"
    cleaned = text.strip()
    try:
        parts = urlsplit(cleaned)
        port = parts.port
    except ValueError:
        raise ModelNameError(where, "the base URL cannot be read", wanted) from None
    if parts.scheme not in {"http", "https"}:
        problem = (
            f"is not http or https ({parts.scheme[:20]!r})" if parts.scheme else "has no http:// or https://"
        )
        raise ModelNameError(where, f"the base URL {problem}", wanted)
    if not parts.hostname or any(character.isspace() or ord(character) < 32 for character in cleaned):
        raise ModelNameError(where, "the base URL has no host", wanted)
    host = parts.hostname
    if ":" not in host and any(not 0 < len(label) < 64 for label in host.removesuffix(".").split(".")):
        raise ModelNameError(where, "the base URL has an invalid host name", wanted)
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    secrets = (*credentials(parts), *query_values(parts.query))
    return BaseUrl(
        parts.scheme, host, netloc, parts.path.rstrip("/"), parts.query, basic_auth(parts), secrets
    )


def basic_auth(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"


def credentials(parts: SplitResult) -> tuple[str, ...]:
    """Everything of a URL's credentials that must not be shown: the password, both together, and a lone user name."""
    if parts.username is None and parts.password is None:
        return ()
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not password:
        return (user,) if user else ()  # a token is often written as the user name
    return (password, f"{user}:{password}")


def query_values(query: str) -> tuple[str, ...]:
    """As written and decoded: some gateways take their key there. A version is none."""
    written = [part.partition("=")[::2] for part in query.split("&")]
    values = [value for name, value in written if name.lower() not in PLAIN_QUERIES]
    return tuple(dict.fromkeys(text for value in values for text in (value, unquote_plus(value)) if text))


def proxy_for(base: BaseUrl, environ: Mapping[str, str]) -> str | None:
    """The proxy the environment names for this address; loopback is never proxied."""
    if is_loopback(base.host):
        return None
    skip = _first(environ, "no_proxy", "NO_PROXY") or ""
    for entry in (part.strip().lower().lstrip(".") for part in skip.split(",")):
        name = entry.partition(":")[0]
        if entry == "*" or (name and (base.host == name or base.host.endswith(f".{name}"))):
            return None
    for variable in (f"{base.scheme}_proxy", f"{base.scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY"):
        if found := environ.get(variable, "").strip():
            proxy = found if "://" in found else f"http://{found}"
            if urlsplit(proxy).scheme not in {"http", "https"}:
                raise ModelNameError(
                    variable, "only http and https proxies can be used", f"set {variable} to http://host:port"
                )
            return proxy
    return None


def is_own_host(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a host is one of the provider's own; one with a leading dot stands for a domain."""
    return any(host.endswith(own) if own.startswith(".") else host == own for own in hosts)


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _first(environ: Mapping[str, str], *names: str) -> str | None:
    return next((environ[name] for name in names if environ.get(name)), None)
