"""The cache folder is where the system wants it, and what is written there appears at once or not at all."""

import errno
from pathlib import Path

import pytest

from adjudge.embedded.model.files import CacheError, cache_folder, new_folder, require_space, writing


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"ADJUDGE_CACHE": "/x"}, "linux", Path("/x/embedded")),
        ({"XDG_CACHE_HOME": "/c"}, "linux", Path("/c/adjudge/embedded")),
        ({"XDG_CACHE_HOME": "not/absolute"}, "linux", Path.home() / ".cache/adjudge/embedded"),
        ({}, "linux", Path.home() / ".cache/adjudge/embedded"),
        ({}, "darwin", Path.home() / "Library/Caches/adjudge/embedded"),
        ({"LOCALAPPDATA": "/local"}, "win32", Path("/local/adjudge/embedded")),
        ({}, "win32", Path.home() / "AppData/Local/adjudge/embedded"),
    ],
)
def test_the_cache_folder(environ, platform, folder):
    assert cache_folder(environ, platform) == folder


def test_a_new_folder_appears_only_when_it_is_full(tmp_path):
    final = tmp_path / "final"
    with new_folder(final) as filling:
        (filling / "one").write_text("1")
        assert not final.exists()
    assert (final / "one").read_text() == "1"


def test_a_new_folder_that_was_given_up_leaves_the_old_one(tmp_path):
    final = tmp_path / "final"
    final.mkdir()
    (final / "one").write_text("1")
    with pytest.raises(KeyboardInterrupt), new_folder(final):
        raise KeyboardInterrupt
    assert (final / "one").read_text() == "1"
    assert list(tmp_path.iterdir()) == [final]


def test_a_new_folder_replaces_the_old_and_what_a_killed_process_left(tmp_path):
    final, left = tmp_path / "final", tmp_path / "final.12345678.part"
    for folder in (final, left):
        folder.mkdir()
        (folder / "old").write_text("old")
    with new_folder(final) as filling:
        (filling / "new").write_text("new")
    assert [path.name for path in final.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [final]


def test_too_little_space_is_said_before_the_work(tmp_path):
    require_space(tmp_path, 1)
    with pytest.raises(CacheError, match="1000000000000 MB are needed"):
        require_space(tmp_path, 10**18)


def test_a_full_disk_is_called_that(tmp_path):
    with pytest.raises(CacheError, match="the disk is full") as caught, writing(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert "ADJUDGE_CACHE" in caught.value.hint
