"""What the caller calls an option: a flag on the command line, a keyword from Python."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_FROM_PYTHON: ContextVar[bool] = ContextVar("adjudge_called_from_python", default=False)

KEYWORDS = {"-n": "first", "-j": "jobs", "--judge": "judges", "--param": "parameters", "--pass": "passes"}
"""Flags whose keyword is another word."""
MAPPINGS = frozenset({"map", "set", "parameters"})
SWITCHES = frozenset({"strict", "fresh"})


@contextmanager
def called_from_python() -> Iterator[None]:
    """Messages made inside, by this task and those it starts, name keywords."""
    token = _FROM_PYTHON.set(True)
    try:
        yield
    finally:
        _FROM_PYTHON.reset(token)


def option(flag: str, value: str = "") -> str:
    """The option as the caller writes it: `--map question=q`, from Python `map={"question": "q"}`."""
    if not _FROM_PYTHON.get():
        return f"{flag} {value}" if value else flag
    keyword = KEYWORDS.get(flag) or flag.removeprefix("--").replace("-", "_")
    if keyword in SWITCHES:
        return f"{keyword}=True"
    return f"{keyword}={_literal(keyword, value)}"


def _literal(keyword: str, value: str) -> str:
    if not value or value.replace(".", "", 1).isdigit():
        return value
    if keyword in MAPPINGS:
        name, equals, of = value.partition("=")
        return f"{{{_quoted(name)}: {_quoted(of) if equals else '…'}}}"
    return _quoted(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
