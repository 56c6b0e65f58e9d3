"""Statistics over a run, in every form a person or a program asks for."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TextIO

from adjudge.analysis.summary.document import report_document
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.run import RunSummary, cases_in, worst_cases
from adjudge.documents.document import Document
from adjudge.documents.markdown import render_markdown
from adjudge.documents.records_json import records_json
from adjudge.records import Json, Judge, Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class Report(RunSummary):
    """Every figure with its interval and with what was left out."""

    @classmethod
    def of(
        cls,
        judgements: Sequence[Judgement],
        judges: Iterable[Judge],
        *,
        slices: Sequence[str] = (),
        candidate: str | None = None,
        repeats: int | None = None,
    ) -> Self:
        """`slices` are metadata columns to report by; `candidate` is the model that wrote the responses."""
        tally = Tally(judges, slices=slices, candidate=candidate, repeats=repeats)
        for judgement in judgements:
            tally.add(judgement)
        summaries = tally.summaries()
        return cls(
            judges=summaries,
            jurors=tally.jurors(),
            juries=tally.juries(),
            cascades=tally.cascades(),
            checks=tally.checks(),
            cases=cases_in(judgements, worst_cases(summaries)),
        )

    def document(self) -> Document:
        return report_document(self)

    def print(self, *, file: TextIO | None = None, colour: bool | None = None, verbose: bool = False) -> None:
        """Colour and width are those of the terminal, when `file` is one, unless they are given."""
        # rich is slow to load, and only printing needs it
        from adjudge.documents.terminal import print_terminal  # noqa: PLC0415

        print_terminal(self.document(), file=file or sys.stdout, colour=colour, verbose=verbose)

    def to_json(self) -> dict[str, Json]:
        found = records_json(self)
        return (
            {name: value for name, value in found.items() if name != "facts"}
            if isinstance(found, dict)
            else {}
        )

    def to_markdown(self) -> str:
        return render_markdown(self.document())

    def to_html(self) -> str:
        """One file that opens offline."""
        from adjudge.documents.html import render_html  # noqa: PLC0415 - only this form needs its templates

        return render_html(self.document())


FORMS: Mapping[str, Callable[[Report], str]] = {".html": Report.to_html, ".md": Report.to_markdown}
"""Suffix -> the report in that form."""
