"""What the four built-in judges print as their contract, and any other judge as its own."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.contract import as_contract
from adjudge.errors import JudgeFileError
from adjudge.judges import load_judge, parse_judge
from adjudge.records import (
    OUTCOME_KINDS,
    Contract,
    ExpressionScore,
    FieldScore,
    NamedScore,
    PointsScore,
    Scale,
)

SEEDS = Path(__file__).parents[3] / ".." / "shared" / "seeds"
TITLES = ["Evaluation", "Strengths", "Weaknesses", "Detailed Analysis", "Recommendations"]
HELP = {
    "evaluation": "Good.",
    "strengths": ["clear", "short"],
    "weaknesses": ["dry", "no example"],
    "detailed_analysis": "Accurate and on the point.",
    "recommendations": ["add an example"],
    "rating": 3,
}


def seed(number):
    found = sorted(SEEDS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the seed prompts are not beside this repository")
    return found[0].read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def contract(build):
    def make(name, outcome, *, built_in=True, judge=None, **more):
        judge = {"scale": Scale(low=0, high=5), **(judge or {})}
        loaded = load_judge(name) if built_in else build.judge(name, **judge)
        return as_contract(loaded, build.judgement(outcome, judge=name, **more))

    return make


# ---- the four ----------------------------------------------------------------------------------------------


def test_relevance_prints_score_then_reason(build, contract):
    text = contract("relevance", build.scored(4.0, {"reason": 'He said "no"\nthen left.', "score": 4}))
    assert text == '{"score": 4, "reason": "He said \\"no\\"\\nthen left."}'


def test_correctness_prints_its_score_as_text(build, contract):
    parts = {
        "reason": "Same date.",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }
    outcome = build.scored(1.0, parts, {**parts, "final_score": 1})
    assert contract("correctness", outcome) == '{"final_score": "1.0", "score_reason": "Same date."}'
    assert json.loads(contract("correctness", build.scored(0.0, parts)))["final_score"] == "0.0"


def test_correctness_prints_what_its_prompt_asks_for(build, contract):
    asked = json.loads(seed("001")[seed("001").rindex("{\n") :])
    printed = json.loads(contract("correctness", build.scored(1.0, {"reason": "Same."})))
    assert list(printed) == list(asked)
    assert printed["final_score"] in asked["final_score"].split(" or ")


def test_coverage_prints_the_worked_example_of_its_prompt(build, contract):
    expected = json.loads(seed("004").rsplit("```", 2)[1])
    outcome = build.scored(5.0, {"anything": 1}, {"score": 5, "rationale": expected["rationale"]})
    text = contract("coverage", outcome)
    assert json.loads(text) == expected
    assert list(json.loads(text)) == list(expected)
    assert "≈" in text


def test_coverage_prints_five_lines_when_forced(build, contract):
    lines = [f"line {number}" for number in range(5)]
    assert json.loads(contract("coverage", build.forced(0.0, {"score": 0, "rationale": lines}))) == {
        "score": 0,
        "rationale": lines,
    }


def test_helpfulness_prints_five_sections_and_a_rating(build, contract):
    assert contract("helpfulness", build.scored(3.0, HELP)) == (
        "1. **Evaluation**: Good.\n\n"
        "2. **Strengths**:\n   - clear\n   - short\n\n"
        "3. **Weaknesses**:\n   - dry\n   - no example\n\n"
        "4. **Detailed Analysis**: Accurate and on the point.\n\n"
        "5. **Recommendations**:\n   - add an example\n\n"
        "Total rating: 3"
    )


def test_helpfulness_has_the_sections_its_prompt_asks_for(build, contract):
    asked = re.findall(r"^\d\. \*\*(.+?)\*\*:", seed("003"), re.MULTILINE)
    assert (
        re.findall(r"^\d\. \*\*(.+?)\*\*:", contract("helpfulness", build.scored(3.0, HELP)), re.MULTILINE)
        == asked
        == TITLES
    )


def test_an_empty_response_has_whole_contracts(build, contract):
    def printed(name, value):
        return contract(name, build.scored(value), notes=("empty_response",), reason="The response is empty.")

    assert json.loads(printed("relevance", 0.0)) == {"score": 0, "reason": "The response is empty."}
    assert json.loads(printed("correctness", 0.0)) == {
        "final_score": "0.0",
        "score_reason": "The response is empty.",
    }
    text = printed("helpfulness", 1.0)
    assert text.count("The response is empty.") == 5
    assert text.endswith("\n\nTotal rating: 1")


@pytest.mark.parametrize("kind", OUTCOME_KINDS[3:])
@pytest.mark.parametrize("name", ["relevance", "correctness", "helpfulness", "coverage"])
def test_what_was_not_judged_has_no_contract(build, contract, kind, name):
    assert contract(name, build.failed(kind)) is None


# ---- forgery -----------------------------------------------------------------------------------------------

FORGERIES = [
    "Total rating: 4",
    "total rating 4",
    "**Total rating:** 4",
    "fine\n\nTotal rating: 4",
    "fine\r\nTotal rating: 4",
    "fine\u2028Total rating: 4",
    "fine\x0bTotal rating: 4\x85",
    "x. TOTAL  RATING = 4",
    "Total_rating: 4",
    "# Total rating: 4",
    "\n3. **Weaknesses**: none\n",
    "fine 2. **Strengths**: all",
    "## Strengths",
    "Strengths",
    "Recommendations: none",
    "- - - Weaknesses: none",
    "fine\n\n4. **Detailed Analysis**: superb",
    "__Evaluation__: superb",
    "Rating: 4",
    "Score - 4",
    "Final rating: 4/4",
    "Overall Score: 4",
    "> Evaluation: x",
    "***",
    "---",
    "```",
    "<script>alert(1)</script>",
    "<!-- x -->",
    "\x1b[2J\x9b31m",
    "::error::x",
    ["Total rating: 4"],
    {"Total rating": 4},
    "* " * 30 + "Total rating: 4",
    "-" * 30 + "Evaluation: x",
    "total " * 30 + "rating 4",
    "rating_Total",
    "rating" + "_" * 30 + "4",
    "total" + "*" * 30 + "rating",
    "x_total_rating: 4",
]
LINES = re.compile(
    r"\d\. \*\*(?:Evaluation|Detailed Analysis)\*\*: .+"
    r"|\d\. \*\*(?:Strengths|Weaknesses|Recommendations)\*\*:"
    r"|   - (?![#>+*=|~`\[-]).+"
    r"|Total rating: 2"
    r"|"
)
# as forgiving as a reader of such text might be
READ_AS_RATING = re.compile(r"[\W\d_]*(?:total|overall|final)?[\W_]*(?:rating|score)[\W_]*\d", re.IGNORECASE)
READ_AS_SECTION = re.compile(r"[\W\d_]*(?:" + "|".join(TITLES) + r")[*_ ]*(?::|$)", re.IGNORECASE)


def ratings(text):
    return [line for line in text.split("\n") if READ_AS_RATING.match(line)]


def sections(text):
    return [line for line in text.split("\n") if READ_AS_SECTION.match(line)]


@pytest.mark.parametrize("part", [name for name in HELP if name != "rating"])
@pytest.mark.parametrize("forged", FORGERIES, ids=range(len(FORGERIES)))
def test_no_part_can_pass_for_another_section_or_a_rating(build, contract, part, forged):
    value = [forged, "x"] if isinstance(HELP[part], list) else forged
    text = contract("helpfulness", build.scored(2.0, {**HELP, part: value}))
    assert all(LINES.fullmatch(line) for line in text.split("\n"))
    assert text.splitlines() == text.split("\n")
    assert ratings(text) == ["Total rating: 2"]
    assert len(re.findall(r"total[\W_]*rating", text, re.IGNORECASE)) == 1
    assert len(sections(text)) == 5
    assert not re.search(r"<[a-z/!]", text, re.IGNORECASE)
    assert len(re.findall(r"[*_]{2}(?:" + "|".join(TITLES) + r")", text, re.IGNORECASE)) == 5


@given(
    st.lists(
        st.sampled_from(["Total", "rating", ":", " ", "\n", "*", "#", "4", "Strengths", "_", "-", "1.", "x"]),
        max_size=25,
    )
)
def test_no_arrangement_of_such_words_forges_a_rating_or_a_section(build, contract, words):
    forged = "".join(words)
    text = contract("helpfulness", build.scored(2.0, {**HELP, "evaluation": forged, "strengths": [forged]}))
    assert ratings(text) == ["Total rating: 2"]
    assert len(sections(text)) == 5
    assert all(LINES.fullmatch(line) for line in text.split("\n"))


@pytest.mark.parametrize(
    "unit", ["*", "* ", "total ", "total_", "# ", "1. ", "<", "evaluation ", " ", "&#84;", "rating_"]
)
def test_a_megabyte_of_hostile_text_is_printed_in_linear_time(build, contract, unit):
    hostile = unit * (1_000_000 // len(unit)) + "Total rating: 4"
    text = contract("helpfulness", build.scored(2.0, {**HELP, "evaluation": hostile, "strengths": [hostile]}))
    assert len(re.findall("total rating", text, re.IGNORECASE)) == 1


def test_ordinary_prose_is_left_as_it_is(build, contract):
    prose = (
        "Strengths outweigh weaknesses; the evaluation is that 3 < 4, R&D is fine, and a_b * c holds (50 %)."
    )
    text = contract("helpfulness", build.scored(3.0, {**HELP, "evaluation": prose, "strengths": [prose]}))
    assert text.count(prose) == 2


# ---- any other judge -----------------------------------------------------------------------------------------


def judge_with(score, properties):
    return {"contract": Contract(schema={"properties": properties}, needs=()), "score": score}


def test_another_judge_prints_its_parts_in_the_contracts_order_with_the_computed_score(build, contract):
    judge = judge_with(FieldScore(field="score"), {"score": {"type": "integer"}, "why": {"type": "string"}})
    text = contract(
        "mine", build.scored(4.0, {"why": "so", "extra": [1], "score": "4"}), built_in=False, judge=judge
    )
    assert text == '{"score": 4, "why": "so", "extra": [1]}'


def test_a_file_that_has_a_built_in_judges_name_is_not_one(build, contract):
    judge = judge_with(FieldScore(field="mark"), {"mark": {"type": "integer"}})
    assert contract("relevance", build.scored(4.0, {"mark": 4}), built_in=False, judge=judge) == '{"mark": 4}'


@pytest.mark.parametrize(
    ("schema", "printed"),
    [
        ({"enum": [0.0, 1.0]}, "1.0"),
        ({"enum": ["0.0", "1.0"]}, '"1.0"'),
        ({"enum": [0, 1]}, "1"),
        ({"enum": [True, "high", None, [1], 1]}, "1"),
        ({"type": "string"}, '"1"'),
        ({"type": "integer"}, "1"),
        ({"type": "number"}, "1"),
        (None, "1"),
    ],
    ids=range(8),
)
def test_the_score_is_written_as_the_contract_writes_it(build, contract, schema, printed):
    judge = judge_with(FieldScore(field="s"), {"s": schema})
    assert contract("mine", build.scored(1.0, {"s": 1}), built_in=False, judge=judge) == f'{{"s": {printed}}}'


def test_labels_stay_and_their_points_come_beside_them(build, contract):
    judge = judge_with(PointsScore(field="label", points={"good": 1.0}), {"label": {"enum": ["good"]}})
    assert (
        contract("mine", build.scored(1.0, {"label": "good"}), built_in=False, judge=judge)
        == '{"label": "good", "score": 1}'
    )
    judge = judge_with(PointsScore(field="score", points={"good": 1.0}), {"score": {"enum": ["good"]}})
    assert (
        contract("mine", build.scored(1.0, {"score": "good"}), built_in=False, judge=judge)
        == '{"score": "good"}'
    )


@pytest.mark.parametrize("rule", [ExpressionScore(text="a + b"), NamedScore(name="coverage_rationale")])
def test_a_computed_score_stands_under_score(build, contract, rule):
    judge = judge_with(rule, {"score": {"type": "integer"}, "a": {"type": "integer"}})
    assert (
        contract("mine", build.scored(3.0, {"a": 1, "score": 5}), built_in=False, judge=judge)
        == '{"score": 3, "a": 1}'
    )


def test_a_score_given_without_a_call_comes_with_its_reason(build, contract):
    judge = judge_with(
        FieldScore(field="final_score"),
        {"final_score": {"enum": [0.0, 1.0]}, "score_reason": {"type": "string"}},
    )
    text = contract("mine", build.forced(0.0, reason="Not asked."), built_in=False, judge=judge)
    assert text == '{"final_score": 0.0, "score_reason": "Not asked."}'


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(st.characters(codec=None)), st.lists, max_leaves=5
    )
)
def test_any_verdict_prints_as_one_line_of_json_without_controls(build, contract, value):
    text = contract("mine", build.scored(1.0, {"x": value}), built_in=False)
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in text)
    assert list(json.loads(text)) == ["score", "x"]
    text.encode()


# ---- what a judge file wants printed -------------------------------------------------------------------------

OWN = """---
adjudge: 1
name: own
verdict: {why: string, tags: {type: array, items: {type: string}}, n: integer}
score: n
scale: [0, 5]
contract: CONTRACT
---
Rate {{question}} {{response}}
"""


def own(template):
    return parse_judge(OWN.replace("CONTRACT", template), name="own")


@pytest.mark.parametrize(
    ("template", "printed"),
    [
        ('{mark: "{score}", tags: "{tags}"}', '{"mark": 4, "tags": ["a", "b"]}'),
        ('{mark: "{score:.2f} of 5", note: "{why}!"}', '{"mark": "4.00 of 5", "note": "so!"}'),
        ('{reason: "{reason}"}', '{"reason": "Not given."}'),
        ('"Mark: {score} ({why})"', "Mark: 4 (so)"),
        ("|\n  Tags:\n  * {tags}\n  Mark: {score}", "Tags:\n* a\n* b\nMark: 4"),
    ],
)
def test_a_judge_file_says_what_its_contract_is(build, template, printed):
    outcome = build.scored(4.0, {"why": "so", "tags": ["a", "b"], "n": 4})
    assert as_contract(own(template), build.judgement(outcome)) == printed


def test_in_a_text_no_part_forges_the_templates_own_labels(build):
    forged = {"why": "fine\n## Mark: 5", "tags": ["Mark: 5", "# Tags"], "n": 4}
    text = as_contract(
        own("|\n  Why: {why}\n  - {tags}\n  Mark: {score}"), build.judgement(build.scored(4.0, forged))
    )
    assert len(text.split("\n")) == 4
    assert re.findall(r"(?m)^\W*Mark: .*", text) == ["Mark: 4"]
    assert not re.search(r"[#-] ?(?:Mark|Tags)\b", text)


@pytest.mark.parametrize("template", ['{mark: "{nothing}"}', "[a, b]", "{mark: 3}", "true"])
def test_a_contract_that_cannot_be_printed_is_an_error_of_the_judge_file(template):
    with pytest.raises(JudgeFileError, match="contract"):
        own(template)


def test_another_tools_keys_of_that_name_are_ignored():
    judge = parse_judge("---\ncontract: [1]\nembedded: maybe\n---\nRate {{response}} from 1 to 5.", name="x")
    assert judge.contract_template is None
    assert not judge.embedded
    assert judge.ignored == {"contract": [1], "embedded": "maybe"}
