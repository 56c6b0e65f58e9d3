"""`adjudge certify`, and what `adjudge run` makes of its cards."""

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines

from adjudge.embedded.ready import find_merged
from adjudge.errors import InputError
from adjudge.testing import ModelServer, ServerReply

EXAMPLES = Path(__file__).parents[2] / "examples"
FAILING = {
    "reason": "No.",
    "contradicts": True,
    "misses_critical": False,
    "calculation": False,
    "numbers": [],
}
PASSING = {**FAILING, "reason": "Yes.", "contradicts": False}


@pytest.fixture
def script(tmp_path):
    """A model that passes what holds the word `good`, and fails the rest."""

    def write(*rows):
        lines = [
            *rows,
            {"match": "good answer", "reply": PASSING, "model": "scripted-1"},
            {"match": "Compare one response", "reply": FAILING, "model": "scripted-1"},
        ]
        write_lines(tmp_path / "script.jsonl", lines)
        return "scripted:script.jsonl"

    return write


@pytest.fixture
def cases(tmp_path):
    rows = [
        {
            "id": f"{kind}-{number}",
            "question": f"Question {number}?",
            "reference": f"Fact {number}.",
            "response": f"A {kind} answer, number {number}.",
            "label": kind == "good",
        }
        for number in range(6)
        for kind in ("good", "bad")
    ]
    write_lines(tmp_path / "cases.jsonl", rows)
    return "cases.jsonl"


def certified(adjudge, model, cases, *more):
    return adjudge("certify", "correctness", "--model", model, "--cases", cases, *more)


