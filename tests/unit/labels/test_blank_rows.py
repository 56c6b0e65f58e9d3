"""What people are shown of a case, and what they fill in."""

from adjudge.judges import load_judge
from adjudge.labels.blank_rows import row_to_label
from adjudge.records import Case, Input


def test_a_person_is_shown_what_the_judge_saw_and_not_what_gives_the_answer_away(build):
    inputs = tuple(
        Input(name=name, required=True, source=name) for name in ("question", "tone", "label", "current_date")
    )
    case = Case(
        case_id="c1",
        columns={"input": "Why?", "tone": "kind", "label": 1, "score": 5, "current_date": "2026-01-01"},
        fields={"question": "Why?", "response": "So.", "reference": None, "label": 1},
    )
    row = row_to_label(case, build.judge(inputs=inputs), ())
    assert row == {
        "case_id": "c1",
        "question": "Why?",
        "response": "So.",
        "tone": "kind",
        "label": None,
        "annotator": None,
        "explanation": None,
    }


def test_a_judge_of_parameters_was_shown_the_context_and_so_is_the_person():
    case = Case(case_id="c1", columns={}, fields={"question": "Why?", "response": "So.", "context": ["c"]})
    row = row_to_label(case, load_judge("relevance"), ())
    assert row["context"] == ["c"]
    row = row_to_label(case, load_judge("correctness"), ())
    assert "context" not in row


def test_columns_of_unknown_names_are_shown_when_nothing_else_is():
    case = Case(case_id="c1", columns={"frage": "Warum?", "label": 1}, fields={})
    row = row_to_label(case, None, ())
    assert row["frage"] == "Warum?"
    assert row["label"] is None
