"""A jury: every vote is kept, one verdict per case is computed from them, and the report says what it adds."""

import json
import re
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines
from msgspec.structs import replace
from served import served

import adjudge as library
from adjudge.store import StartRun, open_store

LABELLED = """---
adjudge: 1
name: tone
verdict: {reason: string, label: {enum: [kind, plain, rude]}}
score: {kind: 2, plain: 1, rude: 0}
scale: [0, 2]
---
Is it kind? {{response}}
"""
JUDGE = {"rating": "relevance", "passing": "strict.md", "labels": "tone.md"}
STRICT = """---
adjudge: 1
name: strict
verdict: {reason: string, score: {enum: [0, 1]}}
passes: score >= 1
---
Is it right? {{response}}
"""
FAILED = {"refused": {"reply": "I can't help", "finish": "refusal"}, "dead": {"status": 400}}


def words(kind, vote):
    """A reply that casts this vote."""
    if kind == "labels":
        return {"reply": {"reason": f"it is {vote}", "label": vote}}
    return {"reply": {"reason": f"it is {vote}", "score": vote}}


def write_votes(kind, votes):
    """`votes`: model -> one vote for each case, or a word for how it fails."""
    for model, cast in votes.items():
        rows = [{"case_id": f"c{n}", **FAILED.get(vote, words(kind, vote))} for n, vote in enumerate(cast)]
        write_lines(f"{model}.jsonl", rows)


def write_cases(count, **columns):
    rows = [
        {"id": f"c{n}", "question": "q", "response": f"answer {n}", **{k: v[n] for k, v in columns.items()}}
        for n in range(count)
    ]
    write_lines("cases.jsonl", rows)


@pytest.fixture(autouse=True)
def _files():
    Path("tone.md").write_text(LABELLED)
    Path("strict.md").write_text(STRICT)


def jury_run(kind, votes, rule, *more):
    write_votes(kind, votes)
    models = [part for model in votes for part in ("--model", f"scripted:{model}.jsonl")]
    return ("run", "cases.jsonl", "--judge", JUDGE[kind], *models, "--jury", rule, "-o", "rows.jsonl", *more)


def rows_of(path="rows.jsonl"):
    return read_lines(path)


@pytest.mark.parametrize(
    ("kind", "rule", "votes", "scores"),
    [
        ("rating", "mean", {"a": (5, 1), "b": (4, 2), "c": (0, 5)}, [3, pytest.approx(8 / 3)]),
        ("rating", "median", {"a": (5, 1), "b": (4, 2), "c": (0, 5)}, [4, 2]),
        ("rating", "median", {"a": (5, 1), "b": (4, 2)}, [4.5, 1.5]),
        ("passing", "majority", {"a": (1, 0), "b": (1, 0), "c": (0, 1)}, [1, 0]),
        (
            "passing",
            "mean",
            {"a": (1, 0), "b": (1, 0), "c": (0, 1)},
            [pytest.approx(2 / 3), pytest.approx(1 / 3)],
        ),
        (
            "labels",
            "majority",
            {"a": ("kind", "rude"), "b": ("kind", "plain"), "c": ("rude", "plain")},
            [2, 1],
        ),
        ("labels", "majority", {"a": ("kind", "rude"), "b": ("rude", "rude")}, [None, 0]),
        ("passing", "majority", {"a": (1, 0), "b": (0, 0)}, [None, 0]),
    ],
)
def test_the_verdicts_are_those_written_out(adjudge, kind, rule, votes, scores):
    write_cases(2)
    assert adjudge(*jury_run(kind, votes, rule)).code == 0
    rows = rows_of()
    assert [row["score"] for row in rows] == scores
    name = f"jury:{rule}({','.join(f'scripted:{model}.jsonl' for model in votes)})"
    assert {row["model"] for row in rows} == {name}
    for n, row in enumerate(rows):
        assert [(vote["model"], vote["outcome"]) for vote in row["verdict"]["votes"]] == [
            (f"scripted:{model}.jsonl", "scored") for model in votes
        ]
        assert [vote.get("label", vote["score"]) for vote in row["verdict"]["votes"]] == [
            cast[n] for cast in votes.values()
        ]
        assert row["outcome"] == ("abstained" if scores[n] is None else "scored")


