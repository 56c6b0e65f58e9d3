"""Claims made from labelled rows: what is known of each sentence, and edits that a context does not support."""

import random
from dataclasses import replace

import pytest

pytest.importorskip("Stemmer")

from hypothesis import given
from hypothesis import strategies as st

from training.claims import consistent_sentences, falsified, labelled, made, other_name, other_number
from training.rows import Row

ROW = Row(
    row_id="summedits/1", source="summedits", question="Summarise.", response="Ann Lee won 5 games. Bo left.", reference="",
    references=[], context="Last year Ann Lee won 5 games in Rome. After 12 games Bo Ray left for Paris.", label=1.0, votes=[],
    question_id="q", licence="MIT", meta={},
)  # fmt: skip


def test_every_sentence_of_a_supported_response_is_supported():
    assert [(claim.text, claim.target) for claim in labelled(ROW, {})] == [
        ("Ann Lee won 5 games.", 1.0),
        ("Bo left.", 1.0),
    ]


def test_of_an_edited_summary_the_new_sentence_is_the_fault():
    edited = replace(ROW, response="Ann Lee won 9 games. Bo left.", label=0.0)
    known = consistent_sentences([ROW, edited])
    assert [(claim.text, claim.target) for claim in labelled(edited, known)] == [
        ("Ann Lee won 9 games.", 0.0),
        ("Bo left.", 1.0),
    ]


def test_where_the_fault_is_not_known_the_whole_response_is_one_claim():
    wrong = replace(ROW, source="begin", response="She won. He left.", label=0.0)
    assert [(claim.text, claim.target) for claim in labelled(wrong, {})] == [("She won. He left.", 0.0)]


@pytest.mark.parametrize(("consistency", "targets"), [(5.0, [0.97, 0.97]), (4.3, []), (2.0, [0.05])])
def test_a_summarys_consistency_speaks_for_its_sentences_at_the_ends_of_the_scale(consistency, targets):
    row = replace(ROW, source="summeval", meta={"scores": {"consistency": consistency}})
    assert [claim.target for claim in labelled(row, {})] == targets


def test_names_and_numbers_are_exchanged_for_others_of_the_context():
    rng = random.Random(1)
    assert other_name("Then Ann Lee won.", ROW.context, rng) in {
        "Then Rome won.",
        "Then Bo Ray won.",
        "Then Paris won.",
    }
    assert other_number("She won 5 games.", ROW.context, rng) == "She won 12 games."
    assert other_name("then she won.", ROW.context, rng) is None


@given(st.integers(0, 2000))
def test_what_is_made_false_is_no_longer_what_was_said(seed):
    rng = random.Random(seed)
    claim = "Last year Ann Lee won 5 games in Rome."
    assert falsified(claim, ROW.context, rng) != claim
    for one in made(ROW, [ROW, replace(ROW, question_id="p", context="Cats sleep all day long.")], rng):
        assert one.text
        assert one.target in {0.0, 1.0}
        assert one.text in ROW.context or one.target == 0.0
