"""The rules of judge files: what they compute, exactly, and what they say when they cannot."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import ExpressionError
from adjudge.expressions import EvaluationError, exact_number, parse_expression, round_half_up

VALUES = {
    "score": 4,
    "exact": 3.5,
    "tenth": 0.1,
    "label": "good",
    "passed": True,
    "nothing": None,
    "nested": {"depth": {"value": 7}},
    "a.b": 9,
    "facts": [
        {"matched": True, "points": 2},
        {"matched": False, "points": 0.5},
        {"matched": True, "points": 0.5},
    ],
    "marks": [3, 1.5, 2],
    "none": [],
    "größe": 2,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("score", 4),
        ("score >= 3", True),
        ("score ≥ 5", False),
        ("score = 4", True),
        ("score == 4", True),
        ("score != 4", False),
        ("score ≠ 3", True),
        ("1 <= score <= 5", True),
        ("1 <= score < 4", False),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 2 - 3", 5),
        ("12 / 2 / 3", 2),
        ("12 ÷ 2 × 3 − 1", 17),
        ("2 · 3 – 1", 5),
        ("-score + 1", -3),
        ("--score", 4),
        ("2 * -3", -6),
        ("+2", 2),
        ("tenth + 0.2 == 0.3", True),
        ("tenth * 3", Fraction(3, 10)),
        ("1e3 + .5 + 2.", Fraction(20052, 10) - Fraction(10027, 10)),
        ("round(2.5)", 3),
        ("round(-2.5)", -2),
        ("round(0.5)", 1),
        ("round(1.4999999)", 1),
        ("round(1.005, 2)", Fraction(101, 100)),
        ("min(score, 2, 9)", 2),
        ("max(marks)", 3),
        ("min(marks)", Fraction(3, 2)),
        ("sum(marks)", Fraction(13, 2)),
        ("sum(none)", 0),
        ("sum(score, exact)", Fraction(15, 2)),
        ("sum(1, 2, 3)", 6),
        ("sum(facts, points)", 3),
        ("count(facts)", 3),
        ("count(none)", 0),
        ("count(facts, matched)", 2),
        ("count(facts, matched) / count(facts)", Fraction(2, 3)),
        ("round(5 * (count(facts, matched) / count(facts) * 0.7 + 0.3))", 4),
        ("nested.depth.value", 7),
        ("a.b", 9),
        ("größe * 2", 4),
        ("label", "good"),
        ("label == 'good'", True),
        ('label == "bad" or label == "good"', True),
        ("label == “good”", True),
        ("not passed", False),
        ("not not passed", True),
        ("NOT passed OR True", True),
        ("passed and score >= 4", True),
        ("false or not (score < 4)", True),
        ("1 - passed", 0),
        ("nothing", None),
        ("nothing == null", True),
        ("score != null", True),
        ("false and missing > 1", False),
        ("true or missing > 1", True),
    ],
)
def test_a_rule_gives(text, expected):
    found = parse_expression(text).evaluate(VALUES)
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score / 0", "division by zero: a part of the expression is 0"),
        ("score / (passed - 1)", "division by zero: a part of the expression is 0"),
        ("score / count(none)", "division by zero: count(…) is 0"),
        ("missing + 1", "`missing` is missing"),
        ("nested.other", "`nested.other` is missing"),
        ("score.other", "`score.other` is missing"),
        (
            "facts.matched",
            "`facts` is a list: use count(facts, matched) or sum(facts, matched) to reach into its items",
        ),
        ("label + 1", "`label` has to be a number, but is the text 'good'"),
        ("nothing + 1", "`nothing` has to be a number, but is null"),
        ("label < 'z'", "`label` has to be a number, but is the text 'good'"),
        (
            "label == 4",
            "`label` is the text 'good' and a part of the expression is a number: they cannot be compared",
        ),
        ("count(score)", "`score` has to be a list, but is a number"),
        ("count(facts, other)", "item 1 of `facts` has no `other`"),
        ("count(marks, other)", "item 1 of `marks` has no `other`"),
        ("sum(facts, matched.deep)", "item 1 of `facts` has no `matched.deep`"),
        ("sum(facts)", "item 1 of `facts` has to be a number, but is an object"),
        ("max(none)", "`none` is empty, so it has no max"),
        ("round(score, 0.5)", "the second argument of round has to be a whole number from 0 to 12"),
        ("facts and true", "`facts` has to be true or false, but is a list: use count(…) for a list"),
        ("facts", "`facts` is a list, not a number or a label"),
        ("nested", "`nested` is an object, not a number or a label"),
    ],
)
def test_values_that_do_not_fit_are_named(text, message):
    with pytest.raises(EvaluationError) as caught:
        parse_expression(text).evaluate(VALUES)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**2000])
def test_a_number_that_is_not_finite_or_absurdly_long_is_refused(value):
    with pytest.raises(EvaluationError, match="not a finite number"):
        parse_expression("x + 1").evaluate({"x": value})


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("", "column 1: the expression is empty", "name a field"),
        ("   ", "column 1: the expression is empty", "name a field"),
        ("score >=", "column 9: found the end where a value was expected", "an expression is made of"),
        ("score >= * 3", "column 10: found `*` where a value was expected", "an expression is made of"),
        (
            "(score + 1",
            "column 11: found the end where `)` was expected to close the `(` of column 1",
            "write `)`",
        ),
        ("score)", "column 6: found `)` after the expression", "made of"),
        ("score 4", "column 7: found `4` after the expression", "made of"),
        ("len(score)", "column 1: there is no function `len`", "there are min, max, sum, count, round"),
        ("roud(score)", "column 1: there is no function `roud`", "did you mean `round`?"),
        ("score.__class__()", "column 1: there is no function `score.__class__`", "there are min"),
        ("__import__('os')", "column 1: there is no function `__import__`", "there are min"),
        ("score && passed", "column 7: `&` is not understood", "write `and`"),
        ("score || passed", "column 7: `|` is not understood", "write `or`"),
        ("!passed", "column 1: `!` is not understood", "write `not`, or `!=`"),
        ("score >= 80%", "column 12: `%` is not understood", "write the percentage as a number"),
        ("facts[0]", "column 6: `[` is not understood", "use count"),
        ("score; 1", "column 6: `;` is not understood", "made of"),
        (
            "label == 'good",
            "column 10: the text that starts with ' is never closed",
            "close the quotation mark",
        ),
        ("round()", "column 1: `round` takes 1 to 2 arguments, found 0", "made of"),
        ("round(1, 2, 3)", "column 1: `round` takes 1 to 2 arguments, found 3", "made of"),
        (
            "count(facts, 1)",
            "column 1: the second argument of `count` names a field",
            "count(facts, matched)",
        ),
        ("1e999999999", "column 1: `1e999999999` is too large or too small", "small numbers"),
        ("1" + "0" * 3000, "the expression has 3001 characters; at most 2000 are read", "compute part"),
        ("(" * 200 + "1" + ")" * 200, "nests deeper than 32", "nest it less deeply"),
        ("-" * 200 + "1", "nests deeper than 32", "nest it less deeply"),
        ("not " * 200 + "true", "nests deeper than 32", "nest it less deeply"),
    ],
)
def test_a_rule_that_cannot_be_read_says_where_and_what_to_write(text, problem, hint):
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert problem in caught.value.problem
    assert hint in caught.value.hint
    assert caught.value.where.startswith("`")
    assert len(caught.value.where) <= 82


def test_names_are_the_verdict_fields_a_rule_reads():
    rule = parse_expression(
        "count(facts, matched) / count(facts) + nested.value - min(a, b) > round(c) and not d"
    )
    assert rule.names == {"facts", "nested.value", "a", "b", "c", "d"}
    assert rule.item_fields == {"matched"}


def test_a_rule_is_parsed_once():
    assert parse_expression("score >= 3") is parse_expression("score >= 3")


def test_a_long_flat_rule_is_computed_without_nesting():
    assert parse_expression("+".join(["1"] * 900)).evaluate({}) == 900
    assert parse_expression("*".join(["2"] * 900)).evaluate({}) == 2**900


@given(st.text(max_size=60))
def test_any_text_is_a_rule_or_an_expression_error(text):
    try:
        rule = parse_expression(text)
        rule.evaluate(dict.fromkeys(rule.names, 1))
    except (ExpressionError, EvaluationError):
        pass


@given(st.text(alphabet="()+-*/<>=!,.'\" 0123456789ab not and or count(", max_size=80))
def test_text_made_of_the_grammar_is_a_rule_or_an_expression_error(text):
    try:
        rule = parse_expression(text)
        rule.evaluate(dict.fromkeys(rule.names, 1))
    except (ExpressionError, EvaluationError):
        pass


@given(st.fractions(max_denominator=1000), st.integers(min_value=0, max_value=4))
def test_rounding_half_up_is_within_half_a_unit_and_never_rounds_a_half_down(value, digits):
    rounded = round_half_up(value, digits)
    assert -Fraction(1, 2 * 10**digits) < rounded - value <= Fraction(1, 2 * 10**digits)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**6), max_value=10**6))
def test_a_json_float_is_the_number_its_text_says(value):
    if len(value.as_tuple().digits) <= 15:
        assert exact_number(float(value)) == Fraction(str(value))


def test_a_product_does_not_grow_without_end():
    product = parse_expression("*".join(["a"] * 900))
    assert product.evaluate({"a": 2}) == 2**900
    with pytest.raises(EvaluationError, match="grows beyond any score"):
        product.evaluate({"a": 10**1000})