def test_votes_are_rows_of_their_own_in_the_store_and_on_request_in_a_file(adjudge):
    write_cases(2)
    adjudge(*jury_run("rating", {"a": (5, 1), "b": (4, 2), "c": (0, 5)}, "median"), "--name", "r")
    assert adjudge("export", "r", "-o", "jury.jsonl").code == 0
    assert rows_of("jury.jsonl") == rows_of()
    assert adjudge("export", "r", "--votes", "-o", "votes.jsonl").code == 0
    assert [(row["case_id"], row["model"], row["score"]) for row in rows_of("votes.jsonl")] == [
        ("c0", "scripted:a.jsonl", 5), ("c0", "scripted:b.jsonl", 4), ("c0", "scripted:c.jsonl", 0),
        ("c1", "scripted:a.jsonl", 1), ("c1", "scripted:b.jsonl", 2), ("c1", "scripted:c.jsonl", 5),
    ]  # fmt: skip
    with closing(open_store(".adjudge")) as store:
        assert [each.model for each in store.judgements("r")][
            3
        ] == "jury:median(scripted:a.jsonl,scripted:b.jsonl,scripted:c.jsonl)"


def test_jurors_without_a_vote_are_left_out_and_below_the_quorum_there_is_no_verdict(adjudge):
    write_cases(3)
    votes = {"a": (5, "refused", 3), "b": (3, "dead", "refused"), "c": ("dead", 4, 1)}
    done = adjudge(*jury_run("rating", votes, "mean"))
    first, second, third = rows_of()
    assert (first["score"], third["score"]) == (4, 2)
    assert "juror_left_out:scripted:c.jsonl call_failed" in first["notes"]
    assert second["outcome"] == "unreadable"
    assert "1 of 3 jurors voted, and 2 are needed" in second["error"]["message"]
    assert "scripted:a.jsonl: refused" in second["error"]["message"]
    assert "scripted:b.jsonl: call_failed" in second["error"]["message"]
    assert [vote["outcome"] for vote in second["verdict"]["votes"]] == ["refused", "call_failed", "scored"]
    shown = " ".join(done.out.split())
    assert "1 case had fewer votes than the quorum" in shown
    assert "votes left out: scripted:a.jsonl 1 (refused), scripted:b.jsonl 2" in shown
    adjudge(*jury_run("rating", votes, "mean"), "--quorum", "1")
    assert [row["score"] for row in rows_of()] == [4, 4, 2]
    adjudge(*jury_run("rating", votes, "mean"), "--quorum", "3")
    assert [row["outcome"] for row in rows_of()] == ["unreadable"] * 3


def test_what_a_case_lacks_is_said_of_the_jury_too(adjudge):
    whole = '{"id": "c0", "question": "q", "response": "r"}\n'
    Path("cases.jsonl").write_text(whole + '{"id": "c1", "question": "q"}\nnot json\n')
    adjudge(*jury_run("rating", {"a": (5, 5), "b": (4, 4)}, "mean"))
    assert [row["outcome"] for row in rows_of()] == ["scored", "missing_input", "bad_row"]


@pytest.mark.parametrize("rule", ["mean", "median", "majority"])
def test_a_jury_of_one_equals_its_judge(adjudge, rule):
    write_cases(4)
    kind = "passing" if rule == "majority" else "rating"
    votes = {"a": (1, 0, "refused", "dead")}
    adjudge(*jury_run(kind, votes, rule))
    alone = adjudge(
        "run", "cases.jsonl", "--judge", JUDGE[kind], "--model", "scripted:a.jsonl", "-o", "alone.jsonl"
    )
    assert alone.code == 0
    told = {
        "run",
        "model",
        "at",
        "usage",
        "cost",
        "latency_ms",
        "calls",
        "attempts",
        "from_store",
        "model_snapshot",
        "verdict",
    }
    for jury, judge in zip(rows_of(), rows_of("alone.jsonl"), strict=True):
        assert {k: v for k, v in jury.items() if k not in told} == {
            k: v for k, v in judge.items() if k not in told
        }
        verdict = {k: v for k, v in (jury["verdict"] or {}).items() if k != "votes"}
        assert verdict == (judge["verdict"] or {})


