"""`compare` and `plan`, as a person types them."""

import json
import re

import pytest
from jsonl import read_lines, write_lines
from served import served

JUDGED = {"contradicts": False, "misses_critical": False, "calculation": False, "numbers": []}
REPLIES = [
    {"match": "[right]", "reply": {"reason": "It says the same.", **JUDGED}},
    {"match": "[wrong]", "reply": {"reason": "It says another thing.", **JUDGED, "contradicts": True}},
    {"match": "[odd]", "reply": "what?"},
]
WORSE_JUDGE = """---
adjudge: 1
name: harm
verdict: {reason: string, score: {enum: [0, 1, 2, 3]}}
score: score
scale: [0, 3]
better: lower
---
How harmful is this? {{response}}
"""


@pytest.fixture
def write(tmp_path):
    def lines(name, rows):
        write_lines(tmp_path / name, rows)
        return name

    return lines


@pytest.fixture
def judge(adjudge, write):
    """Judge answers that say themselves how they come out: `judge("before", ["right", "wrong", …])`."""
    write("replies.jsonl", REPLIES)

    def run(name, answers, *flags, judge="correctness", model="scripted:replies.jsonl", **columns):
        rows = [
            {
                "id": f"q{n}",
                "question": f"Question {n}?",
                "reference": "It.",
                "response": f"[{answer}]",
                "metadata": {"topic": ["law", "tax"][n % 2]},
                **{column: value(n) for column, value in columns.items()},
            }
            for n, answer in enumerate(answers)
        ]
        write(f"{name}_cases.jsonl", rows)
        done = adjudge(
            "run",
            f"{name}_cases.jsonl",
            "--judge",
            judge,
            "--model",
            model,
            "--name",
            name,
            "-o",
            "o.jsonl",
            *flags,
        )
        assert done.code in (0, 3), done.err
        return name

    return run


def some(right, wrong, odd=0):
    return ["right"] * right + ["wrong"] * wrong + ["odd"] * odd


@pytest.fixture
def two(judge):
    judge("before", some(14, 26))
    judge("after", some(30, 10))


def test_compare_says_which_run_is_better_and_which_cases_changed(adjudge, two):
    done = adjudge("compare", "before", "after", "--flips", "1", "--slice", "topic")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "compare before (A) with after (B) · correctness"
    assert lines[1].startswith("B is better   +0.400 [")
    assert lines[1].endswith("40 cases")
    assert lines[2] == "Regressions   none"
    assert lines[3].startswith("Improvements  16 of 40 cases, 1 listed")
    assert lines[4].split() == ["q14", "Question", "14?", "fail", "→", "pass"]
    assert [line.strip() for line in lines[5:8]] == [
        "A “[wrong]”",
        "B “[right]”",
        "judge on A “It says another thing.”",
    ]
    assert "topic=law" in done.out
    assert "score test" not in done.out
    assert "McNemar's score test" in adjudge("compare", "before", "after", "--verbose").out


def test_several_references_are_listed_with_a_changed_case(adjudge, judge):
    for name, answer in (("before", "right"), ("after", "wrong")):
        judge(name, [answer, "right"], reference=lambda _: ["It.", "That."])
    found = json.loads(adjudge("compare", "before", "after", "--json").out)
    (changed,) = found["judges"][0]["changes"]["regressions"]["cases"]
    assert changed["expected"] == "It. / That."


def test_settings_that_differ_are_called_as_on_the_command_line(adjudge, judge):
    judge("before", some(3, 3))
    judge("after", some(3, 3), "--columns", "response=response", "--variables", "current_date=2026-01-31")
    found = " ".join(adjudge("compare", "before", "after").out.split())
    assert "columns is not set in A and {'response': 'response'} in B" in found
    assert "variables is not set in A and {'current_date': '2026-01-31'} in B" in found


def test_compare_as_json(adjudge, two):
    found = json.loads(adjudge("compare", "before", "after", "--json", "--slice", "metadata.topic").out)
    (judge,) = found["judges"]
    assert (judge["finding"], judge["pairs"], judge["secondary"]["only_b_passed"]) == ("better", 40, 16)
    assert judge["comparison"]["difference"]["value"] == pytest.approx(0.4)
    assert [part["value"] for part in judge["slices"]] == ["law", "tax"]
    improvements = judge["changes"]["improvements"]
    assert (improvements["count"], len(improvements["cases"])) == (16, 5)
    assert improvements["cases"][0] == {
        "case_id": "q14",
        "difference": 1.0,
        "a": {"score": 0.0, "passed": False, "response": "[wrong]", "reason": "It says another thing."},
        "b": {"score": 1.0, "passed": True, "response": "[right]", "reason": "It says the same."},
        "question": "Question 14?",
        "expected": "It.",
    }
    assert judge["a"]["run"] == found["a"]["run"] == "before"


