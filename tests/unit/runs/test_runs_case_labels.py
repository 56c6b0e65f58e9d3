"""What votes are held against, and labels of several people."""

import json
from pathlib import Path

import pytest

from adjudge.judges import load_judge
from adjudge.runs.engine.case_labels import label_for_votes, people_labels, read_case_labels


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


def test_of_several_people_every_label_is_kept_beside_what_most_say():
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
    found = read_case_labels("labels.jsonl")
    assert {case: given.label for case, given in found.items()} == {"a": 1, "b": None, "d": 0}
    assert found["b"].annotators == [{"annotator": "x", "label": 1}, {"annotator": "y", "label": 0}]
    assert found["d"].annotators is None
    assert people_labels("a", *found["a"]) == [1, 1, 0]
    assert people_labels("d", *found["d"]) == [0]
    assert read_case_labels("cases") is None
    assert read_case_labels(None) is None
