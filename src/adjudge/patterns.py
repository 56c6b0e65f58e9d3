"""Regular expressions that are compiled when they are first used.

Reading a prompt has 200 of them, of which most prompts need a quarter; compiling all took a third of a command's time.
"""

import re
from typing import Any, cast


class LazyPattern:
    """Stands for a `re.Pattern`: its methods are taken from the compiled one, once each."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.compiled(), name)
        setattr(self, name, found)  # the next time it is an attribute like any other
        return found

    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`; what is wrong with a pattern shows at its first use, so a test compiles them all."""
    return cast("re.Pattern[str]", LazyPattern(source, flags))
