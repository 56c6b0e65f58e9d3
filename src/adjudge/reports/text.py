"""The report in its three written forms: for a terminal, as JSON, as Markdown."""

import os
import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

from adjudge.reports.json import report_json
from adjudge.reports.markdown import report_markdown
from adjudge.reports.summary import Summary

__all__ = ["print_report", "report_json", "report_markdown", "report_text"]

WIDTH_WITHOUT_TERMINAL = 140
# For terminals and files that cannot write what we would like to: what each sign becomes before the rest turns into `?`.
_PLAINER = str.maketrans({"—": "-", "–": "-", "…": "...", "─": "-", "∞": "inf"})


def print_report(
    summaries: Sequence[Summary],
    *,
    file: TextIO | None = None,
    width: int | None = None,
    color: bool | None = None,
) -> None:
    """Write the report. Colour and width are those of the terminal, when `file` is one, unless they are given."""
    target = sys.stdout if file is None else file
    is_terminal = target.isatty()
    if color is None:
        color = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if width is None:
        width = (
            shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns
            if is_terminal
            else WIDTH_WITHOUT_TERMINAL
        )
    text = report_text(summaries, width=width, color=color)
    encoding = target.encoding or "utf-8"
    if not encoding.lower().startswith("utf"):
        text = text.translate(_PLAINER).encode(encoding, "replace").decode(encoding)
    target.write(text)


def report_text(
    summaries: Sequence[Summary], *, width: int = WIDTH_WITHOUT_TERMINAL, color: bool = False
) -> str:
    """A table with a line for each judge where it fits the width, else a block for each; then what to know and to do."""
    from adjudge.reports.tables import render  # noqa: PLC0415 - rich is slow to load, and only printing needs it

    return render(summaries, width=width, color=color)
