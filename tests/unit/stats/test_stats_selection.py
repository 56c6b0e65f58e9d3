"""How labelled cases came to be labelled, and which may correct a mean."""

from datetime import UTC, datetime

import pytest

from adjudge.records import LabelDraw
from adjudge.stats.selection import select, select_pairs

CASES = ("a", "b", "c", "d", "e")


def draw(number, chosen, chances, *, run="r", seed=0):
    return LabelDraw(
        run_id=run, judge="j", number=number, chosen=tuple(chosen), chances=chances, basis=("threshold",),
        uniform_share=0.1, seed=seed, at=datetime(2026, 1, number, tzinfo=UTC),
    )  # fmt: skip


FIRST = draw(1, "ab", dict.fromkeys(CASES, 0.4))
SECOND = draw(2, "c", dict.fromkeys(CASES, 0.6))


def test_labels_for_every_case_need_no_draw():
    found = select(CASES, CASES, [])
    assert (found.kind, set(found.chances.values()), found.unknown) == ("all", {1.0}, 0)


def test_labels_that_nobody_drew_are_of_no_known_chance():
    found = select(CASES, ["a", "b"], [])
    assert (found.kind, found.chances, found.unknown) == ("unknown", {}, 2)


def test_a_random_sample_is_taken_at_its_word():
    found = select(CASES, ["a", "b"], [], random_sample=True)
    assert (found.kind, found.chances) == ("random", {"a": 0.4, "b": 0.4})


def test_drawn_labels_have_their_chance_and_others_have_none():
    found = select(CASES, ["a", "e"], [FIRST])
    # drawn with 0.4, and half of the draw has its label
    assert (found.kind, found.chances, found.unknown, found.missing) == ("draw", {"a": 0.2}, 1, 1)
    assert (found.frame, found.if_complete) == (set(CASES), {"a": 0.4, "b": 0.4})
    assert (found.basis, found.uniform_share) == (("threshold",), 0.1)


def test_a_later_draw_counts_from_its_first_label_on():
    found = select(CASES, ["a", "b"], [FIRST, SECOND])
    assert (found.chances, found.missing) == ({"a": 0.4, "b": 0.4}, 0)
    assert [(each.drawn, each.labelled) for each in found.responses] == [(2, 2), (1, 0)]
    both = select(CASES, ["a", "b", "c"], [FIRST, SECOND])
    assert both.chances == pytest.approx(dict.fromkeys("abc", 0.6))


def test_a_few_labels_of_a_second_draw_do_not_reweight_those_of_the_first():
    cases = [f"c{at}" for at in range(100)]
    doubtful = dict.fromkeys(cases[:40], 0.9) | dict.fromkeys(cases[40:], 0.2)
    first = draw(1, cases[30:50], dict.fromkeys(cases, 0.2))
    second = draw(2, cases[:30], doubtful)
    alone, more = (select(cases, [*cases[30:50], *cases[:some]], [first, second]).chances for some in (0, 3))
    assert alone == dict.fromkeys(cases[30:50], 0.2)
    assert more["c30"] == more["c0"] == pytest.approx(0.2 + 0.7 * 3 / 30)
    assert more["c49"] == pytest.approx(0.2)


def test_cases_judged_after_the_draw_are_not_what_it_tells_of():
    found = select([*CASES, "late"], ["a", "b"], [FIRST])
    assert (found.outside, "late" in found.frame) == (1, False)


@pytest.mark.parametrize("judged", [(), CASES])
def test_no_labels_are_an_answer(judged):
    found = select(judged, [], [FIRST])
    assert (found.kind, found.unknown, found.is_known) == ("no_label", 0, False)


def test_draws_made_independently_have_the_product_and_those_of_one_seed_have_no_known_chance():
    one, two = draw(1, "abc", dict.fromkeys(CASES, 0.6)), draw(1, "bcd", dict.fromkeys(CASES, 0.5), run="s")
    same = select_pairs(CASES, "abc", "bcd", [one], [two])
    assert (same.kind, same.chances) == ("same_seed", {})
    apart = draw(1, "bcd", dict.fromkeys(CASES, 0.5), run="s", seed=9)
    found = select_pairs(CASES, "abc", "bcd", [one], [apart])
    assert (found.kind, found.chances) == ("separate_draws", {"b": 0.3, "c": 0.3})
    twin = draw(1, "abc", dict.fromkeys(CASES, 0.6), run="s")
    assert select_pairs(CASES, "abc", "abc", [one], [twin]).chances == dict.fromkeys("abc", 0.6)


def test_where_one_side_is_labelled_whole_the_other_sides_chance_is_that_of_both():
    one = draw(1, "ab", dict.fromkeys(CASES, 0.4))
    assert select_pairs(CASES, "ab", CASES, [one], []).chances == {"a": 0.4, "b": 0.4}


def test_labels_on_both_sides_of_all_of_none_or_for_unknown_reasons():
    assert set(select_pairs(CASES, CASES, CASES, [], []).chances.values()) == {1.0}
    none = select_pairs(CASES, "ab", "cd", [], [])
    assert (none.kind, none.is_known) == ("no_label", False)
    unknown = select_pairs(CASES, "ab", "ab", [draw(1, "ab", dict.fromkeys(CASES, 0.4))], [])
    assert (unknown.kind, unknown.chances, unknown.unknown) == ("unknown", {}, 2)
