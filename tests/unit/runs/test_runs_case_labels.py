"""What votes are held against, and labels of several people."""

import json
from pathlib import Path

import pytest

from adjudge.judges import load_judge
from adjudge.runs.engine.case_labels import label_for_votes, read_case_labels


@pytest.mark.parametrize(
    ("judge", "label", "meaning"),
    [
        ("correctness", 1, True),
        ("correctness", "fail", False),
        ("groundedness", 0.5, False),
        ("groundedness", 1.0, True),
        ("relevance", 4, 4.0),
        ("relevance", True, True),
        ("preference", "B", 0.0),
        ("relevance", 9, None),
    ],
)
def test_labels_are_held_against_what_is_voted_on(judge, label, meaning):
    found = label_for_votes(label, load_judge(judge))
    assert found == meaning
    assert type(found) is type(meaning)


def test_of_several_people_most_count_and_of_a_tie_nobody():
    rows = [
        ("a", 1, "x"),
        ("a", 1, "y"),
        ("a", 0, "z"),
        ("b", 1, "x"),
        ("b", 0, "y"),
        ("c", None, "x"),
        ("d", 0, None),
    ]
    lines = [json.dumps({"case_id": case, "label": label, "annotator": who}) for case, label, who in rows]
    Path("labels.jsonl").write_text("\n".join(lines))
    assert read_case_labels("labels.jsonl") == {"a": 1, "d": 0}
    assert read_case_labels("cases") is None
    assert read_case_labels(None) is None
