"""A run as files to keep: the report's forms and the rows, written by the writers of the command line."""

import re
from collections.abc import Iterable, Iterator

from adjudge.analysis.chosen_model import verdicts_of
from adjudge.analysis.summary.report import FORMS, Report
from adjudge.documents.rows import result_row
from adjudge.documents.writers import line_writer
from adjudge.records import Judgement
from adjudge.store import RunRecord, Store

CHUNK_BYTES = 64 * 1024
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv; charset=utf-8",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)


def report_file(report: Report, suffix: str) -> bytes:
    """`.html` or `.md`."""
    return FORMS[suffix](report).encode("utf-8", "replace")


def row_file(
    store: Store, record: RunRecord, suffix: str, judgements: Iterable[Judgement] | None = None
) -> Iterator[bytes]:
    """`.jsonl` or `.csv`, as it is read: a run of a million rows is never in memory at once."""
    sink = _Chunks()
    with line_writer(suffix, sink) as writer:
        whole = verdicts_of(store.judgements(record.run_id), record, None)
        for judgement in whole if judgements is None else judgements:
            writer.write(result_row(judgement, record.run_id))
            if sink.size >= CHUNK_BYTES:
                yield sink.take()
    yield sink.take()


def file_headers(record: RunRecord, name: str) -> dict[str, str]:
    """To be kept, never shown in the browser: the file holds other people's text."""
    run = _UNSAFE.sub("-", record.name or record.run_id).strip("-")[:60] or "run"
    return {"content-disposition": f'attachment; filename="{run}-{name}"'}


class _Chunks:
    """A sink that is emptied by whoever sends it on."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def append(self, data: bytes) -> None:
        self._parts.append(data)
        self.size += len(data)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        self.size = 0
        return taken

    def close(self) -> None:
        pass

    def abandon(self) -> None:
        self._parts.clear()
