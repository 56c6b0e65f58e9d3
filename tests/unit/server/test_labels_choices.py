"""A judge's scale becomes the buttons and keys that a person needs, and no other."""

import pytest

from adjudge.judges import load_judge, parse_judge
from adjudge.labels.label_scale import label_scale_of
from adjudge.server.labels.choices import choices_of


def judge_of(verdict, score="score", scale="[0, 5]", **more):
    lines = [
        "adjudge: 1",
        "name: j",
        "inputs: {response: required}",
        f"verdict: {verdict}",
        f"score: {score}",
        f"scale: {scale}",
        *(f"{name}: {value}" for name, value in more.items()),
    ]
    return parse_judge("---\n" + "\n".join(lines) + "\n---\nRate {{response}}.\n", name="j")


def offered(judge, *, ruled=False):
    """`ruled`: the run's verdicts say whether they pass."""
    verdicts = {(1.0, True), (0.0, False)} if ruled else set()
    return choices_of(judge, label_scale_of("j", judge, verdicts, {}))


def keys(found):
    return [(option.value, option.keys) for option in found.options]


@pytest.mark.parametrize(
    ("scale", "first", "last", "typed"),
    [
        ("[0, 5]", (0.0, ["0"]), (5.0, ["5"]), False),
        ("[1, 4]", (1.0, ["1"]), (4.0, ["4"]), False),
        ("[1, 10]", (1.0, ["1"]), (10.0, ["0"]), False),
        ("[0, 9]", (0.0, ["0"]), (9.0, ["9"]), False),
        ("[-2, 2]", (-2.0, ["1"]), (2.0, ["5"]), False),
    ],
)
def test_a_scale_of_ten_steps_at_most_is_buttons_with_their_own_digits(scale, first, last, typed):
    low, high = scale.strip("[]").split(", ")
    found = offered(
        judge_of(
            f"{{reason: string, score: {{type: integer, minimum: {low}, maximum: {high}}}}}", scale=scale
        )
    )
    assert keys(found)[0] == first
    assert keys(found)[-1] == last
    assert (found.number is not None) is typed


@pytest.mark.parametrize("scale", ["[0, 10]", "[0, 100]", "[0, 0.5]"])
def test_a_large_or_fractional_scale_is_a_field_for_a_number(scale):
    found = offered(judge_of("{reason: string, score: number}", scale=scale))
    assert found.options == []
    assert found.number is not None
    assert [found.number.low, found.number.high] == [float(each) for each in scale.strip("[]").split(",")]


def test_scores_between_the_buttons_can_be_typed_where_the_judge_gives_them():
    found = offered(judge_of("{reason: string, score: number}"))
    assert len(found.options) == 6
    assert found.number is not None


def test_an_enumeration_is_its_own_buttons():
    found = offered(judge_of("{reason: string, score: {enum: [0, 0.5, 1]}}", scale="[0, 1]"))
    assert keys(found) == [(0.0, ["1"]), (0.5, ["2"]), (1.0, ["3"])]
    assert found.number is None


def test_pass_and_fail_have_their_letters():
    found = offered(
        judge_of("{reason: string, score: {enum: [0, 1]}}", scale="[0, 1]", passes="score >= 1"), ruled=True
    )
    assert keys(found) == [(1.0, ["1", "p", "y"]), (0.0, ["0", "f", "n"])]
    assert [option.text for option in found.options] == ["pass", "fail"]


def test_where_low_is_good_the_low_end_is_the_pass():
    judge = judge_of(
        "{reason: string, score: {enum: [0, 1]}}", scale="[0, 1]", passes="score <= 0", better="lower"
    )
    found = choices_of(judge, label_scale_of("j", judge, {(0.0, True), (1.0, False)}, {}))
    assert [(option.value, option.text) for option in found.options] == [(1.0, "fail"), (0.0, "pass")]
    assert found.better == "lower"


def test_a_judge_of_words_is_labelled_in_its_words_the_worst_first():
    found = offered(
        judge_of(
            '{reason: string, label: {enum: ["yes", "no", "maybe"]}}',
            '{"yes": 1, "no": 0, "maybe": 0.5}',
            "[0, 1]",
        )
    )
    assert keys(found) == [("no", ["1", "n"]), ("maybe", ["2"]), ("yes", ["3", "y"])]


def test_anchors_stand_beside_the_score_that_they_are_of():
    found = offered(
        judge_of(
            "{reason: string, score: {enum: [0, 1, 2]}}", scale="[0, 2]", anchors='{0: "bad", "2.0": "good"}'
        )
    )
    assert [option.anchor for option in found.options] == ["bad", "", "good"]


@pytest.mark.parametrize(
    ("name", "count"), [("relevance", 6), ("correctness", 2), ("helpfulness", 4), ("coverage", 6)]
)
def test_the_built_in_judges_have_buttons_alone(name, count):
    judge = load_judge(name)
    found = choices_of(judge, label_scale_of(name, judge, {(5.0, True)} if judge.passes else set(), {}))
    assert len(found.options) == count
    assert found.number is None


def test_a_judge_whose_file_is_gone_takes_any_number_or_a_pass():
    assert choices_of(None, label_scale_of("j", None, set(), {})).number is not None
    found = choices_of(None, label_scale_of("j", None, {(3.0, True)}, {}))
    assert [option.value for option in found.options] == [True, False]
    assert found.number is None
