"""The config file -> settings, read once at the edge. Environment variables are read by the flags they stand for."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import SettingsError
from adjudge.text import did_you_mean

FILE_NAME = "adjudge.toml"
MAX_CHARACTERS = 16_384
"""Reading a key takes the square of its parts."""


class Key(NamedTuple):
    """A flag as the file would write it."""

    parameter: str
    """Which parameter of the command it sets."""
    refused: str | None
    """Why it may not stand in the file."""
    takes_table: bool = False
    """It is of the form `name=value`."""


Flags = Mapping[str, Mapping[str, Key]]
"""Each command's flags; a command inside a group is `group command`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What adjudge.toml says: values for any command that has the flag, and tables for single commands."""

    everywhere: Mapping[str, Any] = field(default_factory=dict)
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def defaults(self, flags: Flags) -> dict[str, Any]:
        """Defaults by command and parameter, one table inside the other for a command inside a group.

        What no flag answers to is an error, not ignored; so is what a file may not set.
        """
        tables = {name for keys in flags.values() for name, key in keys.items() if key.takes_table}
        for name, value in self.everywhere.items():
            if isinstance(value, dict) and name not in tables:
                commands = frozenset(path.partition(" ")[0] for path in flags)
                raise SettingsError(FILE_NAME, f"[{name}] is not a command", _suggest(name, commands))
        _validate_names(self.everywhere, list(flags.values()), FILE_NAME)
        for command, table in self.commands.items():
            own = [keys for path, keys in flags.items() if path.partition(" ")[0] == command]
            _validate_names(table, own, f"{FILE_NAME} [{command}]")
        defaults: dict[str, Any] = {}
        for path, keys in flags.items():
            command, _, inner = path.partition(" ")
            target = defaults.setdefault(command, {})
            for values in (self.everywhere, self.commands.get(command, {})):
                (target.setdefault(inner, {}) if inner else target).update(_by_parameter(values, keys))
        return defaults


def _by_parameter(values: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    named: dict[str, str] = {}
    for name in values:
        if name in keys and (other := named.setdefault(keys[name].parameter, name)) != name:
            raise SettingsError(FILE_NAME, f"`{name}` and `{other}` set the same option", "give one of them")
    return {parameter: values[name] for parameter, name in named.items()}


def read_settings(folder: Path, commands: frozenset[str]) -> Settings | None:
    """None where there is no adjudge.toml."""
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(FILE_NAME, f"cannot be read: {error}", "fix the file, or move it away") from None
    if len(text) > MAX_CHARACTERS:
        raise SettingsError(FILE_NAME, f"has {len(text)} characters", f"write {MAX_CHARACTERS} at most")
    try:
        entries = tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # too many digits and too many brackets have no error of their own
        raise SettingsError(
            FILE_NAME, f"is not TOML: {error}", 'a line looks like `model = "openai:gpt-…"`'
        ) from None
    everywhere, tables = {}, {}
    for key, value in entries.items():
        if isinstance(value, dict) and key in commands:
            tables[key] = {_flag_name(name): item for name, item in value.items()}
        else:
            everywhere[_flag_name(key)] = value
    return Settings(everywhere=everywhere, commands=tables)


def _flag_name(key: str) -> str:
    return key.replace("-", "_")


def _validate_names(names: Iterable[str], commands: Sequence[Mapping[str, Key]], where: str) -> None:
    for name in names:
        found = [keys[name] for keys in commands if name in keys]
        if not found:
            known = frozenset(key for keys in commands for key in keys)
            raise SettingsError(where, f"`{name}` is not an option of any command", _suggest(name, known))
        for key in found:
            if key.refused is not None:
                raise SettingsError(
                    where,
                    f"`{name}` is not allowed in a config file: {key.refused}",
                    f"pass --{name.replace('_', '-')}, or set ADJUDGE_{name.upper()} in your own environment",
                )


def _suggest(word: str, known: frozenset[str]) -> str:
    return did_you_mean(word, sorted(known)) or f"known: {', '.join(sorted(known))}"
