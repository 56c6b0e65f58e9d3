"""How the caller writes an option: a flag on the command line, a keyword in Python."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from shlex import quote

from adjudge.options.declaration import OptionField, declared
from adjudge.options.run_options import RunOptions

_FROM_PYTHON: ContextVar[bool] = ContextVar("adjudge_called_from_python", default=False)


@contextmanager
def called_from_python() -> Iterator[None]:
    """Messages made inside, by this task and those it starts, name keywords."""
    token = _FROM_PYTHON.set(True)
    try:
        yield
    finally:
        _FROM_PYTHON.reset(token)


_SHELL_SIGNS = re.compile(r"""[\s'"`$\\!*?<>|&;()\[\]{}#~]""")
"""What a shell takes for more than text: a value with one of these is quoted where it is to be copied."""


def option(flag: str, value: str = "") -> str:
    """The option as the caller writes it: `--columns question=q`, from Python `columns={"question": "q"}`."""
    if not _FROM_PYTHON.get():
        return f"{flag} {quote(value) if _SHELL_SIGNS.search(value) else value}" if value else flag
    if flag == "--judge":
        return f"judges={_quoted(value)}" if value else "judges="
    each = _by_flag()[flag]
    if each.type is bool:
        return f"{each.name}=True"
    return f"{each.name}={_literal(each, value)}"


def columns_option(columns: Mapping[str, str]) -> str:
    """All of them at once, to be pasted: `--columns question=q --columns response=r`, from Python one `columns=`."""
    if _FROM_PYTHON.get():
        return f"columns={json.dumps(columns, ensure_ascii=False)}"
    return " ".join(option("--columns", f"{name}={column}") for name, column in columns.items())


@cache
def _by_flag() -> Mapping[str, OptionField]:
    return {
        flag: each
        for each in declared(RunOptions).values()
        for flag in (each.flag, each.option.short)
        if flag
    }


def _literal(each: OptionField, value: str) -> str:
    if not value or value.replace(".", "", 1).isdigit():
        return value
    if isinstance(each.default, Mapping):
        name, equals, of = value.partition("=")
        return f"{{{_quoted(name)}: {_quoted(of) if equals else '…'}}}"
    return _quoted(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
