"""Whether the embedded judge can run here, and what to type when it cannot; imports nothing of its extra."""

import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from adjudge.embedded.model.files import PULL, CacheError, merged_folder, sha256_of
from adjudge.embedded.model.pull import SMOLLM2, base_file
from adjudge.errors import MissingExtraError

ADAPTER = Path(__file__).with_name("adapter.npz")
PACKAGES = ("ctranslate2", "gguf", "numpy", "py3langid", "sentencex", "Stemmer", "tokenizers")


def require_ready(environ: Mapping[str, str] = os.environ) -> None:
    """Say what to do where the packages or the weights are not there."""
    require_packages()
    find_merged(environ)


def require_packages() -> None:
    """To be called before anything else of the embedded judge is imported: most of it needs them."""
    if any(find_spec(package) is None for package in PACKAGES):
        raise MissingExtraError("the embedded judge", "embedded")


def find_merged(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the merged model lies; a `CacheError` where none does."""
    folder = merged_folder(
        base_sha256=SMOLLM2.member_sha256, adapter_sha256=adapter_sha256(), environ=environ
    )
    if not folder.is_dir():
        pulled = base_file(environ=environ).is_file()
        problem = "was changed since its model was made" if pulled else "has no model on this machine yet"
        raise CacheError("the embedded judge", problem, f"{PULL}{'' if pulled else ' (93 MB, once)'}")
    return folder


@cache
def adapter_sha256() -> str:
    """Of the file that ships: it names the merged model, and is part of the judge's own name."""
    return sha256_of(ADAPTER)
