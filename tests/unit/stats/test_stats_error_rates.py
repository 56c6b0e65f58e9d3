"""The corrected rate's limits: by their definition, at their ends, and beside each other."""

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.error_rates import LabelledAnswer, fieller, share_right


def answers_of(rows):
    """From (people pass, judge is right, weight, cluster)."""
    return [LabelledAnswer(*row) for row in rows]


def sample(seed=3, n=400, labels=120, clusters=None):
    """Cases in clusters, labelled with unequal chances; the judge's own rate is over all of them."""
    random = np.random.default_rng(seed)
    owner = np.arange(n) % (clusters or n)
    people = random.random(n) < 0.4
    judge = np.where(random.random(n) < 0.85, people, ~people)
    chances = np.where(random.random(n) < 0.5, 0.1, 0.5)
    chosen = random.choice(n, labels, replace=False)
    rate = judge.mean()
    say = {}
    for at in range(n):
        say[int(owner[at])] = say.get(int(owner[at]), 0.0) + (judge[at] - rate) / n
    answers = answers_of(
        (bool(people[at]), bool(people[at] == judge[at]), 1.0 / chances[at], int(owner[at])) for at in chosen
    )
    return float(rate), say, answers


@pytest.mark.parametrize("clusters", [None, 40])
def test_fiellers_limits_are_where_the_difference_from_the_rate_becomes_significant(clusters):
    rate, say, answers = sample(clusters=clusters)
    low, high = fieller(rate, say, answers)
    keys = sorted(say)
    judge = np.array([say[key] for key in keys])

    def parts(passes):
        own = [answer for answer in answers if answer.passes is passes]
        weights = np.array([answer.weight for answer in own])
        right = np.array([answer.right for answer in own], dtype=float)
        share, mean = weights @ right / weights.sum(), weights.mean()
        guarded, whole = (weights @ right + mean / 2) / (weights.sum() + mean), weights.sum() + mean
        by = np.array(
            [
                sum(
                    w * (r - guarded) for w, r, a in zip(weights, right, own, strict=True) if a.cluster == key
                )
                for key in keys
            ]
        )
        unseen = mean**2 / 2 * ((1 - guarded) ** 2 + guarded**2) / whole**2
        return share, by / whole, unseen

    (sensitivity, passing, seldom), (specificity, failing, never) = parts(True), parts(False)
    labelled = len({answer.cluster for answer in answers})
    few, every = labelled / (labelled - 1), len(keys) / (len(keys) - 1)
    weights = np.array([answer.weight for answer in answers])
    effective = min(weights.sum() ** 2 / (weights**2).sum(), labelled)

    def significance(at):
        """The squared t of (rate + specificity - 1) - at (sensitivity + specificity - 1)."""
        distance = rate + specificity - 1 - at * (sensitivity + specificity - 1)
        variance = (
            every * judge @ judge
            + (1 - at) ** 2 * few * (failing @ failing + never)
            + at**2 * few * (passing @ passing + seldom)
            + 2 * (1 - at) * judge @ failing
            - 2 * at * judge @ passing
            - 2 * at * (1 - at) * passing @ failing
        )
        return distance**2 / variance

    wanted = stats.t.ppf(0.975, effective - 1) ** 2
    assert (significance(low), significance(high)) == (pytest.approx(wanted), pytest.approx(wanted))
    assert significance((low + high) / 2) < wanted


def test_a_judge_never_seen_to_be_wrong_still_leaves_room():
    answers = answers_of([(True, True, 1.0 + at % 2, at) for at in range(30)])
    answers += answers_of([(False, True, 1.0 + at % 2, at) for at in range(30, 60)])
    say = {at: (0.5 if at < 30 else -0.5) / 60 for at in range(60)}
    low, high = fieller(0.5, say, answers)
    judge_alone = 2 * 1.96 * 0.5 / 60**0.5
    assert high - low > judge_alone
    assert 0.0 < low < 0.5 < high < 1.0


def test_a_judge_that_may_be_no_better_than_chance_leaves_everything_open():
    answers = answers_of([(at % 2 == 0, at % 4 < 2, 1.0, at) for at in range(40)])
    assert fieller(0.5, dict.fromkeys(range(40), 0.0), answers) == (0.0, 1.0)


def lang_reiczigel(rate, n, *, sensitivity, positives, specificity, negatives):
    """Lang and Reiczigel (2014), for labels of other cases than the judge's rate is of."""
    z = stats.norm.ppf(0.975)
    rate, n = (n * rate + z**2 / 2) / (n + z**2), n + z**2
    sensitivity, positives = (positives * sensitivity + 1) / (positives + 2), positives + 2
    specificity, negatives = (negatives * specificity + 1) / (negatives + 2), negatives + 2
    youden = sensitivity + specificity - 1
    value = (rate + specificity - 1) / youden
    missed = sensitivity * (1 - sensitivity) / positives
    alarmed = specificity * (1 - specificity) / negatives
    shift = 2 * z**2 * (value * missed - (1 - value) * alarmed)
    error = (rate * (1 - rate) / n + value**2 * missed + (1 - value) ** 2 * alarmed) ** 0.5 / youden
    return value + shift - z * error, value + shift + z * error


def test_labels_of_other_cases_give_nearly_lang_and_reiczigels_limits():
    random = np.random.default_rng(8)
    judge = random.random(4000) < 0.45
    say = {at: (judge[at] - judge.mean()) / 4000 for at in range(4000)}
    elsewhere = answers_of((True, at >= 60, 5.0, f"p{at}") for at in range(400))
    elsewhere += answers_of((False, at >= 30, 5.0, f"n{at}") for at in range(400))
    limits = fieller(float(judge.mean()), say, elsewhere)
    wanted = lang_reiczigel(
        judge.mean(), 4000, sensitivity=340 / 400, positives=400, specificity=370 / 400, negatives=400
    )
    assert limits == pytest.approx(wanted, abs=0.002)


def test_labels_of_the_judged_cases_themselves_are_surer_than_labels_of_others():
    people = np.arange(500) % 2 == 0
    judge = np.where(np.arange(500) % 11 < 2, ~people, people)
    say = {at: (judge[at] - judge.mean()) / 500 for at in range(500)}
    own, elsewhere = (
        fieller(
            float(judge.mean()),
            say,
            answers_of((bool(people[at]), bool(people[at] == judge[at]), 1.0, f"{of}{at}" if of else at)
                       for at in range(500)),
        )
        for of in ("", "x")
    )  # fmt: skip
    assert own[1] - own[0] < 0.85 * (elsewhere[1] - elsewhere[0])
    # with a label for every case, it is the people's own rate, and as sure as that
    assert own[1] - own[0] == pytest.approx(2 * 1.96 * 0.5 / 500**0.5, rel=0.05)


def test_a_share_of_equal_weights_is_worth_its_count_and_one_of_nothing_is_none():
    share = share_right(answers_of([(True, at < 30, 4.0, at) for at in range(40)]))
    assert share is not None
    assert (share.value, share.count, share.effective) == (0.75, 40, pytest.approx(40.0))
    assert share_right([]) is None
