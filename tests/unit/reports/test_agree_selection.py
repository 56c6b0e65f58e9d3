"""How labelled cases came to be labelled, and which may correct a mean."""

from datetime import UTC, datetime

import pytest

from adjudge.reports.agree_selection import select
from adjudge.store import LabelDraw

CASES = ("a", "b", "c", "d", "e")


def draw(number, chosen, chances):
    return LabelDraw(
        run_id="r", judge="j", number=number, chosen=tuple(chosen), chances=chances, basis="doubt",
        uniform_share=0.1, seed=0, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


FIRST = draw(1, "ab", dict.fromkeys(CASES, 0.4))
SECOND = draw(2, "c", dict.fromkeys(CASES, 0.6))


def test_labels_for_every_case_need_no_draw():
    found = select(CASES, CASES, [])
    assert (found.kind, set(found.chances.values()), found.unknown) == ("all", {1.0}, 0)


def test_labels_that_nobody_drew_are_of_no_known_chance():
    found = select(CASES, ["a", "b"], [])
    assert (found.kind, found.chances, found.unknown) == ("unknown", {}, 2)
    assert "--next 50" in found.words


def test_a_random_sample_is_taken_at_its_word():
    found = select(CASES, ["a", "b"], [], random_sample=True)
    assert (found.kind, found.chances) == ("random", {"a": 0.4, "b": 0.4})


def test_drawn_labels_have_their_chance_and_others_have_none():
    found = select(CASES, ["a", "e"], [FIRST])
    assert (found.kind, found.chances, found.unknown, found.missing) == ("draw", {"a": 0.4}, 1, 1)
    assert found.frame == set(CASES)


def test_a_later_draw_counts_from_its_first_label_on():
    assert select(CASES, ["a", "b"], [FIRST, SECOND]).chances == {"a": 0.4, "b": 0.4}
    found = select(CASES, ["a", "c"], [FIRST, SECOND])
    assert (found.chances, found.missing) == ({"a": 0.6, "c": 0.6}, 1)


def test_cases_judged_after_the_draw_are_not_what_it_tells_of():
    found = select([*CASES, "late"], ["a", "b"], [FIRST])
    assert (found.outside, "late" in found.frame) == (1, False)


@pytest.mark.parametrize("judged", [(), CASES])
def test_no_labels_are_an_answer(judged):
    found = select(judged, [], [FIRST])
    assert (found.kind, found.unknown, found.words) == ("unknown", 0, "no judged case has a label")
