"""The human ceiling and the alt-test, against krippendorff, irrCAC's printed values and scipy's t-test."""

import krippendorff
import numpy as np
import pytest
from scipy import stats

from adjudge.stats.ceiling import alt_test, human_ceiling, krippendorff_alpha
from adjudge.stats.intervals import Estimate, Undefined

THREE = [
    [None, None, None, None, None, 2, 1, 1, 2, 2, 3, 2, 2, 2, 1, 2, 1, 2, 1, 1, 1, 2, 3, 3, 1, 2, 3, 2, 2, 3],
    [3, 1, 3, 2, 1, 2, 1, 1, 2, 1, 3, 2, 2, 3, 1, 3, 3, 2, 1, 1, 3, 3, 3, 3, 2, 2, 3, 2, 2, 3],
    [
        2,
        1,
        3,
        None,
        None,
        None,
        None,
        None,
        None,
        3,
        3,
        2,
        2,
        1,
        1,
        2,
        3,
        2,
        1,
        1,
        3,
        1,
        2,
        2,
        2,
        2,
        3,
        2,
        2,
        3,
    ],
]
IRRCAC_ALPHA = 0.55041


def by_annotator(rows):
    return {
        str(name): {str(case): label for case, label in enumerate(row) if label is not None}
        for name, row in enumerate(rows)
    }


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_with_missing_labels_is_krippendorffs(level):
    ceiling = human_ceiling(by_annotator(THREE), level=level, resamples=50)
    table = [[np.nan if label is None else label for label in row] for row in THREE]
    assert isinstance(ceiling.alpha, Estimate)
    assert ceiling.alpha.value == pytest.approx(krippendorff.alpha(table, level_of_measurement=level))
    if level == "nominal":
        assert ceiling.alpha.value == pytest.approx(IRRCAC_ALPHA, abs=1e-5)


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C: four observers, missing data
def test_alpha_is_the_published_one():
    star = None
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, star, star, star],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, star, 3],
        [star, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, star],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, star],
    ]
    cases = [[label for label in case if label is not None] for case in zip(*table, strict=True)]
    for level, wanted in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        found = krippendorff_alpha(cases, level=level, resamples=50)
        assert isinstance(found, Estimate)
        assert found.value == pytest.approx(wanted, abs=5e-4)


def test_pairs_of_labels_are_counted_by_case():
    ceiling = human_ceiling({"a": {"1": 0, "2": 1}, "b": {"1": 0, "2": 0}, "c": {"3": 1}}, resamples=50)
    assert isinstance(ceiling.pairs_agreed, Estimate)
    assert (ceiling.pairs_agreed.value, ceiling.annotators, ceiling.cases) == (0.5, 3, 2)


def test_people_who_share_no_case_have_no_ceiling():
    ceiling = human_ceiling({"a": {"1": 0}, "b": {"2": 0}})
    assert isinstance(ceiling.alpha, Undefined)
    assert isinstance(ceiling.pairs_agreed, Undefined)
    assert isinstance(krippendorff_alpha([["x"], []]), Undefined)
    with pytest.raises(ValueError, match="numeric"):
        krippendorff_alpha([["x", "y"]], level="interval")


def people(seed, right, cases=60, annotators=4):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, cases)
    made = [
        np.where(random.random(cases) < right, truth, random.integers(0, 3, cases)) for _ in range(annotators)
    ]
    return {str(case): int(label) for case, label in enumerate(truth)}, by_annotator(
        [row.tolist() for row in made]
    )


def alt_test_from_the_paper(judge, annotations, epsilon, score):
    """Calderon et al. 2025, section 3, with scipy's t-test and false-discovery control."""
    p_values, advantages = [], []
    for name, own in annotations.items():
        differences, ahead = [], []
        for case, label in own.items():
            others = np.array(
                [labels[case] for other, labels in annotations.items() if other != name and case in labels]
            )
            by_judge, by_person = score(judge[case], others), score(label, others)
            differences.append(float(by_person >= by_judge) - float(by_judge >= by_person))
            ahead.append(by_judge >= by_person)
        p_values.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(ahead))
    rejected = stats.false_discovery_control(p_values, method="by") <= 0.05
    return rejected.mean(), np.mean(advantages), p_values


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("nearness", ["equal", "squared"])
def test_the_alt_test_is_the_papers(seed, nearness):
    judge, annotations = people(seed, 0.7)
    score = {
        "equal": lambda label, others: np.mean(others == label),
        "squared": lambda label, others: -np.sqrt(np.mean((others - label) ** 2)),
    }[nearness]
    rate, advantage, p_values = alt_test_from_the_paper(judge, annotations, 0.1, score)
    found = alt_test(judge, annotations, epsilon=0.1, nearness=nearness)
    assert not isinstance(found, Undefined)
    assert (found.winning_rate, found.advantage) == pytest.approx((rate, advantage))
    assert [one.p for one in found.each] == pytest.approx(p_values)


