"""Processes that share a run: what each is called, and how to tell that one is no more."""

import os
import platform
import secrets
import uuid
from functools import cache
from hashlib import sha256
from pathlib import Path


def name_worker() -> str:
    """The host's name is for people; the machine, the process and a random part tell workers apart."""
    return f"{platform.node()}:{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_dead(worker: str) -> bool:
    """Whether it was a process of this machine that is there no more. False when that cannot be told."""
    if os.name != "posix":
        return False  # on Windows asking after a process would end it
    _, machine, process, _ = ["", "", "", "", *worker.rsplit(":", 3)][-4:]
    if machine != _machine() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is there and somebody else's, or no process at all
        return False
    return False


@cache
def _machine() -> str:
    """Where process numbers mean the same: one machine since it was started and, on Linux, one container."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot, space = str(uuid.getnode()), ""
    return sha256(f"{platform.node()}|{boot}|{space}".encode()).hexdigest()[:12]