def test_gates_decide_the_exit_code(adjudge, judge, two):
    judge("same", some(13, 27))
    regression = adjudge("compare", "after", "before", "--fail-on-regression")
    assert (regression.code, "gate failed: correctness@" in regression.err) == (1, True)
    assert adjudge("compare", "before", "after", "--fail-on-regression", "--margin", "0.01").code == 0
    assert adjudge("compare", "before", "same", "--margin", "0.2").code == 0
    margin = adjudge("compare", "before", "same", "--margin", "0.02")
    assert margin.code == 1
    assert "cannot tell whether B is worse than A by 0.02" in margin.out
    inconclusive = adjudge("compare", "before", "same", "--inconclusive", "fail")
    assert inconclusive.code == 3
    assert "show a true difference of" in inconclusive.err


def test_what_was_lost_is_counted_and_stops_a_gate(adjudge, judge):
    judge("before", some(20, 10, odd=10))
    judge("after", some(35, 5))
    done = adjudge("compare", "before", "after")
    assert "10 matched cases not judged in both runs: A 10 unreadable; B none" in done.out
    assert "(95 %), depending on them" in " ".join(done.out.split())
    gated = adjudge("compare", "before", "after", "--fail-on-regression")
    assert gated.code == 3
    assert "25.0 % of 40 matched cases were not judged in both runs" in gated.err


def test_clusters_are_one_piece_of_evidence(adjudge, judge):
    cluster = {"cluster": lambda n: f"doc{n // 4}"}
    judge("before", some(14, 26), **cluster)
    judge("after", some(30, 10), **cluster)
    (found,) = json.loads(adjudge("compare", "before", "after", "--json").out)["judges"]
    assert (found["clusters"], found["comparison"]["difference"]["clusters"]) == (10, 10)
    assert found["secondary"]["wilcoxon"]["reason"] == "clustered"


def test_repeats_are_averaged(adjudge, judge):
    judge("before", some(14, 26), "--repeat", "3")
    judge("after", some(30, 10), "--repeat", "3")
    done = adjudge("compare", "before", "after", "--verbose")
    assert "A judged each case 3 times; a case counts once, with its mean" in done.out
    assert "40 cases" in done.out.splitlines()[1]


@pytest.mark.parametrize("more", [(), ("--across",)])
def test_runs_with_different_numbers_of_repeats_are_not_compared(adjudge, judge, more):
    judge("before", some(14, 26), "--repeat", "3")
    judge("after", some(30, 10))
    done = adjudge("compare", "before", "after", *more)
    assert done.code == 2
    said = " ".join(done.err.split())
    assert "judged each case a different number of times: 3 in A and 1 in B" in said
    assert "judge the cases of A with --repeat 1, or those of B with --repeat 3" in said
    judge("again", some(30, 10), "--repeat", "3")
    assert adjudge("compare", "before", "again").code == 0


def test_lower_is_better_turns_the_difference_round(adjudge, judge, write, tmp_path):
    (tmp_path / "harm.md").write_text(WORSE_JUDGE)
    replies = [
        {"match": f"[{word}]", "reply": {"reason": "So.", "score": n}}
        for n, word in enumerate(("right", "wrong"))
    ]
    write("harm.jsonl", replies)
    for name, answers in (("before", some(14, 26)), ("after", some(30, 10))):
        judge(name, answers, judge="harm.md", model="scripted:harm.jsonl")
    done = adjudge("compare", "before", "after")
    assert "B is better   +0.400" in done.out
    assert "lower is better on this scale, so the difference is A - B" in done.out


def test_other_judges_and_models_are_refused_unless_asked_for(adjudge, judge, write):
    write(
        "other.jsonl",
        [*REPLIES, {"match": "[right]", "judge": "relevance", "reply": {"reason": "So.", "score": 5}}],
    )
    judge("before", some(20, 0))
    judge("after", some(20, 0), judge="relevance", model="scripted:other.jsonl")
    refused = adjudge("compare", "before", "after")
    assert refused.code == 2
    assert "judge is correctness@" in refused.err
    assert "model is scripted:replies.jsonl in A and scripted:other.jsonl in B" in refused.err
    assert "--across" in refused.err
    done = adjudge("compare", "before", "after", "--across")
    assert done.code == 0, done.err
    assert "scores were put on a scale of 0 to 1" in done.out
    assert "Across        judge is correctness@" in done.out


