"""`adjudge agree`, as a person types it."""

import csv
import json
import random
import shutil
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines

JUDGE = """---
adjudge: 1
name: tone
inputs: {question: required, response: required}
verdict: {reason: string, score: {enum: [1, 2, 3, 4, 5]}}
score: score
scale: [1, 5]
passes: score >= 3
---
Rate the tone of {{response}} as an answer to {{question}}.
"""
COUNT = 120


def truth(at):
    return random.Random(at).choice([1, 2, 3, 4, 5])  # the same in every run


def said(at):
    """The judge is right but in every sixth case, where it is two too kind."""
    return min(5, truth(at) + 2 * (at % 6 == 0))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which the plain run has been made: most tests begin with a copy of it."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def run(adjudge, tmp_path, finished):
    def make(**options):
        if options or not (finished / "cases.jsonl").exists():
            judge_all(**options)
            if not options:
                shutil.copytree(tmp_path, finished, dirs_exist_ok=True)
        else:
            shutil.copytree(finished, tmp_path, dirs_exist_ok=True)

    def judge_all(*, own=False, name="r", fail=(), cluster=False):
        (tmp_path / "tone.md").write_text(JUDGE)
        cases = [
            {
                "id": f"c{at:03}",
                "question": f"Question {at}?",
                "response": f"Answer {at}.",
                "metadata": {"system": "AB"[at % 2]},
                **({"label": truth(at)} if own else {}),
                **({"cluster": f"q{at // 4}"} if cluster else {}),
            }
            for at in range(COUNT)
        ]
        write_lines(tmp_path / "cases.jsonl", cases)
        replies = [
            {
                "case_id": f"c{at:03}",
                "reply": "no idea"
                if at in fail
                else json.dumps({"reason": f"Because {at}.", "score": said(at)}),
            }
            for at in range(COUNT)
        ]
        write_lines(tmp_path / "replies.jsonl", replies)
        model = "scripted:replies.jsonl"
        done = adjudge("run", "cases.jsonl", "--judge", "tone.md", "--model", model, "--name", name)
        assert done.code in {0, 3}, done.err

    return make


def fill_in(path, target, *, skip=0):
    """What a person would do with the file."""
    rows = read_lines(path)
    for at, row in enumerate(rows):
        if at >= skip:
            row |= {"label": truth(int(row["case_id"][1:])), "annotator": "anna"}
    write_lines(target, rows)
    return rows


def flat(text):
    """Whatever the lines were broken to."""
    return " ".join(text.split())


def test_cases_with_a_label_column_need_no_file(adjudge, run):
    run(own=True)
    done = adjudge("agree", "r", "--slice", "system", "--disagreements", "2")
    assert done.code == 0, done.err
    assert "Labels 120 on 120 of 120 judged cases, from the cases' own label column" in flat(done.out)
    for words in (
        "accuracy (same label)",
        "kappa, quadratic weights",
        "Krippendorff's alpha, ordinal",
        "Spearman correlation",
        "precision of passes",
        "Rogan-Gladen",
        "Quote PPI++, of the 120 judged cases: every one has a label",
        "system = A",
        "2 shown, farthest apart first",
        "judge “Because ",
    ):
        assert words in flat(done.out)
    report = json.loads(adjudge("agree", "--json").out)
    exact = sum(said(at) == truth(at) for at in range(COUNT)) / COUNT
    assert report["agreement"][0]["figures"]["accuracy"]["value"] == pytest.approx(exact)
    people = sum(truth(at) for at in range(COUNT)) / COUNT
    assert report["means"][0]["ppi"]["estimate"]["value"] == pytest.approx(people)


