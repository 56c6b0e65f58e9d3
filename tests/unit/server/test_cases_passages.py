"""Quotations are found where the scorers find them, by the offsets of the text as it stands."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.scoring.terms import TermText
from adjudge.scoring.text import fold, occurs
from adjudge.server.cases.passages import Wanted, find_passages, folded_with_places


def found(text, *wanted, number=False):
    marks = find_passages(text, [Wanted(each, f"F{at}", number) for at, each in enumerate(wanted, 1)])
    return [(text[mark.start : mark.end], mark.title) for mark in marks]


def test_white_space_case_and_typography_do_not_matter_and_the_text_is_what_is_marked():
    text = "The “Eiffel\n  Tower” was **built** in 1889 — they say."
    assert found(text, '"eiffel tower" was built in 1889 - they') == [
        ("Eiffel\n  Tower” was **built** in 1889 — they", "F1")
    ]


def test_words_are_marked_whole():
    assert found("category cat concat", "cat") == [("cat", "F1")]


def test_every_place_is_marked_and_what_stands_inside_another_is_named_there():
    text = "Moss is green. Moss is green."
    assert found(text, "moss is green", "green") == [("Moss is green", "F1, F2")] * 2


def test_terms_are_found_by_their_words():
    assert found("Café-bars and the Eiffel Tower's lifts", "cafe bar", "Eiffel Towers") == [
        ("Café-bars", "F1"),
        ("Eiffel Tower", "F2"),
    ]


def test_a_number_is_not_found_inside_another():
    assert found("142, 1.42, 42.5 and 42, -42", "42", number=True) == [("42", "F1")]
    assert found("it cost 7.4 billion dollars.", "7.4 Billion Dollars.", number=True) == [
        ("7.4 billion dollars", "F1")
    ]


def test_what_is_not_there_is_not_marked():
    assert found("Paris", "Rome", "", "  ", ".") == []


TEXTS = st.text(alphabet=st.sampled_from("aB é“”—'*\n\t.ﬁ½Ⅳß1"), max_size=40)


@given(TEXTS)
def test_the_folded_text_is_the_scorers_and_each_character_knows_its_place(text):
    folded = folded_with_places(text)
    assert folded.text.strip() == fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))


@given(TEXTS, TEXTS)
def test_what_the_scorer_finds_is_marked(before, quotation):
    text = f"{before} x {quotation} y"
    if occurs(quotation, fold(text)):
        assert found(text, quotation)


@given(
    st.lists(st.sampled_from(["Paris", "towers", "oxygen", "naïve", "co-op"]), max_size=6),
    st.sampled_from(["tower", "naive", "co op"]),
)
def test_what_code_takes_for_a_term_is_marked(words, term):
    text = " ".join(words)
    assert bool(found(text, term)) == TermText(text).has(term)
