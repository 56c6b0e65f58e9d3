"""The config file -> settings, read once at the edge. Environment variables are read by the flags they stand for."""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.errors import SettingsError

FILE_NAME = "adjudge.toml"

NEVER_IN_FILE: Mapping[str, str] = {
    "base_url": "a file that came with a repository could send your key to its author's server",
}
"""Flags that only the person at the keyboard may set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What adjudge.toml says: values for any command that has the flag, and tables for single commands."""

    everywhere: Mapping[str, Any] = field(default_factory=dict)
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def defaults(self, flags: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Any]]:
        """Defaults per command, by parameter, given each command's flags and the parameters they set.

        What no flag answers to is an error, not ignored.
        """
        known = frozenset(name for names in flags.values() for name in names)
        for name in self.everywhere:
            _check_flag(name, known, FILE_NAME)
        for command, table in self.commands.items():
            for name in table:
                _check_flag(name, frozenset(flags[command]), f"{FILE_NAME} [{command}]")
        return {
            command: {
                names[name]: value
                for name, value in {**self.everywhere, **self.commands.get(command, {})}.items()
                if name in names
            }
            for command, names in flags.items()
        }


def read_settings(folder: Path, commands: frozenset[str]) -> Settings | None:
    """None where there is no adjudge.toml."""
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(FILE_NAME, f"cannot be read: {error}", "mend the file, or move it away") from None
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            FILE_NAME, f"is not TOML: {error}", 'a line looks like `model = "openai:gpt-…"`'
        ) from None
    everywhere, tables = {}, {}
    for key, value in said.items():
        if isinstance(value, dict) and key in commands:
            tables[key] = {_flag_name(name): item for name, item in value.items()}
        elif isinstance(value, dict) and _flag_name(key) not in {"map", "set", "param"}:
            raise SettingsError(FILE_NAME, f"[{key}] is no command", _suggest(key, commands))
        else:
            everywhere[_flag_name(key)] = value
    return Settings(everywhere=everywhere, commands=tables)


def _flag_name(key: str) -> str:
    return key.replace("-", "_")


def _check_flag(name: str, known: frozenset[str], where: str) -> None:
    if name in NEVER_IN_FILE:
        raise SettingsError(
            where,
            f"`{name}` may not stand in a config file: {NEVER_IN_FILE[name]}",
            f"pass --{name.replace('_', '-')}, or set ADJUDGE_{name.upper()} in your own environment",
        )
    if name not in known:
        raise SettingsError(where, f"`{name}` is no flag of a command here", _suggest(name, known))


def _suggest(word: str, known: frozenset[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known: {', '.join(sorted(known))}"
