"""Rows become sequences whose targets say what people said."""

import random
from dataclasses import replace

import pytest

pytest.importorskip("tokenizers", reason="needs the `embedded` extra")

from hypothesis import given
from hypothesis import strategies as st
from tiny_base import MERGES, SPECIAL_NAMES, vocabulary

from adjudge.embedded.model.questions import HEADS, LOWEST
from adjudge.embedded.model.tokens import ModelTokenizer
from training.examples import Maker, rating, rescaled, steps, to_measure, to_train
from training.graded import Neighbours, as_labelled, derived, figures
from training.packed import pack, read_packed, write_packed
from training.rows import Row

WORDS = vocabulary()
MAKER = Maker(
    ModelTokenizer(
        vocabulary=WORDS, merges=MERGES, token_types=[3] * 3 + [1] * (len(WORDS) - len(SPECIAL_NAMES))
    )
)
ROW = Row(
    row_id="evouna_nq/1", source="evouna_nq", question="who sang it in 1958", response="David Seville sang it in 1958",
    reference="David Seville / 1958", references=["David Seville", "1958"], context="", label=1.0, votes=[],
    question_id="q", licence="MIT", meta={},
)  # fmt: skip
FACTS = replace(
    ROW, source="realsumm", row_id="realsumm/1",
    meta={"scus": [{"text": "A sat.", "votes": [1, 1, 0]}, {"text": "B sat.", "votes": [0, 0]}]},
)  # fmt: skip
RATED = replace(ROW, source="feedbackqa", row_id="feedbackqa/1", label=2.5, votes=[1.0, 4.0])


@given(st.floats(0, 5))
def test_steps_sum_to_the_value(value):
    assert sum(steps("relevant", value)) == pytest.approx(value)
    assert len(steps("relevant", value)) == HEADS["relevant"]


def test_scales_map_end_to_end():
    assert rescaled(1, (1, 5), "helpful") == LOWEST["helpful"]
    assert rescaled(5, (1, 5), "helpful") == LOWEST["helpful"] + HEADS["helpful"]


def test_raters_who_disagree_are_averaged_step_by_step():
    assert rating(RATED) == [0.5, 0.5, 0.5]


def test_facts_carry_the_share_of_votes():
    (example,) = to_measure(FACTS, MAKER)
    assert example.targets == [[pytest.approx(2 / 3)], [0.0]]
    assert len(example.asked.positions) == 2


def test_a_row_is_measured_as_it_stands():
    (example,) = to_measure(ROW, MAKER)
    assert (example.question, example.targets, example.key) == ("correct", [[1.0]], "evouna_nq/1")


def test_every_set_has_a_measure_of_its_questions():
    assert {example.question for example in to_measure(RATED, MAKER)} == {"helpful", "relevant"}
    grounded = replace(ROW, source="begin", context="c", response="He sang. She danced.")
    assert [(example.question, example.key) for example in to_measure(grounded, MAKER)] == [
        ("supported", "evouna_nq/1#0"),
        ("supported", "evouna_nq/1#1"),
    ]


@given(st.integers(0, 5000))
def test_the_needed_answer_is_never_left_out(seed):
    row = replace(ROW, response="David Seville")
    assert "david seville" in " / ".join(as_labelled(row, random.Random(seed)).expected).lower()


@given(st.integers(0, 300))
def test_what_is_made_from_a_row_has_targets_within_bounds(seed):
    other = replace(
        ROW, question_id="p", question="who sang that in 1960", response="Elvis", references=["Elvis"]
    )
    made = list(derived(ROW, Neighbours([ROW, other]), random.Random(seed)))
    assert all(0.0 <= one.target <= 1.0 and one.expected for one in made)


def test_invented_figures_are_right_and_wrong():
    made = list(figures(200, random.Random(1)))
    assert 0.3 < sum(one.target for one in made) / 200 < 0.6


def test_an_epoch_is_repeatable_and_without_made_rows_plain():
    rows = [replace(one, question_id=str(number)) for number, one in enumerate([ROW, FACTS, RATED] * 3)]
    first, second = (list(to_train(rows, MAKER, random.Random(3))) for _ in range(2))
    assert first == second
    assert len(list(to_train(rows, MAKER, random.Random(3), made=False))) == 12


def test_packing_loses_nothing(tmp_path):
    examples = [*to_measure(ROW, MAKER), *to_measure(FACTS, MAKER), *to_measure(RATED, MAKER)]
    write_packed(tmp_path / "p.npz", pack(examples))
    packed = read_packed(tmp_path / "p.npz")
    assert len(packed) == 4
    assert packed.keys == [example.key for example in examples]
    for number, example in enumerate(examples):
        start, end = packed.starts[number], packed.starts[number + 1]
        assert packed.tokens[start:end].tolist() == example.asked.tokens
    assert packed.position.tolist() == [place for example in examples for place in example.asked.positions]
    assert packed.example_of_read.tolist() == [0, 1, 1, 2, 3]
