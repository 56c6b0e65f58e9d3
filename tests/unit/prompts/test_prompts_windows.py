"""Windows over a long text: nothing of it is lost at a cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.prompts.windows import cut_windows

WORDS = st.text(alphabet="abcdefé漢1,-", min_size=1, max_size=12)
SENTENCES = st.builds(
    lambda words, end: " ".join(words) + end,
    st.lists(WORDS, min_size=1, max_size=8),
    st.sampled_from([".", "!", "?", '."', ".)"]),
)
GAPS = st.sampled_from([" ", "\n", "\n\n", "  ", "\n\n\n"])


def size(text):
    return len(text.encode())


@given(st.lists(st.tuples(SENTENCES, GAPS), min_size=1, max_size=40), st.integers(40, 600))
def test_every_sentence_stands_whole_in_a_window(parts, most):
    text = "".join(sentence + gap for sentence, gap in parts)
    windows = cut_windows(text, most)
    assert all(size(window) <= most for window in windows)
    for sentence, gap in parts:
        if size(sentence + gap) <= most:
            assert any(sentence in window for window in windows)


@given(st.lists(st.tuples(SENTENCES, GAPS), min_size=1, max_size=40), st.integers(40, 600))
def test_the_windows_have_all_of_the_text_in_its_order(parts, most):
    text = "".join(sentence + gap for sentence, gap in parts)
    end = 0
    for window in cut_windows(text, most):
        at = max(text.rfind(window, 0, end + len(window)), 0)
        assert text[at : at + len(window)] == window
        assert at <= end
        end = max(end, at + len(window))
    assert end == len(text)


@given(st.text(alphabet="ab c漢", min_size=1, max_size=2_000), st.integers(16, 200))
def test_a_sentence_longer_than_a_window_is_cut_into_parts_that_overlap(text, most):
    windows = cut_windows(text, most)
    assert all(size(window) <= most for window in windows)
    reach = (most if text.isascii() else most // 4) // 4
    for at in range(0, max(1, len(text) - reach), max(1, reach)):
        assert any(text[at : at + reach] in window for window in windows)


def test_a_text_that_fits_is_one_window():
    assert cut_windows("One. Two.", 100) == ["One. Two."]
    assert cut_windows("", 100) == [""]


def test_windows_end_with_a_paragraph_where_one_ends_late_enough():
    first = "Aa bb cc dd. " * 3 + "\n\n"
    second = "Ee ff gg. " * 4
    assert cut_windows(first + second, 60)[0] == first


def test_the_next_window_begins_with_what_ended_the_one_before():
    text = " ".join(f"Sentence number {number:03} is here." for number in range(60))
    windows = cut_windows(text, 600)
    assert len(windows) > 1
    for one, following in pairwise(windows):
        assert one.endswith(following[: 2 * len("Sentence number 000 is here. ")])
    assert len(windows) <= 2 * len(text) // 600 + 1


@pytest.mark.parametrize("text", [" " * 100_000, "a" * 100_000, ".\n" * 50_000, '." ' * 30_000])
def test_odd_texts_are_cut_too(text):
    windows = cut_windows(text, 4_000)
    assert all(len(window) <= 4_000 for window in windows)
    assert len(windows) <= len(text) // 1_000