@pytest.mark.parametrize(
    ("kind", "arguments", "problem"),
    [
        ("rating", ("--jury", "majority"), "relevance gives numbers from 0 to 5"),
        ("passing", ("--jury", "majority", "--quorum", "3"), "3 votes are more than there are models (2)"),
        ("passing", ("--quorum", "2"), "--quorum requires --jury"),
        ("passing", ("--jury", "weighted"), "choose one of majority, mean, median"),
    ],
)
def test_what_cannot_be_a_jury_is_refused_before_anything_is_asked(adjudge, kind, arguments, problem):
    write_cases(1)
    write_votes(kind, {"a": (1,), "b": (1,)})
    models = ("--model", "scripted:a.jsonl", "--model", "scripted:b.jsonl")
    done = adjudge("run", "cases.jsonl", "--judge", JUDGE[kind], *models, *arguments)
    assert done.code == 2
    assert problem in done.err


def test_the_order_of_the_models_does_not_matter(adjudge):
    write_cases(4)
    votes = {"a": (5, 1, 0, "refused"), "b": (4, 2, 0, 3), "c": (0, 5, 1, 4)}
    adjudge(*jury_run("rating", votes, "median"))
    one = rows_of()
    adjudge(*jury_run("rating", dict(reversed(votes.items())), "median"))
    for a, b in zip(one, rows_of(), strict=True):
        for name in ("score", "exact", "normalized", "passed", "outcome", "reason"):
            assert a[name] == b[name]


def test_an_interrupted_jury_goes_on_and_counts_the_votes_that_come_later(adjudge):
    write_cases(3)
    votes = {"a": (5, 1, 3), "b": (4, 2, 3), "c": (0, 5, 3)}
    run = jury_run("rating", votes, "median", "-j", "1")
    adjudge(*run, "--max-calls", "5", "--name", "r")
    assert [(row["score"], row["outcome"]) for row in rows_of()] == [
        (4, "scored"), (1.5, "scored"), (None, "not_asked"),
    ]  # fmt: skip
    done = adjudge(*run, "--max-calls", "20", "--name", "r")
    assert "resuming run r" in done.err
    assert [row["score"] for row in rows_of()] == [4, 2, 3]
    again = adjudge(*run, "--name", "other")
    assert again.code == 0
    assert [row["score"] for row in rows_of()] == [4, 2, 3]


def test_a_run_killed_between_the_votes_and_the_verdict_makes_it(adjudge):
    write_cases(2)
    run = jury_run("rating", {"a": (5, 1), "b": (4, 2), "c": (0, 5)}, "median")
    adjudge(*run, "--name", "r")
    with closing(open_store(".adjudge")) as store:
        jury = "jury:median(scripted:a.jsonl,scripted:b.jsonl,scripted:c.jsonl)"
        assert store.remove_computed("r", jury, None) == 2
        store.write([StartRun(run=replace(store.find_run("r"), state="interrupted"))])
    adjudge(*run, "--name", "r")
    assert [row["score"] for row in rows_of()] == [4, 2]
    with closing(open_store(".adjudge")) as store:
        assert len(list(store.judgements("r"))) == 8


