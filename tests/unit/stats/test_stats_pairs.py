"""McNemar, Wilcoxon, Holm and sample sizes, against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from adjudge.stats.intervals import Undefined
from adjudge.stats.paired_rates import score_test_power
from adjudge.stats.pairs import (
    discordant_share,
    holm,
    mcnemar,
    possible_correlations,
    sample_size,
    sample_size_of_rates,
    t_test_power,
    wilcoxon,
)


# Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91: airway data, 1 and 7 discordant pairs
def test_mid_p_is_the_published_one():
    assert mcnemar(1, 7) == pytest.approx(0.0391, abs=5e-5)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mid_p_is_that_of_the_binomial(a, b):
    if a == b == 0:
        assert isinstance(mcnemar(a, b), Undefined)
        return
    least = min(a, b)
    wanted = 2 * stats.binom.cdf(least, a + b, 0.5) - stats.binom.pmf(least, a + b, 0.5)
    assert mcnemar(a, b) == pytest.approx(min(1.0, wanted), rel=1e-8, abs=1e-12)


def test_counts_below_zero_are_refused():
    with pytest.raises(ValueError, match="0 or more"):
        mcnemar(-1, 2)


@settings(deadline=None)
@given(st.lists(st.integers(-3, 4), min_size=8, max_size=60))
def test_wilcoxon_is_scipys_with_pratts_zeros(differences):
    if not any(differences):
        assert isinstance(wilcoxon(differences), Undefined)
        return
    wanted = stats.wilcoxon(
        np.array(differences, float), zero_method="pratt", method="asymptotic", correction=False
    )
    assert wilcoxon([float(value) for value in differences]) == pytest.approx(wanted.pvalue, rel=1e-9)


def test_differences_equal_but_for_rounding_share_a_rank():
    assert wilcoxon([0.1 + 0.2, -0.3, 0.3, 0.6, 0.9]) == pytest.approx(wilcoxon([1.0, -1.0, 1.0, 2.0, 3.0]))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_of_nothing_is_nothing():
    assert holm([]) == []


@pytest.mark.parametrize("effect", [0.02, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.9, 0.99])
def test_sample_size_is_the_smallest_that_has_the_power_by_statsmodels(effect, power):
    found, exact = sample_size(effect, sd=1.0, power=power), TTestPower()
    assert exact.power(effect, found, 0.05) >= power - 1e-7
    assert found == 2 or exact.power(effect, found - 1, 0.05) < power + 1e-7


@pytest.mark.parametrize(("size", "n"), [(2.0, 2), (1.0, 3), (0.5, 30), (0.02, 20_000)])
def test_the_power_of_a_t_test_is_that_of_statsmodels(size, n):
    assert t_test_power(size, n) == pytest.approx(TTestPower().power(size, n, 0.05), abs=1e-6)


def test_sample_size_grows_with_the_design_effect_and_needs_an_effect():
    assert sample_size(0.1, sd=0.5, design_effect=2.0) == 2 * sample_size(0.1, sd=0.5)
    with pytest.raises(ValueError, match="differ from 0"):
        sample_size(0.0, sd=1.0)


def test_the_share_that_one_side_alone_passes():
    assert discordant_share(0.5, 0.5) == pytest.approx(0.5)
    assert discordant_share(0.5, 0.5, correlation=1.0) == 0.0
    assert discordant_share(0.0, 0.05) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="0 to 1"):
        discordant_share(1.2, 0.5)


def test_two_rates_bound_their_correlation():
    """Of 80 % and 90 % at least 70 % and at most 80 % can be passed by both."""
    assert possible_correlations(0.8, 0.9) == pytest.approx((-0.1667, 0.6667), abs=1e-4)
    assert possible_correlations(0.3, 0.3) == pytest.approx((-0.4286, 1.0), abs=1e-4)
    assert possible_correlations(0.0, 0.3) == (0.0, 0.0)
    assert discordant_share(0.8, 0.9, correlation=2 / 3) == pytest.approx(0.1)
    with pytest.raises(ValueError, match=r"0\.66"):
        discordant_share(0.8, 0.9, correlation=0.7)


@pytest.mark.parametrize(("effect", "discordant"), [(0.05, 0.05), (0.1, 0.26), (0.02, 0.5)])
def test_the_size_for_passes_has_the_power_of_the_score_test(effect, discordant):
    n = sample_size_of_rates(effect, discordant=discordant)
    assert score_test_power(effect, discordant, n) >= 0.8
    assert score_test_power(effect, discordant, int(0.95 * n)) < 0.8
    assert sample_size_of_rates(effect, discordant=discordant, design_effect=2.0) == 2 * n
