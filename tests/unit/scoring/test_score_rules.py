"""Scores that a judge file writes down: fields, points, expressions, the pass rule and the scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.records import (
    Contract,
    ExpressionScore,
    FieldScore,
    Judge,
    NamedScore,
    PointsScore,
    PromptMessage,
    Scale,
    Score,
    Verdict,
)
from adjudge.scoring import Invalid, lowest, normalize, passes, scorer_for
from adjudge.scoring.rules import FieldScorer, score_field
from adjudge.versions import SCORER_VERSIONS

JUDGE = Judge(
    name="mine",
    hash="abc",
    messages=(PromptMessage(role="user", text="Judge {{response}}", dialect="mustache"),),
    dialect="mustache",
    inputs=(),
    contract=Contract(schema={}, needs=()),
    score=FieldScore(field="score"),
    scale=Scale(low=0, high=5),
)
LINES = [
    "Fact: 1 of 2 correctly matched.",
    "Conclusion: 0 of 0 correctly matched.",
    "Terminology: 2 of 2 terms correctly matched.",
    "Organization: matched",
    "Score: 5 ≈ 5.0 = 5 * (…)",
]


SCORES = st.sampled_from([0, 1, True, False, 1.0, 0.0, -0.0, 5, 6, -1, "1", None, 10**39, 1.5, [1]])


def judge(**changes):
    return replace(JUDGE, **changes)


def score(of, parts, items=None):
    return scorer_for(of).score(Verdict(parts=parts), {}, items)


@pytest.mark.parametrize(
    ("said", "value"), [(4, 4.0), (0, 0.0), (5, 5.0), (3.5, 3.5), ("4", 4.0), (" 4.0 ", 4.0), (True, 1.0)]
)
def test_a_field_is_the_score(said, value):
    assert score(JUDGE, {"score": said}) == Score(value=value, exact=value)


@given(
    first=SCORES,
    second=SCORES,
    rationale=st.sampled_from([None, "x", LINES]),
    scale=st.sampled_from([None, Scale(low=0, high=5), Scale(low=0.1, high=1e300)]),
)
def test_a_score_that_is_kept_is_the_one_that_would_be_computed(first, second, rationale, scale):
    scorer = FieldScorer(rule=FieldScore(field="score"), scale=scale)
    for said in (first, second):
        parts = {"score": said, "rationale": rationale}
        assert repr(scorer.compute(parts)) == repr(score_field("score", parts, scale))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "`score` is missing"),
        ({"score": None}, "`score` is missing"),
        ({"score": "high"}, "`score` has to be a number, found high"),
        ({"score": [4]}, "`score` has to be a number, found [4]"),
        ({"score": 6}, "`score` is 6, outside the scale 0 to 5"),
        ({"score": -0.5}, "`score` is -0.5, outside the scale 0 to 5"),
        ({"score": float("nan")}, "`score` has to be a number, found NaN"),
        ({"score": "1" * 10**6}, "`score` has to be a number"),
    ],
)
def test_a_field_that_is_no_score_is_invalid_and_never_clamped(parts, why):
    found = score(JUDGE, parts)
    assert isinstance(found, Invalid)
    assert found.why.startswith(why)
    assert len(found.why) < 200


def test_without_a_scale_every_finite_number_is_a_score():
    assert score(judge(scale=None), {"score": 1000}).value == 1000.0
    assert isinstance(score(judge(scale=None), {"score": 10**400}), Invalid)


def test_a_rationale_whose_lines_give_another_score_is_noted():
    assert score(JUDGE, {"score": 3, "rationale": LINES}).notes == ()
    found = score(JUDGE, {"score": 5, "rationale": LINES})
    assert found.value == 5.0
    assert found.notes == ("rationale_mismatch: said 5, the lines give 3.25",)
    assert score(JUDGE, {"score": 5, "rationale": ["good"]}).notes == ()


def test_coverage_rationale_makes_the_lines_count():
    found = score(judge(score=NamedScore(name="coverage_rationale")), {"score": 5, "rationale": LINES})
    assert (found.value, found.exact) == (3.0, 3.25)
    assert found.parts == {"score": 3, "rationale": LINES}
    assert found.notes == ("rationale_mismatch: said 5, the lines give 3.25",)
    unread = score(judge(score=NamedScore(name="coverage_rationale")), {"score": 5, "rationale": ["good"]})
    assert isinstance(unread, Invalid)
    assert "k of n" in unread.why


POINTS = PointsScore(field="label", points={"agree": 1.0, "partly": 0.5, "true": 2.0, "Yes": 3.0, "YES": 4.0})


@pytest.mark.parametrize(
    ("label", "value"),
    [("agree", 1.0), ("partly", 0.5), (" Agree ", 1.0), (True, 2.0), ("Yes", 3.0), ("YES", 4.0)],
)
def test_a_label_is_worth_its_points(label, value):
    assert score(judge(score=POINTS), {"label": label}).value == value


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, "`label` is missing"),
        ({"label": "disagree"}, "`label` is disagree; it has to be one of agree, partly, true, Yes, YES"),
        ({"label": "yes"}, "`label` is yes; it has to be one of"),
    ],
)
def test_a_label_without_points_is_invalid(parts, why):
    found = score(judge(score=POINTS), parts)
    assert isinstance(found, Invalid)
    assert found.why.startswith(why)


def test_an_expression_is_computed_exactly_and_keeps_what_was_rounded():
    rule = ExpressionScore(text="round(5 * count(facts, matched) / count(facts))")
    parts = {"facts": [{"matched": True}, {"matched": False}]}
    assert score(judge(score=rule), parts) == Score(value=3.0, exact=2.5)
    assert score(judge(score=ExpressionScore(text="0.1 + 0.2")), {}).exact == 0.3
    assert score(judge(score=ExpressionScore(text="a and not b")), {"a": True, "b": False}).value == 1.0


def test_an_expression_may_read_the_items():
    rule = ExpressionScore(text="count(items.facts)")
    assert score(judge(score=rule), {}, {"facts": [1, 2]}).value == 2.0


@pytest.mark.parametrize(
    ("text", "parts", "why"),
    [
        ("a / b", {"a": 1, "b": 0}, "the score `a / b` cannot be computed: division by zero: `b` is 0"),
        ("a + b", {"a": 1}, "the score `a + b` cannot be computed: `b` is missing"),
        ("a", {"a": "good"}, "the score `a` has to be a number, found good"),
        ("a", {"a": None}, "the score `a` has to be a number, found None"),
        ("a * 10", {"a": 1}, "`a * 10` is 10, outside the scale 0 to 5"),
        ("round(a)", {"a": 5.2}, "`round(a)` is 5.2, outside the scale 0 to 5"),
    ],
)
def test_an_expression_that_gives_no_score_is_invalid(text, parts, why):
    assert score(judge(score=ExpressionScore(text=text)), parts) == Invalid(why=why)


@pytest.mark.parametrize(
    ("rule", "parts", "expected"),
    [
        (None, {}, None),
        ("score >= 3", {}, True),
        ("score > 3", {}, False),
        ("exact >= 3", {}, False),
        ("score >= 3 and not unsafe", {"unsafe": True}, False),
        ("label == 'good'", {"label": "good"}, True),
        ("score", {}, True),
        ("label", {"label": "good"}, None),
        ("unsafe", {}, None),
        ("score >= 3", {"score": 0}, True),
        ("sum(score, bonus) >= 4", {"bonus": 1}, True),
        ("sum(score, bonus) >= 4", {"bonus": 0}, False),
    ],
)
def test_the_pass_rule_reads_score_exact_and_the_verdict(rule, parts, expected):
    assert passes(judge(passes=rule), parts, Score(value=3.0, exact=2.6)) is expected


def test_a_verdict_that_the_pass_rule_cannot_read_is_asked_for_again():
    found = score(judge(passes="score >= 3 and safe"), {"score": 4})
    assert found == Invalid(why="the pass rule `score >= 3 and safe` cannot be computed: `safe` is missing")
    assert score(judge(passes="score >= 3 and safe"), {"score": 4, "safe": False}).value == 4.0


def test_normalized_is_the_share_of_the_scale_turned_round_where_lower_is_better():
    assert normalize(Scale(low=1, high=4), "higher", 3) == 2 / 3
    assert normalize(Scale(low=1, high=4), "lower", 1) == 1.0
    assert normalize(Scale(low=0, high=1), "higher", 0.1) == 0.1
    assert normalize(None, "higher", 3) is None
    assert normalize(Scale(low=1, high=1), "higher", 1) is None


def test_the_lowest_score_is_the_worst_one():
    assert lowest(Scale(low=1, high=4), "higher") == 1
    assert lowest(Scale(low=1, high=4), "lower") == 4


def test_every_versioned_scorer_can_be_named_and_no_other():
    for name in SCORER_VERSIONS:
        scorer_for(judge(score=NamedScore(name=name)))
    with pytest.raises(JudgeFileError, match="unknown scorer `magic`"):
        scorer_for(judge(score=NamedScore(name="magic")))
    with pytest.raises(JudgeFileError, match="does not say what the score is"):
        scorer_for(judge(score=None))


@pytest.mark.parametrize("rule", [FieldScore(field="score"), NamedScore(name="correctness")])
def test_items_of_other_judges_travel_as_they_are(rule):
    scorer = scorer_for(judge(score=rule, passes="score >= 1"))
    assert scorer.validate_items({"points": ["a"]}, {}) == {"points": ["a"]}
    assert scorer.items_to_ask({"points": ["a"]}, {}) == {"points": ["a"]}
