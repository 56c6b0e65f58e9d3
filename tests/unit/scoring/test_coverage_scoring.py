"""Coverage: the checklist is checked against the reference, the matches against the output."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import Scale, Score, Verdict
from adjudge.scoring.coverage import CoverageScorer
from adjudge.scoring.scorer import Invalid
from adjudge.scoring.terms import is_term, term_text

SCORER = CoverageScorer(scale=Scale(low=0, high=5))
REFERENCE = (
    "The Eiffel Tower is in Paris. It was completed in 1889. So it is older than the Empire State Building."
)
OUTPUT = "The **Eiffel Tower**, built in 1889, stands in Paris, France."
REPLY = {
    "facts": [
        {"fact": "The Eiffel Tower is in Paris", "quote": "The Eiffel Tower is in Paris."},
        {"fact": "It was completed in 1889", "quote": "completed in 1889"},
    ],
    "conclusions": [
        {
            "conclusion": "It is older than the Empire State Building",
            "quote": "it is older than the Empire State Building",
        }
    ],
    "terms": [{"term": "Eiffel Tower", "quote": "Eiffel Tower"}, {"term": "completed", "quote": "completed"}],
}
FIELDS = {"question": "Where and when?", "reference": REFERENCE, "response": OUTPUT}


def items(reply=REPLY, reference=REFERENCE):
    return SCORER.validate_items(reply, {"reference": reference})


def answer(item_id, matched=True, evidence="Paris"):
    return {"id": item_id, "why": "stated", "matched": matched, "evidence": evidence}


def matches(**changes):
    parts = {
        "facts": [answer("F1"), answer("F2", evidence="built in 1889")],
        "conclusions": [answer("C1", matched=False, evidence=None)],
        "terms": [answer("T2", matched=False, evidence=None)],
        "organization": "matched",
    }
    return Verdict(parts={**parts, **changes})


def test_items_are_numbered_and_keep_their_quotes():
    found = items()
    assert found["facts"][1] == {"id": "F2", "fact": "It was completed in 1889", "quote": "completed in 1889"}
    assert [row["id"] for name in ("conclusions", "terms") for row in found[name]] == ["C1", "T1", "T2"]
    assert found["notes"] == []


def test_terms_that_code_finds_are_not_asked_about_and_quotes_are_not_shown():
    assert SCORER.items_to_ask(items(), FIELDS) == {
        "facts": [
            {"id": "F1", "fact": "The Eiffel Tower is in Paris"},
            {"id": "F2", "fact": "It was completed in 1889"},
        ],
        "conclusions": [{"id": "C1", "conclusion": "It is older than the Empire State Building"}],
        "terms": [{"id": "T2", "term": "completed"}],
    }


def test_the_score_is_computed_from_checked_matches():
    found = SCORER.score(matches(), FIELDS, items())
    assert isinstance(found, Score)
    assert found.exact == pytest.approx(5 * (0.4 + 0.105 + 0.09))
    assert found.value == 3.0
    assert found.notes == ()
    assert found.parts["rationale"] == [
        "Fact: 2 of 2 facts correctly matched.",
        "Conclusion: 0 of 1 conclusions correctly matched.",
        "Terminology: 1 of 2 terms correctly matched.",
        "Organization: matched",
        (
            "Score: 3 ≈ 2.975 = 5 * (facts_ratio 1.0 * 0.4 + conclusions_ratio 0.0 * 0.3 + terms_ratio 0.5 * 0.21"
            " + organization_ratio 1.0 * 0.09)"
        ),
    ]
    assert found.parts["score"] == 3
    assert found.parts["counts"]["matched_facts"] == 2
    assert [row["found"] for row in found.parts["terms"]] == ["code", None]
    assert found.parts["facts"][1] == {
        "id": "F2",
        "text": "It was completed in 1889",
        "quote": "completed in 1889",
        "matched": True,
        "evidence": "built in 1889",
        "why": "stated",
    }


@pytest.mark.parametrize(
    "evidence",
    ["in London", None, "", "the", ".", "  ", "stand", "Tower built", "e", "The Eiffel Tower is in Paris"],
)
def test_evidence_that_does_not_stand_in_the_output_makes_the_item_unmatched(evidence):
    found = SCORER.score(
        matches(facts=[answer("F1", evidence=evidence), answer("F2", evidence="1889")]), FIELDS, items()
    )
    assert found.notes == ("evidence_not_found:F1",)
    assert [row["matched"] for row in found.parts["facts"]] == [False, True]


@pytest.mark.parametrize(
    "evidence",
    [
        "PARIS",
        "in\n Paris",
        '"stands in Paris"',
        "stands in Paris...",
        "The Eiffel Tower, built",
        "stands in Paris.",
    ],
)
def test_white_space_case_quotation_marks_and_emphasis_do_not_matter(evidence):
    found = SCORER.score(
        matches(facts=[answer("F1", evidence=evidence), answer("F2", evidence="1889")]), FIELDS, items()
    )
    assert found.notes == ()


def test_typographic_quotes_dashes_and_compatibility_characters_are_folded():
    reply = {"facts": [{"fact": "f", "quote": 'Bell\'s well-known "ﬁrst" call'}]}
    assert not isinstance(items(reply, "It was Bell’s well–known “first” call."), Invalid)


def test_a_matched_term_needs_evidence_too():
    found = SCORER.score(matches(terms=[answer("T2", evidence="built in 1889")]), FIELDS, items())
    assert [row["found"] for row in found.parts["terms"]] == ["code", "model"]
    lost = SCORER.score(matches(terms=[answer("T2", evidence="finished")]), FIELDS, items())
    assert lost.parts["terms"][1]["matched"] is False
    assert lost.notes == ("evidence_not_found:T2",)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"facts": [answer("F1")]}, "no answer for F2;"),
        ({"facts": [], "conclusions": []}, "no answer for F1, F2, C1;"),
        ({"facts": [answer("F1"), answer("F2"), answer("F2")]}, "F2 answered more than once"),
        ({"facts": [answer("F1"), {"why": "x", "matched": True}]}, "answer 2 of `facts` has no `id`"),
        ({"facts": [answer("F1"), answer("F2", matched="yes")]}, "`matched` of F2 has to be true or false"),
        ({"facts": "F1"}, "`facts` has to be a list"),
        ({"organization": "similar"}, "`organization` has to be matched or mismatched"),
        ({"organization": None}, "`organization` has to be matched or mismatched"),
    ],
)
def test_a_reply_that_does_not_answer_every_id_once_is_invalid(changes, why):
    found = SCORER.score(matches(**changes), FIELDS, items())
    assert isinstance(found, Invalid)
    assert found.why.startswith(why)


def test_unknown_ids_are_noted_and_ids_are_read_in_any_case_and_list():
    facts = [answer("f1 "), answer("F9"), answer("C1", matched=False)]
    found = SCORER.score(matches(facts=facts, conclusions=[answer("F2")]), FIELDS, items())
    assert found.notes == ("unknown_id:F9",)
    assert found.parts["counts"]["matched_facts"] == 2


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({}, "neither a fact nor a conclusion"),
        ({"facts": [], "conclusions": [], "terms": []}, "neither a fact nor a conclusion"),
        ({"terms": [{"term": "Eiffel Tower", "quote": "Eiffel Tower"}]}, "neither a fact nor a conclusion"),
        (
            {"facts": [{"fact": "It is in Rome", "quote": "is in Rome"}]},
            "the quote of fact 1 (`is in Rome`) does not occur",
        ),
        ({"facts": [{"fact": "x", "quote": "the"}]}, "the quote of fact 1 (`the`)"),
        ({"facts": [{"fact": "x", "quote": "."}]}, "the quote of fact 1"),
        ({"facts": [{"fact": "x"}]}, "fact 1 has no `quote`"),
        ({"facts": [{"quote": "Paris"}]}, "fact 1 has no `fact`"),
        ({"facts": ["Paris"]}, "fact 1 has to be an object"),
        ({"facts": "Paris"}, "`facts` has to be a list"),
        ({"facts": [{"fact": "x", "quote": "Paris"}] * 301}, "`facts` has to be a list of at most 300 items"),
        (
            {**REPLY, "terms": [{"term": "Rome", "quote": "Rome"}]},
            "the quote of term 1 (`Rome`) does not occur",
        ),
    ],
)
def test_a_checklist_that_is_empty_lazy_or_made_up_gives_no_score(reply, why):
    found = items(reply)
    assert isinstance(found, Invalid)
    assert why in found.why


def test_nothing_counts_twice_or_as_both():
    fact = REPLY["facts"][0]
    reply = {
        "facts": [fact, {**fact, "fact": "the Eiffel tower is in Paris."}],
        "conclusions": [{"conclusion": fact["fact"], "quote": fact["quote"]}],
        "terms": [{"term": "Tower", "quote": "Tower"}, {"term": "towers", "quote": "Tower"}],
    }
    found = items(reply)
    assert [len(found[name]) for name in ("facts", "conclusions", "terms")] == [1, 0, 1]
    assert found["notes"] == [
        "duplicate_dropped:fact 2",
        "duplicate_dropped:conclusion 1",
        "duplicate_dropped:term 2",
    ]
    scored = SCORER.score(Verdict(parts={"facts": [answer("F1")], "organization": "matched"}), FIELDS, found)
    assert scored.notes == tuple(found["notes"])
    assert scored.value == 5.0


@pytest.mark.parametrize(
    "term",
    [
        "1889",
        "5 km",
        "$5 million",
        "twenty-one",
        "the",
        "of the",
        "bullet points",
        "Heading",
        "10%",
        "3rd",
        "—",
        "½",
    ],
)
def test_numbers_stopwords_and_formatting_words_are_no_terms(term):
    assert not is_term(term)
    reply = {**REPLY, "terms": [{"term": term, "quote": "nowhere"}]}
    found = items(reply)
    assert found["terms"] == []
    assert found["notes"] == [f"term_dropped:{term}"]


@pytest.mark.parametrize(
    "term", ["Eiffel Tower", "COVID-19", "Apollo 11", "half-life", "year", "塔", "no-fly zone", "table salt"]
)
def test_topic_words_are_terms(term):
    assert is_term(term)


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("tower", "Towers rise", True),
        ("Towers", "the tower's top", True),
        ("well known", "a well-known fact", True),
        ("café", "the CAFE", True),
        ("city", "many cities", True),
        ("process", "processes", True),
        ("Paris", "paris.", True),
        ("art", "a party", False),
        ("Eiffel Tower", "Eiffel's big tower", False),
        ("Eiffel Tower", "the Eiffel\n tower", True),
        ("埃菲尔", "我爱埃菲尔铁塔", True),
        ("", "anything", False),
        ("—", "a — b", False),
    ],
)
def test_terms_are_found_as_whole_words_with_simple_inflection(term, text, found):
    assert term_text(text).has(term) == found


def test_without_a_checklist_there_is_no_score():
    assert isinstance(SCORER.score(matches(), FIELDS, None), Invalid)
    assert isinstance(SCORER.score(matches(), FIELDS, {}), Invalid)
    assert isinstance(SCORER.score(matches(), FIELDS, {"facts": [{"id": 1}]}), Invalid)


WORDS = ["alpha", "bravo", "carbon", "delta", "echoes", "foxtrot", "golfers", "hotel", "india", "juliet"]


@given(
    st.lists(st.sampled_from(WORDS), unique=True, min_size=1, max_size=8),
    st.sets(st.sampled_from(WORDS)),
    st.integers(0, 8),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_order_of_items_and_answers_does_not_matter(
    words, said, split, organized, shuffler: random.Random
):
    fields = {"reference": " ".join(WORDS), "response": " ".join(sorted(said)) or "nothing"}

    def value(order):
        reply = {
            "facts": [{"fact": word, "quote": word} for word in order if word in words[: split + 1]],
            "conclusions": [
                {"conclusion": word, "quote": word} for word in order if word in words[split + 1 :]
            ],
            "terms": [{"term": word, "quote": word} for word in order],
        }
        checked = SCORER.validate_items(reply, fields)
        asked = SCORER.items_to_ask(checked, fields)
        answers = {
            name: [
                answer(row["id"], matched=row[name[:-1]] in said, evidence=row[name[:-1]])
                for row in reversed(asked[name])
            ]
            for name in ("facts", "conclusions", "terms")
        }
        organization = "matched" if organized else "mismatched"
        return SCORER.score(Verdict(parts={**answers, "organization": organization}), fields, checked).exact

    shuffled = list(words)
    shuffler.shuffle(shuffled)
    assert value(words) == value(shuffled)
    assert 0 <= value(words) <= 5


@given(st.text(max_size=30), st.text(max_size=30))
def test_claims_without_evidence_never_reach_5(fact, output):
    reply = {"facts": [{"fact": fact, "quote": fact}]}
    fields = {"reference": f"{fact} and more", "response": output}
    checked = SCORER.validate_items(reply, fields)
    if not isinstance(checked, Invalid):
        claimed = Verdict(parts={"facts": [answer("F1", evidence=None)], "organization": "matched"})
        assert SCORER.score(claimed, fields, checked).exact <= 1.05


def test_a_megabyte_of_hostile_output_is_scored():
    found = SCORER.score(matches(), {**FIELDS, "response": "Paris'" * 170_000 + OUTPUT}, items())
    assert isinstance(found, Score)
