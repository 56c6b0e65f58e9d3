"""Where a store is: a folder or file that is made when needed, or a URL shown without its password."""

import os
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from adjudge.errors import SettingsError, StoreError
from adjudge.options import DEFAULT_STORE
from adjudge.options import option as option_name

FILE_NAME = "store.db"
MIN_BYTES = 512
"""Of a SQLite database: its smallest page."""
UNREADABLE_URL = "postgresql://…"
_SCHEME = re.compile(r"\A([A-Za-z][A-Za-z0-9+.\-]+)://")
_PLACES = (
    "a store is a folder, a file (`cases.db`, `sqlite:///cases.db`, `sqlite:////absolute/cases.db`) "
    "or a database server (`postgresql://…`)"
)


def is_url(where: str | Path) -> bool:
    """Whether it names a database server."""
    return database_file(where) is None


def database_file(where: str | Path) -> Path | None:
    """The file of the store that is named, there or not; None for a Postgres URL. Other URLs are refused by their scheme."""
    scheme = _SCHEME.match(where) if isinstance(where, str) else None
    if not isinstance(where, str) or scheme is None:
        path = Path(where)
        is_file = (path.suffix == ".db" and not path.is_dir()) or path.is_file()
        return path if is_file else path / FILE_NAME
    name, rest = scheme[1].lower(), where[scheme.end() :]
    if name in {"postgresql", "postgres"}:
        return None
    if name == "sqlite" and rest.startswith("/") and rest not in {"/", "/:memory:"} and "?" not in rest:
        return Path(rest[1:])
    # the URL itself may hold a password
    problem = "needs the path of a file, without options" if name == "sqlite" else "is not a kind of store"
    raise SettingsError(option_name("--store", f"{name}://"), problem, _PLACES)


def public_url(url: str) -> str:
    """The URL without password and options, in which there can be one.

    A character such as `@` or `/` that stands unescaped in a password moves the borders of all that follows, so a
    URL that leaves any doubt is not shown at all.
    """
    try:
        parts = urlsplit(url)
        user, host, port = parts.username, parts.hostname, parts.port
    except ValueError:
        return UNREADABLE_URL
    rest = url.partition("://")[2].partition("?")[0]
    if rest.count("@") > 1 or parts.fragment or "@" in parts.path:
        return UNREADABLE_URL
    address = f"[{host}]" if host and ":" in host else host or ""
    return (
        f"postgresql://{f'{user}@' if user else ''}{address}{f':{port}' if port else ''}{unquote(parts.path)}"
    )


def is_secret_option(name: str) -> bool:
    """Whether an option of a URL holds a password or the like: `password`, `sslpassword`, `oauth_client_secret`."""
    return any(word in name.lower() for word in ("pass", "secret", "token"))


def holds_secret(url: str) -> bool:
    """Whether a password or the like would travel with the URL."""
    options = parse_qsl(urlsplit(url).query)
    return split_password(url)[1] is not None or any(is_secret_option(name) for name, _ in options)


def split_password(url: str) -> tuple[str, str | None]:
    """The URL with everything but its password, for whoever must not see that, and the password."""
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    password = parts.password and unquote(parts.password)
    for name, value in options:
        password = value if name == "password" and value else password
    user, at, address = parts.netloc.rpartition("@")
    kept = urlencode([(name, value) for name, value in options if not is_secret_option(name)])
    plain = parts._replace(netloc=f"{user.partition(':')[0]}{at}{address}", query=kept)
    return urlunsplit(plain), password or None


def secrets_in(url: str) -> list[str]:
    """What must not be shown of it, as written and as meant, longest first."""
    found = {os.environ.get("PGPASSWORD", "")}
    rest = url.partition("://")[2]
    account = rest.rpartition("@")[0]
    if ":" in account:
        found.add(account.partition(":")[2])
    for option in url.partition("?")[2].split("&"):
        name, _, value = option.partition("=")
        if is_secret_option(name):
            found.add(value)
    return sorted({form for each in found for form in (each, unquote(each)) if form}, key=len, reverse=True)


def store_file(where: str | Path, *, create: bool) -> Path:
    """The database file in or at this path. A folder that is made is closed to others and ignored by git."""
    try:
        file = database_file(where)
        assert file is not None, "a database server has no file"
        if str(where) == DEFAULT_STORE:
            _validate_links(file.parent)
        if file.exists():
            _validate_file(file)
            return file
        if not create:
            raise StoreError(
                str(where),
                "there is no store here",
                "check `--store`; `adjudge run` makes one where it is missing",
            )
        if file == Path(where) / FILE_NAME:
            _make_folder(file.parent)
        _make_file(file)
    except OSError as error:
        raise _cannot(error, where) from None
    return file


def _validate_links(folder: Path) -> None:
    """Nobody named this folder, and it can come with a repository: it may not lead to files somewhere else."""
    here = Path.cwd().resolve()
    for path in (folder, *(folder.iterdir() if folder.is_dir() else ())):
        if path.is_symlink() and not path.resolve().is_relative_to(here):
            raise StoreError(
                str(path),
                "is a link to a place outside this folder",
                "remove the link, or name the store it leads to with `--store` or ADJUDGE_STORE",
            )


def _validate_file(file: Path) -> None:
    """SQLite takes a file too short for a header for an empty database, and would write over it.

    The file is not opened: closing it again would free the locks that SQLite holds on it for this process.
    """
    if not file.is_file():
        raise StoreError(str(file), "is not a file", "name another file or folder")
    if 0 < file.stat().st_size < MIN_BYTES:
        raise StoreError(
            str(file),
            "is not a store: the file is not a SQLite database, or its header is damaged",
            "check the path, restore a backup, or name another store",
        )


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return
    (path / ".gitignore").write_text("*\n", encoding="utf-8")


def _make_file(file: Path) -> None:
    """Empty, for its owner only; the database's other files get the same rights."""
    with suppress(FileExistsError):  # another process made it at this moment
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _cannot(error: OSError, where: str | Path) -> StoreError:
    if isinstance(error, FileNotFoundError):
        parent = Path(str(error.filename)).parent
        return StoreError(str(where), f"the folder {parent} does not exist", "make it, or name another")
    if isinstance(error, PermissionError):
        return StoreError(
            str(where),
            f"no permission to use it ({error.strerror})",
            "give this user write permission there, or name another folder",
        )
    return StoreError(
        str(where),
        f"cannot be used ({error.strerror or error})",
        "check the path and the disk, or name another",
    )
