"""Statistics over a run, in every form a person or a program asks for."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self, TextIO

from adjudge.records import Json, Judge, Judgement
from adjudge.reports.summary import Summary, Tally
from adjudge.reports.text import print_report, report_json, report_markdown


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One summary for each judge and model; every figure with its interval and with what was left out."""

    summaries: tuple[Summary, ...]

    @classmethod
    def of(cls, judgements: Iterable[Judgement], judges: Iterable[Judge]) -> Self:
        tally = Tally(judges)
        for judgement in judgements:
            tally.add(judgement)
        return cls(summaries=tally.summaries())

    def print(self, *, file: TextIO | None = None, colour: bool | None = None) -> None:
        print_report(self.summaries, file=file or sys.stdout, color=colour)

    def to_json(self) -> dict[str, Json]:
        return report_json(self.summaries)

    def to_markdown(self) -> str:
        return report_markdown(self.summaries)
