"""The progress line says how far, how fast, what failed, what it cost and how long it will take."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

from msgspec.structs import replace

from adjudge.cli.progress import ProgressLine
from adjudge.dataset.count import count_rows
from adjudge.records import Call, Completion, Failed, Judgement, Prompt, Request


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


def call(*, from_store):
    request = Request(prompt=Prompt(messages=()), schema=None, case_id="c", judge="j")
    return Call(request=request, completion=Completion(text="?", from_store=from_store))


def test_a_line_with_everything_known():
    progress = ProgressLine(total=500)
    progress.watched = SimpleNamespace(in_flight=64, resumed=0, spent=Decimal("0.0123"))
    progress.done = progress.asked = 118
    progress.count(failed("call_failed"))
    progress.count(failed("unreadable"))
    assert progress.line(10.0) == (
        "120/500 done, 11.9/s, 64 in flight, 1 call_failed, 1 unreadable, $0.0123 spent, 31.93 s left"
    )


def test_a_pipe_has_no_total_and_no_end():
    progress = ProgressLine()
    progress.done = progress.asked = 5
    assert progress.line(2.0) == "5 done, 2.5/s"
    assert progress.line(0.0) == "5 done, 0.0/s"


def test_the_time_left_is_told_from_new_calls_alone():
    progress = ProgressLine(total=1_000)
    progress.watched = SimpleNamespace(in_flight=8, resumed=400, spent=Decimal(0))
    from_store = replace(failed("unreadable"), calls=(call(from_store=True),))
    for _ in range(100):
        progress.count(from_store)
    assert progress.line(10.0) == "500/1000 done, 0.0/s, 8 in flight, 100 unreadable"
    for _ in range(20):
        progress.count(replace(from_store, calls=(call(from_store=True), call(from_store=False))))
    assert progress.line(10.0) == ("520/1000 done, 2.0/s, 8 in flight, 120 unreadable, 4 min 00 s left")


def test_rows_are_counted_where_lines_are_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}')
    assert count_rows(path) == 2
    path.write_text('{"a": 1}\n')
    assert count_rows(str(path)) == 1
    assert count_rows("-") is None
    assert count_rows([{"a": 1}]) == 1
    assert count_rows(tmp_path / "gone.jsonl") is None