def test_two_judges_of_one_run_can_be_compared(adjudge, judge, write):
    write(
        "both.jsonl",
        [*REPLIES, {"match": "[right]", "judge": "relevance", "reply": {"reason": "So.", "score": 5}}],
    )
    judge("both", some(12, 0), "--judge", "relevance", model="scripted:both.jsonl")
    found = json.loads(
        adjudge("compare", "both", "both", "--only", "correctness=relevance", "--across", "--json").out
    )
    assert (found["judges"][0]["pairs"], found["judges"][0]["comparison"]["difference"]["value"]) == (12, 0.0)
    assert (found["across"][0]["what"], found["across"][0]["a"][:12]) == ("judge", "correctness@")


def test_labels_say_which_judge_agrees_more_with_people(adjudge, judge, write):
    write("stern.jsonl", [{**row, "reply": REPLIES[1]["reply"]} for row in REPLIES])
    judge("lenient", some(30, 10))
    judge("strict", some(30, 10), model="scripted:stern.jsonl")
    write("labels.jsonl", [{"case_id": f"q{n}", "label": n < 25} for n in range(40)])
    done = adjudge("compare", "lenient", "strict", "--across", "--labels", "labels.jsonl")
    assert done.code == 0, done.err
    assert "A agrees more with people: -0.500 [" in done.out
    assert "A 87.5 % [73.9, 94.5], B 37.5 % [24.2, 53.0] of 40 labelled" in done.out


def test_the_cases_own_labels_will_do(adjudge, judge):
    judge("before", some(14, 6), label=lambda n: int(n < 15))
    judge("after", some(20, 0), label=lambda n: 1)
    (found,) = json.loads(adjudge("compare", "before", "after", "--labels", "cases", "--json").out)["judges"]
    people = found["agreement"]
    assert (people["labelled"], people["a"]["value"], people["b"]["value"]) == (20, 0.95, 1.0)


def test_one_label_is_not_of_two_systems_answers(adjudge, two, write):
    write("labels.jsonl", [{"case_id": f"q{n}", "label": True} for n in range(40)])
    done = adjudge("compare", "before", "after", "--labels", "labels.jsonl")
    assert done.code == 2
    assert "has another response in B than in A" in done.err
    assert "--labels cases" in done.err


@pytest.mark.parametrize("run", [None, "strict"])
def test_labels_of_a_third_systems_answers_are_refused(adjudge, judge, write, run):
    write("stern.jsonl", [{**row, "reply": REPLIES[1]["reply"]} for row in REPLIES])
    judge("lenient", some(30, 10))
    judge("strict", some(30, 10), model="scripted:stern.jsonl")
    mine = ["[right]"] * 30 + ["[wrong]"] * 10
    rows = [
        {"case_id": f"q{n}", "label": n < 25, "response": "Other." if n % 4 == 0 else mine[n]}
        | ({} if run is None else {"run": run})
        for n in range(40)
    ]
    flags = ("compare", "lenient", "strict", "--across", "--labels")
    done = adjudge(*flags, write("other.jsonl", rows), process=True)
    assert done.code == 2, done.out
    assert "10 of 40 labels are of another answer than run" in done.err
    assert "`q0`, `q4`, `q8`, `q12`, `q16` and 5 more" in done.err
    assert (
        adjudge(*flags, write("same.jsonl", [row for row in rows if row["response"] != "Other."])).code == 0
    )


def test_a_row_that_names_a_run_is_of_that_runs_answer(adjudge, two, write):
    rows = [
        {"case_id": f"q{n}", "run": run, "label": n < 20} for n in range(40) for run in ("before", "after")
    ]
    write("labels.jsonl", rows)
    (found,) = json.loads(adjudge("compare", "before", "after", "--labels", "labels.jsonl", "--json").out)[
        "judges"
    ]
    people = found["agreement"]
    assert (people["labelled"], people["a"]["value"], people["b"]["value"]) == (40, 0.85, 0.75)


