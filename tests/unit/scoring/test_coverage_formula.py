"""Coverage counts to score and five lines: formulas, precedence, rounding, wording."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.scoring import FORCED_RATIONALE, Counts, coverage_score, rationale, read_rationale

SEEDS = Path(__file__).parents[3] / ".." / "shared" / "seeds"


def counts(facts=(0, 0), conclusions=(0, 0), terms=(0, 0), *, organized=True):
    return Counts(
        matched_facts=facts[0],
        facts=facts[1],
        matched_conclusions=conclusions[0],
        conclusions=conclusions[1],
        matched_terms=terms[0],
        terms=terms[1],
        organized=organized,
    )


@pytest.mark.parametrize(
    ("given_counts", "exact", "rounded"),
    [
        (counts((2, 2), (0, 0), (1, 1)), "5", 5),
        (counts((1, 5), (0, 0), (1, 3)), "1.5", 2),  # a half goes up
        (counts((2, 2), (1, 2), (1, 1)), "4.25", 4),
        (counts((2, 2), (2, 2), (2, 2), organized=False), "4.55", 5),
        (counts((1, 2), (0, 3), (0, 2), organized=False), "1", 1),
        # no fact matched wins over both other formulas
        (counts((0, 3), (2, 2), (1, 1)), "1.05", 1),
        (counts((0, 3), (0, 0), (1, 1)), "1.05", 1),
        (counts((0, 3), (2, 2), (0, 1)), "0", 0),
        (counts((0, 1), (0, 0), (0, 0)), "1.05", 1),
        # nothing to match
        (counts((0, 0), (1, 1), (1, 1)), "5", 5),
        (counts((0, 0), (0, 1), (1, 1)), "3.5", 4),
        (counts((3, 3), (0, 0), (0, 0)), "5", 5),
        (counts((3, 3), (0, 0), (0, 4)), "3.95", 4),
    ],
)
def test_score(given_counts, exact, rounded):
    found = coverage_score(given_counts)
    assert found.exact == Fraction(exact)
    assert found.rounded == rounded


@pytest.mark.parametrize(
    ("given_counts", "line"),
    [
        (
            counts((1, 5), (0, 0), (1, 3)),
            "Score: 2 ≈ 1.5 = 5 * (facts_ratio 0.2 * 0.7 + terms_ratio 0.3333 * 0.21 + organization_ratio 1.0 * 0.09)",
        ),
        (
            counts((2, 3), (1, 7), (0, 0), organized=False),
            (
                "Score: 3 ≈ 2.5976 = 5 * (facts_ratio 0.6667 * 0.4 + conclusions_ratio 0.1429 * 0.3 + terms_ratio 1.0 * 0.21"
                " + organization_ratio 0.0 * 0.09)"
            ),
        ),
        (
            counts((0, 3), (2, 2), (1, 8)),
            "Score: 0 ≈ 0.1313 = 5 * (facts_ratio 0.0 * 0.7 + terms_ratio 0.125 * 0.21)",
        ),
    ],
)
def test_the_formula_shown_is_the_one_used(given_counts, line):
    assert rationale(coverage_score(given_counts))[4] == line


def seed_blocks():
    seeds = sorted(SEEDS.glob("004_*.txt"))
    if not seeds:
        pytest.skip("the seed prompts are not beside this checkout")
    return [
        block.strip()
        for block in re.findall(r"```\n(.*?)```", seeds[0].read_text(encoding="utf-8"), re.DOTALL)
    ]


def test_the_seeds_worked_example_comes_out_character_for_character():
    example = json.loads(seed_blocks()[-1])
    found = counts((2, 2), (0, 0), (1, 1))
    assert list(rationale(coverage_score(found))) == example["rationale"]
    assert coverage_score(found).rounded == example["score"]
    assert read_rationale(example["rationale"]) == found


def test_the_forced_lines_are_the_seeds():
    assert list(FORCED_RATIONALE) == json.loads(seed_blocks()[0])["rationale"]


def test_the_seeds_format_block_is_read_too():
    lines = re.findall(r'"((?:Fact|Conclusion|Terminology|Organization|Score): .*)"', seed_blocks()[1])
    filled = [
        re.sub("<number_of_reference.*?>", "3", re.sub("<number_of_output.*?>", "2", line)).replace(
            "matched / mismatched", "mismatched"
        )
        for line in lines
    ]
    assert read_rationale(filled) == counts((2, 3), (2, 3), (2, 3), organized=False)


@pytest.mark.parametrize(
    "lines",
    [
        None,
        "Fact: 1 of 1",
        [],
        list(FORCED_RATIONALE),
        ["Fact: 1 of 2", "Conclusion: 1 of 2", "Terminology: 1 of 2"],
        ["Fact: 3 of 2 facts", "Conclusion: 0 of 0", "Terminology: 0 of 0", "Organization: matched"],
        ["Fact: some of 2", "Conclusion: 0 of 0", "Terminology: 0 of 0", "Organization: matched"],
        ["Conclusion: 0 of 0", "Fact: 1 of 1", "Terminology: 0 of 0", "Organization: matched"],
        ["Fact: 1 of 1", "Conclusion: 0 of 0", "Terminology: 0 of 0", "Organization: matched / mismatched"],
        [1, 2, 3, 4, 5],
        ["Fact: 1 of 1", "Conclusion: 0 of 0", "Terminology: 0 of 0", "Organization: unclear"],
        ["-" * 10**6, "Conclusion: 0 of 0", "Terminology: 0 of 0", "Organization: matched"],
    ],
)
def test_lines_that_do_not_give_the_counts_are_not_read(lines):
    assert read_rationale(lines) is None


def matched_of(total):
    return st.integers(min_value=0, max_value=total).map(lambda matched: (matched, total))


PAIRS = st.integers(min_value=0, max_value=7).flatmap(matched_of)
COUNTS = st.builds(counts, facts=PAIRS, conclusions=PAIRS, terms=PAIRS, organized=st.booleans())


@given(COUNTS)
def test_score_is_between_0_and_5_and_lines_read_back(found):
    score = coverage_score(found)
    assert 0 <= score.exact <= 5
    assert 0 <= score.rounded <= 5
    assert read_rationale(rationale(score)) == found


@given(PAIRS, PAIRS, PAIRS, st.booleans())
def test_one_more_match_never_lowers_the_score(facts, conclusions, terms, organized):
    base = coverage_score(counts(facts, conclusions, terms, organized=organized)).exact
    for better in (
        counts((min(facts[0] + 1, facts[1]), facts[1]), conclusions, terms, organized=organized),
        counts(facts, (min(conclusions[0] + 1, conclusions[1]), conclusions[1]), terms, organized=organized),
        counts(facts, conclusions, (min(terms[0] + 1, terms[1]), terms[1]), organized=organized),
        counts(facts, conclusions, terms, organized=True),
    ):
        assert coverage_score(better).exact >= base


@given(COUNTS)
def test_numbers_print_with_one_to_four_decimals_and_no_trailing_zero(found):
    for number in re.findall(r"(?:≈|_ratio) ([0-9.]+)", rationale(coverage_score(found))[4]):
        assert re.fullmatch(r"[0-9]+\.(?:[0-9]|[0-9]{1,3}[1-9])", number)