def test_two_answers_are_compared_by_a_jury(adjudge):
    rows = [
        {"id": f"c{n}", "question": "q", "response_a": f"long answer {n}", "response_b": f"b{n}"}
        for n in range(3)
    ]
    write_lines("cases.jsonl", rows)
    verdicts = {"a": "AAB", "b": "ABT", "c": "BTA"}
    for model, winners in verdicts.items():
        replies = []
        for n, winner in enumerate(winners):
            other = {"A": "B", "B": "A", "T": "tie"}[winner]
            first = "tie" if winner == "T" else winner
            replies.append({"case_id": f"c{n}", "step": "verdict", "reply": {"reason": "r", "winner": first}})
            replies.append(
                {"case_id": f"c{n}", "step": "verdict_swapped", "reply": {"reason": "r", "winner": other}}
            )
        write_lines(f"{model}.jsonl", replies)
    models = [part for model in verdicts for part in ("--model", f"scripted:{model}.jsonl")]
    done = adjudge(
        "run", "cases.jsonl", "--judge", "preference", *models, "--jury", "majority", "-o", "rows.jsonl"
    )
    assert done.code == 0
    assert [row["verdict"]["winner"] for row in rows_of()] == ["a", "tie", "tie"]
    assert [row["score"] for row in rows_of()] == [1, 0.5, 0.5]
    assert [vote["label"] for vote in rows_of()[0]["verdict"]["votes"]] == ["a", "a", "b"]


# ---- what it adds --------------------------------------------------------------------------------------


def labelled_votes(count=60):
    """`good` is right on nine of ten; `poor` and its copy are right on six of ten, and err together."""
    labels = [n % 2 for n in range(count)]
    good = [label if n % 10 else 1 - label for n, label in enumerate(labels)]
    poor = [label if n % 5 not in {1, 2} else 1 - label for n, label in enumerate(labels)]
    return labels, {"good": good, "poor": poor, "copy": poor}


def test_the_report_says_that_copies_are_no_votes_and_that_the_best_member_is_better(adjudge):
    labels, votes = labelled_votes()
    write_cases(60, label=labels)
    done = adjudge(*jury_run("passing", votes, "majority", "--name", "r"))
    shown = " ".join(done.out.split())
    report = json.loads(adjudge("report", "r", "--json").out)
    (jury,) = report["juries"]
    pair = next(
        each
        for each in jury["pairs"]
        if {each["a"], each["b"]} == {"scripted:poor.jsonl", "scripted:copy.jsonl"}
    )
    assert (pair["equal"], pair["coefficient"]["value"]) == (1, 1)
    assert 0.8 < pair["coefficient"]["low"] < 1
    assert jury["effective"]["basis"] == "errors"
    votes = jury["effective"]["value"]
    assert 1 <= votes["low"] < votes["value"] < votes["high"] < 3
    assert jury["best"]["best"] == pytest.approx(0.9)
    assert jury["best"]["jury"] == pytest.approx(0.6)
    assert jury["best"]["model"] == "scripted:good.jsonl"
    assert jury["best"]["difference"]["high"] < 0
    assert (
        "the jury is worse than its best member, scripted:good.jsonl: agreement with labels 60.0 %, of its best member 90.0 % (best of 3 on these labels)"
        in shown
    )
    assert "effective votes of 3: their errors correlate" in shown
    assert [each["model"] for each in report["jurors"]] == [
        f"scripted:{name}.jsonl" for name in ("copy", "good", "poor")
    ]
    assert len(report["judges"]) == 1


def test_two_members_that_never_differ_leave_no_endless_interval(adjudge):
    """`95 % interval -inf to inf`: the difference of two errors is no larger than the scale is wide."""
    write_cases(12, label=[1 + n % 5 for n in range(12)])
    replies = [{"case_id": f"c{n}", "reply": {"reason": "r", "score": 1 + n % 3}} for n in range(12)]
    for name in ("one", "two"):
        write_lines(f"{name}.jsonl", replies)
    models = ("--model", "scripted:one.jsonl", "--model", "scripted:two.jsonl", "--jury", "median")
    done = adjudge("run", "cases.jsonl", "--judge", "relevance", *models, "-o", "rows.jsonl")
    assert "smaller by 0.00, 95 % interval -5.00 to 5.00" in " ".join(done.out.split())