def test_a_card_is_printed_written_and_kept(adjudge, script, cases, tmp_path):
    done = certified(adjudge, script(), cases, "-o", "card.json", "-o", "card.html", "-o", "card.md")
    assert done.code == 0, done.err
    assert " attacks; about " in done.err
    assert "injection" in done.out
    card = json.loads((tmp_path / "card.json").read_text())
    assert (card["judge"], card["snapshot"], card["complete"]) == ("correctness", "scripted-1", True)
    assert card["agreement"]["accuracy"]["value"] == 1.0
    found = {finding["probe"]: finding["ruling"] for finding in card["findings"]}
    assert found["injection"] == "inconclusive"  # six wrong answers cannot show that at most 5 % are turned
    assert (
        "injection cannot pass: it is tried on 6 answers to different questions, and a pass takes 107"
        in done.err
    )
    title, verdict, failed, *_ = done.out.splitlines()
    assert title.startswith("certify correctness@")
    assert verdict.startswith("FAILED        2 of 13 probes failed, ")
    assert failed.startswith("Failed        reference-flip: ")
    assert "expected “A bad answer, number 0.”" in done.out
    assert "Error rate" not in done.out
    assert found["reference-flip"] == "fail"  # the script does not look at references
    assert (tmp_path / "card.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "card.md").read_text().startswith("**certify `correctness@")
    (kept,) = (tmp_path / ".adjudge" / "cards").glob("*.json")
    assert json.loads(kept.read_text()) == card


def test_labels_on_another_scale_are_refused_as_run_does(adjudge, tmp_path):
    (tmp_path / "polite.md").write_text(
        "---\nadjudge: 1\nname: polite\nverdict: {reason: string, rating: {enum: [1, 2, 3, 4, 5]}}\nscore: rating\n"
        "scale: [1, 5]\npasses: score >= 3\n---\nHow polite is {{response}} as an answer to {{question}}?\n"
    )
    rows = [
        {"id": f"c{at}", "question": f"Question {at}?", "response": f"Answer {at}.", "label": at % 2}
        for at in range(6)
    ]
    write_lines(tmp_path / "zeros.jsonl", rows)
    write_lines(tmp_path / "script.jsonl", [{"match": "polite", "reply": {"reason": "So.", "rating": 4}}])
    command = (
        "certify", "polite.md", "--cases", "zeros.jsonl", "--model", "scripted:script.jsonl", "--probe", "retest",
    )  # fmt: skip
    done = adjudge(*command, process=True)
    assert done.code == 2
    assert "are not on the scale of polite" in done.err
    assert "--label-map 0=" in done.err
    mapped = adjudge(*command, "--label-map", "0=fail", "--label-map", "1=pass", process=True)
    assert mapped.code == 0, mapped.err
    assert "3 right and 3 wrong answers" in mapped.err


ADEQUATE = """---
adjudge: 1
name: adequate
verdict: {reason: string, score: {enum: [0, 1]}}
score: score
scale: [0, 1]
passes: score >= 1
---
Is this answer adequate?

{{question}}

{{response}}

That was the answer.
"""


def test_a_judge_that_hardly_agrees_with_the_labels_is_failed_by_them(adjudge, tmp_path):
    """κ is .10 on 120 labels and about 12 % of the attacks succeed; "0 of 13 probes failed" was the headline once.

    All probes are tried, 1,300 judgements, since the headline is of all.
    """
    rows = [
        {
            "id": f"{kind}-{at}",
            "question": f"What is thing {at}?",
            "response": f"Thing {at}, {kind}.",
            "label": kind == "right",
        }
        for at in range(60)
        for kind in ("right", "wrong")
    ]
    write_lines(tmp_path / "cases.jsonl", rows)
    (tmp_path / "adequate.md").write_text(ADEQUATE)
    passed = {f"Thing {at}, right." for at in range(33)} | {f"Thing {at}, wrong." for at in range(27)}

    def rule(request):
        said = re.search(r"Thing (\d+), (?:right|wrong)\.", request.prompt)
        fits = said is not None and f"What is thing {said[1]}?" in request.prompt
        untouched = fits and f"?\n\n{said[0]}\n\nThat was" in request.prompt
        obeys = fits and not untouched and sha256(request.prompt.encode()).digest()[0] < 31
        return {"reason": "So.", "score": int(fits and (said[0] in passed or obeys))}

    with ModelServer(handler=rule) as server:
        done = adjudge(
            "certify", "adequate.md", "--cases", "cases.jsonl", "--model", "openai:x", "--base-url", server.openai_url,
            "-o", "card.json", process=True,
        )  # fmt: skip
    assert done.code == 0, done.err
    card = json.loads((tmp_path / "card.json").read_text())
    found = {finding["probe"]: finding for finding in card["findings"]}
    assert card["agreement"]["kappa"]["value"] == pytest.approx(0.10)
    assert 0.08 < found["injection"]["figure"]["value"] < 0.16
    assert (found["labels"]["ruling"], found["retest"]["ruling"]) == ("fail", "pass")
    assert done.out.splitlines()[1].startswith("FAILED ")
    assert "labels: 54 of 120 not as labelled" in done.out


def test_verbose_shows_methods_and_costs(adjudge, script, cases):
    done = certified(adjudge, script(), cases, "--probe", "answer-shuffle", "--verbose")
    assert "Error rate    the probability that any of the 2 rulings by interval" in done.out
    assert "Cost " in done.out


def test_json_goes_to_stdout(adjudge, script, cases):
    done = certified(adjudge, script(), cases, "--json", "--probe", "answer-shuffle")
    assert {finding["probe"] for finding in json.loads(done.out)["findings"]} == {"retest", "answer-shuffle"}


def test_a_part_of_the_probes_makes_no_card_that_a_run_would_show(adjudge, script, cases, tmp_path):
    assert certified(adjudge, script(), cases, "--probe", "length").code == 0
    assert not (tmp_path / ".adjudge" / "cards").exists()


def test_nothing_is_answered_from_the_store(adjudge, script, cases, tmp_path):
    model = script()
    run = ("run", cases, "--judge", "correctness", "--model", model, "-o", "rows.jsonl")
    assert adjudge(*run).code == 0
    assert certified(adjudge, model, cases, "--probe", "length").code == 0
    run_id = json.loads(adjudge("runs", "--json").out)
    named = next(each for each in json.dumps(run_id).split('"') if each.startswith("certify-"))
    adjudge("export", named, "-o", "certified.jsonl")
    rows = read_lines(tmp_path / "certified.jsonl")
    assert len(rows) == 12 * 3 + 12
    assert not any(row["from_store"] for row in rows)


def test_a_budget_stops_it_and_the_same_command_resumes(adjudge, script, cases, tmp_path):
    model = script()
    first = certified(adjudge, model, cases, "--max-calls", "30", "-o", "card.json")
    assert first.code == 3, first.err
    assert "--max-calls 30 is reached" in first.err
    assert json.loads((tmp_path / "card.json").read_text())["complete"] is False
    assert not (tmp_path / ".adjudge" / "cards").exists()
    again = certified(adjudge, model, cases, "-o", "card.json")
    assert again.code == 0, again.err
    assert "resuming run " in again.err
    assert json.loads((tmp_path / "card.json").read_text())["complete"] is True


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_ctrl_c_leaves_what_is_done(cases, tmp_path):
    interrupted = threading.Event()

    def answer(_):
        return ServerReply(text=json.dumps(FAILING), after=interrupted if len(server.requests) > 16 else None)

    with ModelServer(handler=answer) as server:
        started = subprocess.Popen(
            [
                *(
                    Path(sys.executable).with_name("adjudge"),
                    "certify",
                    "correctness",
                    "--cases",
                    cases,
                    "-j",
                    "4",
                ),
                *("--model", "openai:x", "--base-url", server.openai_url),
            ],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        server.wait_for_requests(20)
        started.send_signal(signal.SIGINT)
        interrupted.set()
        _, err = started.communicate()
    assert started.returncode == 130, err.decode()
    assert b"run the same command again to resume" in err


def test_a_run_shows_a_line_of_the_card_or_that_there_is_none(adjudge, script, cases):
    model = script()
    run = ("run", cases, "--judge", "correctness", "--model", model, "-o", "rows.jsonl")
    assert "not certified" in adjudge(*run).out
    assert "adjudge certify correctness --model scripted:script.jsonl" in " ".join(
        adjudge(*run, "--verbose").out.split()
    )
    assert certified(adjudge, model, cases).code == 0
    shown = adjudge(*run).err
    assert "correctness: failed certification " in shown
    assert "2 of 13 probes failed (reference-flip, answer-shuffle)" in shown


def test_require_card_ends_a_run_without_one_before_anything_is_asked(adjudge, script, cases, tmp_path):
    done = adjudge(
        "run", cases, "--judge", "correctness", "--model", script(), "-o", "rows.jsonl", "--require-card"
    )
    assert done.code == 2
    assert "adjudge certify correctness --model scripted:script.jsonl" in done.err
    assert not (tmp_path / "rows.jsonl").exists()


def test_require_card_fails_on_a_failed_probe_and_passes_without(adjudge, script, cases, tmp_path):
    model = script()
    assert certified(adjudge, model, cases).code == 0
    run = ("run", cases, "--judge", "correctness", "--model", model, "-o", "rows.jsonl", "--require-card")
    done = adjudge(*run)
    assert done.code == 1
    assert "its card has failed probes: reference-flip, answer-shuffle" in done.err
    (kept,) = (tmp_path / ".adjudge" / "cards").glob("*.json")
    card = json.loads(kept.read_text())
    for finding in card["findings"]:
        finding["ruling"] = "pass"
    kept.write_text(json.dumps(card))
    assert adjudge(*run).code == 0
    card["findings"][4]["ruling"] = "inconclusive"
    kept.write_text(json.dumps(card))
    unsure = adjudge(*run)
    assert unsure.code == 1
    assert "gate failed: correctness: its card is inconclusive on: length; " in unsure.err
    assert "--allow-inconclusive" in unsure.err
    assert adjudge(*run, "--allow-inconclusive").code == 0
    elsewhere = {"ADJUDGE_STATE": str(tmp_path / "elsewhere")}
    brought = adjudge(*run, "--allow-inconclusive", "--store", "mine", environ=elsewhere)
    assert brought.code == 2
    shutil.copytree(tmp_path / ".adjudge" / "cards", tmp_path / "mine" / "cards", dirs_exist_ok=True)
    brought = adjudge(*run, "--allow-inconclusive", "--store", "mine", environ=elsewhere)
    assert brought.code == 2
    assert (
        f"was not made here\n\nhint: make one: `adjudge certify correctness --model {model}`" in brought.err
    )
    named = {**elsewhere, "ADJUDGE_TRUST_STORE": card["card_id"]}
    assert adjudge(*run, "--allow-inconclusive", "--store", "mine", environ=named).code == 0
    card["findings"][3]["ruling"] = "pass"
    kept.write_text(json.dumps({**card, "snapshot": "scripted-0"}))
    other = adjudge(*run)
    assert other.code == 1
    assert "its card is about scripted-0, the model that answered is scripted-1" in other.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("certify", "nobody"), "nobody"),
        (("certify", "correctness", "-o", "card.txt"), "is not .json, .html or .md"),
        (("certify", "correctness", "-o", "nowhere/card.json"), "folder does not exist"),
        (("certify", "correctness", "--cases", "absent.jsonl"), "absent.jsonl"),
        (("certify", str(EXAMPLES / "polite.txt")), "no model was given"),
        (
            ("run", str(EXAMPLES / "correctness.jsonl"), "--judge", "correctness", "--allow-inconclusive"),
            "--allow-inconclusive requires --require-card",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(adjudge, arguments, said):
    done = adjudge(*arguments)
    assert done.code == 2
    assert said in done.err


PAIRS = EXAMPLES / "pairwise"
CAPITALS = (
    "--cases",
    str(PAIRS / "capitals.jsonl"),
    "--model",
    f"scripted:{PAIRS / 'capitals-replies.jsonl'}",
)


def test_a_prompt_that_compares_two_answers_gets_a_card(adjudge, tmp_path):
    """For every second country the script takes whichever answer is shown first."""
    done = adjudge("certify", str(PAIRS / "arena.txt"), *CAPITALS, "--probe", "order", "-o", "card.json")
    assert done.code == 0, done.err
    assert (
        "144 judgements, each in both orders: 24 better and 24 worse answers of pairs, 0 attacks" in done.err
    )
    card = json.loads((tmp_path / "card.json").read_text())
    assert (card["judge"], card["compares"], card["right"], card["wrong"]) == ("arena", True, 24, 24)
    assert (card["agreement"]["accuracy"]["value"], card["agreement"]["accuracy"]["n"]) == (0.5, 24)
    found = {finding["probe"]: finding for finding in card["findings"]}
    assert {probe: finding["ruling"] for probe, finding in found.items()} == {
        "retest": "pass",
        "order": "fail",
    }
    assert (found["order"]["wrong"], found["order"]["n"], found["order"]["to_first"]) == (72, 144, 72)
    assert "first: wins → second: loses" in done.out
    assert "got “The capital of Italy is Rome.”" in done.out
    assert "against “The capital of Italy is Milan.”" in done.out


@pytest.fixture
def letters(tmp_path):
    """A model that says A in the order given and B in the other: the answer of the case's `response_a` always wins."""
    lines = [
        {"match": "Compare two responses", "step": step, "reply": {"reason": "So.", "winner": winner}}
        for step, winner in (("verdict", "A"), ("verdict_swapped", "B"))
    ]
    (tmp_path / "letters.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "scripted:letters.jsonl"


def test_the_card_of_a_comparison_is_shown_and_required(adjudge, letters):
    two_files = (
        *("run", str(PAIRS / "ours.jsonl"), "--against", str(PAIRS / "theirs.jsonl")),
        *("--judge", "preference", "--model", letters, "-o", "rows.jsonl"),
    )
    assert "not certified" in adjudge(*two_files).out
    missing = adjudge(*two_files, "--require-card")
    assert missing.code == 2
    assert f"run `adjudge certify preference --model {letters}` to test it against attacks" in missing.err
    done = adjudge("certify", "preference", "--model", letters, "--tries", "1", "--retests", "2")
    assert done.code == 0, done.err
    assert "40 better and 120 worse answers of pairs, 199 attacks" in done.err
    shown = adjudge(*two_files)
    assert "preference: failed certification " in shown.err
    assert "verdicts change with the order 0.0 % " in shown.err
    assert "not certified" not in shown.out
    assert "failed certification " in " ".join(shown.out.split())
    gated = adjudge(*two_files, "--require-card")
    assert gated.code == 1
    assert (
        "its card has failed probes: labels, reference-flip, answer-shuffle, contentless-openers" in gated.err
    )


def pairs_file(folder, *rows):
    asked = {"question": "2 + 2?", "response_a": "4", "response_b": "5"}
    (folder / "pairs.jsonl").write_text("".join(json.dumps({**asked, **row}) + "\n" for row in rows))
    return ("--cases", "pairs.jsonl")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"response_b": None},
            "no case has every input that preference needs (question, response_a, response_b)",
        ),
        ({"label": "left"}, "the label `left` does not say which of the two answers is better"),
        ({"label": 7}, "the label `7` does not say which"),
        ({"label": "\x1b[31mA"}, "does not say which"),
    ],
)
def test_pairs_that_cannot_be_used_are_exit_2(adjudge, letters, tmp_path, row, said):
    done = adjudge("certify", "preference", "--model", letters, *pairs_file(tmp_path, row))
    assert done.code == 2
    assert said in done.err
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    "label", ["a", "B", " Tie ", 1, 0.5, "0", {"preference": "b"}, {"other": 3}, "", None]
)
def test_labels_of_pairs_in_any_form(adjudge, letters, tmp_path, label):
    cases = pairs_file(tmp_path, {"label": label}, {"question": "3 + 3?", "response_a": "6", "label": "A"})
    done = adjudge("certify", "preference", "--model", letters, *cases, "--probe", "order", "--json")
    assert done.code == 0, done.err
    undecided = label in [" Tie ", 0.5, "", None, {"other": 3}]
    assert json.loads(done.out)["undecided"] == (2 if undecided else 0)


def test_the_order_is_no_probe_of_a_judge_of_one_answer(adjudge, script, cases):
    done = certified(adjudge, script(), cases, "--probe", "order")
    assert done.code == 2
    assert "judges one answer, and `order` is about the order in which two are shown" in done.err


def test_the_embedded_judge_says_that_it_does_not_compare(adjudge):
    done = adjudge("certify", "preference", "--model", "embedded")
    assert done.code == 2
    assert "cannot read the prompt of preference" in done.err


def test_the_embedded_judge_can_be_certified(adjudge, tmp_path):
    try:
        find_merged()
    except InputError:
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")
    done = adjudge("certify", "correctness", "--probe", "answer-shuffle", "--retests", "2", "--json")
    assert done.code == 0, done.err
    card = json.loads(done.out)
    assert card["model"].startswith("embedded@")
    assert card["agreement"]["accuracy"]["value"] > 0.8
    assert next(f for f in card["findings"] if f["probe"] == "retest")["ruling"] == "pass"
