"""Statistics over a run, in every form a person or a program asks for."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TextIO

from adjudge.records import Json, Judge, Judgement
from adjudge.reports.summary import Summary, Tally
from adjudge.reports.text import print_report, report_json, report_markdown
from adjudge.store import Partial


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One summary for each judge and model; every figure with its interval and with what was left out."""

    summaries: tuple[Summary, ...]
    current_date: str | None = None
    """The day that words like "today" referred to, and who said so; None where no prompt was told."""
    run: str | None = None
    partial: Partial | None = None
    """What there is, where that is less than was chosen."""

    @classmethod
    def of(
        cls,
        judgements: Iterable[Judgement],
        judges: Iterable[Judge],
        *,
        current_date: str | None = None,
        run: str | None = None,
        slices: Sequence[str] = (),
        partial: Partial | None = None,
    ) -> Self:
        """`slices` are metadata columns to report by."""
        tally = Tally(judges, slices=slices)
        for judgement in judgements:
            tally.add(judgement)
        return cls(summaries=tally.summaries(), current_date=current_date, run=run, partial=partial)

    def print(self, *, file: TextIO | None = None, colour: bool | None = None) -> None:
        target = file or sys.stdout
        if self.partial is not None:
            target.write(f"{self.partial}\n\n")
        print_report(self.summaries, file=target, color=colour)
        if self.current_date is not None:
            target.write(f"Current date in the prompts: {self.current_date}.\n")

    def to_json(self) -> dict[str, Json]:
        partial: Json = None if self.partial is None else {"done": self.partial.done, "of": self.partial.of}
        return {
            "run": self.run,
            "partial": partial,
            "current_date": self.current_date,
            **report_json(self.summaries),
        }

    def to_markdown(self) -> str:
        said = f"\nCurrent date in the prompts: {self.current_date}.\n" if self.current_date else ""
        first = "" if self.partial is None else f"**{self.partial}**\n\n"
        return first + report_markdown(self.summaries) + said

    def to_html(self, *, at: datetime | None = None) -> str:
        """One file that opens offline; with plots where the `html` extra is installed. `at` is when it is written."""
        from adjudge.reports.html import report_html  # noqa: PLC0415 - only this form needs its templates

        return report_html(
            self.summaries, run=self.run, current_date=self.current_date, partial=self.partial, at=at
        )