def test_drawn_labels_correct_the_means_and_the_draw_is_blind(adjudge, run, tmp_path):
    run()
    drawn = adjudge("agree", "r", "--next", "60", "-o", "first.jsonl")
    assert drawn.code == 0, drawn.err
    assert "drew 60 of 120 cases judged by tone (draw 1, seed 0)" in drawn.err
    assert "likelier the nearer the score is to the pass threshold (10 % uniform)" in drawn.err
    assert "label: a number from 1 to 5 or true or false" in drawn.err
    assert "; sampling probabilities after this draw 0.0" in drawn.err
    rows = fill_in(tmp_path / "first.jsonl", tmp_path / "filled.jsonl")
    assert [row["case_id"] for row in rows] != sorted(row["case_id"] for row in rows)
    assert len({row["case_id"] for row in rows}) == 60
    assert all(
        set(row) == {"case_id", "question", "response", "label", "annotator", "explanation"} for row in rows
    )
    done = adjudge("agree", "r", "filled.jsonl")
    assert done.code == 0, done.err
    assert "stored 60 labels" in done.err
    assert "(10 % uniform), with known sampling probabilities" in flat(done.out)
    assert "each label is weighted by one over its sampling probability" in flat(done.out)
    assert "judged cases: valid whatever errors the judge makes" in flat(done.out)
    means = json.loads(adjudge("agree", "r", "--json").out)["means"][0]
    people = sum(truth(at) for at in range(COUNT)) / COUNT
    assert means["ppi"]["estimate"]["low"] < people < means["ppi"]["estimate"]["high"]
    assert means["ppi"]["estimate"]["value"] < means["naive"]["estimate"]["value"]


def test_labels_that_the_judge_was_tuned_on_are_in_no_figure(adjudge, run, tmp_path):
    """The best of 20 prompts, corrected by the labels that chose it, covers .83 of the time; by other labels .95."""
    run()
    adjudge("agree", "r", "--next", "60", "--uniform", "1", "-o", "drawn.jsonl")
    rows = fill_in(tmp_path / "drawn.jsonl", tmp_path / "filled.jsonl")
    write_lines(
        tmp_path / "marked.jsonl",
        [row | {"split": "tune" if at < 25 else "test"} for at, row in enumerate(rows)],
    )
    done = adjudge("agree", "r", "marked.jsonl")
    assert done.code == 0, done.err
    assert "Labels 35 on 35 of 95 judged cases" in flat(done.out)
    assert "Left out 25 cases whose labels the judge was tuned on (`split` is `tune`)" in flat(done.out)
    assert "if every drawn case was labelled and the judge was not tuned on these labels" in flat(done.out)
    later = json.loads(adjudge("agree", "r", "--json").out)  # the mark is stored
    assert (later["tuned_on"], later["labels"], later["means"][0]["ppi"]["labels"]) == (25, 35, 35)
    adjudge("agree", "r", "filled.jsonl")  # the same labels, no longer marked
    assert json.loads(adjudge("agree", "r", "--json").out)["tuned_on"] == 0


