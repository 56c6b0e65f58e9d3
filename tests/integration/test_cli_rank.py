"""`adjudge rank`: systems compared pair by pair, over HTTP, with the outcomes known beforehand."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines
from served import served

from adjudge.analysis.summary.stored import judges_of, report_of, tally_of
from adjudge.cli.main import run_command
from adjudge.documents.records_json import records_json
from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

SYSTEMS = {"best": 3, "middle": 2, "worst": 1}


def write_systems(folder, systems=SYSTEMS, cases=12):
    paths = []
    for name, quality in systems.items():
        path = folder / f"{name}.jsonl"
        rows = [
            {"id": f"q{n}", "question": f"question {n}", "response": f"quality {quality} for {n}, by {name}"}
            for n in range(cases)
        ]
        write_lines(path, rows)
        paths.append(str(path))
    return paths


def better_quality(request):
    """Prefers the better answer; in every fourth case, whatever stands first."""
    text = json.dumps(request.body["messages"])
    (first, case), (second, _) = re.findall(r"quality (\d) for (\d+)", text)[:2]
    winner = "a" if int(case) % 4 == 3 else "tie" if first == second else "a" if first > second else "b"
    return json.dumps({"reason": "It is better.", "winner": winner})


def rank(server, *arguments):
    return run_command(
        ["rank", *arguments, "-m", "openai:m", "--base-url", server.openai_url, "--judge", "preference"]
    )


def test_clusters_are_called_clusters_and_two_that_agree_tell_nothing(tmp_path, capsys):
    """Cases of two documents, all won: the better system was "best, with 95 % confidence"."""
    files = write_systems(tmp_path, {"best": 3, "worst": 1})
    for file in files:
        rows = read_lines(Path(file))
        chosen = [row for row in rows if int(row["id"][1:]) % 4 != 3]
        write_lines(file, [{**row, "cluster": f"document {number % 2}"} for number, row in enumerate(chosen)])
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files) == 0
    shown = capsys.readouterr().out
    assert "9 comparisons in 2 clusters, each in both orders" in " ".join(shown.split())
    assert "best or worst: more cases are needed to tell" in shown


def test_systems_are_ranked_best_first(tmp_path, capsys):
    files = write_systems(tmp_path)
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *reversed(files), "--json") == 0
        assert len(server.requests) == 3 * 12 * 2
    found = json.loads(capsys.readouterr().out)
    assert next(iter(found)) == "ranking"
    assert [each["name"] for each in found["ranking"]] == ["best", "middle", "worst"]
    # three of twelve cases flip with the order, so they are ties
    assert [(each["won"], each["tied"], each["lost"]) for each in found["ranking"]] == [
        (18, 6, 0),
        (9, 6, 9),
        (0, 6, 18),
    ]
    assert (found["comparisons"], found["cases"], found["left"], found["apart"]) == (36, 12, 0, [])
    assert not found["separated"]  # the ties bound it
    assert all(low < each["strength"] < high for each in found["ranking"] for low, high in [each["interval"]])


def test_a_system_can_be_named_and_the_answer_is_read_at_a_glance(tmp_path, capsys):
    best, _, worst = write_systems(tmp_path, cases=40)
    with ModelServer(handler=better_quality) as server:
        assert rank(server, f"new={best}", worst) == 0
    shown = capsys.readouterr().out
    assert "2 systems ranked by preference" in shown
    assert "new, with 95 % confidence" in shown


def test_equal_systems_are_not_told_apart(tmp_path, capsys):
    files = write_systems(tmp_path, {"one": 2, "two": 2})
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files) == 0
    shown = capsys.readouterr().out
    assert "one or two: more cases are needed to tell" in shown
    assert "one and two" in shown


def write_topics(folder):
    """100 cases: alpha wins the first 30, which are of one topic, beta all others."""
    for name in ("alpha", "beta"):
        rows = [
            {
                "id": f"q{n}",
                "question": f"question {n}",
                "response": f"quality {2 if (n < 30) is (name == 'alpha') else 1} for 0",
            }
            for n in range(100)
        ]
        write_lines(folder / f"{name}.jsonl", rows)


def test_with_few_calls_the_first_rows_do_not_decide(tmp_path, monkeypatch, capsys):
    write_topics(tmp_path)
    monkeypatch.chdir(tmp_path)
    files = ("alpha.jsonl", "beta.jsonl")
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files) == 0
        assert "Best          beta, with 95 % confidence" in capsys.readouterr().out
    bests = []
    for seed in range(5):
        with ModelServer(handler=better_quality) as server:
            arguments = ("--max-calls", "60", "--seed", str(seed), "--store", f"s{seed}", "--name", "few")
            assert rank(server, *files, *arguments) == 0
            assert len(server.requests) == 60
        shown = capsys.readouterr().out
        assert shown.startswith("PARTIAL 30 of 100 comparisons\n")
        said = "30 of 100 comparisons: a random sample of the cases of each pair"
        assert f"{said} (seed {seed})" in " ".join(shown.split())
        bests += [line for line in shown.splitlines() if line.startswith("Best")]
    assert not any("alpha, with" in best for best in bests)
    assert run_command(["report", "few", "--store", "s4"]) == 0
    assert capsys.readouterr().out.startswith("PARTIAL 30 of 100 comparisons\n")


def test_calls_are_spread_evenly_over_pairs_and_cases(tmp_path, monkeypatch, capsys):
    files = write_systems(tmp_path, cases=30)
    monkeypatch.chdir(tmp_path)
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files, "--max-calls", "60", "--name", "few", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["comparisons"], found["left"], found["planned"], found["seed"]) == (30, 60, 90, 0)
    assert [each["won"] + each["tied"] + each["lost"] for each in found["ranking"]] == [20, 20, 20]
    assert found["cases"] > 15  # each pair has its own ten cases
    with closing(open_store(".adjudge")) as store:
        asked = [judgement.case_id for judgement in store.judgements(store.find_run("few").run_id)]
    assert asked != sorted(asked)


def test_few_clusters_are_warned_of(tmp_path, capsys):
    files = []
    for name, quality in (("one", 2), ("two", 1)):
        rows = [
            {"id": f"q{n}", "cluster": str(n % 4), "response": f"quality {quality} for 0"} for n in range(20)
        ]
        files.append(str(tmp_path / f"{name}.jsonl"))
        write_lines(tmp_path / f"{name}.jsonl", [{**row, "question": row["id"]} for row in rows])
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files) == 0
    assert "4 clusters: an interval over fewer than 10 is unreliable" in capsys.readouterr().out


def test_a_comparison_without_a_verdict_is_counted(tmp_path, capsys):
    files = write_systems(tmp_path, {"one": 2, "two": 1})

    def refuse_some(request):
        if "for 5" in json.dumps(request.body["messages"]):
            return ServerReply(text="No.", finish="refusal")
        return better_quality(request)

    with ModelServer(handler=refuse_some) as server:
        assert rank(server, *files, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["comparisons"], found["unscored"]) == (11, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best.jsonl"], "name the files of two systems or more"),
        (["best.jsonl", "best.jsonl"], "another system called `best`"),
        (["best.jsonl", "other.jsonl"], "no case id is in both files"),
        (["best.jsonl", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_what_cannot_be_ranked_is_said(tmp_path, monkeypatch, capsys, arguments, message):
    write_systems(tmp_path)
    (tmp_path / "other.jsonl").write_text('{"id": "x", "question": "q", "response": "r"}\n')
    monkeypatch.chdir(tmp_path)
    with ModelServer(replies="") as server:
        assert rank(server, *arguments) == 2
        assert not server.requests
    assert message in capsys.readouterr().err


def test_a_judge_of_one_answer_cannot_rank(tmp_path, capsys):
    files = write_systems(tmp_path)
    assert run_command(["rank", *files, "-m", "openai:m", "--judge", "relevance"]) == 2
    assert "--judge preference" in capsys.readouterr().err


def test_a_stored_ranking_is_reported_and_on_its_page(tmp_path, monkeypatch, capsys):
    files = write_systems(tmp_path)
    monkeypatch.chdir(tmp_path)
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files, "--name", "three", "--json") == 0
        ranked = json.loads(capsys.readouterr().out)
    assert run_command(["report", "three", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranking"] == ranked
    assert run_command(["report", "three"]) == 0
    shown = capsys.readouterr().out
    assert "best, with 95 % confidence" in shown
    assert "ties count half" not in shown  # A is now one system and now another
    with served(tmp_path / ".adjudge") as site:
        page = " ".join(site.client.get("/runs/three?now=1").text.split())
    assert "<q>best</q>, with 95 % confidence" in page
    assert '<th scope="row">1</th><td><q>best</q></td>' in page


def test_a_ranking_is_made_of_the_judgements_that_a_report_reads_in_whatever_order(
    tmp_path, monkeypatch, capsys
):
    files = write_systems(tmp_path)
    monkeypatch.chdir(tmp_path)
    with ModelServer(handler=better_quality) as server:
        assert rank(server, *files, "--name", "three", "--json") == 0
    ranked = json.loads(capsys.readouterr().out)
    with closing(open_store(".adjudge")) as store:
        record = store.find_run("three")
        tally = tally_of(record, judges_of(store, record))
        for judgement in reversed(list(store.judgements(record.run_id))):
            tally.add(judgement)
        monkeypatch.setattr(store, "judgements", None)  # they are not read again
        assert records_json(report_of(store, record, tally).ranking) == ranked


def test_a_ranking_that_was_not_finished_says_what_is_left(tmp_path, monkeypatch, capsys):
    files = write_systems(tmp_path)
    monkeypatch.chdir(tmp_path)
    with ModelServer(handler=better_quality) as server:
        rank(server, *files, "--name", "few", "--max-calls", "40")
    capsys.readouterr()
    run_command(["report", "few", "--json"])
    found = json.loads(capsys.readouterr().out)["ranking"]
    assert (found["comparisons"], found["left"]) == (20, 16)
