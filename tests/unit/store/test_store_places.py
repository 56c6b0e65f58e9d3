"""Where a store is said to be: never with a password."""

from pathlib import Path

import pytest

from adjudge.analysis.certification.shelf import shelf_of
from adjudge.errors import SettingsError
from adjudge.store import open_store
from adjudge.store.places import UNREADABLE_URL, is_url, public_url, secrets_in


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgres://me:secret@host/db?sslpassword=secret", "postgresql://me@host/db"),
        ("postgresql://host/db?password=secret&user=me", "postgresql://host/db"),
        ("postgresql:///db?host=/var/run/postgresql", "postgresql:///db"),
        ("postgresql://me:s%40cret%2F@[::1]:5432/db", "postgresql://me@[::1]:5432/db"),
        ("postgresql://host", "postgresql://host"),
        ("postgresql://me:se@cret@host/db", UNREADABLE_URL),
        ("postgresql://me:se/cret@host/db", UNREADABLE_URL),
        ("postgresql://me:se#cret@host/db", UNREADABLE_URL),
        ("postgresql://me:secret", UNREADABLE_URL),
        ("postgresql://me:secret/db", UNREADABLE_URL),
        ("postgresql://[bad/db", UNREADABLE_URL),
    ],
)
def test_a_url_is_shown_without_password_or_not_at_all(url, shown):
    assert public_url(url) == shown
    assert "cret" not in public_url(url)


def test_a_password_with_a_question_mark_is_not_shown():
    assert "cret" not in public_url("postgresql://me:se?cret@host/db")


def test_secrets_are_known_as_written_and_as_meant(monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "from-environment")
    found = secrets_in("postgresql://me:s%40crets@host/db?sslpassword=another&application_name=x")
    assert set(found) == {"from-environment", "s%40crets", "s@crets", "another"}
    assert found == sorted(found, key=len, reverse=True)


def test_only_postgres_urls_are_urls(tmp_path):
    assert is_url("postgresql://h/d")
    assert is_url("postgres://h/d")
    assert not is_url("./.adjudge")
    assert not is_url(tmp_path)
    assert not is_url("postgresql")
    assert not is_url("sqlite:///x.db")


@pytest.mark.parametrize("ending", ["x.db", "x.sqlite3"])
def test_a_sqlite_url_is_a_file_relative_with_three_slashes_and_absolute_with_four(tmp_path, ending):
    for where in (f"sqlite:///{ending}", f"sqlite:///{tmp_path}/other-{ending}"):
        open_store(where).close()
        open_store(where, create=False).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([ending, f"other-{ending}"])
    assert shelf_of(f"sqlite:///{ending}") == Path("cards")


@pytest.mark.parametrize(
    ("where", "named"),
    [
        ("mysql://me:secret@host/db", "--store mysql://: is not a kind of store"),
        ("postgresql+psycopg://me:secret@host/db", "--store postgresql+psycopg://: is not"),
        ("s3://secret/x.db", "--store s3://: is not a kind of store"),
        ("sqlite://secret.db", "--store sqlite://: needs the path of a file"),
        ("sqlite:///", "--store sqlite://: needs the path of a file"),
        ("sqlite:///:memory:", "--store sqlite://: needs the path of a file"),
        ("sqlite:///secret.db?mode=ro", "--store sqlite://: needs the path of a file"),
    ],
)
def test_other_urls_are_refused_by_name_and_not_repeated(where, named, tmp_path):
    with pytest.raises(SettingsError) as raised:
        open_store(where)
    assert str(raised.value).startswith(named)
    assert "`sqlite:///cases.db`" in str(raised.value)
    assert "postgresql://…" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []
