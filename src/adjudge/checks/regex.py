"""Regular expressions that take time in proportion to the text, whatever it is: RE2, which has no backtracking."""

from functools import lru_cache
from typing import TYPE_CHECKING

from adjudge.checks.problems import ParameterError

if TYPE_CHECKING:
    from re2 import _Regexp

MOST_MEMORY = 8 << 20
"""Bytes for one compiled pattern; where its automaton needs more, RE2 takes a slower one, still linear in the text."""


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
    options.max_mem = MOST_MEMORY
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
