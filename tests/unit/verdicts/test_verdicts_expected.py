"""How likely each value was, from the alternatives to the tokens of the one that was given: tables worked by hand."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from logprobs import token
from verdict_contracts import CONTRACTS

from adjudge.records import Contract, TokenLogprob, Verdict
from adjudge.verdicts import read_verdict, spelled_values, value_shares, value_tokens


def shares(name, *tokens):
    logprobs = [token(each) if isinstance(each, str) else token(*each) for each in tokens]
    verdict = read_verdict(
        "".join(each.token for each in logprobs), CONTRACTS[name], whole=False, case_texts=[]
    )
    assert isinstance(verdict, Verdict), verdict
    found = value_tokens(logprobs, CONTRACTS[name], verdict)
    assert found is not None
    return {share.value: share.probability for share in value_shares(found, CONTRACTS[name])}


ONE_OF_FIVE = {"4": 0.6, "3": 0.3, "5": 0.06, "7": 0.03, "\n": 0.01}


@pytest.mark.parametrize(
    ("name", "tokens", "wanted"),
    [
        # a JSON field, the number alone, after white space, inside quotes
        (
            "relevance",
            ['{"score": ', ("4", ONE_OF_FIVE), ', "reason": "x"}'],
            {4: 0.6, 3: 0.3, 5: 0.06},
        ),
        (
            "relevance",
            ['{"score":', (" 4", {" 4": 0.6, " 3": 0.3, "5": 0.1}), ', "reason": "x"}'],
            {4: 0.6, 3: 0.3, 5: 0.1},
        ),
        (
            "relevance",
            ['{"score":', (' "4', {' "4': 0.5, ' "3': 0.25, " ": 0.25}), '", "reason": "x"}'],
            {4: 0.5, 3: 0.25},
        ),
        # one token that holds the value and what follows it
        (
            "relevance",
            ['{"reason": "x", "score": ', ("4}", {"4}": 0.5, "4": 0.2, "2}": 0.2, "2": 0.1})],
            {4: 0.7, 2: 0.3},
        ),
        # the last verdict counts, whatever other numbers were said before
        (
            "scoreline",
            ["It has ", ("3", {"3": 0.9, "8": 0.1}), " faults.\nScore: ", ("8", {"8": 0.75, "7": 0.25})],
            {8: 0.75, 7: 0.25},
        ),
        ("tags", ["<score>", ("3", {"3": 0.8, "2": 0.2}), "</score>"], {3: 0.8, 2: 0.2}),
        ("brackets", ["Good. [[", ("7", {"7": 0.8, "8": 0.2}), "]]"], {7: 0.8, 8: 0.2}),
        # digits in one token each: 10 is 1, then 0; 1 alone is when something else follows; 2 can only be 2
        (
            "brackets",
            ["[[", ("1", {"1": 0.6, "2": 0.3, "x": 0.1}), ("0", {"0": 0.7, "]]": 0.25, "5": 0.05}), "]]"],
            {10: 0.42, 1: 0.15, 2: 0.3},
        ),
        # the same where 1 was given: after it could have come a 0
        (
            "brackets",
            ["[[", ("1", {"1": 0.6, "2": 0.4}), ("]]", {"]]": 0.8, "0": 0.15, "/": 0.05})],
            {1: 0.51, 10: 0.09, 2: 0.4},
        ),
        # whether the 1 that was not given would have been 10 is not known, so it counts for neither
        ("brackets", ["[[", ("7", {"7": 0.8, "1": 0.2}), "]]"], {7: 0.8}),
        # unless the model has tokens of several digits
        ("brackets", ["[[", ("7", {"7": 0.7, "1": 0.2, "10": 0.1}), "]]"], {7: 0.7, 1: 0.2, 10: 0.1}),
        # fractions: 0 and what follows it are not told apart, the digits after the point are
        (
            "fraction",
            [
                '{"score": ',
                ("0", {"0": 0.9, "1": 0.1}),
                ".",
                ("75", {"75": 0.5, "8": 0.3, "5": 0.2}),
                ', "reason": "x"}',
            ],
            {0.75: 0.45, 0.8: 0.27, 0.5: 0.18, 1: 0.1},
        ),
        (
            "fraction",
            ['{"score": ', ("1", {"1": 0.6, "0": 0.4}), ', "reason": "x"}'],
            {1: 0.6},
        ),
        (
            "fraction",
            [
                '{"score": 0.',
                ("7", {"7": 1.0}),
                ("5", {"5": 0.75, ",": 0.25}),
                ', "reason": "x"}',
            ],
            {0.75: 0.75, 0.7: 0.25},
        ),
        # numbers that are options: 1.0 is 1
        (
            "binary",
            ['{"final_score": ', ("1", {"1": 0.8, "0": 0.2}), ".0", ', "score_reason": "x"}'],
            {1.0: 0.8, 0.0: 0.2},
        ),
        # labels: whole, begun where only one begins so, in other letters
        (
            "line",
            ["Fine.\nVERDICT:", (" dis", {" dis": 0.5, " agree": 0.3, " Part": 0.15, " a": 0.05}), "agree"],
            {"disagree": 0.5, "agree": 0.35, "partly": 0.15},
        ),
        (
            "grade",
            [("B", {"B": 0.5, "A": 0.25, " C": 0.125, "As": 0.125})],
            {"B": 0.5, "A": 0.25, "C": 0.125},
        ),
        (
            "label",
            [("in", {"in": 0.6, "correct": 0.3, "not": 0.1}), ("correct", {"correct": 1.0})],
            {"incorrect": 0.6, "correct": 0.3, "not_attempted": 0.1},
        ),
    ],
)
def test_the_table_worked_by_hand(name, tokens, wanted):
    assert shares(name, *tokens) == {value: pytest.approx(share) for value, share in wanted.items()}


def negative():
    schema = {"type": "object", "properties": {"score": {"type": "integer", "minimum": -2, "maximum": 2}}}
    return Contract(schema=schema, needs=("score",), form="tags")


def test_a_negative_number_is_its_sign_and_its_digits():
    tokens = [
        token("<score>"),
        token("-", {"-": 0.6, "0": 0.1, "1": 0.3}),
        token("1", {"1": 0.5, "2": 0.5}),
        token("</score>"),
    ]
    found = value_tokens(tokens, negative(), Verdict(parts={"score": -1}))
    assert found is not None
    assert {share.value: share.probability for share in value_shares(found, negative())} == {
        -1: pytest.approx(0.3),
        -2: pytest.approx(0.3),
        0: pytest.approx(0.1),
        1: pytest.approx(0.3),
    }


def table(*alternatives, own=-0.5):
    tokens = [
        token("Score: "),
        TokenLogprob(token="8", logprob=own, alternatives=alternatives),
    ]
    found = value_tokens(tokens, CONTRACTS["scoreline"], Verdict(parts={"score": 8}))
    assert found is not None
    return value_shares(found, CONTRACTS["scoreline"])


@pytest.mark.parametrize(
    "alternatives",
    [
        (),
        (("7", math.nan),),
        (("7", math.inf),),
        (("7", 3.0),),
        (("7", -0.1), ("6", -0.1), ("5", -0.1)),
    ],
    ids=["none given", "not a number", "infinite", "above 1", "more than 1 together"],
)
def test_what_is_no_probability_gives_no_table(alternatives):
    assert table(*alternatives) == ()


def test_an_alternative_that_cannot_be_counts_nothing():
    assert [(share.value, share.probability) for share in table(("7", -math.inf), ("8", -0.5))] == [
        (7, 0.0),
        (8, pytest.approx(math.exp(-0.5))),
    ]


TEXTS = st.text(alphabet="0123456789.,-+ \"'[]{}:\nab/%eE１٣", max_size=6)


@given(
    st.sampled_from(["relevance", "scoreline", "fraction", "binary"]),
    st.lists(st.tuples(TEXTS, st.floats(-20, 0)), max_size=8),
    st.floats(-5, 0),
)
@example("relevance", [("0", 0.0), ("0", -7.0)], 0.0)  # the same token twice: together a little more than 1
def test_whatever_stands_beside_it_probabilities_stay_probabilities(name, alternatives, own):
    contract = CONTRACTS[name]
    needed = contract.needs[0]
    tokens = [
        token(f'{{"{needed}": '),
        TokenLogprob(token="1", logprob=own, alternatives=tuple(alternatives)),
        TokenLogprob(token="}", logprob=own, alternatives=tuple(alternatives)),
    ]
    found = value_tokens(tokens, contract, Verdict(parts={needed: 1}))
    if found is None:
        return
    known = value_shares(found, contract)
    assert all(0 <= share.probability <= 1 for share in known)
    assert sum(share.probability for share in known) <= 1.001


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("relevance", ("0", "1", "2", "3", "4", "5")),
        ("line", ("agree", "partly", "disagree")),
        ("fraction", tuple("0123456789-.")),
        ("facts", ()),
    ],
)
def test_the_spellings_of_what_decides(name, wanted):
    assert spelled_values(CONTRACTS[name]) == wanted