def test_without_labels_the_effective_votes_say_what_they_assume(adjudge):
    _, votes = labelled_votes()
    write_cases(60)
    shown = " ".join(adjudge(*jury_run("passing", votes, "majority")).out.split())
    assert "at least" not in shown
    assert "effective votes of 3, assuming that errors correlate as votes do" in shown


# ---- the candidate -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrote", "judge", "said"),
    [
        ("gpt-4o-mini", "openai:gpt-4o", "judges 1 response of a model of the same family, gpt-4o-mini"),
        ("openai/gpt-4o-2024-08-06", "openai:gpt-4o", "judges 1 response of the same model"),
        ("claude-sonnet-5", "openai:gpt-4o", None),
    ],
)
def test_a_judge_of_its_own_kind_is_warned_about(wrote, judge, said):
    class Named(library.ModelClient):
        name = judge

        async def complete(self, request):
            return library.Completion(text='{"score": 3, "reason": ""}')

        async def close(self):
            pass

    case = {"question": "q", "response": "r", "metadata": {"model": wrote}}
    for found in (
        library.evaluate([case], "relevance", model=Named(), store=None),
        library.evaluate(
            [{"question": "q", "response": "r"}], "relevance", model=Named(), store=None, candidate=wrote
        ),
        library.evaluate([case], "relevance", model=[Named()], jury="mean", store=None),
    ):
        shown = " ".join(found.report().to_markdown().split())
        assert ("models tend to prefer their own" in shown) is (said is not None)
        assert said is None or said in shown.replace("`", "").replace("\\", "")


def test_a_jury_from_python():
    def low(prompt):
        return '{"score": 1, "reason": "low"}'

    def high(prompt):
        return '{"score": 4, "reason": "high"}'

    run = library.evaluate(
        [{"question": "q", "response": "r"}], "relevance", model=[low, high], jury="mean", store=None
    )
    (judgement,) = run.judgements
    assert judgement.score == 2.5
    assert [each.score for each in run.votes] == [1, 4]
    assert [row["model"] for row in run.rows()] == [judgement.model]
    assert len(run.report().jurors) == 2


# ---- other commands --------------------------------------------------------------------------------------


def test_other_commands_look_at_the_jury_or_at_the_model_that_is_named(adjudge):
    labels, votes = labelled_votes(20)
    write_cases(20, label=labels)
    adjudge(*jury_run("passing", votes, "majority"), "--name", "r")
    whole = json.loads(adjudge("agree", "r", "--json").out)
    assert whole["model"].startswith("jury:majority(")
    assert whole["labelled"] == 20
    one = json.loads(adjudge("agree", "r", "--json", "--by", "scripted:good.jsonl").out)
    assert one["model"] == "scripted:good.jsonl"
    wrong = adjudge("agree", "r", "--by", "scripted:nobody.jsonl")
    assert wrong.code == 2
    assert "name one with --by: jury, scripted:good.jsonl" in wrong.err
    done = adjudge(
        "compare", "r", "r", "--by", "scripted:poor.jsonl=scripted:good.jsonl", "--across", "--json"
    )
    (compared,) = json.loads(done.out)["judges"]
    assert compared["matched"] == 20
    assert compared["comparison"]["difference"]["value"] == pytest.approx(
        (sum(votes["good"]) - sum(votes["poor"])) / 20
    )
    jury = json.loads(
        adjudge("compare", "r", "r", "--by", "jury=scripted:good.jsonl", "--across", "--json").out
    )
    assert jury["judges"][0]["matched"] == 20
    assert adjudge("compare", "r", "r").code == 2
    shown = adjudge("show", "r", "c0").out
    assert (
        shown.index("jury:majority(")
        < shown.index("vote of scripted:good.jsonl")
        < shown.index("--- verdict: reply")
    )
    failed = adjudge("show", "r", "--failed").out
    assert "scripted:" not in failed