def test_labels_on_another_scale_ask_for_a_map(adjudge, judge, write):
    write("stern.jsonl", [{**row, "reply": REPLIES[1]["reply"]} for row in REPLIES])
    judge("lenient", some(30, 10))
    judge("strict", some(30, 10), model="scripted:stern.jsonl")
    words = ["good"] * 25 + ["bad"] * 14 + ["unsure"]
    write("labels.jsonl", [{"case_id": f"q{n}", "label": word} for n, word in enumerate(words)])
    flags = ("compare", "lenient", "strict", "--across", "--labels", "labels.jsonl")
    asked = adjudge(*flags)
    assert asked.code == 2
    assert "the labels `bad`, `good`, `unsure` are not on the scale of correctness" in asked.err
    assert "--label-map bad=pass" in asked.err
    maps = ("--label-map", "good=pass", "--label-map", "bad=0", "--label-map", "unsure=skip")
    done = adjudge(*flags, *maps)
    assert done.code == 0, done.err
    assert "A agrees more with people" in done.out
    assert "of 39 labelled" in done.out


@pytest.fixture
def labelled(adjudge, judge, write, tmp_path):
    """Two runs whose judge passes every third wrong answer of `after`; people label the same cases of both."""
    judge("before", some(60, 140))
    judge("after", [*some(90, 0), *(["wrong", "wrong", "right"] * 40)[:110]])

    def label(count, *, skip=0, labels="labels.jsonl"):
        for run in ("before", "after"):
            drawn = adjudge("agree", run, "--next", str(count), "--uniform", "1", "-o", f"{run}{labels}")
            assert drawn.code == 0, drawn.err
            rows = read_lines(tmp_path / f"{run}{labels}")
            for row in rows[skip:]:
                late = row["response"] == "[right]" and int(row["case_id"][1:]) >= 90
                row["label"] = row["response"] == "[right]" and not late
            write(f"filled_{run}{labels}", rows)
            done = adjudge("agree", run, f"filled_{run}{labels}")
            assert done.code == 0, done.err

    return label


def test_labels_of_the_same_cases_correct_the_difference(adjudge, labelled):
    assert "Corrected" not in adjudge("compare", "before", "after").out
    labelled(120)
    done = adjudge("compare", "before", "after", "--flips", "0", "--verbose", environ={"COLUMNS": "400"})
    assert done.code == 0, done.err
    assert "B is better   +0.330 [" in done.out
    assert "Corrected     pass rate +" in done.out
    assert "by people's labels, +0.330 [" in done.out
    assert "estimates how much better people would rate B" in done.out
    assert (
        "quote the corrected difference: it holds whatever errors the judge makes on either side" in done.out
    )
    assert "the judge's own lies outside its interval" in done.out
    assert "labels of 120 of A's answers and 120 of B's, of both for 120 cases" in done.out
    assert "the gates are of the judge's own difference" in done.out
    (found,) = json.loads(adjudge("compare", "before", "after", "--json").out)["judges"]
    correction = found["correction"]
    (difference,) = correction["differences"]
    assert difference["naive"]["value"] == pytest.approx(found["comparison"]["difference"]["value"])
    estimate = difference["ppi"]["estimate"]
    assert estimate["low"] < 0.15 < estimate["high"] < 0.33
    assert (difference["quote"], difference["why"]) == ("ppi", "drawn")
    assert (difference["ppi"]["labels"], correction["selection"]["used"]) == (120, 120)
    (turned,) = json.loads(adjudge("compare", "after", "before", "--json").out)["judges"]
    assert turned["correction"]["differences"][0]["ppi"]["estimate"]["value"] == pytest.approx(
        -estimate["value"]
    )


def test_the_gates_stay_on_the_judges_own_difference(adjudge, labelled):
    labelled(120)
    assert adjudge("compare", "before", "after", "--margin", "0.01", "--fail-on-regression").code == 0
    assert adjudge("compare", "after", "before", "--fail-on-regression").code == 1


def test_labels_that_cannot_correct_say_why(adjudge, labelled, write):
    def corrected():
        return json.loads(adjudge("compare", "before", "after", "--json").out)["judges"][0]["correction"]

    rows = [{"case_id": f"q{n}", "run": run, "label": True} for n in range(40) for run in ("before", "after")]
    write("own.jsonl", rows)
    assert adjudge("agree", "before", "own.jsonl").code == 0
    assert (corrected()["reason"], corrected()["labelled"]) == (
        "selection_unknown",
        {"a": 40, "b": 40, "both": 40},
    )
    assert "Corrected     not by people's labels: how the labelled cases were chosen" in (
        adjudge("compare", "before", "after").out
    )
    labelled(6)
    few = corrected()
    assert (few["differences"][0]["quote"], few["differences"][0]["why"]) == ("naive", "few_labels")
    assert few["selection"]["unknown"] > 0
    adjudge("agree", "before", "--forget")
    assert (corrected()["reason"], corrected()["labelled"]["a"]) == ("selection_unknown", 0)


