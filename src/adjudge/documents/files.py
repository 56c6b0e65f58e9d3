"""A report as a file: opened before anything is paid for, written when there are figures."""

from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge.documents.sinks import FileSink

SUFFIXES = (".html", ".md")


def is_report_file(path: str) -> bool:
    return Path(path).suffix.lower() in SUFFIXES


class ReportFile:
    """A place that was tried and can be written to. Left without a report, the file is as it was."""

    def __init__(self, path: str) -> None:
        self.suffix = Path(path).suffix.lower()
        self._sink = FileSink(path)

    def write(self, text: str) -> None:
        self._sink.append(text.encode())
        self._sink.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.abandon()