def test_a_judge_that_is_right_passes_and_one_that_guesses_does_not():
    judge, annotations = people(1, 0.8)
    right = alt_test(judge, annotations, epsilon=0.1)
    wrong = alt_test({case: (label + 1) % 3 for case, label in judge.items()}, annotations, epsilon=0.1)
    assert not isinstance(right, Undefined)
    assert not isinstance(wrong, Undefined)
    assert right.passed
    assert not wrong.passed


def test_people_and_judge_who_never_differ_are_answered():
    judge, annotations = people(1, 1.0)
    found = alt_test(judge, annotations, epsilon=0.2)
    assert not isinstance(found, Undefined)
    assert found.each[0].p == pytest.approx(0.8**60)
    assert found.passed


def test_too_few_annotators_or_cases_say_so():
    judge, annotations = people(1, 0.8, annotators=2)
    found = alt_test(judge, annotations, epsilon=0.1)
    assert isinstance(found, Undefined)
    assert "needs 3" in found.why
    judge, annotations = people(1, 0.8, cases=29)
    found = alt_test(judge, annotations, epsilon=0.1)
    assert isinstance(found, Undefined)
    assert "30 cases" in found.why


def test_cases_of_one_cluster_are_not_new_evidence_for_the_alt_test():
    """Of 30 questions with ten answers each, a judge that is as bad as it may be passed in 18 of 100 samples."""
    random = np.random.default_rng(3)
    question = {str(case): case % 30 for case in range(300)}
    truth = random.integers(0, 2, 300)
    annotations = by_annotator(
        [np.where(random.random(300) < 0.9, truth, 1 - truth).tolist() for _ in range(3)]
    )
    # the judge is right on a question, or wrong on all its answers
    judge = {str(case): int(truth[case] if case % 30 >= 8 else 1 - truth[case]) for case in range(300)}
    alone = alt_test(judge, annotations, epsilon=0.2)
    together = alt_test(judge, annotations, epsilon=0.2, clusters=question)
    assert not isinstance(alone, Undefined)
    assert not isinstance(together, Undefined)
    assert alone.passed
    assert not together.passed
    assert all(more.p > less.p for less, more in zip(alone.each, together.each, strict=True))
    few = alt_test(judge, annotations, epsilon=0.2, clusters={case: int(case) % 9 for case in judge})
    assert isinstance(few, Undefined)
    assert "10 clusters" in few.why


def test_an_oracle_agrees_more_with_people_than_two_of_them_with_each_other():
    """So pairs are no limit; against the consensus of the others, judge and person are measured alike."""
    truth, annotations = people(2, 0.8, cases=2000)
    ceiling = human_ceiling(annotations, judge=truth, resamples=50)
    assert isinstance(ceiling.pairs_agreed, Estimate)
    assert isinstance(ceiling.consensus_agreed, Estimate)
    assert isinstance(ceiling.judge_consensus_agreed, Estimate)
    oracle = np.mean([truth[case] == label for own in annotations.values() for case, label in own.items()])
    assert oracle > ceiling.pairs_agreed.value + 0.05
    assert ceiling.pairs_agreed.value < ceiling.consensus_agreed.value < ceiling.judge_consensus_agreed.value
    assert ceiling.consensus_agreed.n == ceiling.judge_consensus_agreed.n


def test_the_consensus_is_of_the_others_and_ties_have_none():
    annotations = by_annotator([[1, 1], [1, 0], [0, 0], [None, 0]])
    ceiling = human_ceiling(annotations, judge={"0": 1, "1": 0}, resamples=50)
    assert isinstance(ceiling.consensus_agreed, Estimate)
    # case 0: only the third has two others who agree (1); case 1: 0 is the consensus of the others for all four
    assert (ceiling.consensus_agreed.value, ceiling.consensus_agreed.n) == (3 / 5, 5)
    assert isinstance(ceiling.judge_consensus_agreed, Estimate)
    assert ceiling.judge_consensus_agreed.value == 1.0
