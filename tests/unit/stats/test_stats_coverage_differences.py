"""The simulations of `benchmarks/coverage_differences.py`, a few replications of each kind, against stored results."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
pytestmark = pytest.mark.skipif(
    not BENCHMARKS.exists(), reason="the benchmarks are not in the source archive"
)

# Of 40 intervals, how many held the truth, and their mean width.
STORED = {
    "corrected difference 0.85 to 0.9, judge 0.8, 100 of 1000 labelled, uniform": {
        "PPI++ of the difference": (38, 0.124821084),
        "naive": (0, 0.061383368),
    },
    "corrected difference 0.5 to 0.6, judge 0.8, 100 of 1000 labelled, uncertain first, two draws": {
        "PPI++ of the difference": (37, 0.162914679)
    },
    "corrected difference 0.5 to 0.6, judge 0.8, 100 of 1000 labelled, uncertain first, 30 clusters": {
        "PPI++ of the difference": (39, 0.220245858)
    },
}


@pytest.fixture(scope="module")
def measure():
    before = set(sys.modules)
    sys.path.insert(0, str(BENCHMARKS))
    importlib.import_module("coverage_differences")
    yield importlib.import_module("coverage_common").measure
    sys.path.remove(str(BENCHMARKS))
    for name in set(sys.modules) - before:
        if name.startswith("coverage_"):
            del sys.modules[name]


@pytest.mark.parametrize("scenario", STORED)
def test_seeded_corrected_differences_are_the_stored_ones(measure, scenario):
    found = {row.figure: (round(row.covered * 40), row.width) for row in measure(scenario, 40)}
    for figure, (held, width) in STORED[scenario].items():
        assert found[figure] == (held, pytest.approx(width, rel=1e-6)), figure
