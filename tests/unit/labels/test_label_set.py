"""The labels of many cases, from each source and as the figures take them."""

import pytest

from adjudge.errors import InputError
from adjudge.labels.label_scale import label_scale_of
from adjudge.labels.label_set import (
    Label,
    as_passes,
    by_case,
    in_one_kind,
    merge_labels,
    own_labels,
    settle_labels,
    without_adjudicators,
)


@pytest.fixture
def scale(build):
    return label_scale_of("j", build.judge(passes="score >= 3"), [(4.0, True)], {})


def label(case_id, annotator, says):
    return Label(case_id=case_id, annotator=annotator, meaning=says)


def test_labels_of_the_store_and_of_the_cases_are_merged():
    own = [label(f"c{at:03}", "", 3.0) for at in range(150)]
    stored = [
        label("c000", "", 4.0),
        label("c001", "anna", 2.0),
        *(label(f"n{at}", "anna", 1.0) for at in range(8)),
    ]
    merged = merge_labels(stored, own)
    assert (len(merged.labels), merged.own, merged.replaced) == (159, 149, 1)
    assert [each.meaning for each in merged.labels if each.case_id == "c000"] == [4.0]
    assert {each.annotator for each in merged.labels if each.case_id == "c001"} == {"", "anna"}


def test_the_cases_own_labels_are_read_for_this_judge_alone(scale):
    own = own_labels({"a": 5, "b": {"other": 1}, "c": {"j": True}}, {}, scale)
    assert [(each.case_id, each.meaning) for each in own.labels] == [("a", 5.0), ("c", True)]
    assert own.kind == "label_column"
    with pytest.raises(InputError, match="label column: the labels `great` are not on the scale"):
        own_labels({"d": "great"}, {}, scale)


def test_what_several_people_said_goes_before_the_one_label_of_a_case(scale):
    columns = {"a": {"anna": 5, "bo": 2}, "b": [], "c": {"anna": {"other": 1}, "bo": {"j": 3}}}
    own = own_labels({"a": 1, "b": 1}, columns, scale)
    assert own.labels == [
        label("a", "anna", 5.0),
        label("a", "bo", 2.0),
        label("c", "bo", 3.0),
        label("b", "", 1.0),
    ]
    assert own.kind == "both_columns"
    with pytest.raises(InputError, match="annotators column: the labels `great` are not on the scale"):
        own_labels({}, {"d": ["great"]}, scale)


def test_scores_beside_passes_become_passes_by_the_rule_or_are_refused(scale):
    both = [label("a", "", 2.0), label("b", "", True)]
    assert [each.meaning for each in in_one_kind(both, scale)] == [False, True]
    assert as_passes(by_case(both), scale) == by_case(in_one_kind(both, scale))
    ruleless = label_scale_of("j", None, [(4.0, True)], {})
    assert as_passes(by_case(both), ruleless) is None
    with pytest.raises(InputError, match="cannot turn one into the other"):
        in_one_kind(both, ruleless)


def test_an_adjudicator_settles_a_case_and_is_not_one_of_its_annotators():
    labels = by_case([label("a", "anna", 1.0), label("a", "chair", 2.0), label("b", "anna", 3.0)])
    assert settle_labels(labels, ["chair"]) == {"a": [label("a", "chair", 2.0)], "b": labels["b"]}
    assert without_adjudicators(labels, ["chair"]) == {"a": [label("a", "anna", 1.0)], "b": labels["b"]}
