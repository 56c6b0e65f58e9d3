"""Agreement with people, against scikit-learn, scipy, krippendorff, and values that irrCAC 0.4.4 printed."""

import builtins

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from adjudge.errors import MissingExtraError
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.people import agree, correlate

# irrCAC pins versions of scipy and pandas that the rest cannot use, so what it said of these is kept.
JUDGE = [
    4,
    3,
    2,
    4,
    3,
    4,
    4,
    1,
    3,
    2,
    2,
    4,
    4,
    1,
    4,
    4,
    1,
    4,
    4,
    2,
    4,
    3,
    2,
    2,
    2,
    4,
    4,
    2,
    2,
    1,
    3,
    3,
    3,
    4,
    4,
    4,
    4,
    3,
    2,
    4,
]
PEOPLE = [
    4,
    3,
    3,
    4,
    3,
    4,
    4,
    1,
    1,
    2,
    2,
    4,
    4,
    1,
    2,
    4,
    1,
    4,
    1,
    2,
    4,
    2,
    2,
    2,
    3,
    2,
    4,
    2,
    2,
    3,
    3,
    3,
    3,
    4,
    4,
    4,
    3,
    3,
    2,
    4,
]
IRRCAC = {
    "ac1": 0.70552,
    "alpha": 0.68609,
    "kappa": 0.68366,
    "kappa_linear": 0.67532,
    "kappa_quadratic": 0.67416,
}
few = {"resamples": 50}
labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def value(figure):
    assert isinstance(figure, Estimate), figure
    return figure.value


@pytest.mark.parametrize("name", IRRCAC)
def test_two_raters_are_irrcacs(name):
    found = agree(JUDGE, PEOPLE, ordered=True, **few).figures
    assert value(found[name]) == pytest.approx(IRRCAC[name], abs=1e-5)


@settings(deadline=None)
@given(labels)
def test_labels_are_scikit_learns(pairs):
    judge, people = [a for a, _ in pairs], [b for _, b in pairs]
    found = agree(judge, people, labels=range(4), ordered=True, **few)
    assert found.confusion == tuple(map(tuple, metrics.confusion_matrix(judge, people, labels=range(4))))
    assert value(found.figures["accuracy"]) == pytest.approx(metrics.accuracy_score(people, judge))
    used = sorted({*judge, *people})
    wanted = metrics.f1_score(people, judge, labels=used, average="macro", zero_division=0)
    assert value(found.figures["macro_f1"]) == pytest.approx(wanted)
    if len(used) > 1:
        for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
            wanted = metrics.cohen_kappa_score(people, judge, labels=range(4), weights=weights)
            assert value(found.figures[name]) == pytest.approx(wanted, abs=1e-12)
        for name, level in (("alpha", "nominal"), ("alpha_ordinal", "ordinal")):
            wanted = krippendorff.alpha([judge, people], level_of_measurement=level, value_domain=range(4))
            assert value(found.figures[name]) == pytest.approx(wanted, abs=1e-12)
    if len(set(judge)) > 1 and len(set(people)) > 1:
        assert value(found.figures["mcc"]) == pytest.approx(
            metrics.matthews_corrcoef(people, judge), abs=1e-12
        )
    else:
        assert isinstance(found.figures["mcc"], Undefined)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_passes_are_scikit_learns_or_undefined_with_a_reason(pairs):
    judge, people = [a for a, _ in pairs], [b for _, b in pairs]
    found = agree(judge, people, positive=True, **few).figures
    wanted = metrics.precision_recall_fscore_support(people, judge, average="binary", zero_division=0)
    for name, expected, exists in zip(
        ("precision", "recall", "f1"), wanted, (any(judge), any(people), any(judge + people)), strict=False
    ):
        if exists:
            assert value(found[name]) == pytest.approx(expected)
        else:
            assert isinstance(found[name], Undefined)
            assert "positive label" in found[name].why


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([5, 80, 200]), st.booleans())
def test_numbers_are_scipys(seed, n, ties):
    random = np.random.default_rng(seed)
    judge = random.normal(size=n)
    people = judge + random.normal(size=n)
    if ties:
        judge, people = np.round(judge), np.round(people)
    if len(set(judge)) < 2 or len(set(people)) < 2:
        return
    found = correlate(judge.tolist(), people.tolist(), **few)
    assert value(found["pearson"]) == pytest.approx(stats.pearsonr(judge, people).statistic)
    assert value(found["spearman"]) == pytest.approx(stats.spearmanr(judge, people).statistic)
    assert value(found["kendall"]) == pytest.approx(stats.kendalltau(judge, people).statistic)
    assert value(found["mean_absolute_error"]) == pytest.approx(metrics.mean_absolute_error(people, judge))


@settings(deadline=None)
@given(labels)
def test_nothing_is_nan_and_every_interval_holds_its_value(pairs):
    judge, people = [a for a, _ in pairs], [b for _, b in pairs]
    found = dict(agree(judge, people, ordered=True, positive=1, **few).figures)
    found |= correlate(judge, people, **few)
    for name, figure in found.items():
        if isinstance(figure, Undefined):
            assert figure.why
        else:
            assert figure.low <= figure.value <= figure.high, name


def test_perfect_agreement_leaves_room_for_what_was_not_seen():
    found = agree([0, 1] * 30, [0, 1] * 30, positive=1).figures
    for name in ("accuracy", "kappa", "mcc", "f1"):
        figure = found[name]
        assert isinstance(figure, Estimate)
        assert figure.value == figure.high == 1.0
        assert 0.8 < figure.low < 0.95
        assert "unseen" in figure.method


def test_one_label_has_an_accuracy_and_no_kappa():
    found = agree(["good"] * 5, ["good"] * 5).figures
    assert value(found["accuracy"]) == 1.0
    assert isinstance(found["kappa"], Undefined)
    assert "only one label" in found["kappa"].why


def test_no_case_one_case_and_too_many_labels_are_answered():
    assert {type(figure) for figure in agree([], []).figures.values()} == {Undefined}
    assert {type(figure) for figure in correlate([], []).values()} == {Undefined}
    one = agree([1], [1]).figures["accuracy"]
    assert isinstance(one, Estimate)
    assert (one.low, one.high) == (0.0, 1.0)
    many = agree(list(range(100)), list(range(100)))
    assert isinstance(many.figures["accuracy"], Undefined)
    assert "correlate" in many.figures["accuracy"].why


def test_equal_numbers_have_no_correlation_but_an_error():
    found = correlate([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    assert isinstance(found["pearson"], Undefined)
    assert value(found["mean_absolute_error"]) == 1.0


def test_what_does_not_match_is_refused():
    with pytest.raises(ValueError, match="cannot match"):
        agree([1], [1, 2])
    with pytest.raises(ValueError, match="cannot match"):
        correlate([1.0], [])
    with pytest.raises(ValueError, match="not listed"):
        agree([1], [2], labels=[1])
    with pytest.raises(ValueError, match="finite"):
        correlate([float("nan")], [1.0])
    with pytest.raises(ValueError, match="cannot be those"):
        agree([1, 2], [1, 2], clusters=["a"])


def test_without_numpy_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name, *rest):
        if name == "numpy":
            raise ImportError(name)
        return whole(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[stats\]"):
        agree([1, 0], [1, 1])
