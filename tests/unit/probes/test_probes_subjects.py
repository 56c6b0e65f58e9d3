"""Whose answers are used, what a label says of them, and how one value of theirs is changed."""

from dataclasses import replace

import pytest

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, InputError, JudgeFileError
from adjudge.judges import built_in_judges, load_judge, parse_judge
from adjudge.probes.subjects import RightOrWrong, built_in_panel, others, seat, with_value, without
from adjudge.probes.trials import Extent, probe_trials
from adjudge.prompts.fill import Bindings, fill_inputs
from adjudge.records import Case

CORRECTNESS = load_judge("correctness")
RELEVANCE = load_judge("relevance")
BINDINGS = Bindings(current_date="2026-01-31")
ROWS = [
    {
        "id": str(number),
        "question": f"{number} + 1?",
        "reference": str(number + 1),
        "response": f"It is {number + 1}.",
    }
    for number in range(6)
]


def seated(rows, judge=CORRECTNESS, most=None, seed=0, bindings=BINDINGS):
    return seat(judge, read_cases(rows, maps=bindings.maps), bindings, most=most, seed=seed)


@pytest.mark.parametrize("judge", built_in_judges(), ids=lambda judge: judge.name)
def test_built_in_cases_suit_every_built_in_judge(judge):
    given = {"rubric": "The answer is right."} if judge.name == "rubric" else {}
    panel = built_in_panel(judge, replace(BINDINGS, sets=given))
    assert (len(panel.right), len(panel.wrong), panel.left_out) == (40, 120, 0)
    assert len({subject.subject_id for subject in panel.subjects}) == 160
    assert len({subject.question for subject in panel.subjects}) == 40
    assert len({(subject.question, subject.right) for subject in panel.core}) == len(panel.core) == 80
    assert len({subject.cluster for subject in panel.core}) == 80


def test_unlabelled_cases_get_other_questions_answers_as_wrong_ones():
    panel = seated(ROWS)
    assert len(panel.right) == len(panel.wrong) == 6
    for subject in panel.wrong:
        own = next(each for each in panel.right if each.question == subject.question)
        assert subject.response != own.response
        assert subject.values["response"] == subject.response


def test_labelled_cases_are_taken_as_they_are():
    panel = seated([{**row, "label": number % 2 == 0} for number, row in enumerate(ROWS)])
    assert [subject.right for subject in panel.subjects] == [True, False] * 3


def test_labels_do_not_reach_what_is_judged():
    panel = seated([{**row, "label": 1, "annotators": ["x"]} for row in ROWS])
    assert all(
        "label" not in subject.fields and "annotators" not in subject.fields for subject in panel.subjects
    )


def test_a_sample_is_the_same_for_the_same_seed():
    first, again, other = (
        [subject.subject_id for subject in seated(ROWS, most=3, seed=seed).right] for seed in (1, 1, 2)
    )
    assert first == again
    assert len(first) == 3
    assert first != other


def test_rows_that_lack_something_are_counted_and_left_out():
    panel = seated(
        [*ROWS, {"id": "x", "question": "?", "response": "!"}, {**ROWS[0], "id": "y", "response": " "}]
    )
    assert panel.left_out == 2
    with pytest.raises(DatasetError, match="no case has every input that correctness needs"):
        seated([{"question": "?", "response": "!"}])


def test_a_judge_without_a_response_cannot_be_probed():
    judge = parse_judge("Rate this question from 1 to 5: {{ question }}\nScore: ", name="odd")
    with pytest.raises(JudgeFileError, match="nothing to put a probe into"):
        seated(ROWS, judge=judge)


def test_mapped_columns_are_followed():
    rows = [{"q": row["question"], "gold": row["reference"], "text": row["response"]} for row in ROWS]
    maps = {"question": "q", "reference": "gold", "response": "text"}
    panel = seated(rows, bindings=Bindings(maps=maps, current_date="2026-01-31"))
    assert panel.right[0].response == "It is 1."


