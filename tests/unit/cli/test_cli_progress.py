"""The progress line says how far, how fast, what failed, what it cost and how long it will take."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

from adjudge.cli.console import Progress
from adjudge.dataset.count import count_rows
from adjudge.records import Failed, Judgement


def failed(kind):
    return Judgement(
        case_id="c",
        judge="j",
        judge_hash="h",
        model="m",
        repeat=0,
        outcome=Failed(kind=kind, message="x"),
        at=datetime.now(UTC),
    )


def test_a_line_with_everything_known():
    progress = Progress(total=500)
    progress.watched = SimpleNamespace(in_flight=64, spent=Decimal("0.0123"))
    progress.done = 118
    progress.count(failed("call_failed"))
    progress.count(failed("unreadable"))
    assert progress.line(10.0) == (
        "120/500 done, 12.0/s, 64 in flight, 1 call_failed, 1 unreadable, $0.0123 spent, 31.67 s left"
    )


def test_a_pipe_has_no_total_and_no_end():
    progress = Progress()
    progress.done = 5
    assert progress.line(2.0) == "5 done, 2.5/s"
    assert progress.line(0.0) == "5 done, 0.0/s"


def test_rows_are_counted_where_lines_are_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}')
    assert count_rows(path) == 2
    path.write_text('{"a": 1}\n')
    assert count_rows(str(path)) == 1
    assert count_rows("-") is None
    assert count_rows([{"a": 1}]) is None
    assert count_rows(tmp_path / "gone.jsonl") is None
