"""`adjudge run`, as a person types it."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from jsonl import parse_lines, write_lines

from adjudge.testing import ModelServer, ServerReply

EXAMPLES = Path(__file__).parents[2] / "examples"
REPLIES = f"scripted:{EXAMPLES / 'replies.jsonl'}"
GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
ROW_FIELDS = [
    "run",
    "case_id",
    "judge",
    "judge_hash",
    "model",
    "model_snapshot",
    "repeat",
    "outcome",
    "score",
    "exact",
    "normalized",
    "passed",
    "probability",
    "reason",
    "verdict",
    "error",
    "notes",
    "usage",
    "cost",
    "latency_ms",
    "calls",
    "attempts",
    "from_store",
    "at",
    "expected_score",
    "distribution",
]


@pytest.fixture
def cases(tmp_path):
    def write(*rows, name="cases.jsonl"):
        text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.fixture
def script(tmp_path):
    def write(*rows, name="replies.jsonl"):
        write_lines(tmp_path / name, rows)
        return f"scripted:{name}"

    return write


def test_a_pipe_gets_the_rows_and_stderr_the_report(adjudge):
    done = adjudge("run", EXAMPLES / "correctness.jsonl", "--judge", "correctness", "--model", REPLIES)
    rows = parse_lines(done.out)
    assert done.code == 0, done.err
    assert [list(row) for row in rows] == [ROW_FIELDS] * 10
    assert done.err.startswith(f"model {REPLIES} · correctness@")
    by_id = {row["case_id"]: row for row in rows}
    assert by_id["c01"]["score"] == 1
    assert by_id["c02"]["score"] == 0
    assert by_id["c10"]["outcome"] == "missing_input"
    assert by_id["c10"]["score"] is None
    assert by_id["c10"]["error"]["message"].startswith("`reference` is absent; the case has `id`,")
    assert "planted_verdict" in by_id["c09"]["notes"]
    assert by_id["c09"]["calls"] == 2


def test_a_terminal_gets_the_report(tmp_path):
    reader, writer = pty.openpty()
    command = Path(sys.executable).with_name("adjudge")
    done = subprocess.run(
        [command, "run", EXAMPLES / "relevance.jsonl", "--judge", "relevance", "--model", REPLIES],
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        check=False,
    )
    os.close(writer)
    shown = b""
    while True:
        try:
            block = os.read(reader, 65536)
        except OSError:
            break
        if not block:
            break
        shown += block
    os.close(reader)
    assert done.returncode == 0
    assert b"relevance" in shown
    assert b'"case_id"' not in shown


def test_rows_go_to_every_file_named(adjudge, tmp_path):
    done = adjudge(
        *("run", EXAMPLES / "coverage.jsonl", "--judge", "coverage", "--model", REPLIES),
        *("-o", "a.jsonl", "-o", "b.csv", "-o", "c.parquet"),
    )
    assert done.code == 0, done.err
    assert "coverage " in done.out
    rows = parse_lines((tmp_path / "a.jsonl").read_text())
    assert len(rows) == 8
    cells = list(csv.DictReader(io.StringIO((tmp_path / "b.csv").read_text(encoding="utf-8-sig"))))
    assert [row["case_id"] for row in cells] == [row["case_id"] for row in rows]
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "c.parquet").num_rows == 8


def test_coverage_comes_out_as_its_contract(adjudge):
    done = adjudge(
        *("run", EXAMPLES / "coverage.jsonl", "--judge", "coverage", "--model", REPLIES, "-n", "1"),
        *("--as", "contract"),
    )
    assert json.loads(done.out)["rationale"][4].startswith("Score: 5 ≈ 5.0 = 5 * (facts_ratio 1.0 * 0.7")


def test_the_report_as_json_counts_what_was_asked_judged_and_lost(adjudge):
    done = adjudge(
        "run", EXAMPLES / "helpfulness.jsonl", "--judge", "helpfulness", "--model", REPLIES, "--json"
    )
    (summary,) = json.loads(done.out)["judges"]
    assert summary["asked"] == 10
    assert summary["outcomes"] == {"scored": 8, "missing_input": 1, "unreadable": 1}
    assert summary["bounds"]["low"] < summary["mean"]["value"] < summary["bounds"]["high"]


def test_over_http_with_a_local_server_and_no_key(adjudge, cases):
    name = cases({"question": "q", "response": "r"})
    with ModelServer(replies=[GOOD]) as server:
        done = adjudge(
            "run", name, "--judge", "relevance", "--model", "openai:local", "--base-url", server.openai_url
        )
    (row,) = parse_lines(done.out)
    assert (done.code, row["score"], row["model"]) == (0, 4, "openai:local")
    assert row["cost"] is None


def test_repeats_sample_and_first(adjudge, cases, script):
    name = cases(*({"id": str(n), "question": "q", "response": "r"} for n in range(6)))
    model = script(*({"case_id": str(n), "reply": GOOD} for n in range(6)))
    done = adjudge("run", name, "--judge", "relevance", "--model", model, "--repeat", "2", "-n", "2")
    assert sorted((row["case_id"], row["repeat"]) for row in parse_lines(done.out)) == [
        ("0", 0),
        ("0", 1),
        ("1", 0),
        ("1", 1),
    ]
    one = adjudge("run", name, "--judge", "relevance", "--model", model, "--sample", "3", "--seed", "5")
    two = adjudge("run", name, "--judge", "relevance", "--model", model, "--sample", "3", "--seed", "5")
    ids = [row["case_id"] for row in parse_lines(one.out)]
    assert len(ids) == 3
    assert ids == [row["case_id"] for row in parse_lines(two.out)]


def test_cases_come_through_a_pipe_too(adjudge, script):
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge(
        *("run", "-", "--judge", "relevance", "--model", model),
        stdin='{"id": "a", "question": "q", "response": "r"}\n',
    )
    assert [row["score"] for row in parse_lines(done.out)] == [4]


def test_map_and_set_fill_inputs(adjudge, cases, script):
    name = cases({"id": "a", "frage": "q", "text": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge(
        *("run", name, "--judge", "relevance", "--model", model),
        *("--columns", "parameters=frage", "--columns", "response=text", "--variables", "tool_calls=[]"),
    )
    assert [row["score"] for row in parse_lines(done.out)] == [4], done.err


# ---- gates and exit codes ------------------------------------------------------------------------------


@pytest.fixture
def half_right(cases, script):
    """Ten cases of correctness: five right, five wrong."""
    reply = {
        "reason": "x",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }
    name = cases(*({"id": str(n), "question": "q", "response": "r", "reference": "x"} for n in range(10)))
    model = script(*({"case_id": str(n), "reply": {**reply, "contradicts": n >= 5}} for n in range(10)))
    return ("run", name, "--judge", "correctness", "--model", model)


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        ((), 0, ""),
        (("--fail-under", "0.2"), 0, "mean needs 0.2 at the lower end of its 95 % interval, has 0.2366"),
        (("--fail-under", "0.3"), 1, "which 10 judgements are too few to show"),
        (("--fail-under-pass-rate", "0.2"), 0, "pass rate needs 20 % at the lower end of its 95 % interval"),
        (("--fail-under-pass-rate", "0.3"), 1, "GATE FAILED"),
        (("--fail-under", "0.5", "--gate", "point"), 0, ""),
        (("--fail-under", "0.6", "--gate", "point"), 1, "correctness: mean needs 0.6, has 0.5"),
        (("--fail-under", "correctness=0.6"), 1, "GATE FAILED"),
        (("--fail-under-pass-rate", "0.7", "--gate", "point"), 1, "pass rate needs 70 %, has 50 %"),
        (("--fail-under", "relevance=1"), 2, "no judge `relevance` in this run"),
        (("--fail-under", "high"), 2, "`high` has no number"),
        (("--fail-under-pass-rate", "80"), 2, "give a number from 0 to 1"),
    ],
)
def test_gates_decide_the_exit_code(adjudge, half_right, flags, code, said):
    done = adjudge(*half_right, *flags)
    assert done.code == code, done.err
    assert said in " ".join(done.err.split())


def test_nothing_judged_is_exit_3_and_goes_before_a_failed_gate(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": "", "status": 422})
    done = adjudge("run", name, "--judge", "relevance", "--model", model, "--fail-under", "3")
    assert done.code == 3
    assert "none of 1 could be judged" in done.err
    assert parse_lines(done.out)[0]["error"]["kind"] == "rejected"


def test_too_many_failures_fail_a_gated_run_as_not_measured(adjudge, cases, script):
    name = cases(*({"id": str(n), "question": "q", "response": "r"} for n in range(4)))
    model = script(
        *({"case_id": str(n), "reply": GOOD} for n in range(3)), {"case_id": "3", "reply": "", "status": 422}
    )
    run = ("run", name, "--judge", "relevance", "--model", model)
    assert adjudge(*run).code == 0
    gated = adjudge(*run, "--fail-under", "3")
    assert gated.code == 3
    assert "25.0 % of 4 could not be judged, more than --max-error-rate 5.0 %" in " ".join(gated.err.split())
    assert "GATE PASSED" not in gated.err
    assert adjudge(*run, "--fail-under", "3", "--max-error-rate", "0.3", "--gate", "point").code == 0


def test_an_interrupt_keeps_what_was_done_and_exits_130(tmp_path, cases):
    name = cases(*({"id": str(n), "question": "q", "response": f"answer {n}"} for n in range(200)))
    interrupted = threading.Event()

    def answer(_):
        return ServerReply(text=GOOD, after=interrupted if len(server.requests) > 4 else None)

    with ModelServer(handler=answer) as server:
        process = subprocess.Popen(
            [
                *(Path(sys.executable).with_name("adjudge"), "run", name, "--judge", "relevance", "-j", "2"),
                *("--model", "openai:x", "--base-url", server.openai_url, "-o", "rows.jsonl"),
            ],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        server.wait_for_requests(6)
        process.send_signal(signal.SIGINT)
        interrupted.set()
        _, err = process.communicate()
    rows = parse_lines((tmp_path / "rows.jsonl").read_text())
    assert process.returncode == 130
    assert 0 < len(rows) < 200
    assert f"interrupted after {len(rows)} judgements; they are in rows.jsonl" in err.decode()


def test_a_reader_that_has_had_enough_is_no_error(tmp_path, cases):
    name = cases(*({"id": str(n), "question": "q", "response": "r"} for n in range(5000)))
    (tmp_path / "replies.jsonl").write_text(
        "".join(json.dumps({"case_id": str(n), "reply": GOOD}) + "\n" for n in range(5000))
    )
    command = Path(sys.executable).with_name("adjudge")
    done = subprocess.run(
        [
            *("bash", "-o", "pipefail", "-c"),
            f"{command} run {name} --judge relevance --model scripted:replies.jsonl | head -1",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert "Unclosed" not in done.stderr
    assert done.returncode == 0


# ---- what a stranger gets wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rnu",), "no such command"),
        (("rnu",), "did you mean `adjudge run`?"),
        (("serve",), "did you mean `adjudge view`?"),
        (("ui",), "did you mean `adjudge view`?"),
        (("eval",), "did you mean `adjudge run`?"),
        (("list",), "did you mean `adjudge runs`?"),
        (("help",), "did you mean `adjudge --help`?"),
        (("run", "cases.jsonl", "--judge", "corectness", "--model", "openai:x"), "did you mean"),
        (("run", "cases.jsonl", "--model", "openai:x"), "no judge was given"),
        (("run", "cases.jsonl", "--judge", "own.md"), "name one with --model or ADJUDGE_MODEL"),
        (("run", "cases.jsonl", "--judge", "relevance", "--model", "opnai:x"), "openai"),
        (("run", "cases.jsonl", "--judge", "relevance", "--model", "openai:x"), "OPENAI_API_KEY"),
        (("run", "caes.jsonl", "--judge", "relevance", "--model", "scripted:r.jsonl"), "cases.jsonl"),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:nowhere.jsonl"),
            "nowhere.jsonl",
        ),
        (("run", "cases.txt", "--judge", "relevance", "--model", "scripted:r.jsonl"), ".jsonl"),
        (("run", "empty.jsonl", "--judge", "relevance", "--model", "scripted:r.jsonl"), "contains no cases"),
        (("run", "cases.jsonl", "--judge", "relevance", "--modell", "x"), "--model"),
        (("run", "cases.jsonl", "--judge", "relevance", "--columns", "response"), "name=value"),
        (
            (
                "run",
                "cases.jsonl",
                "--judge",
                "relevance",
                "--model",
                "scripted:r.jsonl",
                "--columns",
                "respnse=a",
            ),
            "respnse",
        ),
        (
            (
                "run",
                "cases.jsonl",
                "--judge",
                "relevance",
                "--model",
                "scripted:r.jsonl",
                "--pass",
                "score >> 3",
            ),
            "score >> 3",
        ),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:r.jsonl", "-o", "x.xls"),
            ".csv",
        ),
        (
            (
                "run",
                "cases.jsonl",
                "--judge",
                "relevance",
                "--model",
                "scripted:r.jsonl",
                "-o",
                "no/where.jsonl",
            ),
            "no/where.jsonl",
        ),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:r.jsonl", "-j", "0"),
            "choose 1 to 2000",
        ),
    ],
)
def test_wrong_usage_exits_2_and_says_what_to_do(adjudge, cases, arguments, said):
    cases({"question": "q", "response": "r"})
    cases({"case_id": "x", "reply": "y"}, name="r.jsonl")
    cases(name="empty.jsonl")
    cases("hello", name="cases.txt")
    cases("Rate {{ response }} from 1 to 5. Reply as JSON with `score`.", name="own.md")
    done = adjudge(*arguments)
    assert done.code == 2, done.err
    assert "error: " in done.err
    assert said in done.err
    assert "hint: " in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_a_missing_column_is_named_on_its_row(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "response": "r"}, {"id": "b", "question": "q"})
    done = adjudge("run", name, "--judge", "relevance", "--model", script({"case_id": "a", "reply": GOOD}))
    (_, row) = parse_lines(done.out)
    assert row["error"] == {
        "kind": "missing_input",
        "message": "`response` is absent; the case has `id`, `question`",
    }
    assert done.code == 0


def test_broken_json_on_line_7_costs_one_row_and_strict_stops_there(adjudge, cases, script):
    good = [{"id": str(n), "question": "q", "response": "r"} for n in range(1, 10)]
    name = cases(*good[:6], '{"id": "7", "question": ', *good[7:])
    model = script(*({"case_id": row["id"], "reply": GOOD} for row in good))
    done = adjudge("run", name, "--judge", "relevance", "--model", model)
    rows = {row["case_id"]: row for row in parse_lines(done.out)}
    assert done.code == 0
    assert len(rows) == 9
    assert rows["line-7"]["outcome"] == "bad_row"
    assert "cases.jsonl line 7: found broken JSON" in rows["line-7"]["error"]["message"]
    strict = adjudge("run", name, "--judge", "relevance", "--model", model, "--strict")
    assert strict.code == 2
    assert "cases.jsonl line 7" in strict.err


def test_two_columns_for_one_field_stop_the_run_with_the_map_to_type(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "answer": "x", "output": "y"})
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge("run", name, "--judge", "relevance", "--model", model)
    assert done.code == 2
    assert "`answer`" in done.err
    assert "`output`" in done.err
    assert "--columns response=answer" in done.err
    assert (
        adjudge("run", name, "--judge", "relevance", "--model", model, "--columns", "response=answer").code
        == 0
    )


def test_a_server_that_is_down_is_said_so(adjudge, cases):
    name = cases({"question": "q", "response": "r"})
    done = adjudge(
        "run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1"
    )
    assert done.code == 3
    assert "127.0.0.1:9" in done.err


def test_a_full_disk_is_exit_4(adjudge, cases, script, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    name = cases(*({"id": str(n), "question": "q", "response": "r"} for n in range(3)))
    model = script(*({"case_id": str(n), "reply": GOOD} for n in range(3)))
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    done = adjudge("run", name, "--judge", "relevance", "--model", model, "-o", "full.jsonl")
    assert done.code == 4
    assert "full.jsonl" in done.err
    assert "the disk is full" in done.err


def test_a_key_that_the_server_repeats_is_shown_nowhere(adjudge, cases):
    key = "sk-canary-0123456789abcdef"
    name = cases({"question": "q", "response": "r"})
    with ModelServer(
        replies=[ServerReply(status=401, message=f"Incorrect API key provided: {key}")]
    ) as server:
        done = adjudge(
            *("run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url),
            environ={"OPENAI_API_KEY": key},
        )
        assert key in str(server.requests[0].headers)
    assert done.code == 3
    assert "OPENAI_API_KEY" in done.err
    assert key not in done.out + done.err


# ---- what would lose or spoil something ----------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["cases.jsonl", "./cases.jsonl", "link.jsonl", "judge.jsonl", "replies.jsonl"]
)
def test_what_the_run_reads_is_not_written_over(adjudge, cases, script, tmp_path, path):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    (tmp_path / "link.jsonl").symlink_to(tmp_path / name)
    prompt = {"prompt": "Reply with only a number from 1 to 5.\n\n{{response}}"}
    (tmp_path / "judge.jsonl").write_text(json.dumps(prompt))
    before = {file.name: file.read_text() for file in tmp_path.iterdir()}
    done = adjudge("run", name, "--judge", "judge.jsonl", "--model", model, "-o", path)
    assert done.code == 2
    assert "is an input of the run" in done.err
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == before


def test_one_output_given_twice_is_refused(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "response": "r"})
    run = ("run", name, "--judge", "relevance", "--model", script({"case_id": "a", "reply": GOOD}))
    assert "is given twice" in adjudge(*run, "-o", "x.jsonl", "-o", "./x.jsonl").err


def test_a_second_run_into_the_same_file_is_refused_while_the_first_is_writing(adjudge, cases, tmp_path):
    name = cases(*({"id": str(n), "question": "q", "response": f"answer {n}"} for n in range(4)))
    refused = threading.Event()
    with ModelServer(replies=ServerReply(text=GOOD, after=refused)) as server:
        run = (
            "run",
            name,
            "--judge",
            "relevance",
            "--model",
            "openai:x",
            "--base-url",
            server.openai_url,
            "-j",
            "1",
        )
        first = subprocess.Popen(
            [Path(sys.executable).with_name("adjudge"), *run, "-o", "rows.jsonl"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server.wait_for_requests(1)
        second = adjudge(*run, "-o", "rows.jsonl")
        refused.set()
        assert first.wait() == 0
    assert second.code == 2
    assert "another run is writing to it" in second.err
    assert len(parse_lines((tmp_path / "rows.jsonl").read_text())) == 4


@pytest.mark.parametrize("command", [("judges",), ("--help",), ("show", "relevance")])
def test_output_that_cannot_be_written_is_exit_4_and_no_traceback(command, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name("adjudge"), *command],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 4
    assert done.stderr.decode() == "error: the output could not be written: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "2>/dev/full"])
def test_streams_that_are_closed_do_not_stop_a_run(cases, script, tmp_path, closed):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    command = Path(sys.executable).with_name("adjudge")
    done = subprocess.run(
        ["bash", "-c", f"{command} run {name} --judge relevance --model {model} -o rows.jsonl {closed}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(parse_lines((tmp_path / "rows.jsonl").read_text())) == 1


def test_cases_from_a_closed_stdin_are_an_error(tmp_path):
    command = Path(sys.executable).with_name("adjudge")
    done = subprocess.run(
        ["bash", "-c", f"{command} run - --judge relevance --model scripted:x <&-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "error: standard input: is closed" in done.stderr


def test_strict_finishes_what_is_in_flight_and_says_where_it_is(adjudge, cases, tmp_path):
    rows = [{"id": str(n), "question": "q", "response": f"answer {n}"} for n in range(6)]
    name = cases(*rows, "{broken")
    with ModelServer(replies=ServerReply(text=GOOD, delay_seconds=0.05)) as server:
        done = adjudge(
            *("run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url),
            *("--strict", "-o", "rows.jsonl"),
        )
        asked = len(server.requests)
    assert done.code == 2
    assert len(parse_lines((tmp_path / "rows.jsonl").read_text())) == asked == 6
    assert "stopped after 6 judgements; they are in rows.jsonl" in done.err


# ---- what would be measured wrongly --------------------------------------------------------------------


def test_every_call_failing_is_not_measured_though_a_blank_row_got_its_score(adjudge, cases):
    name = cases({"id": "a", "question": "q", "response": "r"}, {"id": "b", "question": "q", "response": ""})
    with ModelServer(replies=ServerReply(status=401, message="no")) as server:
        done = adjudge(
            "run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url
        )
    rows = {row["case_id"]: row for row in parse_lines(done.out)}
    assert done.code == 3
    assert "every call failed" in done.err
    assert (rows["a"]["attempts"], rows["a"]["calls"], rows["a"]["cost"]) == (1, 0, 0)
    assert rows["b"]["score"] == 0


def test_the_cost_of_an_answer_that_was_lost_is_unknown(adjudge, cases):
    name = cases({"id": "a", "question": "q", "response": "r"})
    with ModelServer(replies=ServerReply(text=GOOD, cut=True)) as server:
        done = adjudge(
            "run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url
        )
    (row,) = parse_lines(done.out)
    assert row["outcome"] == "call_failed"
    assert row["cost"] is None


@pytest.mark.parametrize("parameter", ["model=other", 'messages=[{"role": "user"}]', "stream=true"])
def test_a_parameter_cannot_say_what_the_run_says(adjudge, cases, script, parameter):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge("run", name, "--judge", "relevance", "--model", model, "--param", parameter)
    assert done.code == 2
    assert "is set by the run itself" in done.err


def test_a_pass_rule_of_the_wrong_type_is_found_before_the_first_call(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge("run", name, "--judge", "relevance", "--model", model, "--pass", "reason >= 4")
    assert done.code == 2
    assert "the pass rule `reason >= 4` cannot be computed" in done.err


def test_a_judge_that_never_looks_at_the_case_is_refused(adjudge, cases, script, tmp_path):
    (tmp_path / "blind.txt").write_text("---\ndialect: mustache\n---\nReply with only a number from 1 to 5.")
    name = cases({"id": "a", "response": "r"})
    done = adjudge("run", name, "--judge", "blind.txt", "--model", script({"case_id": "a", "reply": "4"}))
    assert done.code == 2
    assert "the prompt has no placeholder" in done.err


def test_a_misspelt_column_is_suggested(adjudge, tmp_path, script):
    (tmp_path / "c.csv").write_text("qestion,respnse\nWhy?,Because.\n")
    model = script({"case_id": "x", "reply": GOOD})
    done = adjudge("run", "c.csv", "--judge", "relevance", "--model", model)
    assert done.code == 2
    assert "c.csv: the row has no `response` or `question`; there is `qestion`, `respnse`" in done.err
    assert "`--columns response=respnse --columns question=qestion`" in done.err


def test_a_blank_question_is_named_though_the_prompt_asks_for_parameters(adjudge, cases, script):
    name = cases({"id": "a", "question": " ", "response": "r", "context": "c"})
    done = adjudge("run", name, "--judge", "relevance", "--model", script({"case_id": "a", "reply": GOOD}))
    assert parse_lines(done.out)[0]["error"]["message"].startswith("`question` is blank")


def test_an_unreadable_row_shows_what_the_model_said(adjudge, cases, script):
    name = cases({"id": "a", "question": "q", "response": "r"})
    done = adjudge(
        "run", name, "--judge", "relevance", "--model", script({"case_id": "a", "reply": "Looks fine!"})
    )
    assert parse_lines(done.out)[0]["error"]["message"].endswith("The last reply: Looks fine!")


def test_contracts_come_in_the_order_of_the_cases(adjudge, cases):
    name = cases(*({"id": str(n), "question": "q", "response": f"answer {n}"} for n in range(12)))

    def reply(request):
        number = int(request.prompt.split("answer ")[1].split("\n")[0])
        text = json.dumps({"reason": f"about {number}", "score": 3})
        return ServerReply(text=text, delay_seconds=0.05 if number % 3 == 0 else 0.0)

    with ModelServer(handler=reply) as server:
        done = adjudge(
            *("run", name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url),
            *("--as", "contract"),
        )
    assert [json.loads(line)["reason"] for line in done.out.splitlines()] == [f"about {n}" for n in range(12)]


def test_the_report_names_the_temperature_of_repeats_and_the_date_prompts_were_told(adjudge, half_right):
    done = adjudge(*half_right, "--repeat", "2", "--json", environ={"ADJUDGE_CURRENT_DATE": "2026-01-02"})
    report = json.loads(done.out)
    assert report["current_date"] == "2026-01-02 (ADJUDGE_CURRENT_DATE)"
    assert report["judges"][0]["temperatures"] == [None]


def test_a_seed_without_a_sample_is_refused(adjudge, half_right):
    assert "add --sample" in adjudge(*half_right, "--seed", "3").err


# ---- settings ------------------------------------------------------------------------------------------


def test_flags_go_before_the_environment_and_that_before_the_file(adjudge, cases, script, tmp_path):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    (tmp_path / "adjudge.toml").write_text(
        f'model = "{model}"\n[run]\njudge = ["relevance"]\nname = "from-file"\n'
    )
    assert parse_lines(adjudge("run", name).out)[0]["run"] == "from-file"
    environ = {"ADJUDGE_NAME": "from-environment"}
    assert parse_lines(adjudge("run", name, environ=environ).out)[0]["run"] == "from-environment"
    assert parse_lines(adjudge("run", name, "--name", "typed", environ=environ).out)[0]["run"] == "typed"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle = 'x'", "did you mean `model`?"),
        ("[rum]\nmodel = 'x'", "did you mean `run`?"),
        ("[run]\nquestion = 'x'", "`question` is not an option"),
        ("base_url = 'http://evil.example'", "could send your key"),
        ("model = ", "is not TOML"),
    ],
)
def test_a_config_file_that_is_wrong_is_said_so(adjudge, tmp_path, text, said):
    (tmp_path / "adjudge.toml").write_text(text)
    done = adjudge("run", "cases.jsonl", "--judge", "relevance")
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_one_value_needs_no_list_in_the_file_and_a_wrong_one_names_its_source(
    adjudge, cases, script, tmp_path
):
    name = cases({"id": "a", "question": "q", "response": "r"})
    model = script({"case_id": "a", "reply": GOOD})
    config = tmp_path / "adjudge.toml"
    config.write_text(f'model = "{model}"\njudge = "relevance"\nfail_under = 3\ngate = "point"\n')
    assert adjudge("run", name).code == 0
    config.write_text("jobs = 3.5\n")
    done = adjudge("run", name, "--judge", "relevance", "--model", model)
    assert done.code == 2
    assert "adjudge.toml: " in done.err
    config.unlink()
    done = adjudge("run", name, "--judge", "relevance", "--model", model, environ={"ADJUDGE_JOBS": "many"})
    assert "ADJUDGE_JOBS: " in done.err


def test_repeatable_flags_come_from_the_environment_too(adjudge, cases, tmp_path, script):
    name = cases({"id": "a", "frage": "q", "text": "r", "reference": "x"})
    model = script({"case_id": "a", "reply": GOOD})
    done = adjudge(
        *("run", name, "--model", model),
        environ={"ADJUDGE_JUDGE": "relevance", "ADJUDGE_COLUMNS": "response=text\nquestion=frage"},
    )
    assert parse_lines(done.out)[0]["score"] == 4, done.err


def test_a_variable_that_nothing_reads_is_warned_of(adjudge):
    done = adjudge("judges", environ={"ADJUDGE_MODLE": "x"})
    assert "warning: ADJUDGE_MODLE is not a known setting; did you mean ADJUDGE_MODEL?" in done.err


def test_a_key_in_the_environment_causes_no_call(adjudge, cases):
    done = adjudge(
        *("run", cases({"question": "q", "response": "r"}), "--judge", EXAMPLES / "polite.txt"),
        environ={"OPENAI_API_KEY": "sk-x"},
    )
    assert done.code == 2
    assert "keys are set for openai:" in done.err


@pytest.mark.parametrize(
    ("judge", "rule", "said"),
    [
        ("correctness", "score >= 4", ("no score can meet", "score >= 0.75")),
        ("correctness", "score >= 0", ("every score meets", "score >= 0.75")),
        ("relevance", "4", ("every score meets", "score >= 4")),
        ("relevance", "score > 5", ("no score can meet", "score >= 4")),
        ("preference", "score >= 4", ("no score can meet", "score > 0.5")),
    ],
)
def test_a_pass_rule_outside_the_scale_is_refused(adjudge, tmp_path, judge, rule, said):
    problem, example = said
    case = {"question": "q", "reference": "x", "response": "r", "response_a": "a", "response_b": "b"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    done = adjudge("run", "cases.jsonl", "--judge", judge, "--model", "openai:x", "--pass", rule)
    assert (done.code, done.out) == (2, "")
    assert f"{problem} the pass rule `{rule}`" in done.err
    assert f"--pass '{example}'" in " ".join(done.err.split())
