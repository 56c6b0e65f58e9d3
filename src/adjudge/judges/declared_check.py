"""`check:` of a judge file -> the check with its parameters, each fault at the line that has it."""

from importlib.util import find_spec

from adjudge.checks.check import CHECKS, given_parameters, read_parameter
from adjudge.checks.problems import ParameterError
from adjudge.errors import JudgeFileError, MissingExtraError
from adjudge.judges.front_matter import Located
from adjudge.records import CheckScore, Json
from adjudge.text import did_you_mean

NEEDS = {"language": "py3langid"}
"""A check -> the package of the extra of the same name that it needs."""


def read_check(entry: Located, *, where: str) -> CheckScore:
    """`check: exact`, `check: {regex: '[0-9]+'}` or `check: {regex: {pattern: '[0-9]+', match: full}}`."""
    name, name_line, given = _named(entry, where)
    kind = CHECKS.get(name)
    if kind is None:
        raise JudgeFileError(
            f"{where} line {name_line}",
            f"`{name}` is not a check",
            did_you_mean(name, CHECKS, f"checks: {', '.join(CHECKS)}"),
        )
    values: dict[str, Json] = {}
    entries = {} if given is None else given.entries
    lines = {} if given is None else given.key_lines
    if given is not None and not entries and given.value is not None:
        if kind.main is None:
            raise JudgeFileError(
                f"{where} line {given.line}",
                f"`{name}` has `{given.value}` in place of its parameters",
                f"write `check: {{{name}: {{{next(iter(kind.parameters))}: …}}}}`",
            )
        entries, lines = {kind.main: given}, {kind.main: given.line}
    for key, value in entries.items():
        if key not in kind.parameters:
            known = ", ".join(kind.parameters)
            raise JudgeFileError(
                f"{where} line {lines[key]}",
                f"`{key}` is not a parameter of `{name}`",
                did_you_mean(key, kind.parameters, f"parameters: {known}"),
            )
        try:
            # a text stays as the file spells it: `text: 1.0` is not `text: 1`
            as_written = (
                value.written if key in {"text", "number", "pattern"} and value.written else value.value
            )
            values[key] = read_parameter(name, key, as_written)
        except ParameterError as error:
            raise JudgeFileError(
                f"{where} line {value.line}", f"`{key}` of `{name}` {error.problem}", error.hint
            ) from None
    try:
        parameters = given_parameters(name, values)
    except ParameterError as error:
        raise JudgeFileError(f"{where} line {entry.line}", f"`{name}` {error.problem}", error.hint) from None
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        raise MissingExtraError(f"{where} line {entry.line}: `{name}`", name)
    return CheckScore(name=name, parameters=parameters)


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
