"""Two runs and two texts side by side: what differs is marked, and nothing is lost."""

import random
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.records import Case
from adjudge.server import differences
from adjudge.server.compare_page import judge_pairs, side_by_side
from adjudge.server.differences import MAX_MARKED_CHARS, TextPiece, mark_differences
from adjudge.store import RunRecord

WORDS = st.lists(
    st.sampled_from(["the", "cat", "sat", " ", " ", ",", "\n", "漢", "字", "é", "\U0001f408"])
).map("".join)
TEXTS = st.one_of(WORDS, st.text(st.characters(exclude_categories=())))


def joined(pieces):
    return "".join(piece.text for piece in pieces)


def unmarked(pieces):
    return "".join(piece.text for piece in pieces if piece.same)


@given(TEXTS, TEXTS)
@example("", "x")
@example("a b c", "c b a")
@example("x " * 40, "x y " * 20)
@example("\x1c\x1d ", " \x85・")
def test_the_pieces_of_each_side_are_its_text_and_none_is_empty(a, b):
    marked = mark_differences(a, b)
    assert (joined(marked.a), joined(marked.b)) == (a, b)
    assert all(piece.text for side in marked for piece in side)
    for side in marked:
        assert all(one.same != other.same for one, other in pairwise(side))


@given(TEXTS, TEXTS)
def test_what_is_not_marked_stands_in_both(a, b):
    marked = mark_differences(a, b)
    assert unmarked(marked.a) == unmarked(marked.b)


@given(TEXTS)
def test_equal_texts_have_no_marks(text):
    for side in mark_differences(text, text):
        assert all(piece.same for piece in side)


@given(TEXTS, TEXTS)
def test_unequal_texts_have_marks(a, b):
    if a != b:
        assert any(not piece.same for side in mark_differences(a, b) for piece in side)


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_as_many_words_as_can_be_are_found_again(a, b):
    """Against the textbook's table of longest common subsequences."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    shared = differences._shared(a, b)
    assert shared is not None
    assert len(shared) == table[-1][-1]
    assert all(a[i] == b[j] for i, j in shared)
    assert shared == sorted(shared)
    assert len({i for i, _ in shared}) == len({j for _, j in shared}) == len(shared)


def test_words_are_marked_without_what_surrounds_them():
    marked = mark_differences("It takes 14 days, by post.", "It takes 30 days, with a carrier.")
    assert [piece.text for piece in marked.a if not piece.same] == ["14", "by post"]
    assert [piece.text for piece in marked.b if not piece.same] == ["30", "with a carrier"]


def test_of_texts_too_long_to_compare_the_same_ends_are_found():
    a, b = "start " + "x" * MAX_MARKED_CHARS + " end", "start " + "y " * 10 + "end"
    marked = mark_differences(a, b)
    assert [piece.same for piece in marked.a] == [True, False, True]
    assert (marked.a[0].text, marked.a[-1].text) == ("start ", " end")


def test_texts_that_share_too_little_are_marked_throughout():
    chosen = random.Random(1)
    a, b = (" ".join(chosen.choice("xyzw") for _ in range(6_000)) for _ in range(2))
    marked = mark_differences(f"same {a} too", f"same {b} too")
    assert len(marked.a) == len(marked.b) == 3
    assert joined(marked.a) == f"same {a} too"


# ---- cases ----


def case(**columns):
    return Case(
        case_id="c",
        columns=columns,
        fields={
            name: value for name, value in columns.items() if name in {"question", "response", "reference"}
        },
    )


def test_what_both_have_is_shown_once_and_what_differs_side_by_side():
    found = {
        each.field: each
        for each in side_by_side(
            case(question="Q?", response="Eight legs."), case(question="Q?", response="Six legs.")
        )
    }
    assert found["question"].same
    assert not found["response"].same
    assert found["response"].a[0] == TextPiece(text="Eight", same=False)
    assert found["response"].b[0] == TextPiece(text="Six", same=False)
    assert "reference" not in found


def test_absent_is_not_empty():
    (found,) = side_by_side(case(response=""), case())
    assert (found.a, found.b, found.same) == ((), None, False)


@pytest.mark.parametrize("missing", ["a", "b"])
def test_a_case_that_one_run_lacks_is_shown_as_the_other_has_it(missing):
    here = case(question="Q?", response="R", metadata={"topic": "x"})
    found = side_by_side(None, here) if missing == "a" else side_by_side(here, None)
    assert [each.field for each in found] == ["question", "response"]
    for each in found:
        assert getattr(each, missing) is None
        assert joined(getattr(each, "b" if missing == "a" else "a"))


def test_a_case_that_both_lack_has_nothing_to_show():
    assert side_by_side(None, None) == []


def test_other_columns_are_shown_where_they_differ():
    a = case(response="R", metadata={"system": "old"}, tone="kind", same=1)
    b = case(response="R", metadata={"system": "new"}, tone="kind", same=1)
    assert [each.field for each in side_by_side(a, b)] == ["response", "metadata"]


def test_what_cannot_be_seen_becomes_visible_and_what_cannot_be_encoded_too():
    (found,) = side_by_side(case(response="a\x1b[31m\u202e\ud800"), None)
    text = joined(found.a)
    assert text.encode()
    assert "\x1b" not in text
    assert "\u202e" not in text


# ---- runs ----


def run(run_id, *judges):
    plan = {"judges": [f"{name}@abc" for name in judges]}
    return RunRecord(
        run_id=run_id, name=None, state="finished", plan=plan, started_at=datetime(2026, 1, 1, tzinfo=UTC)
    )


def test_judges_are_offered_in_pairs_and_never_one_with_itself_in_one_run():
    assert judge_pairs(run("r", "x", "y"), run("s", "z")) == ["x=z", "y=z"]
    assert judge_pairs(run("r", "x", "y"), run("r", "x", "y")) == ["x=y", "y=x"]
    assert judge_pairs(run("r", "x"), run("r", "x")) == []
