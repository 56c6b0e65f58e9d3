"""Where a store is said to be: never with a password."""

import pytest

from adjudge.store.places import UNREADABLE_URL, is_url, secrets_in, shown_url


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
    assert shown_url(url) == shown
    assert "cret" not in shown_url(url)


def test_a_password_with_a_question_mark_is_not_shown():
    assert "cret" not in shown_url("postgresql://me:se?cret@host/db")


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
