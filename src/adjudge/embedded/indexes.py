"""Where the user's packages come from: what pip and uv are told to use, whether or not either is installed."""

import ast
import netrc
import os
import subprocess
import sys
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

DEFAULT_INDEX = "https://pypi.org/simple"
"""pip's and uv's own default; used only when neither is told otherwise, since an index may be replaced for a reason."""
PIP_SECTIONS = ("global", "download", ":env:")
"""Later ones win, as they do in pip."""
PIP_NEEDS = frozenset(
    {
        *(
            "PATH",
            "HOME",
            "USERPROFILE",
            "APPDATA",
            "LOCALAPPDATA",
            "PROGRAMDATA",
            "SYSTEMROOT",
            "TEMP",
            "TMP",
            "TMPDIR",
        ),
        *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    }
)
"""Beside `PIP_…`: what its settings are found by. A model's key is not among them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    indexes: tuple[str, ...]
    """Addresses of simple indexes (PEP 503), in the order to try them."""
    links: tuple[str, ...] = ()
    """Folders that may hold the file itself."""
    certificates: str | None = None
    proxy: str | None = None


def read_sources(environ: Mapping[str, str] = os.environ, *, pip: Mapping[str, str] | None = None) -> Sources:
    """What is configured; `pip` stands for pip's own settings, which are asked of pip when not given."""
    said = read_pip_settings(environ) if pip is None else pip
    uv = read_uv_settings(environ)
    main = words(said.get("index-url"), *uv.main)
    extra = words(said.get("extra-index-url"), *uv.extra)
    barred = said.get("no-index", "").lower() in {"1", "true", "yes", "on"}
    return Sources(
        indexes=() if barred else unique([*(main or [DEFAULT_INDEX]), *extra]),
        links=unique(words(said.get("find-links"), environ.get("UV_FIND_LINKS"))),
        certificates=said.get("cert") or environ.get("SSL_CERT_FILE") or None,
        proxy=said.get("proxy") or None,
    )


def read_pip_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Ask pip, which merges up to five files and the environment; without pip the environment counts."""
    # isolated, in a folder of ours: `-m` would take a `pip.py` of the current folder for pip
    command = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    try:
        told = subprocess.run(  # noqa: S603 - our own interpreter, fixed words
            command,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
            env=pip_environment(environ),
            cwd=Path(__file__).parent,
            encoding="utf-8",
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        names = (name for name in environ if name.startswith("PIP_"))
        return {name[4:].lower().replace("_", "-"): environ[name] for name in names}
    return parse_pip_settings(told.splitlines())


def pip_environment(environ: Mapping[str, str]) -> dict[str, str]:
    needed = {
        name: value for name, value in environ.items() if name.startswith("PIP_") or name.upper() in PIP_NEEDS
    }
    file = needed.get("PIP_CONFIG_FILE")
    if file and file != os.devnull:
        needed["PIP_CONFIG_FILE"] = str(Path(file).absolute())  # pip runs in another folder
    return needed


def parse_pip_settings(lines: Iterable[str]) -> dict[str, str]:
    """Read lines such as `global.index-url='https://…'`."""
    found: dict[str, dict[str, str]] = {section: {} for section in PIP_SECTIONS}
    for line in lines:
        name, _, quoted = line.partition("=")
        section, _, key = name.strip().partition(".")
        if section in found:
            try:
                found[section][key] = str(ast.literal_eval(quoted))
            except (SyntaxError, ValueError):
                continue  # pip warns on the same stream
    return {key: value for section in PIP_SECTIONS for key, value in found[section].items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class UvSettings:
    main: tuple[str, ...]
    extra: tuple[str, ...]


def read_uv_settings(environ: Mapping[str, str]) -> UvSettings:
    """Read uv's variables, else the person's uv.toml; a project's own files are not ours to follow."""
    main = words(environ.get("UV_DEFAULT_INDEX"), environ.get("UV_INDEX_URL"))
    extra = words(environ.get("UV_INDEX"), environ.get("UV_EXTRA_INDEX_URL"))
    for path in uv_files(environ):
        said = read_toml(path)
        tables = [table for table in said.get("index", []) if isinstance(table, dict) and table.get("url")]
        main = main or words(
            said.get("index-url"), *(table["url"] for table in tables if table.get("default"))
        )
        extra += words(
            *said.get("extra-index-url", []), *(table["url"] for table in tables if not table.get("default"))
        )
    return UvSettings(main=tuple(map(without_name, main)), extra=tuple(map(without_name, extra)))


def uv_files(environ: Mapping[str, str]) -> list[Path]:
    if environ.get("UV_CONFIG_FILE"):
        return [Path(environ["UV_CONFIG_FILE"])]
    if sys.platform == "win32":
        return [
            Path(environ[name]) / "uv" / "uv.toml" for name in ("APPDATA", "PROGRAMDATA") if name in environ
        ]
    own = environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return [Path(own) / "uv" / "uv.toml", Path("/etc/uv/uv.toml")]


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def without_name(address: str) -> str:
    """`work=https://…` -> `https://…`."""
    name, equals, rest = address.partition("=")
    return rest if equals and name.isidentifier() else address


def words(*settings: str | None) -> list[str]:
    return [word for setting in settings for word in (setting or "").split()]


def unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """An index's address, with what opens it kept apart so that it is never shown and never sent elsewhere."""

    url: str
    authorization: str | None

    @classmethod
    def of(cls, url: str) -> "Address":
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        bare = urlunsplit(parts._replace(netloc=host))
        if parts.username is not None:
            return cls(url=bare, authorization=basic(unquote(parts.username), unquote(parts.password or "")))
        return cls(url=bare, authorization=from_netrc(parts.hostname))

    def for_link(self, url: str) -> "Address":
        """A link's address; it gets our credentials only on the host that they are for."""
        ours, theirs = urlsplit(self.url), urlsplit(url)
        same = (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)
        return Address(url=url, authorization=self.authorization) if same else Address.of(url)


def from_netrc(host: str | None) -> str | None:
    try:
        found = netrc.netrc().authenticators(host) if host else None
    except (OSError, netrc.NetrcParseError):
        return None
    return basic(found[0], found[2]) if found else None


def basic(user: str, password: str) -> str:
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii")
