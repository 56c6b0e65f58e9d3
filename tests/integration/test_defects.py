"""An error that nobody foresaw loses nothing that was paid for, is kept with its case, and is never exit 1."""

import asyncio
import json
from pathlib import Path

import pytest
from jsonl import parse_lines, write_lines

import adjudge
from adjudge.cli.main import run_command
from adjudge.dataset import read_cases
from adjudge.records import BadRow, Completion
from adjudge.store import open_store
from adjudge.testing import ModelServer

GOOD = json.dumps({"reason": "It answers.", "score": 4})
BEYOND_64_BITS = 2**70


def written(folder, count, **odd):
    """So many cases, the one in the middle with further columns."""
    rows = [{"id": str(n), "question": f"q{n}", "response": "r"} for n in range(count)]
    rows[count // 2] |= odd
    path = folder / "cases.jsonl"
    write_lines(path, rows)
    return path


def outcomes(folder, run="last"):
    store = open_store(folder / ".adjudge")
    try:
        record = store.find_run(run)
        return {
            judgement.case_id: (judgement.outcome.kind, getattr(judgement.outcome, "error_kind", ""))
            for judgement in store.judgements(record.run_id)
        }
    finally:
        store.close()


@pytest.mark.parametrize(
    "odd",
    [
        {"context": {"n": BEYOND_64_BITS}},
        {"metadata": {"n": -BEYOND_64_BITS}, "label": BEYOND_64_BITS, "cluster": BEYOND_64_BITS},
        {"question": BEYOND_64_BITS, "response": [BEYOND_64_BITS]},
    ],
)
def test_a_whole_number_beyond_64_bits_is_judged_and_stored_as_it_is(tmp_path, capfd, odd):
    cases = written(tmp_path, 59, **odd)
    with ModelServer(replies=GOOD) as server:
        call = ["run", str(cases), "--judge", "relevance", "-m", "openai:m", "--base-url", server.openai_url]
        assert run_command(call) == 0
        assert len(server.requests) == 59
        assert run_command(call) == 0
        assert len(server.requests) == 59  # the second run is answered from the store
    rows = parse_lines(capfd.readouterr().out)
    assert [row["outcome"] for row in rows] == ["scored"] * 118
    store = open_store(tmp_path / ".adjudge")
    case = store.case(store.find_run("last").run_id, "29")
    assert {name: case.columns[name] for name in odd} == odd
    store.close()
    for command in (["show", "last", "29", "--json"], ["show", "last", "29"], ["report", "last", "--json"]):
        assert run_command(command) == 0
    assert run_command(["export", "last", "-o", "rows.csv"]) == 0


def test_a_whole_number_too_large_for_a_float_is_a_bad_row():
    longest, longer = 10**307, 10**400
    rows = list(read_cases([{"question": "q", "response": longest}, {"question": "q", "response": longer}]))
    assert rows[0].columns["response"] == longest
    assert isinstance(rows[1], BadRow)
    assert rows[1].found == "a whole number of more than 308 digits in column 'response'"


class Together:
    """Holds every request until all of them are in flight; the request of one case then ends in an error."""

    name = "test:together"

    def __init__(self, wanted, broken=None):
        self.wanted = wanted
        self.broken = broken
        self.asked = []
        self.all_in_flight = asyncio.Event()
        self.failed = asyncio.Event()

    async def complete(self, request):
        self.asked.append(request.case_id)
        if len(self.asked) >= self.wanted:
            self.all_in_flight.set()
        await self.all_in_flight.wait()
        if request.case_id == self.broken:
            self.failed.set()
            raise ZeroDivisionError("a defect")
        if self.broken is not None:
            await self.failed.wait()
        return self.answer(request)

    def answer(self, request):
        return Completion(text=GOOD)

    async def close(self):
        pass


def test_what_is_in_flight_is_kept_and_only_the_broken_case_is_asked_again(tmp_path):
    cases = written(tmp_path, 200)
    first = Together(8, broken="3")
    with pytest.raises(ZeroDivisionError):
        adjudge.evaluate(cases, "relevance", model=first, jobs=8)
    kept = outcomes(tmp_path)
    assert kept.pop("3") == ("call_failed", "defect")
    assert set(kept.values()) == {("scored", "")}
    assert set(kept) == set(first.asked) - {"3"}
    assert 7 <= len(kept) < 199  # no further work was taken
    second = Together(1)
    run = adjudge.evaluate(cases, "relevance", model=second, jobs=8)
    assert sorted(second.asked, key=int) == [str(n) for n in range(200) if str(n) not in kept]
    assert {judgement.outcome.kind for judgement in run} == {"scored"}


class Unstorable(Together):
    def answer(self, request):
        odd = request.case_id == "3"
        return Completion(text=GOOD, model_snapshot=object() if odd else None)


def test_a_reply_that_cannot_be_stored_costs_that_reply_alone(tmp_path):
    cases = written(tmp_path, 8)
    with pytest.raises((TypeError, AttributeError)):
        adjudge.evaluate(cases, "relevance", model=Unstorable(8), jobs=8)
    kept = outcomes(tmp_path)
    assert kept.pop("3") == ("call_failed", "defect")
    assert kept == {str(n): ("scored", "") for n in range(8) if n != 3}
    store = open_store(tmp_path / ".adjudge")
    assert store.check() == []
    store.close()


def test_an_error_while_the_cases_are_read_drains_what_is_in_flight(tmp_path):
    def broken():
        for n in range(70):
            yield {"id": str(n), "question": "q", "response": f"r{n}"}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        adjudge.evaluate(broken(), "relevance", model=Together(1), jobs=4, name="pipe")
    assert len(outcomes(tmp_path)) == 70


SECRET = "sk-0123456789abcdefghij"


def test_a_defect_is_exit_70_with_one_line_and_a_traceback_without_keys(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    cases = written(tmp_path, 3)

    def broken(*_, **__):
        raise KeyError(f"no {SECRET} and no \x1b[31m colour")
        yield  # a procedure

    monkeypatch.setattr("adjudge.runs.engine.loop.judge_case", broken)
    with ModelServer(replies=GOOD) as server:
        code = run_command(
            ["run", str(cases), "--judge", "relevance", "-m", "openai:m", "--base-url", server.openai_url]
        )
    assert code == 70
    (line,) = [line for line in capfd.readouterr().err.splitlines() if "error" in line]
    assert "a bug in adjudge (KeyError)" in line
    (file,) = (tmp_path / "cache" / "errors").iterdir()
    assert str(file) in line
    text = file.read_text()
    assert "Traceback" in text
    assert "KeyError: 'no [key] and no" in text
    assert SECRET not in text
    assert set(outcomes(tmp_path).values()) == {("call_failed", "defect")}
    everything = b"".join(path.read_bytes() for path in Path(tmp_path).rglob("*") if path.is_file())
    assert SECRET.encode() not in everything


def test_a_defect_of_any_command_is_exit_70(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("adjudge.cli.commands.judges.built_in_judges", lambda: 1 / 0)
    assert run_command(["judges"]) == 70
    assert "a bug in adjudge (ZeroDivisionError)" in capfd.readouterr().err
