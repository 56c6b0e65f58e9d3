"""A run that holds fewer judgements than were chosen says so first, everywhere, and is no ground for a gate."""

import asyncio
import json
from contextlib import closing
from datetime import UTC, datetime

import pytest
from jsonl import write_lines
from served import served

import adjudge as library
from adjudge.cli.main import run_command
from adjudge.dataset.count import count_rows
from adjudge.errors import UnauthorizedError
from adjudge.records import Completion
from adjudge.store import EndRun, open_store

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})


class Client:
    """Answers so many requests; then it is out of order."""

    name = "test:client"

    def __init__(self, answers):
        self.left = answers

    async def complete(self, request):
        if self.left == 0:
            raise asyncio.CancelledError
        self.left -= 1
        return Completion(text=GOOD)

    async def close(self):
        pass


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    rows = ({"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(20))
    write_lines(path, rows)
    return path


def judge_some(source, answers, **options):
    """What there is when nothing is answered any more."""
    return library.evaluate(source, "relevance", model=Client(answers), jobs=1, name="mine", **options)


@pytest.fixture
def invoke(capfd):
    def invoke(*arguments):
        """(exit code, stdout, stderr)"""
        code = run_command([str(each) for each in arguments])
        return code, *capfd.readouterr()

    return invoke


@pytest.fixture
def interrupted(cases):
    run = judge_some(cases, 7)
    with closing(open_store(".adjudge")) as store:
        assert store.find_run("mine").state == "interrupted"
    return run


def test_the_page_of_the_run_says_so_before_its_figures(interrupted):
    with served(".adjudge") as pages:
        page = pages.client.get("/runs/mine").text
        assert pages.read("/api/runs")["runs"][0]["partial"] == "PARTIAL 7 of 20"
    assert page.index("PARTIAL 7 of 20") < page.index("<table")


def test_what_a_limit_left_unasked_is_not_counted_as_done(cases, invoke):
    limited = judge_some(cases, 20, max_calls=12)
    assert str(limited.partial) == "PARTIAL 12 of 20"
    assert [judgement.outcome.kind for judgement in limited] == ["scored"] * 12 + ["not_asked"] * 8
    assert invoke("report", "mine")[1].startswith("PARTIAL 12 of 20\n")
    assert "PARTIAL 12 of 20" in invoke("runs")[1]
    assert str(judge_some(cases, 20, max_calls=12, store=None).partial) == "PARTIAL 12 of 20"
    assert judge_some(cases, 20, max_calls=20).partial is None


def test_a_gate_on_what_a_limit_left_is_not_measured(cases, invoke, tmp_path):
    replies = ({"case_id": f"c{n}", "reply": GOOD} for n in range(20))
    write_lines(tmp_path / "replies.jsonl", replies)
    run = ("run", cases, "--judge", "relevance", "--model", "scripted:replies.jsonl", "--max-calls", "19")
    assert invoke(*run)[0] == 0
    code, _, err = invoke(*run, "--fail-under", "3", "--max-error-rate", "0.5", "--store", "other")
    assert code == 3
    assert "not measured: PARTIAL 19 of 20" in err
    assert "GATE PASSED" not in err


def test_python_says_what_there_is(interrupted, tmp_path):
    assert str(interrupted.partial) == "PARTIAL 7 of 20"
    assert repr(interrupted) == "<Run mine: PARTIAL 7 of 20, 7 judgements>"
    report = interrupted.report()
    assert report.to_json()["partial"] == {"done": 7, "of": 20}
    assert report.to_markdown().startswith("**PARTIAL 7 of 20**\n")
    assert report.to_html().index("PARTIAL 7 of 20") < report.to_html().index("<h1>")


def test_every_form_of_a_stored_report_begins_with_it_and_a_gate_is_not_measured(
    interrupted, tmp_path, invoke
):
    code, out, _ = invoke("report", "mine")
    assert (code, out.startswith("PARTIAL 7 of 20\n")) == (0, True)
    code, out, err = invoke("report", "mine", "--fail-under", "1", "--json")
    assert (code, json.loads(out)["partial"]) == (3, {"done": 7, "of": 20})
    assert "not measured: PARTIAL 7 of 20" in err
    files = [tmp_path / name for name in ("r.md", "r.html", "r.junit.xml")]
    assert invoke("report", "mine", *(flag for file in files for flag in ("-o", file)))[0] == 0
    assert all("PARTIAL 7 of 20" in file.read_text() for file in files)
    junit = files[2].read_text()
    assert junit.index("PARTIAL") < junit.index('"c0"')
    assert 'tests="8" failures="0" errors="1"' in junit
    assert "PARTIAL 7 of 20" in invoke("runs")[1]
    assert json.loads(invoke("runs", "--json")[1])[0]["partial"] == {"done": 7, "of": 20}
    assert "PARTIAL 7 of 20" in invoke("export", "mine", "-o", tmp_path / "rows.csv")[2]


def test_a_comparison_with_it_says_so_and_its_gates_are_not_measured(interrupted, cases, invoke):
    library.evaluate(cases, "relevance", model=Client(20), name="whole")
    code, out, _ = invoke("compare", "whole", "mine")
    assert code == 0
    assert out.splitlines()[1].split("  ")[0] == "PARTIAL"
    assert "7 of 20: run mine (B) is interrupted" in out
    assert invoke("compare", "whole", "mine", "--fail-on-regression", "--max-error-rate", "1")[0] == 3


def test_a_run_that_is_resumed_or_chose_fewer_is_whole(interrupted, cases, invoke):
    assert judge_some(cases, 20).partial is None
    assert not invoke("report", "mine")[1].startswith("PARTIAL")
    few = library.evaluate(cases, "relevance", model=Client(20), first=5, name="few")
    assert (few.partial, len(few)) == (None, 5)
    part = library.evaluate(cases, "relevance", model=Client(2), first=5, jobs=1, name="part", fresh=True)
    assert str(part.partial) == "PARTIAL 2 of 5"


def test_a_pipe_that_was_not_read_to_its_end_is_of_unknown_length(invoke):
    class Refusing(Client):
        async def complete(self, request):
            raise UnauthorizedError("no such key", status=401)

    rows = ({"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(20))
    run = library.evaluate(rows, "relevance", model=Refusing(0), jobs=1, name="mine")
    assert str(run.partial) == "PARTIAL 4 of unknown"
    assert next(rows)["id"] == "c5"  # it was found to be useless when the fifth had been read
    assert invoke("report", "mine")[1].startswith("PARTIAL 4 of unknown\n")


def test_a_run_whose_last_judgement_was_stored_is_whole_though_it_was_interrupted(cases):
    judge_some(cases, 20)
    with closing(open_store(".adjudge")) as store:
        store.write([EndRun(run_id="mine", state="interrupted", at=datetime.now(UTC))])
        assert store.find_run("mine").partial is None


def test_rows_of_a_file_are_counted_without_reading_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,response\n1,"two\nlines, ""quoted"""\n2,b')
    assert count_rows(path) == 2
    assert count_rows([{"a": 1}] * 3) == 3


def test_a_stored_missing_input_is_not_reused(tmp_path):
    """The message names the columns that there are, which are another file's."""
    whole = {"id": "0", "question": "q", "response": "r"}
    one = library.evaluate(
        [whole, {"id": "1", "question": "q", "colour": "red"}], "relevance", model=Client(1)
    )
    two = library.evaluate(
        [whole, {"id": "2", "question": "q", "size": "large"}], "relevance", model=Client(1)
    )
    assert [run.judgements[1].outcome.kind for run in (one, two)] == ["missing_input"] * 2
    assert "colour" in one.judgements[1].outcome.message
    assert "size" in two.judgements[1].outcome.message
    assert "colour" not in two.judgements[1].outcome.message
