"""The correctness verdict: what makes it 1, what makes it invalid, and what is noted."""

import pytest

from adjudge.records import Scale, Score, Verdict
from adjudge.scoring.correctness import CorrectnessScorer
from adjudge.scoring.scorer import Invalid

SCORER = CorrectnessScorer(scale=Scale(low=0, high=1))
REASON = "The response gives the same figure as the expected output."


def verdict(*numbers, contradicts=False, misses_critical=False, calculation=False, reason=REASON):
    return Verdict(
        parts={
            "reason": reason,
            "contradicts": contradicts,
            "misses_critical": misses_critical,
            "calculation": calculation,
            "numbers": [dict(zip(("expected", "response", "critical"), row, strict=True)) for row in numbers],
        }
    )


def score(given, reference="It is 1.", response="It is 1.04.", question="How much?"):
    return SCORER.score(given, {"question": question, "reference": reference, "response": response}, None)


@pytest.mark.parametrize(
    ("contradicts", "misses", "response", "critical", "final"),
    [
        (False, False, "1.04", True, 1.0),
        (False, False, "1.05", True, 0.0),
        (False, False, "1.05", False, 1.0),
        (True, False, "1.04", True, 0.0),
        (False, True, "1.04", True, 0.0),
        (True, True, "1.05", True, 0.0),
        (False, False, None, True, 0.0),
        (False, False, None, False, 1.0),
    ],
)
def test_final_score_is_1_only_when_nothing_stands_against_it(contradicts, misses, response, critical, final):
    given = verdict(("1", response, critical), contradicts=contradicts, misses_critical=misses)
    found = score(given, response="It is 1.04 or 1.05.")
    assert isinstance(found, Score)
    assert found.value == found.exact == final
    assert found.parts["final_score"] == final


def test_no_numbers_leave_the_labels_to_decide():
    assert score(verdict()).value == 1.0
    assert score(verdict(contradicts=True)).value == 0.0


def test_a_calculation_halves_the_margin():
    assert score(verdict(("1", "1.04", True))).value == 1.0
    assert score(verdict(("1", "1.04", True), calculation=True)).value == 0.0


def test_what_code_decided_stands_in_the_notes_and_with_each_number():
    found = score(
        verdict(("1", "1.04", True), ("1998", "1999", False), ("5 km", None, False)),
        reference="1 in 1998 over 5 km",
        response="1.04 in 1999",
    )
    assert found.notes == (
        "number: 1.04 against 1: off by 4 %, 4 % allowed, agrees",
        "number: 1999 against 1998: compared exactly as years, does not agree (not critical)",
        "number: nothing against 5 km: not in the response, does not agree (not critical)",
    )
    assert found.parts["numbers"] == [
        {"expected": "1", "response": "1.04", "critical": True, "agrees": True, "difference": 0.04},
        {"expected": "1998", "response": "1999", "critical": False, "agrees": False, "difference": None},
        {"expected": "5 km", "response": None, "critical": False, "agrees": False, "difference": None},
    ]
    assert list(found.parts)[-1] == "final_score"


def test_notes_are_bounded():
    found = score(verdict(*[("1", "1.04", True)] * 50))
    assert len(found.notes) == 21
    assert found.notes[-1] == "numbers_left_out:30"


@pytest.mark.parametrize(
    ("expected", "response", "why"),
    [
        ("2", "1.04", "the number `2` does not occur in the expected output"),
        ("1", "1.05", "the number `1.05` does not occur in the response"),
        ("1", "04", "the number `04` does not occur in the response"),
        ("1", "1", "the number `1` does not occur in the response"),
    ],
)
def test_a_number_that_is_not_quoted_does_not_validate(expected, response, why):
    found = score(verdict((expected, response, True)))
    assert isinstance(found, Invalid)
    assert why in found.why


