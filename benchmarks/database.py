"""A Postgres server of our own for as long as a benchmark runs, from the programs that are installed here."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "benchmark"


def programs() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty database, with its settings as Postgres ships them: what is committed is on the disk."""
    found = programs()
    if found is None:
        raise SystemExit("the Postgres programs (initdb, pg_ctl) are not installed")
    folder = Path(tempfile.mkdtemp(prefix="adjudge-benchmark-", dir=os.environ.get("BENCH_DIR")))
    control = [found / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log"]
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, "postgres")
        _run(
            [found / "initdb", "-D", folder / "data", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8"]
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        _run([*control, "-o", f"-h 127.0.0.1 -p {port} -k {folder}", "start"])
        try:
            yield f"postgresql://postgres:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: Sequence[object]) -> None:
    """Postgres refuses to run as root."""
    user = "postgres" if os.geteuid() == 0 else None
    subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd="/", user=user)
