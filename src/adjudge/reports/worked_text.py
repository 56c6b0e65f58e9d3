"""A worked score as lines of text."""

import textwrap
from collections.abc import Iterator, Sequence

from adjudge.reports.format import visible
from adjudge.reports.worked_steps import Step, Worked

INDENT = "    "
LISTED = frozenset({"fact", "conclusion", "term", "number"})
"""Steps with long labels: what became of them goes first."""
SIGNS = {True: "+", False: "-", None: " "}


def worked_lines(worked: Worked, width: int = 100) -> Sequence[str]:
    """One line a step, `+` where it holds and `-` where it does not, its reasons below it; safe for a terminal."""
    return [line for step in (*worked.steps, *worked.after) for line in _step(step, width)]


def _step(step: Step, width: int) -> Iterator[str]:
    named = f"{step.value}: {step.label}" if step.kind in LISTED else f"{step.label}: {step.value}"
    yield from _wrapped(named, width, INDENT, first=f"{SIGNS[step.holds]} ")
    for name, text in step.details:
        yield from _wrapped(f"{name}: {text}", width, INDENT * 2, first=INDENT)
    if step.explanation:
        yield from _wrapped(step.explanation, width, INDENT, first=INDENT)


def _wrapped(text: str, width: int, indent: str, *, first: str) -> list[str]:
    lines = textwrap.wrap(
        visible(" ".join(text.split())),
        width=max(width, 40),
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    # once more: where a line begins has changed what its first signs mean to a build service
    return [visible(line) for line in lines]
