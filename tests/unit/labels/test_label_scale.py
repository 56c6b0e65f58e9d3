"""What a label says on a judge's scale."""

import pytest

from adjudge.errors import InputError
from adjudge.labels.label_scale import (
    Threshold,
    label_scale_of,
    off_scale_error,
    refuse_zeros_and_ones,
    threshold_of,
)
from adjudge.records import PointsScore, Scale

FIVE = Scale(low=0, high=5)
ONE = Scale(low=0, high=1)


def read(build, label, *, passes="score >= 3", scale=FIVE, verdicts=((4.0, True),), label_map=None, **judge):
    source = build.judge(passes=passes, scale=scale, **judge)
    return label_scale_of("j", source, verdicts, label_map or {}).place(label)


@pytest.mark.parametrize(
    ("label", "says"),
    [
        (4, 4.0),
        ("3.5", 3.5),
        (True, True),
        ("false", False),
        ("Pass", True),
        (" failed ", False),
        ({"j": 2}, 2.0),
        ({"other": 2}, None),
        (6, None),
        ("good", None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_numbers_of_the_scale_and_passes_are_read_and_nothing_is_guessed(build, label, says):
    assert read(build, label) == says
    assert type(read(build, label)) is type(says)


def test_the_map_says_what_other_labels_stand_for(build):
    label_map = {"good": "5", "bad": "fail", "4": "pass", "true": "0", "unsure": " Skip "}
    said = [read(build, label, label_map=label_map) for label in ("good", " bad", 4, True, "unsure", "other")]
    assert said == [5.0, False, True, 0.0, "skip", None]


def test_a_judge_that_gives_labels_has_them_read_as_their_points(build):
    points = PointsScore(field="label", points={"agree": 1.0, "partly": 0.5})
    assert read(build, "partly", score=points, scale=ONE) == 0.5


def test_without_a_pass_rule_a_pass_is_a_number_only_from_0_to_1(build):
    nothing = {"passes": None, "verdicts": [(1.0, None)]}
    assert read(build, True, scale=ONE, **nothing) == 1.0
    assert read(build, True, **nothing) is None


def test_a_rule_that_the_verdicts_contradict_is_not_the_one_of_the_run(build):
    judge = build.judge(passes="score >= 3")
    assert label_scale_of("j", judge, [(4.0, True), (2.0, False)], {}).rule == "score >= 3"
    other = label_scale_of("j", judge, [(4.0, False)], {})
    assert (other.passes, other.rule, other.threshold, other.has_rule) == (None, None, None, True)


def test_a_rule_over_more_than_the_score_cannot_be_held_against_people(build):
    judge = build.judge(passes="score >= 3 and tone == 'kind'")
    assert label_scale_of("j", judge, [(4.0, False)], {}).passes is None


def test_without_the_judge_numbers_are_taken_as_they_are():
    label_scale = label_scale_of("j", None, [(4.0, True)], {})
    assert (label_scale.place(70), label_scale.place(True), label_scale.rule) == (70.0, True, None)


@pytest.mark.parametrize(
    ("rule", "passing", "failing"),
    [
        ("score >= 3", 3.0, 2.9),
        ("score > 3", 3.1, 3.0),
        ("score <= 2", 2.0, 2.1),
        ("score < 2", 1.9, 2.0),
        ("score == 5", 5.0, 4.9),
        ("score == 0", 0.0, 0.1),
    ],
)
def test_one_comparison_is_a_threshold(rule, passing, failing):
    found = threshold_of(rule, FIVE)
    assert found.sign * passing >= found.at > found.sign * failing


@pytest.mark.parametrize(
    "rule", ["score == 3", "score != 3", "1 <= score <= 3", "exact >= 3", "score >= other"]
)
def test_other_rules_have_no_threshold(rule):
    assert threshold_of(rule, FIVE) is None


def test_a_threshold_is_written_as_a_rule():
    assert Threshold(at=3.0, sign=1).rule(2.5) == "score >= 2.5"
    assert Threshold(at=-2.0, sign=-1).rule(-1.5) == "score <= 1.5"


def test_zeros_and_ones_on_a_wider_scale_are_refused_unless_the_map_says_what_they_are(build):
    verdicts = [(score, score >= 3) for score in range(6)]
    judge = build.judge(passes="score >= 3")
    ones = [0.0, 1.0] * 5
    with pytest.raises(InputError, match="all 10 labels are 0 or 1, and the scale of j is 0 to 5") as raised:
        refuse_zeros_and_ones("labels.csv", ones, label_scale_of("j", judge, verdicts, {}))
    assert "--label-map 0=fail --label-map 1=pass" in str(raised.value)
    refuse_zeros_and_ones("labels.csv", ones, label_scale_of("j", judge, verdicts, {"0": "0"}))
    refuse_zeros_and_ones("labels.csv", [*ones, 2.0], label_scale_of("j", judge, verdicts, {}))
    refuse_zeros_and_ones("labels.csv", ones[:8], label_scale_of("j", judge, verdicts, {}))
    unit = build.judge(scale=Scale(low=0, high=1))
    refuse_zeros_and_ones("labels.csv", ones, label_scale_of("j", unit, (), {}))


def test_what_cannot_be_placed_is_named_with_what_to_type(build):
    label_scale = label_scale_of("j", build.judge(passes="score >= 3"), [(4.0, True)], {})
    text = str(off_scale_error("labels.csv", [f"w{at}\x1b" for at in range(9)], label_scale))
    assert "labels.csv: the labels `w0␛`" in text
    assert "and 3 more are not on the scale of j, which takes a number from 0 to 5 or true or false" in text
    assert "--label-map w0␛=pass" in text
