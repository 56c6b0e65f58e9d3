"""Tell a person which columns a case has when one that is needed is not among them."""

from collections.abc import Sequence
from difflib import get_close_matches

from adjudge.fields import ALIASES, canonical_field, strip_namespace
from adjudge.options import option
from adjudge.records import Case

MOST_SHOWN = 12
LONGEST_NAME = 40


def describe_columns(case: Case, missing: Sequence[str]) -> str:
    """`the case has `qestion`, `text`; did you mean `--columns question=qestion`?`"""
    if not case.columns:
        return "the case has no columns"
    names = [_printable(name) for name in case.columns]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    columns = f"the case has {', '.join(f'`{name}`' for name in names[:MOST_SHOWN])}{more}"
    flags = [flag for name in missing if (flag := _suggest(case, name)) is not None]
    return f"{columns}; did you mean {' '.join(f'`{flag}`' for flag in flags)}?" if flags else columns


def _suggest(case: Case, name: str) -> str | None:
    """A `--columns` for a column whose name is nearly that of the input or of one of its aliases."""
    own = strip_namespace(name)
    field = canonical_field(own) or own
    free = {column.casefold(): column for column in case.columns if canonical_field(column) is None}
    for wanted in (own, field, *ALIASES.get(field, ())):
        close = get_close_matches(wanted.casefold(), free, n=1, cutoff=0.75)
        if close:
            return option("--columns", f"{own}={_printable(free[close[0]])}")
    return None


def _printable(name: str) -> str:
    plain = "".join(character if character.isprintable() else "?" for character in name)
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 1]}…"
