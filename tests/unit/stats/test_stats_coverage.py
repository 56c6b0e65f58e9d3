"""The simulations of `benchmarks/coverage.py`, a few replications of each kind, against stored results."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from adjudge.analysis.certification.examine import FOLLOWED, prepare
from adjudge.analysis.certification.rulings import ALLOWED, ERROR_RATE, TWO_SCORES_MARGIN
from adjudge.judges import load_judge
from adjudge.probes.names import FLIP, INJECTION, OPENERS, RETEST, RIGHT_ATTACKED, WORST
from adjudge.probes.subjects import built_in_panel
from adjudge.probes.trials import Extent
from adjudge.prompts.fill import Bindings

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "coverage.py"
pytestmark = pytest.mark.skipif(not BENCHMARK.exists(), reason="the benchmarks are not in the source archive")

# Of 40 samples, how many intervals held the truth or decisions were right, and the intervals' mean width.
STORED = {
    "mean, 100 independent cases": {"mean (logit t)": (37, 0.461400465)},
    "rate 0.1, 100 independent cases": {"pass rate (Wilson)": (37, 0.115533912)},
    "mean, 30 clusters": {"mean (logit CR2)": (38, 0.719217154)},
    "near an end: groundedness, 95 % fully grounded, 100 cases": {
        "mean": (38, 0.088150136),
        "--gate lower passes and should not": (39, 0.0),
    },
    "rate 0.9, 30 clusters": {"pass rate (logit CR2)": (39, 0.242563237)},
    "agreement 0.8, 100 independent cases": {
        "accuracy (BCa)": (39, 0.156231444),
        "f1 (BCa)": (38, 0.115998064),
        "kappa (BCa)": (39, 0.201927751),
        "kappa_quadratic (BCa)": (38, 0.271621255),
        "spearman (BCa)": (39, 0.263267519),
    },
    "agreement 0.8, 30 clusters": {
        "accuracy (BCa)": (38, 0.217496966),
        "f1 (BCa)": (40, 0.124237246),
        "kappa (BCa)": (37, 0.278257567),
        "kappa_quadratic (BCa)": (39, 0.29893068),
        "spearman (BCa)": (39, 0.290273951),
    },
    "verdicts, 0.1 pass, judge 0.85, 30 clusters": {
        "accuracy (BCa)": (38, 0.170984197),
        "alpha (BCa)": (40, 0.643506622),
    },
    "corrected rate 0.5, judge 0.85, 100 of 1000 labelled, uncertain first": {
        "PPI++": (40, 0.12642034),
        "Rogan-Gladen": (38, 0.186821437),
        "naive": (13, 0.06167018),
    },
    "corrected rate 0.5, judge 0.85, 100 of 1000 labelled, uniform, clusters": {
        "PPI++": (39, 0.150931003),
        "Rogan-Gladen": (39, 0.185715741),
    },
    "test-retest kappa, 100 cases x 3": {"kappa (jackknife)": (38, 0.270284568)},
    "threshold 2.0, 200 labelled cases": {"gain on other cases (Tango)": (38, 0.202668824)},
    "paired passes, only B 0.05, only A 0.0, 100 independent cases": {
        "difference of pass rates (Tango)": (38, 0.098694494)
    },
    "paired passes, only B 0.2, only A 0.1, 30 clusters": {
        "difference of pass rates (Tango)": (39, 0.247518347)
    },
    "alt-test, 100 cases, 3 annotators": {"replaces an annotator and should not": (39, 0.0)},
    "certify, every probe at the limit": {
        "some probe fails and should not": (39, 0.0),
        "some probe passes and should not": (40, 0.0),
    },
    "undecided, 100 cases x 3, noise alike": {"in a report, a case that fails passes": (3915, 0.0)},
}


@pytest.fixture(scope="module")
def coverage():
    sys.path.insert(0, str(BENCHMARK.parent))  # the scenarios are modules beside it
    spec = importlib.util.spec_from_file_location("benchmark_of_coverage", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    before = set(sys.modules)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(BENCHMARK.parent))
    for name in [spec.name, *(name for name in set(sys.modules) - before if name.startswith("coverage_"))]:
        del sys.modules[name]


@pytest.mark.parametrize("scenario", STORED)
def test_seeded_intervals_are_the_stored_ones(coverage, scenario):
    found = {
        row.figure: (round(row.covered * row.replications), row.width)
        for row in coverage.measure(scenario, 40)
    }
    for figure, (held, width) in STORED[scenario].items():
        assert found[figure] == (held, pytest.approx(width, rel=1e-6)), figure


def test_the_simulated_card_is_the_one_that_certify_makes(coverage):
    """The simulation runs where only numpy and scipy are, so that it has these numbers of its own."""
    simulated = sys.modules["coverage_certify"]
    extent = Extent()
    panel = built_in_panel(load_judge("correctness"), Bindings(current_date="2026-01-31"))
    examination = prepare(load_judge("correctness"), panel, extent)
    trials = Counter(trial.probe for trial in examination.probes)
    assert coverage.SCENARIOS.keys() & {"certify, every probe at the limit"}
    assert (ERROR_RATE, examination.rulings) == (simulated.ERROR_RATE, simulated.RULINGS)
    assert ALLOWED[RETEST] == simulated.FLIPS_ALLOWED
    assert simulated.SLIPS_ALLOWED == ALLOWED[FLIP] == ALLOWED[RIGHT_ATTACKED] == ALLOWED["length"]
    assert simulated.ATTACKS_ALLOWED == ALLOWED[INJECTION] == ALLOWED[WORST]
    assert simulated.FOLLOWED == FOLLOWED
    assert simulated.MARGIN == TWO_SCORES_MARGIN
    assert (
        simulated.Material(
            core=len(panel.core),
            wrong=len(panel.wrong),
            openers=trials[OPENERS],
            attacks=trials[INJECTION],
            spoilers=trials[RIGHT_ATTACKED],
        )
        == simulated.AFTER
    )


def test_the_table_says_what_missed_the_promise_and_what_was_decided_wrongly(coverage):
    def row(figure, covered, *, wrong_at_most=None):
        return coverage.Row(
            scenario="s",
            figure=figure,
            domain=True,
            replications=4000,
            covered=covered,
            error=0.003,
            too_low=0.0,
            too_high=0.0,
            width=0.1,
            undefined=0.0,
            wrong_at_most=wrong_at_most,
        )

    rows = [
        row("kept", 0.95),
        row("short", 0.92),
        row("wide", 0.98),
        row("sound", 0.949, wrong_at_most=0.05),
        row("rash", 0.93, wrong_at_most=0.05),
    ]
    assert [each.figure for each in rows if each.missed] == ["short", "wide", "rash"]
    written = coverage.table(rows)
    assert "| s | short | 0.920 |" in written
    assert "| s | rash | 0.0700 | 0.0030 | 0.050 | yes, MISSED |" in written
    assert "| s | sound | 0.0510 | 0.0030 | 0.050 | yes |" in written
