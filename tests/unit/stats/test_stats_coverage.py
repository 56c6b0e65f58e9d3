"""The simulations of `benchmarks/coverage.py`, a few replications of each kind, against stored results."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "coverage.py"
pytestmark = pytest.mark.skipif(not BENCHMARK.exists(), reason="the benchmarks are not in the source archive")

# Of 40 intervals, how many held the truth, and their mean width.
STORED = {
    "mean, 100 independent cases": {"mean (t)": (38, 0.462181481)},
    "rate 0.1, 100 independent cases": {"pass rate (Wilson)": (37, 0.115533912)},
    "mean, 30 clusters": {"mean (CR2)": (37, 0.705284967)},
    "rate 0.9, 30 clusters": {"pass rate (logit CR2)": (38, 0.207463539)},
    "agreement 0.8, 100 independent cases": {
        "accuracy (BCa)": (39, 0.156231444),
        "f1 (BCa)": (38, 0.115998064),
        "kappa (BCa)": (39, 0.201927751),
        "spearman (BCa)": (38, 0.239229197),
    },
    "agreement 0.8, 30 clusters": {
        "accuracy (BCa)": (38, 0.217496966),
        "f1 (BCa)": (40, 0.124237246),
        "kappa (BCa)": (37, 0.278257567),
        "spearman (BCa)": (38, 0.273980388),
    },
    "corrected rate 0.5, judge 0.85, 100 of 1000 labelled, uncertain first": {
        "PPI++": (40, 0.12642034),
        "Rogan-Gladen": (38, 0.209681676),
        "naive": (13, 0.061893688),
    },
    "test-retest kappa, 100 cases x 3": {"kappa (jackknife)": (38, 0.270284568)},
}


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("benchmark_of_coverage", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("scenario", STORED)
def test_seeded_intervals_are_the_stored_ones(coverage, scenario):
    found = {row.figure: (round(row.covered * 40), row.width) for row in coverage.measure(scenario, 40)}
    for figure, (held, width) in STORED[scenario].items():
        assert found[figure] == (held, pytest.approx(width, rel=1e-6)), figure
