"""Tell a person which columns a case has when one that is needed is not among them."""

from collections.abc import Sequence

from adjudge.fields import ALIASES, canonical_field, strip_namespace
from adjudge.options import option
from adjudge.records import Case
from adjudge.text import closest, one_line

MOST_SHOWN = 12
LONGEST_NAME = 40


def describe_columns(case: Case, missing: Sequence[str]) -> str:
    """`the case has `qestion`, `text`; did you mean `--columns question=qestion`?`"""
    if not case.columns:
        return "the case has no columns"
    names = [one_line(name, LONGEST_NAME) for name in case.columns]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    columns = f"the case has {', '.join(f'`{name}`' for name in names[:MOST_SHOWN])}{more}"
    flags = [flag for name in missing if (flag := _suggest(case, name)) is not None]
    return f"{columns}; did you mean {' '.join(f'`{flag}`' for flag in flags)}?" if flags else columns


def _suggest(case: Case, name: str) -> str | None:
    """A `--columns` for a column whose name is nearly that of the input or of one of its aliases."""
    own = strip_namespace(name)
    field = canonical_field(own) or own
    free = [column for column in case.columns if canonical_field(column) is None]
    for wanted in (own, field, *ALIASES.get(field, ())):
        close = closest(wanted, free, cutoff=0.75)
        if close:
            return option("--columns", f"{own}={one_line(close, LONGEST_NAME)}")
    return None