def test_one_systems_answers_judged_twice_have_no_difference_to_correct(adjudge, judge, write):
    write("stern.jsonl", [{**row, "reply": REPLIES[1]["reply"]} for row in REPLIES])
    label = {"label": lambda n: n < 25}
    judge("lenient", some(30, 10), **label)
    judge("strict", some(30, 10), model="scripted:stern.jsonl", **label)
    done = adjudge("compare", "lenient", "strict", "--across")
    assert "not by people's labels: both runs judged the same responses" in done.out


def test_the_cases_own_labels_of_all_answers_give_the_peoples_difference(adjudge, judge):
    judge("before", some(14, 26), label=lambda n: n < 20)
    judge("after", some(30, 10), label=lambda n: n < 30)
    (found,) = json.loads(adjudge("compare", "before", "after", "--json").out)["judges"]
    (difference,) = found["correction"]["differences"]
    assert difference["ppi"]["estimate"]["value"] == pytest.approx(0.25)
    assert difference["why"] == "all_labelled"
    judge("odd", some(30, 10), label=lambda n: "nice")
    (odd,) = json.loads(adjudge("compare", "before", "odd", "--json").out)["judges"]
    assert odd["correction"]["reason"] == "labels_unreadable"
    assert "--label-map nice=pass" in odd["correction"]["problem"]


def test_ids_that_mean_something_else_are_noticed(adjudge, judge):
    judge("before", some(20, 0))
    judge("after", some(20, 0), question=lambda n: f"Another {n}?")
    found = json.loads(adjudge("compare", "before", "after", "--json").out)
    assert found["other_contents"] == {"count": 20, "checked": 20, "example": "q0"}
    assert "20 of 20 cases checked have another question" in adjudge("compare", "before", "after").out


@pytest.mark.parametrize(
    ("arguments", "says", "then"),
    [
        (("before", "before"), "is both A and B", "name two runs"),
        (("before", "nowhere"), "is not in", "`adjudge runs` lists all"),
        (("before", "after", "--slice", "foo"), "no case has `foo` in its metadata", "the columns are topic"),
        (
            ("before", "after", "--only", "relevance"),
            "A has no judge `relevance`",
            "its judges are correctness",
        ),
        (("before", "after", "--labels", "none.jsonl"), "none.jsonl", "hint"),
        (("before", "after", "--margin", "0"), "--margin", "hint"),
    ],
)
def test_wrong_usage_says_what_to_do(adjudge, two, arguments, says, then):
    done = adjudge("compare", *arguments)
    assert done.code == 2
    assert says in done.err
    assert then in done.err


def test_no_case_in_common_is_an_error_and_nothing_judged_is_not_measured(adjudge, judge):
    judge("before", some(3, 3))
    judge("apart", some(3, 3), id=lambda n: f"z{n}")
    judge("odd", some(0, 0, odd=6))
    apart = adjudge("compare", "before", "apart")
    assert (apart.code, "have no case in common: A has q0, q1, q2" in apart.err) == (2, True)
    odd = adjudge("compare", "before", "odd")
    assert odd.code == 3
    assert "Not measured  no case was judged in both runs" in odd.out


def test_plan_says_how_many_cases_are_needed(adjudge, two):
    cautious = adjudge("plan", "--effect", "0.02")
    assert cautious.out.startswith("9,809 cases, judged in both runs, show a true difference of 0.02")
    assert "nothing is known about your scores" in cautious.out

    def plan(*flags):
        return json.loads(adjudge("plan", *flags, "--json").out)

    known = plan("--effect", "0.1", "--run", "before", "--run", "after")
    one = plan("--effect", "0.1", "--run", "before")
    assert (known["need"]["spread"]["source"]["kind"], known["need"]["spread"]["source"]["cases"]) == (
        "two_runs",
        40,
    )
    assert one["need"]["cases"] > one["others"][-1]["cases"]
    assert plan("--rates", "0.7,0.8")["need"]["effect"] == pytest.approx(0.1)
    clustered = plan("--effect", "0.1", "--sd", "0.5", "--clusters", "4")["need"]
    assert clustered["spread"]["clustering"]["design_effect"] == 4.0
    assert clustered["clusters"] * 4 >= clustered["cases"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rates", "0.8,0.9", "--correlation", "0.7"], "from -0.167 to 0.667"),
        ((), "--effect: is not given"),
        (("--effect", "0.1", "--sd", "1", "--rates", "0.1,0.2"), "--sd cannot be combined with --rates"),
        (("--effect", "0.1", "--rates", "1.5,0.2"), "are not rates"),
        (("--effect", "0.1", "--rates", "half"), "is not of the form A,B"),
        (("--effect", "0.1", "--rates", "1,1"), "leave no room for a difference"),
        (("--effect", "0.1", "--clusters", "many"), "is not of the form SIZE"),
        (("--effect", "0.1", "--clusters", "0.5"), "is out of range"),
        (("--effect", "0.1", "--sd", "1", "--correlation", "0.5"), "belongs to --rates"),
        (("--effect", "0"), "--effect"),
    ],
)
def test_a_plan_of_nothing_says_what_is_wanted(adjudge, arguments, says):
    done = adjudge("plan", *arguments)
    assert done.code == 2
    assert says in done.err
    assert "hint:" in done.err


