"""What is kept with a judgement of the groups that its case belongs to."""

import pytest

from adjudge.dataset import read_cases
from adjudge.runs.groups import MAX_VALUE_CHARS, cluster_of, slice_values


def case(**columns):
    (read,) = read_cases([{"question": "q", "response": "r", **columns}])
    return read


@pytest.mark.parametrize(
    ("value", "expected"),
    [("doc 7", "doc 7"), (" doc 7 ", "doc 7"), (7, "7"), (7.0, "7"), (7.5, "7.5"), (" ", None), (None, None)],
)
def test_a_cluster_is_text_and_the_same_out_of_every_format(value, expected):
    assert cluster_of(case(cluster=value)) == expected


def test_a_case_of_no_cluster_stands_alone():
    assert cluster_of(case()) is None


def test_metadata_and_short_columns_can_be_sliced_by():
    read = case(metadata={"topic": "law"}, language="de", turns=3, label=1, cluster="d", annotators=["a"])
    assert slice_values(read) == {"topic": "law", "language": "de", "turns": 3}


def test_what_the_metadata_says_goes_before_a_column_of_that_name():
    assert slice_values(case(metadata={"topic": "law"}, topic="other")) == {"topic": "law"}


def test_long_texts_and_nested_values_are_not_kept_again():
    read = case(essay="x" * (MAX_VALUE_CHARS + 1), tags=["a"], short="x" * MAX_VALUE_CHARS)
    assert slice_values(read).keys() == {"short"}
