"""Where stores are kept: a SQLite file, and a Postgres cluster of our own that lives as long as the session."""

import os
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "p@ss/w:rd?%#1"
QUOTED_PASSWORD = "p%40ss%2Fw%3Ard%3F%25%231"


@dataclass(frozen=True, kw_only=True)
class Cluster:
    port: int
    folder: Path
    programs: Path

    @property
    def url(self):
        return f"postgresql://postgres:{QUOTED_PASSWORD}@127.0.0.1:{self.port}/postgres"

    def control(self, *arguments):
        as_postgres(
            [
                self.programs / "pg_ctl",
                "-D",
                self.folder / "data",
                "-w",
                "-l",
                self.folder / "log",
                *arguments,
            ]
        )


def as_postgres(command):
    """Postgres refuses to run as root."""
    user = {"user": "postgres"} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **user)
    assert done.returncode == 0, done.stdout + done.stderr


def postgres_programs():
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


@pytest.fixture(scope="session")
def cluster():
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    programs = postgres_programs()
    if programs is None:
        pytest.skip("the Postgres programs (initdb, pg_ctl) are not installed")
    folder = Path(tempfile.mkdtemp(prefix="adjudge-pg-"))
    try:
        password = folder / "password"
        password.write_text(PASSWORD)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            shutil.chown(password, "postgres")
        data = folder / "data"
        as_postgres(
            [programs / "initdb", "-D", data, "-A", "scram-sha-256", "--pwfile", password, "-N", "-E", "UTF8"]
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        cluster = Cluster(port=port, folder=folder, programs=programs)
        options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off -c full_page_writes=off"
        cluster.control("-o", options, "start")
        try:
            yield cluster
        finally:
            cluster.control("-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(cluster):
    """The cluster's URL, with no store in it."""
    import psycopg

    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS adjudge CASCADE")
    return cluster.url


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    """Each test that asks for it runs over both homes."""
    return str(tmp_path / "store") if request.param == "sqlite" else request.getfixturevalue("database")