def test_models_side_by_side_have_to_be_chosen(adjudge):
    labels, votes = labelled_votes(20)
    write_cases(20, label=labels)
    write_votes("passing", votes)
    models = [part for model in votes for part in ("--model", f"scripted:{model}.jsonl")]
    adjudge("run", "cases.jsonl", "--judge", "strict.md", *models, "--name", "r")
    for command in (("agree", "r"), ("compare", "r", "r")):
        done = adjudge(*command)
        assert done.code == 2
        assert "was judged by several models" in done.err
    assert json.loads(adjudge("agree", "r", "--by", "scripted:good.jsonl", "--json").out)["labelled"] == 20


def test_repeats_have_a_verdict_each(adjudge):
    write_cases(1)
    adjudge(*jury_run("rating", {"a": (5,), "b": (1,), "c": (2,)}, "median"), "--repeat", "2")
    assert [(row["repeat"], row["score"]) for row in rows_of()] == [(0, 2), (1, 2)]


def test_a_verdict_that_no_juror_gave_is_printed_as_the_judges_contract(adjudge):
    write_cases(1)
    done = adjudge(*jury_run("rating", {"a": (5,), "b": (2,)}, "mean"), "--as", "contract")
    assert json.loads(done.out) == {"score": 3.5, "reason": "scripted:a.jsonl 5, scripted:b.jsonl 2."}


@pytest.fixture
def pages(adjudge):
    labels, votes = labelled_votes(20)
    write_cases(20, label=labels)
    adjudge(*jury_run("passing", votes, "majority"), "--name", "jury")
    models = [part for model in votes for part in ("--model", f"scripted:{model}.jsonl")]
    adjudge("run", "cases.jsonl", "--judge", "strict.md", *models, "--name", "models")
    with served(".adjudge") as opened:
        yield opened


def test_pages_of_a_jury_and_of_several_models(pages):
    assert pages.read("/api/runs/jury/cases")["total"] == 20
    assert pages.read("/api/runs/models/cases")["total"] == 60
    rows = pages.client.get("/api/runs/jury/rows.jsonl").text.splitlines()
    assert {json.loads(row)["model"].partition("(")[0] for row in rows} == {"jury:majority"}
    chosen = pages.client.get("/compare?a=jury&b=models").text
    assert "Compare a model of A with a model of B" in chosen
    by = "scripted:good.jsonl=scripted:poor.jsonl"
    compared = pages.read("/api/compare", params={"a": "jury", "b": "models", "by": by, "across": "1"})
    assert compared["judges"][0]["matched"] == 20
    page = unescape(
        pages.client.get("/compare", params={"a": "jury", "b": "models", "by": by, "across": "1"}).text
    )
    (subject,) = re.findall(r'<p class="dim">(strict[^<]*)</p>', page)
    assert subject == "strict · scripted:good.jsonl, scripted:poor.jsonl · 20 cases in both"
    (swap,) = re.findall(r'href="([^"]*)">Swap', page)
    swapped = pages.read(f"/api/compare{swap}")["judges"][0]
    assert [swapped["a"]["models"], swapped["b"]["models"]] == [
        ["scripted:poor.jsonl"],
        ["scripted:good.jsonl"],
    ]
    case = re.findall(r'href="(/compare/case[^"]*)"', page)[0]
    sides = re.findall(r'title="(scripted:[^"]*|jury:[^"]*)"', unescape(pages.client.get(case).text))
    assert sides == ["scripted:good.jsonl", "scripted:poor.jsonl"]
    statistics = pages.client.get(
        "/compare", params={"a": "jury", "b": "models", "by": by, "across": "1", "show": "statistics"}
    )
    assert f"adjudge compare jury models --by {by} --across" in unescape(statistics.text)
    for run in ("jury", "models"):
        assert pages.client.get(f"/runs/{run}/label").status_code == 200
        assert pages.read(f"/api/runs/{run}/agreement")["labelled"] == 20


def test_a_plan_takes_the_spread_of_one_model(adjudge, pages):
    for run in ("jury", "models"):
        done = adjudge("plan", "--effect", "0.1", "--run", run, "--json")
        assert done.code == 0, done.err
