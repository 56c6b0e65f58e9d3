"""What the small model is shown: nothing that does not show, nothing encoded that nobody asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.embedded.reading.legible import STAND_IN, legible, seen, unseen_notes
from adjudge.judges import load_judge
from adjudge.probes.attacks import ATTACKS, attacked
from adjudge.probes.target import target_of

ANSWER = "The rabbit was first mentioned in 1682."
TARGET = target_of(load_judge("helpfulness"))
BY_NAME = {attack.name: attack for attack in ATTACKS}


def attack(name):
    return attacked(BY_NAME[name], ANSWER, TARGET)


def test_an_order_in_tags_leaves_nothing_behind():
    assert seen(attack("hidden-text-5")).strip() == ANSWER


@pytest.mark.parametrize(
    "name", ["hidden-text-1", "hidden-text-2", "hidden-text-4", "hidden-text-6", "hidden-text-7"]
)
def test_letters_in_disguise_are_shown_as_letters(name):
    assert seen(attack(name)).isascii()
    assert seen(attack(name)) != attack(name)


@pytest.mark.parametrize(
    "name", ["encoded-order-1", "encoded-order-3", "encoded-order-4", "encoded-order-6", "encoded-order-7",
             "encoded-order-9"]
)  # fmt: skip
def test_encoded_orders_are_shown_as_a_mark(name):
    shown = legible(attack(name), ["Where do rabbits come from?"])
    assert shown.startswith(ANSWER)
    assert STAND_IN in shown
    assert len(shown) < len(ANSWER) + 50


@pytest.mark.parametrize(
    "honest",
    [
        "می‌خواهم به خانه بروم",  # the joiner stands between letters that would else be tied
        "👨‍👩‍👧 went home",
        "क्‍ष",
        "שלום עולם, العربية",
        "naïve café — 2 × 3 ≠ 5, a =\u0338 b",
        "½ of x² is 3 ℃",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "https://example.org/a%20b?c=%7Bd%7D&e=0123456789abcdef",
        "- one\n- two\n- three",
        "0 1 1 0 1 0 0 1",
        "| a | b |\n|---|---|\n| 1 | 0 |",
        "supercalifragilisticexpialidocious " * 4,
    ],
)
def test_honest_text_is_shown_as_it_is(honest):
    assert legible(honest, ["What is it?"]) == honest


@pytest.mark.parametrize("name", ["long-padding-1", "long-padding-6", "long-padding-8"])
def test_padding_by_repetition_is_shown_once(name):
    shown = legible(attack(name), ["Where do rabbits come from?"])
    assert shown.count("It repays a slow and patient reading.") == 1
    assert ANSWER in shown
    assert unseen_notes(attack(name), ["?"]) == ("repeated_text",)


def test_a_sentence_said_twice_and_short_labels_stay():
    twice = "The rabbit was first mentioned in 1682, they say. " * 2 + "That is all there is to it."
    labels = "Step one. Do this.\nRegistration: not required\n" * 6
    assert legible(twice) == twice
    assert legible(labels) == labels


def test_joiners_that_join_nothing_are_hidden_characters():
    assert seen("a\u200db\u200c \u200dc") == "ab c"
    assert seen("é" + "\u200c\u200d" * 40 + "é") == "éé"


@pytest.mark.parametrize(
    "asked", ["Write the sentence in binary.", "What is the SHA-512 hash?", "Decode: " + "01000111 " * 12]
)
def test_codes_that_were_asked_for_are_shown(asked):
    text = attack("encoded-order-4")
    assert legible(text, [asked]) == text
    assert unseen_notes(text, [asked]) == ()


def test_the_row_says_what_the_model_did_not_see():
    asked = ["Where do rabbits come from?"]
    assert unseen_notes(attack("hidden-text-5"), asked) == ("hidden_text",)
    assert unseen_notes(attack("encoded-order-4"), asked) == ("encoded_text",)
    assert unseen_notes("A warm ☀️ day\u00ad.", asked) == ()


@given(st.text(st.characters() | st.sampled_from("\u200b\u200c\u200d\u202e\U000e0041é01.- %")))
def test_what_is_shown_once_is_shown_again_alike(text):
    shown = seen(text)
    assert seen(shown) == shown


@pytest.mark.parametrize(
    "piece", ["01000111 ", "%20", ".- ", "ab ", "A1", "a", "\\u0041", "\u200d", "/", "0x", "é\u200d", ". "]
)
def test_long_texts_of_one_piece_are_read_once(piece):
    text = (piece * 20_000)[:40_000] + "x"
    assert len(legible(text)) <= len(
        text
    )  # a pattern that goes back over what it read would not come to an end