@pytest.mark.parametrize(
    ("text", "quoted", "stands"),
    [
        ("It took 5 km.", "5 km", True),
        ("It took 5\n km.", "5 KM", True),
        ("It took 5km.", "5 km", True),
        ("It took 5 km", "5km", True),
        ("15 km", "5 km", False),
        ("1.5 km", "5 km", False),
        ("1,500", "500", False),
        ("1,500", "1", False),
        ("-5", "5", False),
        ("a loss of −5", "-5", True),
        ("3-5 days", "5", True),
        ("from 2019-2020", "2020", True),
        ("**42**", "42", True),
        ("in 2019, 234 people", "234", True),
        ("5 6", "56", False),
        ("1 234,5", "1 234,5", True),
        ("£5m", "£5M", True),
        ("5", "", False),
    ],
)
def test_a_number_stands_in_a_text_white_space_and_case_aside(text, quoted, stands):
    found = score(verdict((quoted, None, False)), reference=text)
    assert isinstance(found, Score) == stands


def test_any_reference_of_a_list_may_hold_the_number():
    given = verdict(("7", "7", True))
    assert score(given, reference=["six", "it is 7"], response="7").value == 1.0
    assert isinstance(score(given, reference=["six"], response="7"), Invalid)


def test_a_response_that_is_an_object_is_looked_through_as_json():
    assert score(verdict(("7", "7", True)), reference={"answer": 7}, response={"value": 7}).value == 1.0


def test_numbers_given_as_json_numbers_are_their_text():
    assert score(verdict((1, 1.04, True))).value == 1.0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"contradicts": "no"}, "`contradicts` has to be true or false"),
        ({"misses_critical": None}, "`misses_critical` has to be true or false"),
        ({"calculation": 1}, "`calculation` has to be true or false"),
        ({"numbers": "1"}, "`numbers` has to be a list"),
        ({"numbers": ["1"]}, "number 1 has to be an object"),
        ({"numbers": [{"expected": None, "response": "1", "critical": True}]}, "`expected` of number 1"),
        ({"numbers": [{"expected": " ", "response": "1", "critical": True}]}, "`expected` of number 1"),
        ({"numbers": [{"expected": "1", "response": ["1"], "critical": True}]}, "`response` of number 1"),
        ({"numbers": [{"expected": "1", "response": "1.04", "critical": "yes"}]}, "`critical` of number 1"),
        (
            {"numbers": [{"expected": "1", "response": "1", "critical": True}] * 301},
            "`numbers` has 301 entries",
        ),
    ],
)
def test_a_verdict_of_another_shape_is_invalid(change, why):
    found = score(Verdict(parts={**verdict().parts, **change}))
    assert isinstance(found, Invalid)
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    ("reason", "noted"),
    [
        ("Both name Paris.", False),
        ("The response matches the expected output in every key fact.", False),
        ("Die Antwort stimmt mit der erwarteten Ausgabe in allen Punkten überein.", True),
        ("La respuesta coincide con el resultado esperado en todos los datos.", True),
        ("Ответ совпадает с ожидаемым.", True),
        ("回答与预期一致。", True),
        ("", False),
        (None, False),
    ],
)
def test_a_reason_in_another_language_is_noted(reason, noted):
    assert ("reason_not_english" in score(verdict(reason=reason)).notes) == noted


def test_a_question_for_a_year_compares_years_exactly():
    given = verdict(("1066", "1050", True))
    texts = {"reference": "1066", "response": "1050"}
    assert score(given, **texts).value == 1.0
    assert score(given, **texts, question="In which year was it fought?").value == 0.0


def test_a_megabyte_of_response_is_looked_through():
    found = score(verdict(*[("1", "77777", True)] * 100), response="7 " * 500_000)
    assert isinstance(found, Invalid)


def test_a_question_for_millions_is_read():
    given = verdict(("$1577.00", "$1,577 million", True))
    texts = {"reference": "$1577.00", "response": "It was $1,577 million."}
    assert score(given, **texts).value == 0.0
    assert score(given, **texts, question="What was the capex in USD millions?").value == 1.0