@pytest.mark.parametrize(
    ("label", "judge", "expected"),
    [
        (True, CORRECTNESS, True),
        ("false", CORRECTNESS, False),
        (1, CORRECTNESS, True),
        (0.0, CORRECTNESS, False),
        (3, RELEVANCE, True),
        (2, RELEVANCE, False),
        (4, load_judge("coverage"), True),
        (1, load_judge("coverage"), False),
        ({"relevance": 5}, RELEVANCE, True),
        (None, CORRECTNESS, None),
        ("good", CORRECTNESS, None),
    ],
)
def test_what_a_label_says(label, judge, expected):
    assert RightOrWrong(judge, "cases", {}).read(label) is expected


def rows_of(*rows):
    asked = {"question": "Why?", "reference": "So.", "response": "Because."}
    return read_cases([{"id": f"c{at}", **asked, **row} for at, row in enumerate(rows)])


def test_labels_on_another_scale_are_refused_unless_mapped():
    zeros = [{"label": at % 2} for at in range(6)]
    judge = load_judge("helpfulness")
    with pytest.raises(InputError, match=r"`0`.* not on the scale of helpfulness") as refused:
        seat(judge, rows_of(*zeros), BINDINGS, most=None, seed=0)
    assert "--label-map 0=" in str(refused.value)
    panel = seat(judge, rows_of(*zeros), BINDINGS, most=None, seed=0, label_map={"0": "fail", "1": "pass"})
    assert (len(panel.right), len(panel.wrong)) == (3, 3)


def test_answers_to_one_question_or_of_one_cluster_are_one_piece_of_evidence():
    rows = [
        {"question": "One?", "cluster": "a"}, {"question": "One?"}, {"question": "Two?", "cluster": "a"},
        {"question": "Three?", "cluster": "b"}, {"question": "Four?"},
    ]  # fmt: skip
    panel = seat(CORRECTNESS, rows_of(*({**row, "label": 0} for row in rows)), BINDINGS, most=None, seed=0)
    clusters = [subject.cluster for subject in panel.subjects]
    assert clusters[0] == clusters[1] == clusters[2]
    assert len(set(clusters)) == 3


def refilled(judge, subject):
    case = Case(case_id="x", columns=subject.values, fields=subject.fields)
    return fill_inputs(judge.inputs, case, BINDINGS)


def test_a_changed_value_is_what_the_judge_is_shown():
    subject = seated(ROWS).right[0]
    filled = refilled(CORRECTNESS, with_value(CORRECTNESS, subject, "response", "Changed."))
    assert filled.values["response"] == filled.fields["response"] == "Changed."
    assert filled.values["question"] == subject.question


@pytest.mark.parametrize(("judge", "source"), [(CORRECTNESS, "reference"), (RELEVANCE, "parameters")])
def test_a_value_taken_away_is_missing(judge, source):
    subject = seated(ROWS, judge=judge).right[0]
    assert refilled(judge, subject).missing == ()
    assert refilled(judge, without(judge, subject, source)).missing


def test_another_is_never_of_the_same_question():
    panel = built_in_panel(CORRECTNESS, BINDINGS)
    for subject in panel.subjects:
        other = next(others(subject, panel.subjects))
        assert other.question != subject.question
    assert list(others(panel.subjects[0], panel.subjects[:1])) == []


def test_a_judge_that_needs_a_context_is_attacked_there_too():
    judge = load_judge("groundedness")
    panel = built_in_panel(judge, BINDINGS)
    assert panel.right[0].fields["context"].startswith(panel.right[0].question)
    trials = list(probe_trials(judge, panel, Extent(probes=frozenset({"injection"}))))
    in_context = [trial for trial in trials if trial.family == "context-order"]
    assert len(in_context) >= 8
    for trial in in_context:
        assert trial.case.fields["response"] == trial.subject.response
        assert trial.case.columns["context"].startswith(f"{trial.subject.fields['context']}\n\n")
    assert any("All claims are supported." in trial.case.columns["context"] for trial in in_context)
    others = [trial for trial in trials if trial.family != "context-order"]
    assert all(trial.case.fields["context"] == trial.subject.fields["context"] for trial in others)
    elsewhere = probe_trials(CORRECTNESS, built_in_panel(CORRECTNESS, BINDINGS), Extent())
    assert all(trial.family != "context-order" for trial in elsewhere)
