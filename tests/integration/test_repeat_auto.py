"""`--repeat auto`, as a person meets it: rows, report, resume, limits, estimate, agreement with people."""

import json
from collections import Counter

import pytest
from jsonl import read_lines, write_lines
from polite_judge import POLITE

import adjudge as library
from adjudge.records import Request
from adjudge.store import open_store

VOTES = {"sure": "ppppp", "never": "fffff", "late": "pfppf", "torn": "fpfpp", "odd": "p?ppf"}
"""What each repeat would say; `?` cannot be read."""
ASKED = {"sure": 3, "never": 3, "late": 4, "torn": 5, "odd": 4}
WORDS = {"p": "pass", "f": "fail"}


class Model:
    """Says what stands above, and counts how often it was asked for each repeat."""

    def __init__(self, votes=VOTES):
        self.votes = votes
        self.asked = Counter()

    def __call__(self, request: Request) -> str:
        self.asked[request.case_id, request.repeat] += 1
        vote = self.votes[request.case_id][request.repeat]
        return json.dumps({"reason": "So.", "label": WORDS[vote]}) if vote in WORDS else "Well."


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "polite.md").write_text(POLITE)
    rows = [{"id": name, "response": f"Answer {name}.", "label": name != "never"} for name in VOTES]
    write_lines(tmp_path / "cases.jsonl", rows)
    return tmp_path


def evaluate(model, **more):
    return library.evaluate("cases.jsonl", judges=["polite.md"], model=model, **more)


@pytest.mark.parametrize("store", [None, ".adjudge"])
@pytest.mark.parametrize("jobs", [1, 4])
def test_repeats_are_made_only_where_they_can_change_the_verdict(folder, store, jobs):
    model = Model()
    run = evaluate(model, repeat="auto", store=store, jobs=jobs)
    wanted = [(name, repeat) for name in VOTES for repeat in range(ASKED[name])]
    assert [(judgement.case_id, judgement.repeat) for judgement in run] == wanted
    assert {name for name, _ in model.asked} == set(VOTES)
    assert all((name, repeat) not in model.asked for name in VOTES for repeat in range(ASKED[name], 5))
    (summary,) = run.report().judges
    assert summary.passed == 4
    assert summary.pass_rate.n == 5
    assert run.partial is None


def test_the_report_and_agree_count_a_case_once(folder, adjudge):
    replies = [
        {"case_id": name, "replies": [{"reason": "So.", "label": WORDS[vote]} for vote in votes]}
        for name, votes in VOTES.items()
        if name != "odd"
    ]
    replies.append({"case_id": "odd", "reply": {"reason": "So.", "label": "pass"}})
    write_lines(folder / "replies.jsonl", replies)
    done = adjudge(
        "run", "cases.jsonl", "--judge", "polite.md", "--model", "scripted:replies.jsonl",
        "--repeat", "auto", "--name", "r", "-j", "1", "-o", "report.md", "-o", "rows.jsonl",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = read_lines(folder / "rows.jsonl")
    assert Counter(row["case_id"] for row in rows) == {"sure": 3, "never": 3, "late": 4, "torn": 5, "odd": 3}
    text = " ".join(adjudge("report", "r", "--verbose").out.split())
    assert "3.60 times on average, 5 at most; a case counts once" in text
    (found,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    assert (found["passed"], found["pass_rate"]["n"], found["mean_repeats"]) == (4, 5, 3.6)
    assert (found["asked"], found["distribution"]) == (5, {"0": 1, "1": 4})
    assert "Failed 1 all: adjudge show r --failed never" in " ".join(adjudge("report", "r").out.split())
    failed = json.loads(adjudge("show", "r", "--failed", "--json").out)["cases"]
    assert [(case["case_id"], case["results"][0]["passed"]) for case in failed] == [("never", False)]
    agreed = json.loads(adjudge("agree", "r", "--json").out)
    accuracy = agreed["agreement"][0]["figures"]["accuracy"]
    assert (accuracy["n"], accuracy["value"]) == (5, 1.0)
    shown = " ".join(adjudge("show", "r", "torn").out.split())
    assert "mean of the repeats: 0.6" in shown
    assert "1: 3 of 5" in shown


def test_a_disagreement_shows_the_reason_of_the_repeat_that_stands_for_the_case(folder, adjudge):
    said = [{"reason": f"Repeat {at}.", "label": WORDS[vote]} for at, vote in enumerate("pffff")]
    (folder / "replies.jsonl").write_text(
        "".join(json.dumps({"case_id": name, "replies": said}) + "\n" for name in VOTES)
    )
    flags = ("--judge", "polite.md", "--model", "scripted:replies.jsonl", "--repeat", "auto", "-j", "1")
    assert adjudge("run", "cases.jsonl", *flags, "--name", "r").code == 0
    found = json.loads(adjudge("agree", "r", "--json").out)["disagreements"]
    assert {each["reason"] for each in found} == {"Repeat 1."}


@pytest.mark.parametrize("calls", [1, 2, 3, 5, 8, 11, 14, 17])
def test_a_run_that_was_stopped_goes_on_and_asks_nothing_twice(folder, calls):
    model = Model({**VOTES, "odd": "ppppp"})
    evaluate(model, repeat="auto", name="r", max_calls=calls, jobs=2)
    run = evaluate(model, repeat="auto", name="r", jobs=2)
    expected = {**ASKED, "odd": 3}
    assert [(judgement.case_id, judgement.repeat) for judgement in run] == [
        (name, repeat) for name in VOTES for repeat in range(expected[name])
    ]
    assert max(model.asked.values()) == 1
    assert sum(model.asked.values()) == sum(expected.values())
    store = open_store(".adjudge")
    record = store.find_run("r")
    store.close()
    assert (record.state, record.expected, record.judgements) == ("finished", 18, 18)


def test_auto_is_auto_of_five_and_not_five(folder):
    names = [
        evaluate(Model(), repeat=repeat, store=f"s{at}").name
        for at, repeat in enumerate(["auto", "auto:5", 5])
    ]
    assert names[0] == names[1] != names[2]


def test_the_estimate_is_from_the_fewest_to_the_most(folder, adjudge):
    (folder / "replies.jsonl").write_text(
        '{"match": "Answer", "reply": {"reason": "So.", "label": "pass"}}\n'
    )
    done = adjudge(
        "estimate", "cases.jsonl", "--judge", "polite.md", "--model", "scripted:replies.jsonl",
        "--repeat", "auto", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["judgements"] == 15
    assert found["calls"] == {"low": 15, "likely": 15, "high": 75}


def test_what_cannot_be_repeated_so_is_an_error(folder, adjudge):
    (folder / "both.md").write_text("---\nadjudge: 1\nname: both\ncombine: 1 * polite\n---\n")
    done = adjudge(
        "run", "cases.jsonl", "--judge", "both.md", "--model", "scripted:x.jsonl", "--repeat", "auto"
    )
    assert done.code == 2
    assert "`both` is computed from other judges" in done.err
    done = adjudge("run", "cases.jsonl", "--judge", "polite.md", "--repeat", "often")
    assert done.code == 2
    assert "`often` is not a number of repeats" in done.err
