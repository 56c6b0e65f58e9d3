"""Labels of the criteria of a rubric and of several ratings."""

import pytest

from adjudge.errors import InputError
from adjudge.labels.parts import blank_parts, read_own_label, read_parts, wanted_parts, whole_label
from adjudge.records import Criterion, FieldScore, Rating, Rubric, Scale

CRITERIA = (Criterion(criterion="polite", points=1.0), Criterion(criterion="short", points=3.0))


@pytest.fixture
def by_rubric(build):
    return build.judge(rubric=Rubric(criteria=CRITERIA, ask="together"))


@pytest.fixture
def by_ratings(build):
    ratings = tuple(Rating(name=name, scale=Scale(low=1, high=5)) for name in ("tone", "depth"))
    return build.judge(ratings=ratings, score=FieldScore(field="tone"))


def test_a_rubrics_label_is_a_list_in_its_order_or_an_object_by_name(by_rubric):
    assert blank_parts(CRITERIA, by_rubric) == {"polite": None, "short": None}
    listed = read_parts("row 1", [False, True], by_rubric, CRITERIA)
    assert listed == (0.75, {"polite": False, "short": True})
    assert read_parts("row 1", {"short": "true"}, by_rubric, CRITERIA) == (None, {"short": True})
    assert read_parts("row 1", {"polite": None}, by_rubric, CRITERIA) == (None, {})
    assert read_parts("row 1", True, by_rubric, CRITERIA) is None


def test_the_score_of_ratings_needs_those_that_it_is_computed_from(by_ratings):
    assert read_parts("row 1", {"j": {"tone": 4}}, by_ratings, ()) == (4.0, {"tone": 4.0})
    assert read_parts("row 1", {"depth": "2", "tone": ""}, by_ratings, ()) == (None, {"depth": 2.0})
    assert whole_label(by_ratings, {"depth": 2.0}, ()) is None
    assert "`tone` a number from 1 to 5" in wanted_parts(by_ratings)


@pytest.mark.parametrize("label", [[True], {"polite": 7}, {"rude": True}])
def test_what_is_none_of_the_parts_is_refused_with_its_row(by_rubric, label):
    with pytest.raises(InputError, match=r"row 1: its label (lists|has)"):
        read_parts("row 1", label, by_rubric, CRITERIA)


def test_a_cases_own_column_may_be_for_several_judges_and_refuses_nothing(by_rubric, by_ratings):
    assert read_own_label([True, None], "j", by_rubric, CRITERIA) == (None, {"polite": True})
    assert read_own_label([True, True], "j", by_rubric, CRITERIA).whole == 1.0
    assert read_own_label({"j": [True]}, "j", by_rubric, CRITERIA) == (None, {"polite": True})
    assert read_own_label({"tone": 3, "other": "x"}, "j", by_ratings, ()) == (3.0, {"tone": 3.0})
    assert read_own_label("good", "j", None, ()) == ("good", {})
