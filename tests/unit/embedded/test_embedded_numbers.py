"""Numbers are quoted as they stand, and a numeric reference is found in a response or is not."""

import pytest

from adjudge.embedded.reading.numbers import any_number, expected_number, find_number
from adjudge.scoring.numbers.found import numbers_in
from adjudge.scoring.text import NumberText


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was $1,577 million in FY2018.", ["$1,577 million"]),
        ("Margins fell from 36.8% to 34.6 percent", ["36.8%", "34.6 percent"]),
        ("about 5 km or 3.1 miles away", ["5 km", "3.1 miles"]),
        ("Its average speed is 90 km/h.", ["90 km/h"]),
        ("a loss of (12.5) million", ["(12.5) million"]),
        ("version v2, item B12 and x3 are no numbers", []),
        ("nothing here", []),
    ],
)
def test_numbers_are_quoted_with_sign_scale_and_unit(text, found):
    assert numbers_in(text) == found
    assert all(NumberText(text).has(number) for number in found)


@pytest.mark.parametrize(
    ("question", "reference", "number"),
    [
        ("What is the FY2018 capital expenditure (in USD millions)?", "1577", "1577"),
        ("What was the quick ratio?", "0.54", "0.54"),
        ("How long is it?", "about 5 liters", "about 5 liters"),
        ("What was the dividend per share?", "The dividend per share was $0.55.", "$0.55"),
        ("Who bought it, and for how much?", "Microsoft, for $7.5 billion.", None),
        ("How tall?", "5 ft 6 in", "5 ft 6 in"),
        ("When did it begin?", "1998", None),
        ("When did it begin?", "April 1917", None),
        ("Who won?", "The Beatles, 4 times, against all odds", None),
        ("Has it grown?", "Yes, by 13% from 143% to 156%", None),
        ("Who?", "Ada Lovelace", None),
    ],
)
def test_a_reference_is_numeric_when_it_amounts_to_one_quantity(question, reference, number):
    assert expected_number(question, reference) == number


@pytest.mark.parametrize(
    ("question", "expected", "response", "agrees"),
    [
        ("Capex in USD millions?", "1577", "Capital expenditure was $1.58 billion.", True),
        ("Accounts payable in USD millions?", "303", "Payables stood at $302,578,000.", True),
        ("Change in percent?", "0.308", "It rose by 30.8%.", True),
        ("How many?", "6", "One glucose molecule gives six of them.", True),
        ("How many?", "26", "There are 31.", False),
        ("How many in 2019?", "12", "In 2019 nobody counted.", False),
        ("How many?", "12", "I cannot tell.", False),
        ("When is it open?", "24/7", "It is open 24/7.", True),
        ("What share?", "4 out of 5", "4 out of 5", True),
        ("How 0?", "Do 0", "Do 0", True),
        ("What share?", "4 out of 5", "14 out of 5, or 4 out of 50.", False),
        ("When is it open?", "4/5", "On 4/5/2020, 14/5 and 3.4/5.", False),
    ],
)
def test_the_response_gives_the_number_or_does_not(question, expected, response, agrees):
    assert find_number(question, expected, response).agrees is agrees


def test_any_of_several_numbers_will_do_and_a_text_among_them_leaves_it_to_the_model():
    assert any_number("How many?", ["12", "14"], "It is 14.").agrees
    assert not any_number("How many?", ["12", "14"], "It is 20.").agrees
    assert any_number("How many?", ["12", "a dozen apostles"], "It is 12.") is None
    assert any_number("How many?", [], "It is 12.") is None
