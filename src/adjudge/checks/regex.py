"""`regex`: the response matches a regular expression, by RE2: it has no backtracking, so that no text can make it slow."""

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Struct

from adjudge.checks.check import Check, Parameter, ParameterError, flag, one_of, read_text
from adjudge.checks.finding import Fields, Finding, failed, passed, quoted, response_text
from adjudge.records import Json
from adjudge.text import encodable

if TYPE_CHECKING:
    from re2 import _Regexp

MAX_MEMORY = 8 << 20
"""Bytes for one compiled pattern; where its automaton needs more, RE2 takes a slower one, still linear in the text."""

Match = Literal["search", "full"]


@lru_cache(maxsize=128)
def compile_pattern(text: str) -> "_Regexp":
    try:
        import re2  # noqa: PLC0415 - few runs need it
    except ImportError:
        raise ParameterError(
            "needs the package google-re2, which is not installed",
            "pip install google-re2; for a Python that is newer than its wheels, RE2's headers and a C++ compiler are needed",
        ) from None

    options = re2.Options()
    options.log_errors = False  # they are raised, and stderr is for messages of ours
    options.max_mem = MAX_MEMORY
    try:
        return re2.compile(text, options)
    except re2.error as error:
        found = error.args[0] if error.args else error
        problem = found.decode(errors="replace") if isinstance(found, bytes) else str(found)
        raise ParameterError(
            f"is not a regular expression of RE2: {problem}",
            "RE2 has no backreferences and no look-around, so that no text can make it slow; "
            "its syntax: https://github.com/google/re2/wiki/Syntax",
        ) from None
    except UnicodeEncodeError:
        raise ParameterError("holds half a character", "write it in UTF-8") from None


def read_pattern(value: Json) -> Json:
    text = read_text(value)
    compile_pattern(text)
    return text


class Regex(Struct, frozen=True, kw_only=True):
    pattern: Annotated[str, Parameter(read_pattern, "in RE2's syntax", as_written=True)]
    match: Annotated[Match, one_of(Match, "`search`: anywhere; `full`: the whole response")] = "search"
    absent: Annotated[bool, flag("`true`: it passes where the pattern is not found")] = False


def check_regex(fields: Fields, parameters: Regex) -> Finding:
    pattern = parameters.pattern
    response = encodable(response_text(fields))
    compiled = compile_pattern(pattern)
    whole = parameters.match == "full"
    match = compiled.fullmatch(response) if whole else compiled.search(response)
    of_what = "The whole response" if whole else "The response"
    if match is None:
        reason, found = f"{of_what} does not match {quoted(pattern)}", "none"
    else:
        found = quoted(match.group())
        reason = f"{of_what} matches {quoted(pattern)}: {found} at character {match.start() + 1}"
    finding = passed if (match is None) == parameters.absent else failed
    wanted = ", as it should not" if parameters.absent and match is None else ""
    unwanted = ", which it should not" if parameters.absent and match is not None else ""
    return finding(f"{reason}{wanted}{unwanted}.", pattern=quoted(pattern), match=found)


CHECK = Check(name="regex", version=1, parameters=Regex, run=check_regex, main="pattern")
