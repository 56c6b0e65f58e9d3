"""Sentences, list items and headings are found with their places, whatever a text looks like."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.sentences import MAX_SENTENCE_CHARS, MAX_TEXT_CHARS, split_sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Paris", ["Paris"]),
        ("-3.7", ["-3.7"]),
        (
            "Dr. Smith paid $3.5 million in Jan. 2020. He left at 5 p.m.",
            ["Dr. Smith paid $3.5 million in Jan. 2020.", "He left at 5 p.m."],
        ),
        ("The U.S. is big. See Fig. 2 (p. 5).", ["The U.S. is big.", "See Fig. 2 (p. 5)."]),
        ('He said: "I go. You stay." She left.', ['He said: "I go. You stay."', "She left."]),
        (
            "The dogs' owner left. The cats' owner stayed.",
            ["The dogs' owner left.", "The cats' owner stayed."],
        ),
        (
            "They heard ` drilling ' noises . It was ` peculiar ' .",
            ["They heard ` drilling ' noises .", "It was ` peculiar ' ."],
        ),
        ("No. Microsoft decreased its debt.", ["No.", "Microsoft decreased its debt."]),
        ("No. 5 is alive.", ["No. 5 is alive."]),
        ("CAPEX ratio: 5.1%\nReturn on assets = 12.4%", ["CAPEX ratio: 5.1%", "Return on assets = 12.4%"]),
        ("It is **good**.\n\n> Quoted.", ["It is **good**.", "Quoted."]),
        ("这是一句。这是第二句！", ["这是一句。", "这是第二句！"]),
        ("...\n---\n```", []),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, found):
    assert texts(text) == found


def test_a_line_broken_by_a_margin_resumes():
    wrapped = "The company sold its whole share of the northern mines\nin spring. Nobody knew."
    assert texts(wrapped) == [
        "The company sold its whole share of the northern mines\nin spring.",
        "Nobody knew.",
    ]


def test_list_items_know_what_introduces_them():
    found = split_sentences(
        "It fell mainly due to:\n- lower prices\n- fewer sales. They shrank.\n\nThat was all."
    )
    assert [(one.text, one.kind, one.lead) for one in found] == [
        ("It fell mainly due to:", "sentence", None),
        ("lower prices", "item", "It fell mainly due to:"),
        ("fewer sales.", "item", "It fell mainly due to:"),
        ("They shrank.", "item", None),
        ("That was all.", "sentence", None),
    ]


@pytest.mark.parametrize("mark", ["- ", "* ", "• ", "1. ", "2) ", "(a) "])
def test_marks_of_list_items_are_no_part_of_them(mark):
    assert texts(f"Two things:\n{mark}first thing\n{mark}second thing") == [
        "Two things:",
        "first thing",
        "second thing",
    ]


def test_a_dash_without_a_space_is_a_bullet_only_in_company():
    assert texts("Notes:\n-1.500% due 2026\n-1.750% due 2030") == [
        "Notes:",
        "1.500% due 2026",
        "1.750% due 2030",
    ]
    assert texts("It was cold.\n-5 degrees") == ["It was cold.", "-5 degrees"]


def test_numbered_points_in_one_line_are_items_up_to_the_end_of_the_sentence():
    found = split_sentences("The steps are (1) plan it, (2) build it. Then rest.")
    assert [(one.text, one.kind) for one in found] == [
        ("The steps are", "sentence"),
        ("plan it,", "item"),
        ("build it.", "item"),
        ("Then rest.", "sentence"),
    ]
    assert found[1].lead == "The steps are"


@pytest.mark.parametrize("heading", ["# Results", "**Results**", "Results\n"])
def test_headings_are_told_apart(heading):
    found = split_sentences(f"{heading}\nSales rose in 2020.")
    assert [(one.text, one.kind) for one in found] == [
        ("Results", "heading"),
        ("Sales rose in 2020.", "sentence"),
    ]


@given(odd_texts)
def test_every_piece_is_literal_and_they_come_in_order(text):
    end = 0
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= end
        end = sentence.end


@pytest.mark.parametrize("unit", ["word ", "中文，", "a", '"a ', "(b ", ". "])
def test_a_text_without_an_end_is_cut_and_bounded(unit):
    text = unit * (1_000_000 // len(unit))
    found = split_sentences(text)
    assert sum(len(sentence.text) for sentence in found) <= MAX_TEXT_CHARS
    if " " in unit:
        assert all(len(sentence.text) <= MAX_SENTENCE_CHARS for sentence in found)
