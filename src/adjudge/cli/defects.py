"""An error that nobody foresaw: its traceback goes to a file, and the person gets one line that names it."""

import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from adjudge import __version__
from adjudge.embedded.model.files import CACHE_VARIABLE, system_cache
from adjudge.models.secrets import Scrubber

MAX_CHARS = 200_000
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"://[^\s/@]*:([^\s/@]+)@")


def defect_message(error: BaseException, environ: Mapping[str, str] = os.environ) -> str:
    """One line: what it was, and where its traceback lies."""
    scrubber = Scrubber(_secrets(environ))
    kind = type(error).__name__
    name = f"error-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    text = scrubber.lines("".join(traceback.format_exception(error)))[-MAX_CHARS:]
    report = f"adjudge {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n\n{text}"
    for folder in _folders(environ):
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / name).write_text(report, encoding="utf-8", errors="backslashreplace")
            (folder / name).chmod(0o600)
            return (
                f"a bug in adjudge ({kind}); stored results are kept, and the traceback is in "
                f"{folder / name}: please report it"
            )
    return f"a bug in adjudge ({kind}), and its traceback could not be written to a file: {scrubber.message(text)}"


def _folders(environ: Mapping[str, str]) -> Iterator[Path]:
    named = environ.get(CACHE_VARIABLE)
    yield (Path(named).expanduser() if named else system_cache(environ, sys.platform) / "adjudge") / "errors"
    yield Path(tempfile.gettempdir())


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    """What the environment and the command line hold that must not be written down."""
    for name, value in environ.items():
        if _SECRET_NAME.search(name):
            yield value
        yield from _URL_PASSWORD.findall(value)
    for word in sys.argv[1:]:
        name, equals, value = word.partition("=")
        if equals and _SECRET_NAME.search(name):
            yield value
        yield from _URL_PASSWORD.findall(word)
