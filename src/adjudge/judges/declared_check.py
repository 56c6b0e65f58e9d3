"""`check:` of a judge file -> the check with its parameters, each fault at the line that has it."""

from importlib.util import find_spec
from typing import Any, NamedTuple

from adjudge.checks.check import Check, ParameterError
from adjudge.checks.registry import CHECKS
from adjudge.errors import JudgeFileError, MissingExtraError
from adjudge.judges.declared import Declared
from adjudge.judges.front_matter import Located
from adjudge.records import CheckScore, Json
from adjudge.text import did_you_mean


class DeclaredCheck(NamedTuple):
    check: Check[Any]
    rule: CheckScore


def read_check(declared: Declared, entry: Located) -> DeclaredCheck:
    """`check: exact`, `check: {regex: '[0-9]+'}` or `check: {regex: {pattern: '[0-9]+', match: full}}`."""
    where = declared.where
    name, name_line, given = _named(entry, where)
    check = CHECKS.get(name)
    if check is None:
        raise JudgeFileError(
            f"{where} line {name_line}",
            f"`{name}` is not a check",
            did_you_mean(name, CHECKS, f"checks: {', '.join(CHECKS)}"),
        )
    values = {} if given is None else _read_values(check, given, where)
    try:
        parameters = check.without_defaults(values)
    except ParameterError as error:
        raise JudgeFileError(f"{where} line {entry.line}", f"`{name}` {error.problem}", error.hint) from None
    if check.package is not None and find_spec(check.package) is None:
        raise MissingExtraError(f"{where} line {entry.line}: `{name}`", name)
    for key in sorted(declared.ignored.keys() & check.declared().keys()):
        raise declared.error(
            key,
            f"`{key}` is a parameter of `{name}`, and stands beside `check:`",
            f"write `check: {{{name}: {{{key}: …}}}}`",
        )
    return DeclaredCheck(check, CheckScore(name=name, parameters=parameters))


def _read_values(check: Check[Any], given: Located, where: str) -> dict[str, Json]:
    known = check.declared()
    entries, lines = given.entries, given.key_lines
    if not entries and given.value is not None:
        if check.main is None:
            raise JudgeFileError(
                f"{where} line {given.line}",
                f"`{check.name}` has `{given.value}` in place of its parameters",
                f"write `check: {{{check.name}: {{{next(iter(known))}: …}}}}`",
            )
        entries, lines = {check.main: given}, {check.main: given.line}
    values: dict[str, Json] = {}
    for key, entry in entries.items():
        parameter = known.get(key)
        if parameter is None:
            raise JudgeFileError(
                f"{where} line {lines[key]}",
                f"`{key}` is not a parameter of `{check.name}`",
                did_you_mean(key, known, f"parameters: {', '.join(known)}"),
            )
        try:
            values[key] = parameter.read(
                entry.written if parameter.as_written and entry.written else entry.value
            )
        except ParameterError as error:
            raise JudgeFileError(
                f"{where} line {entry.line}", f"`{key}` of `{check.name}` {error.problem}", error.hint
            ) from None
    return values


def _named(entry: Located, where: str) -> tuple[str, int, Located | None]:
    if len(entry.entries) == 1:
        ((name, given),) = entry.entries.items()
        return name, entry.key_lines[name], given
    if isinstance(entry.value, str):
        return entry.value, entry.line, None
    raise JudgeFileError(
        f"{where} line {entry.line}",
        f"`check: {entry.value}` does not name one check",
        "write `check: exact`, or `check: {regex: {pattern: …}}` with its parameters",
    )
