"""The checklist made in code passes the scorer's checks and says what the reference says."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.checklist import MAX_FACTS, make_checklist
from adjudge.scoring.checklist import Checklist, build_checklist
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import fold


def facts(reference: str, question: str = "") -> list[str]:
    return [row["fact"] for row in make_checklist(reference, question)["facts"]]


def conclusions(reference: str) -> list[str]:
    return [row["conclusion"] for row in make_checklist(reference, "")["conclusions"]]


def terms(reference: str, question: str = "") -> list[str]:
    return [row["term"] for row in make_checklist(reference, question)["terms"]]


@given(odd_texts, odd_texts)
def test_whatever_the_texts_the_scorer_takes_it_without_a_note(reference, question):
    made = make_checklist(reference, question)
    # A reference of `the` or `.` cannot be quoted by anybody: the scorer would refuse every list.
    if is_quoted(reference.strip(), fold(reference)):
        built = build_checklist(made, reference)
        assert isinstance(built, Checklist)
        assert 1 <= len(built.facts) <= MAX_FACTS
        assert built.notes == ()


@pytest.mark.parametrize("reference", ["Paris", "1577", "-3.7", "Yes", "push", "7 km", "√2", "中文", "C++"])
def test_a_short_reference_is_one_fact(reference):
    made = make_checklist(reference, "")
    assert made["facts"] == [{"fact": reference, "quote": reference}]
    assert made["conclusions"] == []


def test_sentences_are_taken_apart_and_quotes_are_literal():
    reference = (
        "The model was trained on text, which took two weeks. House sales rose because interest rates fell."
    )
    made = make_checklist(reference, "")
    texts = [
        "The model was trained on text",
        "took two weeks.",
        "House sales rose",
        "interest rates fell.",
    ]
    assert made["facts"] == [{"fact": text, "quote": text} for text in texts]


def test_a_list_item_is_read_with_what_introduces_it_and_that_is_no_fact_of_its_own():
    reference = "Margin has decreased by 1.7% primarily due to:\n-Lower prices\n-Sales fell in May"
    assert make_checklist(reference, "")["facts"] == [
        {"fact": "Margin has decreased by 1.7% primarily due to: Lower prices", "quote": "Lower prices"},
        {
            "fact": "Margin has decreased by 1.7% primarily due to: Sales fell in May",
            "quote": "Sales fell in May",
        },
    ]
    assert (
        facts("It is well managed, as the metrics show:\nRatio: 5%")[0]
        == "It is well managed, as the metrics show:"
    )


def test_headings_are_no_facts_unless_there_is_nothing_else():
    assert facts("# Results\nSales rose in 2020.") == ["Sales rose in 2020."]
    assert facts("# Results") == ["Results"]


def test_a_bare_yes_is_read_with_its_question():
    question = "Is 3M capital-intensive? If the metric is useless, explain why."
    assert facts("No. Its ratio is low.", question)[0] == "Is 3M capital-intensive? No."


def test_citations_stay_in_the_quote_only():
    (row,) = make_checklist("Corpora are built from the web [4].", "")["facts"]
    assert row == {"fact": "Corpora are built from the web.", "quote": "Corpora are built from the web [4]."}


@pytest.mark.parametrize(
    ("sentence", "conclusion"),
    [
        ("Therefore, the price is low.", "the price is low."),
        ("As a result, sales fell.", "sales fell."),
        ("Overall, it is a good plan.", "it is a good plan."),
        ("This means that it is safe.", "This means that it is safe."),
        ("The data suggest that it works.", "The data suggest that it works."),
        ("You should update the software.", "You should update the software."),
        ("It is recommended to restart it.", "It is recommended to restart it."),
        ("The chance is therefore 1/40.", "The chance is therefore 1/40."),
    ],
)
def test_conclusions_are_known_by_their_markers(sentence, conclusion):
    assert conclusions(f"Water boils at 100 degrees. {sentence}") == [conclusion]


@pytest.mark.parametrize(
    "sentence",
    [
        "The judge said that he should be jailed.",
        "As a result of the war, prices rose.",
        "It grows, thus making it larger.",
        "Experts recommend bcrypt.",
        "It should be noted that it is old.",
        "The overall price is low.",
    ],
)
def test_what_only_looks_like_a_conclusion_is_a_fact(sentence):
    assert conclusions(f"Water boils at 100 degrees. {sentence}") == []


def test_a_reference_of_conclusions_only_has_facts_instead():
    made = make_checklist("Therefore, the price is low.", "")
    assert made["conclusions"] == []
    assert made["facts"] == [{"fact": "the price is low.", "quote": "Therefore, the price is low."}]


def test_terms_are_names_and_topic_words():
    reference = (
        "Mitosis divides the cell nucleus. Walther Flemming discovered chromosomes in 1882 and the Bank of England paid "
        "him twenty pounds on Monday."
    )
    found = terms(reference)
    assert {"Walther Flemming", "Bank of England", "cell nucleus"} <= set(found)
    assert not {"Monday", "1882", "discovered", "twenty", "pounds"} & set(found)


def test_words_of_the_question_are_terms_only_for_want_of_others():
    question = "What does a compiler do with source code?"
    assert terms("A compiler translates source code into machine instructions.", question) == [
        "machine instructions"
    ]
    assert terms("A compiler.", question) == ["compiler"]


def test_terms_are_few_and_short():
    reference = " ".join(
        f"Alpha{n} Beta{n} Gamma{n} Delta{n} Eps{n} met cell{n} wall{n} today." for n in range(30)
    )
    found = terms(reference)
    assert len(found) == 12
    assert all(1 <= len(term.split()) <= 4 for term in found)


def test_a_long_reference_is_taken_sentence_by_sentence_and_then_thinned_evenly():
    pair = "Town {0} is big because river {0} is near."
    half = " ".join(pair.format(number) for number in range(30))
    assert facts(half) == [pair.format(number) for number in range(30)]
    long = " ".join(pair.format(number) for number in range(400))
    found = facts(long)
    assert len(found) == MAX_FACTS
    assert found[0] == pair.format(0)
    assert found[-1] == pair.format(390)


@pytest.mark.parametrize("unit", ["word ", "a", "Ab. ", "- item\n", "x was and ", "中文。", "(1) a ", "1 "])
def test_a_huge_reference_gives_a_bounded_list(unit):
    reference = unit * (1_000_000 // len(unit))
    made = make_checklist(reference, "")
    assert len(made["facts"]) <= MAX_FACTS
    assert all(len(row["fact"]) <= 400 for row in made["facts"])
    if is_quoted(reference.strip(), fold(reference)):
        assert isinstance(build_checklist(made, reference), Checklist)