def test_only_comparisons_that_work_are_offered_and_drawn(tmp_path, adjudge):
    """Another model, other case ids or nothing scored: `compare` refuses these."""
    good, bad = (json.dumps({"reason": "It is so.", "score": score}) for score in (4, 1))
    for name, reply in (("one", good), ("two", bad), ("none", "What?")):
        write_lines(tmp_path / f"{name}.jsonl", [{"match": "q", "reply": reply}])

    def write_cases(prefix):
        rows = [{"id": f"{prefix}{number}", "question": "q", "response": f"r{number}"} for number in range(4)]
        write_lines(tmp_path / "cases.jsonl", rows)

    def run(name, model):
        judge = ("run", "cases.jsonl", "--judge", "relevance", "-m", f"scripted:{model}.jsonl")
        return adjudge(*judge, "--name", name, "--fresh", "-o", "rows.csv")

    write_cases("c")
    assert "adjudge compare" not in run("first", "one").out
    assert "adjudge compare" not in run("model", "two").out
    assert adjudge("compare", "first", "model").code == 2
    assert "adjudge compare first again" in run("again", "one").out
    write_cases("d")
    assert "adjudge compare" not in run("ids", "one").out
    assert adjudge("compare", "again", "ids").code == 2
    assert run("unreadable", "none").code == 3
    assert "adjudge compare ids latest" in run("latest", "one").out
    assert adjudge("compare", "ids", "latest").code == 0
    with served(tmp_path / ".adjudge") as site:
        for name in ("first", "model", "again", "ids", "unreadable", "latest"):
            site.client.get(f"/runs/{name}?now=1")
        page = site.client.get("/").text
    links = re.findall(r"/compare\?a=(\w+)&amp;b=(\w+)", page)
    assert set(links) == {("first", "again"), ("ids", "latest")}


def test_it_says_how_many_changes_judging_again_would_make(adjudge, write):
    """Two repeats of each answer differ in 2 of 10 cases of either run: of 10, judging again changes 2."""
    verdicts = {"a": "RRRRRRRRWW", "b": "WRRRRRRRWW"}
    for run, firsts in verdicts.items():
        rows, replies = [], []
        for number, first in enumerate(firsts):
            second = {"R": "W", "W": "R"}[first] if number in {3, 4} else first
            rows.append(
                {"id": f"q{number}", "question": "q", "reference": "It.", "response": f"{run}{number}"}
            )
            wrong = [{"reason": "r", **JUDGED, "contradicts": said == "W"} for said in (first, second)]
            replies.append({"case_id": f"q{number}", "replies": wrong})
        write(f"{run}.jsonl", rows)
        write("replies.jsonl", replies)
        judge = ("run", f"{run}.jsonl", "--judge", "correctness", "--model", "scripted:replies.jsonl")
        assert adjudge(*judge, "--name", run, "--repeat", "2", "--temperature", "1").code == 0
        assert adjudge(*judge, "--name", f"{run}-once").code == 0
    shown = " ".join(adjudge("compare", "a", "b").out.split())
    assert "judging the same answers again would change at most about 2 of 10 cases" in shown
    found = json.loads(adjudge("compare", "a", "b", "--json").out)["judges"][0]
    assert found["judged_again"]["value"] == pytest.approx(0.2)
    assert found["populations"]["judged_again"]["unit"] == "pair of repeats"
    once = " ".join(adjudge("compare", "a-once", "b-once").out.split())
    assert "not known how many of these changes judging the same answers again would make" in once
