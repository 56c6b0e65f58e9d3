"""What the votes of a jury are held against."""

import pytest

from adjudge.analysis.jury.figures import label_for_votes
from adjudge.judges import load_judge


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
