"""A report as a file, by its suffix: opened before anything is paid for, written when there are figures."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge.documents.sinks import FileSink
from adjudge.reports.report import Report


def is_report_file(path: str) -> bool:
    return Path(path).suffix.lower() in FORMS


class ReportFile:
    """A place that was tried and can be written to. Left without a report, the file is as it was."""

    def __init__(self, path: str) -> None:
        self._form = FORMS[Path(path).suffix.lower()]
        self._sink = FileSink(path)

    def write(self, report: Report) -> None:
        self._sink.append(self._form(report).encode())
        self._sink.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.abandon()


def _html(report: Report) -> str:
    return report.to_html(at=datetime.now(UTC))


FORMS: Mapping[str, Callable[[Report], str]] = {".html": _html, ".md": Report.to_markdown}
"""Suffix -> the report in that form."""
