"""Evidence is a literal passage; order and what is left unanswered are told from words alone."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.evidence import find_evidence, in_order, nearest_sentences, overlap, unanswered
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import fold

TEXT = (
    "Rose arrived in Augusta on Monday, and he left with a trophy. The total has been bettered six times.\n"
    "- Fixed cameras were switched off in the West Midlands."
)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("He left with the trophy.", "he left with a trophy."),
        ("Rose was in Augusta on Monday.", "Rose arrived in Augusta on Monday"),
        ("His total was beaten 6 times.", "The total has been bettered six times."),
        ("A camera switched off", "Fixed cameras were switched off in the West Midlands."),
        ("Nobody knows quantum chemistry", None),
        ("", None),
    ],
)
def test_the_nearest_passage_is_quoted(statement, evidence):
    assert find_evidence(statement, TEXT) == evidence


def test_a_text_of_one_sentence_is_its_own_evidence():
    assert find_evidence("Unlimited number.", "As many as you want.") == "As many as you want."
    assert find_evidence("Unlimited number.", "As many as you want. Really.") is None


def test_passages_that_share_as_much_are_decided_by_length():
    text = "Paris, as everybody who has been there will gladly tell you, is big. Paris is big."
    assert find_evidence("Paris is big", text) == "Paris is big."


@given(odd_texts, odd_texts)
def test_evidence_always_passes_the_scorers_check(statement, text):
    evidence = find_evidence(statement, text)
    assert evidence is None or (evidence in text and is_quoted(evidence, fold(text)))
    assert 0 <= overlap(statement, text) <= 1


@pytest.mark.parametrize(
    ("statement", "text", "share"),
    [
        ("Cameras were switched off", "switching off a camera", 1),
        ("It costs 1,500.0 dollars", "1500 dollar cost", 1),
        ("six dogs", "6 dog", 1),
        ("The café", "a cafe", 1),
        ("sun moon", "the moon", 0.5),
        ("anything", "", 0),
        ("the of", "the of", 0),
    ],
)
def test_overlap_is_the_share_of_meaning_words_found(statement, text, share):
    assert overlap(statement, text) == pytest.approx(share)


def test_numbers_and_names_weigh_more_than_other_words():
    statement = "in 1969 Armstrong landed there"
    assert overlap(statement, "1969") > overlap(statement, "Armstrong") > overlap(statement, "landed")


def test_a_negation_is_a_word_that_means_something():
    assert overlap("It is not red", "It is red") < 1
    assert overlap("It isn't red", "It isn't red") == 1


def test_a_word_with_the_same_beginning_counts_in_part():
    assert 0 < overlap("abstraction", "abstration of things") < 1
    assert 0 < overlap("reusability", "you can reuse it") < 1
    assert overlap("10000", "100005") == 0


@pytest.mark.parametrize(
    ("places", "ordered"),
    [
        ([], True),
        ([5], True),
        ([9, 1], True),
        ([3, 2, 1], False),
        ([3, 1, 2], True),
        ([1, 2, 3, 4], True),
        ([1, 3, 2, 4], True),
        ([4, 3, 2, 1], False),
        ([4, 3, 1, 2, 0], False),
        ([7, 7, 7, 7], True),
        ([1, 1, 1, 0], True),
    ],
)
def test_order_is_matched_unless_most_pairs_are_turned_round(places, ordered):
    assert in_order(places) is ordered


LONG = (
    "Smoking harms the lungs, raises blood pressure, narrows arteries, and shortens life. Doctors in several countries "
    "advise patients to stop early, because damaged tissue recovers slowly and treatment remains expensive. Nicotine "
    "patches, counselling, exercise, and support groups help most people."
)


@pytest.mark.parametrize(
    ("question", "response", "missing"),
    [
        ("What is the capital of France?", "Paris", []),
        (
            "Who wrote Hamlet and when was it first performed?",
            "Shakespeare wrote it.",
            ["when was it first performed?"],
        ),
        ("Who wrote Hamlet and when was it first performed?", "Shakespeare wrote it about 1600.", []),
        ("Why is smoking harmful? How do airplanes fly?", LONG, ["How do airplanes fly?"]),
        ("Why is smoking harmful? Is nicotine expensive?", LONG, []),
        ("Does metformin interact with grapefruit juice?", LONG, ["metformin interact", "grapefruit juice"]),
        ("Shingles\nExplain the effects of smoking.", LONG, []),
        ("", LONG, []),
        ("What is it?", "", []),
    ],
)
def test_parts_of_a_question_that_nothing_touches_are_quoted(question, response, missing):
    assert unanswered(question, response) == missing
    assert all(part in question for part in missing)


@given(odd_texts, odd_texts)
def test_at_most_three_short_parts_are_named(question, response):
    found = unanswered(question, response)
    assert len(found) <= 3
    assert all(0 < len(part) <= 250 for part in found)


@pytest.mark.parametrize("unit", ["word ", "a", "Ab. ", '"a. ', "- item\n", "中文。"])
def test_a_huge_text_is_searched_within_bounds(unit):
    text = unit * (1_000_000 // len(unit))
    evidence = find_evidence("The house was sold in 1990", text)
    assert evidence is None or len(evidence) <= len(text)


def test_the_sentences_nearest_to_a_claim_keep_their_order_and_bring_the_one_before():
    filler = [f"Sentence number {number} speaks of the weather in town." for number in range(40)]
    text = " ".join([*filler[:20], "Maria Keller is a baker.", "She founded the shop in 1972.", *filler[20:]])
    near = nearest_sentences("The shop was founded in 1972.", text, 120)
    assert near.endswith("Maria Keller is a baker. She founded the shop in 1972.")
    assert len(near) <= 120
    assert nearest_sentences("anything", "Short. Text.", 120) == "Short. Text."
    assert nearest_sentences("Nothing shared", text, 10) == filler[0]