def test_more_is_drawn_from_the_rest_and_what_is_not_labelled_yet_is_said_and_written_again(
    adjudge, run, tmp_path
):
    run()
    adjudge("agree", "r", "--next", "30", "-o", "one.jsonl")
    first = fill_in(tmp_path / "one.jsonl", tmp_path / "filled.jsonl", skip=10)
    done = adjudge("agree", "r", "filled.jsonl")
    assert "10 rows have no label yet" in done.err
    assert "10 drawn cases without a label yet" in flat(done.out)
    assert "draw 1: 20 of 30 labelled (67 %)" in flat(done.out)
    assert "the more doubtful half: " in flat(done.out)
    assert "Quote PPI++" not in flat(done.out)
    assert "Quote none: 10 drawn cases without a label" in flat(done.out)
    assert "Bounds PPI++ " in flat(done.out)
    second = adjudge("agree", "r", "--next", "30", "-o", "two.csv", "--json")
    probabilities = json.loads(second.out)["sampling_probabilities"]
    assert len(probabilities) == COUNT
    assert f"{min(probabilities.values()):.3g} to {max(probabilities.values()):.3g}" in second.err
    assert "10 cases of earlier draws have no label yet" in second.err
    with (tmp_path / "two.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert list(table[0])[-3:] == ["label", "annotator", "explanation"]
    assert not {row["case_id"] for row in table} & {row["case_id"] for row in first}
    again = adjudge("agree", "r", "--next", "0", "-o", "-")
    assert len(again.out.splitlines()) == 40
    for row in table:
        row["label"] = str(truth(int(row["case_id"][1:])))
    with (tmp_path / "two.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    report = json.loads(adjudge("agree", "r", "two.csv", "--annotator", "anna", "--json").out)
    assert (report["labels"], report["annotators"], report["sample"]["missing"]) == (
        50,
        ["anna"],
        10,
    )


def test_labels_of_unknown_selection_are_reported_and_not_used_to_correct(adjudge, run, tmp_path):
    run()
    rows = [{"case_id": f"c{at:03}", "label": truth(at)} for at in range(40)]
    write_lines(tmp_path / "labels.jsonl", [*rows, {"case_id": "nowhere", "label": 3}])
    done = adjudge("agree", "r", "labels.jsonl", "--no-keep")
    assert done.code == 0, done.err
    assert "how these cases were chosen is unknown" in flat(done.out)
    assert "Left out 1 labels of cases that this run does not have" in flat(done.out)
    assert "Quote the naive mean, reported as the judge's" in flat(done.out)
    sample = adjudge("agree", "r", "labels.jsonl", "--no-keep", "--random-sample")
    assert "Quote PPI++" in flat(sample.out)
    assert "no label of tone is known" in adjudge("agree", "r").err


def test_several_people_are_held_against_each_other(adjudge, run, tmp_path):
    run(cluster=True)
    rows = [
        {
            "case_id": f"c{at:03}",
            "label": truth(at) >= 3 if at % 11 != off else truth(at) < 3,
            "annotator": who,
        }
        for off, who in enumerate(("anna", "ben", "cleo"))
        for at in range(COUNT)
    ]
    write_lines(tmp_path / "labels.jsonl", rows)
    done = adjudge("agree", "r", "labels.jsonl")
    assert done.code == 0, done.err
    assert "Agreement among 3 annotators (120 labelled cases with two labels or more, unweighted)" in flat(
        done.out
    )
    assert "Alt-test the judge may replace a person (epsilon 0.2)" in flat(done.out)
    assert "over 30 clusters" in flat(adjudge("agree", "r", "--verbose").out)
    assert "over 30 clusters" not in flat(done.out)
    assert "people differ on" in done.out  # why there is no Rogan-Gladen
    gone = adjudge("agree", "r", "--forget", "--annotator", "cleo")
    assert "removed 120 labels" in gone.err
    assert "2 annotators: the alt-test needs 3" in flat(adjudge("agree", "r").out)


def test_labels_on_another_scale_ask_for_a_map(adjudge, run, tmp_path):
    run()
    rows = [{"case_id": f"c{at:03}", "label": ["bad", "good", "unsure"][at % 3]} for at in range(30)]
    write_lines(tmp_path / "labels.jsonl", rows)
    asked = adjudge("agree", "r", "labels.jsonl")
    assert asked.code == 2
    assert "the labels `bad`, `good`, `unsure` are not on the scale of tone" in asked.err
    assert "--label-map bad=pass" in asked.err
    maps = ("--label-map", "good=pass", "--label-map", "bad=fail", "--label-map", "unsure=skip")
    done = adjudge("agree", "r", "labels.jsonl", *maps)
    assert done.code == 0, done.err
    assert "Labels 20 on 20 of 120 judged cases" in flat(done.out)
    assert adjudge("agree", "r").code == 0  # stored as what they stand for


def test_failed_cases_are_counted_and_a_run_without_verdicts_is_not_measured(adjudge, run):
    run(own=True, fail=range(0, COUNT, 10))
    done = adjudge("agree", "r")
    assert "Not judged 12 (12 unreadable); 12 with a label, used in the mean alone" in flat(done.out)
    run(own=True, fail=range(COUNT), name="none")
    nothing = adjudge("agree", "none")
    assert nothing.code == 3
    assert "could not be measured" in nothing.err
    assert adjudge("agree", "none", "--next", "5").code == 2


@pytest.mark.parametrize("column", ["response", "answer"])
def test_labels_of_another_systems_answers_are_refused(adjudge, run, tmp_path, column):
    run()
    rows = [
        {"id": f"c{at:03}", column: f"Answer  {at}.\n" if at % 2 else f"Other {at}.", "label": 3}
        for at in range(40)
    ]
    write_lines(tmp_path / "other.jsonl", rows)
    done = adjudge("agree", "r", "other.jsonl", process=True)
    assert done.code == 2
    assert "20 of 40 labels are of another answer than run" in done.err
    assert "`c000`, `c002`, `c004`, `c006`, `c008` and 15 more" in done.err
    assert "drop the column" in done.err
    assert "no label of tone is known" in adjudge("agree", "r").err
    write_lines(tmp_path / "same.jsonl", rows[1::2])
    assert adjudge("agree", "r", "same.jsonl").code == 0


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (lambda text: {"Bot Answer": text}, ("--columns", "response=Bot Answer")),
        (
            lambda text: {
                "messages": [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": text}]
            },
            (),
        ),
    ],
    ids=["foreign heading", "conversation"],
)
def test_answers_are_compared_wherever_the_run_found_them(adjudge, tmp_path, columns, options):
    (tmp_path / "tone.md").write_text(JUDGE.replace(" as an answer to {{question}}", ""))
    for system in ("ours", "theirs"):
        rows = [{"id": f"c{at}", **columns(f"{system} {at}"), "label": 3} for at in range(4)]
        write_lines(tmp_path / f"{system}.jsonl", rows)
    replies = [{"case_id": f"c{at}", "reply": {"reason": "r", "score": 3}} for at in range(4)]
    write_lines(tmp_path / "replies.jsonl", replies)
    run = ("run", "ours.jsonl", "--judge", "tone.md", "--model", "scripted:replies.jsonl", "--name", "r")
    done = adjudge(*run, *options)
    assert done.code == 0, done.err
    refused = adjudge("agree", "r", "theirs.jsonl")
    assert refused.code == 2
    assert "4 of 4 labels are of another answer than run r judged" in refused.err
    taken = adjudge("agree", "r", "ours.jsonl")
    assert taken.code == 0, taken.err


def test_labels_serve_every_run_over_the_same_cases(adjudge, run, tmp_path):
    run()
    adjudge("agree", "r", "--next", "40")
    fill_in(tmp_path / "to_label.jsonl", tmp_path / "filled.jsonl")
    adjudge("agree", "r", "filled.jsonl")
    run(name="again")
    done = adjudge("agree", "again")
    assert "Labels 40 on 40 of 120 judged cases, from the store" in flat(done.out)
    assert "known sampling probabilities" in flat(done.out)
    assert adjudge("agree", "again", "filled.jsonl").code == 0
    assert "known sampling probabilities" in flat(adjudge("agree", "again").out)


@pytest.fixture(scope="module")
def finished_both(tmp_path_factory):
    return tmp_path_factory.mktemp("both")


@pytest.fixture
def both(adjudge, tmp_path, finished_both):
    """Runs `a` and `b`: two systems' answers, the same in every tenth case; the judge is one too kind to B's."""
    if (finished_both / "a.jsonl").exists():
        shutil.copytree(finished_both, tmp_path, dirs_exist_ok=True)
        return
    (tmp_path / "tone.md").write_text(JUDGE)
    for system in "ab":
        rows = [
            {
                "id": f"c{at:03}",
                "question": f"Question {at}?",
                "response": f"Answer {at}" + ("." if at % 10 == 0 else f" of {system}."),
                "metadata": {"system": system},
            }
            for at in range(COUNT)
        ]
        write_lines(tmp_path / f"{system}.jsonl", rows)
        replies = [
            {
                "case_id": row["id"],
                "reply": json.dumps(
                    {
                        "reason": "So.",
                        "score": min(
                            5, said_of(row["id"], row["response"]) + (system == "b" and at % 3 == 0)
                        ),
                    }
                ),
            }
            for at, row in enumerate(rows)
        ]
        write_lines(tmp_path / f"{system}_replies.jsonl", replies)
        # one model for both: its words depend on the case alone, so each run has a file of its own, put in its place
        shutil.copy(tmp_path / f"{system}_replies.jsonl", tmp_path / "replies.jsonl")
        done = adjudge(
            "run",
            f"{system}.jsonl",
            "--judge",
            "tone.md",
            "--model",
            "scripted:replies.jsonl",
            "--name",
            system,
        )
        assert done.code == 0, done.err
    shutil.copytree(tmp_path, finished_both, dirs_exist_ok=True)


def said_of(case_id, response):
    """What a person says: another score for another system, the same for the same answer."""
    return random.Random(f"{case_id}{response[-4:]}").choice([1, 2, 3, 4, 5])


def test_rows_that_name_another_run_are_that_runs_and_a_wrong_one_is_refused(adjudge, both, tmp_path):
    rows = [{"case_id": f"c{at:03}", "run": name, "label": 3} for at in range(10, 20) for name in "ab"]
    write_lines(tmp_path / "named.jsonl", rows)
    kept_out = adjudge("agree", "a", "named.jsonl", "--no-keep")
    assert "10 rows are of run b: left out" in kept_out.err
    assert json.loads(adjudge("agree", "a", "named.jsonl", "--json").out)["labels"] == 10
    assert json.loads(adjudge("agree", "b", "--json").out)["labels"] == 10
    write_lines(tmp_path / "only_b.jsonl", [{"case_id": "c020", "run": "b", "label": 3}])
    only = adjudge("agree", "a", "only_b.jsonl")
    assert "stored 1 labels of run b" in only.err
    assert "Labels 10 on 10 of 120" in flat(only.out)
    for wrong in ("c", "last", "\x1b[31m"):
        write_lines(tmp_path / "wrong.jsonl", [*rows, {"case_id": "c030", "run": wrong, "label": 3}])
        refused = adjudge("agree", "a", "wrong.jsonl")
        assert refused.code == 2
        assert "which is no run in" in refused.err
        assert "\x1b" not in refused.err
    assert json.loads(adjudge("agree", "a", "--json").out)["labels"] == 10


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("r", "nothing.jsonl"), "there is no such file"),
        (("r",), "`adjudge agree RUN --next 50` draws cases to label"),
        (("elsewhere",), "is not in"),
        (("labels.jsonl",), "hint: adjudge agree last labels.jsonl"),
        (("r", "--only", "other"), "the run's judges are tone@"),
        (("r", "labels.jsonl", "--next", "5"), "--next cannot be combined with LABELS"),
        (("r", "labels.jsonl", "--forget"), "--forget cannot be combined with LABELS"),
        (("r", "--no-keep"), "--no-keep requires LABELS"),
        (("r", "--next", "5", "-o", "cases.jsonl"), "already exists"),
        (("r", "--next", "5", "-o", "cases.html"), "is not a format to label in"),
        (("r", "--next", "0"), "every drawn case has a label"),
        (("r", "--next", "5", "--uniform", "0.05"), "0.1<=x<=1"),
        (("r", "other.jsonl"), "has no label for a case of run r"),
        (("r", "blank.jsonl"), "fill in `label`: a number from 1 to 5"),
        (("r", "labels.jsonl", "--label-map", "good"), "is not of the form name=value"),
    ],
)
def test_wrong_usage_says_what_to_do(adjudge, run, tmp_path, arguments, says):
    run()
    write_lines(tmp_path / "labels.jsonl", [{"case_id": "c001", "label": 3}])
    write_lines(tmp_path / "other.jsonl", [{"case_id": "x", "label": 3}])
    write_lines(tmp_path / "blank.jsonl", [{"case_id": "c001", "label": None}])
    done = adjudge("agree", *arguments)
    assert done.code == 2
    assert says in done.err
    assert "hint: " in done.err


def test_a_draw_that_cannot_be_written_is_not_lost(adjudge, run):
    run()
    lost = adjudge("agree", "r", "--next", "5", "-o", str(Path("nowhere") / "x.jsonl"))
    assert lost.code == 4
    assert "the draw is stored" in lost.err
    assert len(adjudge("agree", "r", "--next", "0", "-o", "-").out.splitlines()) == 5
