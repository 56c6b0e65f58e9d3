"""Edits do what their labels claim."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training import edits

SEEDS = st.integers(0, 10_000)


def rng(seed=0):
    return random.Random(seed)


@given(SEEDS)
def test_a_changed_number_is_no_longer_the_expected_one(seed):
    changed = edits.changed_number("It sold 1,577 units in 2018.", "1577", rng(seed))
    assert changed is not None
    assert "1,577" not in changed
    assert "2018" in changed


def test_without_a_shared_number_nothing_is_changed():
    assert edits.changed_number("It sold 12 units.", "about forty", rng()) is None


@given(SEEDS, st.floats(0.01, 1e6))
def test_a_moved_number_is_off_by_more_than_any_tolerance(seed, value):
    number = f"{value:.2f}"
    moved = float(edits.moved(number, rng(seed)))
    assert abs(moved - float(number)) > 0.04 * float(number) or float(number) < 0.2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Yes, it is.", "No, it is."), ("no way", "yes way"), ("Nobody came.", None), ("It is so.", None)],
)
def test_a_leading_yes_or_no_is_flipped(text, expected):
    assert edits.flipped_answer(text) == expected


def test_the_sense_turns_only_on_words_the_reference_shares():
    assert edits.reversed_sense("Sales rose before lunch", rng(), "sales rose") == "Sales fell before lunch"
    assert edits.reversed_sense("Cats purr", rng()) is None


def test_a_negation_is_taken_back_rather_than_doubled():
    assert edits.reversed_sense("It was not there", rng(), "was not") == "It was there"


@given(SEEDS, st.text(alphabet="abc d", min_size=1, max_size=40))
def test_orders_are_added_and_every_word_kept(seed, text):
    ordered = edits.with_order(text, rng(seed))
    assert len(ordered) > len(text)
    assert set(text.split()) <= set(ordered.split())


def test_words_in_a_row_are_found_whatever_their_case():
    assert edits.contains("It was David Seville!", "david seville")
    assert not edits.contains("It was David B. Seville", "david seville")
    assert not edits.contains("anything", "")


@given(SEEDS)
def test_truncation_keeps_a_beginning(seed):
    text = "one two three four five six"
    assert text.startswith(edits.truncated(text, rng(seed)))
