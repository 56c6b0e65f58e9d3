"""The exit code of a comparison."""

import pytest

from adjudge.analysis.comparison.figures import JudgedRun, compare_judge
from adjudge.analysis.comparison.matching import Matching
from adjudge.cli.gates import ComparisonGates
from adjudge.cli.options import ComparisonGateOptions

BETTER = [(2, 3 + n % 2) for n in range(20)]
WORSE = [(b, a) for a, b in BETTER]
EQUAL = [(n % 3, (n + n // 3) % 3) for n in range(30)]
HALF_LOST = [*BETTER, *[(None, 1)] * 20]


@pytest.fixture
def compared(build):
    def of(rows):
        matching = Matching()
        for number, row in enumerate(rows):
            for side, value in zip(("a", "b"), row, strict=True):
                outcome = build.failed("refused") if value is None else build.scored(value)
                matching.add(side, build.judgement(outcome, case_id=str(number)))
        judged = JudgedRun(run_id="r", judge=build.judge())
        return compare_judge(matching, judged, judged)

    return of


def gates(**more):
    return ComparisonGates(options=ComparisonGateOptions(**more))


@pytest.mark.parametrize(
    ("rows", "more", "code"),
    [
        (WORSE, {}, 0),
        (WORSE, {"fail_on_regression": True}, 1),
        (BETTER, {"fail_on_regression": True}, 0),
        (EQUAL, {"fail_on_regression": True}, 0),
        (EQUAL, {"margin": 2.0}, 0),
        (EQUAL, {"margin": 0.01}, 1),
        (WORSE, {"margin": 0.01}, 1),
        (WORSE, {"margin": 3.0}, 0),
        (EQUAL, {"inconclusive": "fail"}, 3),
        (EQUAL, {"inconclusive": "fail", "margin": 0.01}, 3),
        (EQUAL, {"inconclusive": "fail", "margin": 2.0}, 0),
        (WORSE, {"inconclusive": "fail", "fail_on_regression": True}, 1),
        (BETTER, {"inconclusive": "fail"}, 0),
        (HALF_LOST, {}, 0),
        (HALF_LOST, {"fail_on_regression": True}, 3),
        (HALF_LOST, {"fail_on_regression": True, "max_error_rate": 0.6}, 0),
        (HALF_LOST, {"max_error_rate": 0.4}, 3),
        ([(None, 1)], {}, 3),
    ],
)
def test_what_decides_the_exit_code(compared, rows, more, code):
    told = []
    assert gates(**more).judge([compared(rows)], told.append) == code
    assert bool(told) is (code != 0)


def test_what_was_not_measured_goes_before_what_failed(compared):
    told = []
    found = [compared(WORSE), compared([(None, 1)])]
    assert gates(fail_on_regression=True).judge(found, told.append) == 3
    assert [line.partition(":")[0] for line in told] == ["gate failed", "not measured"]


SLIGHTLY_WORSE = [(3, 2)] * 10 + [(2, 3)] * 2 + [(3, 3), (1, 1)] * 10


def test_one_judge_of_many_that_is_worse_by_chance_alone_fails_no_gate(compared):
    """Of 20 judges that nothing happened to, one or more came out worse in 40 of 100 comparisons."""
    alone, told = [], []
    slightly = compared(SLIGHTLY_WORSE)
    assert slightly.comparison is not None
    assert 0.01 < slightly.comparison.p < 0.05
    assert gates(fail_on_regression=True).judge([slightly], alone.append) == 1
    many = [slightly, *[compared(EQUAL)] * 19]
    assert gates(fail_on_regression=True).judge(many, told.append) == 0
    assert "gate not failed: j@abc123: B is worse" in told[0]
    assert "by Holm's method over 20 judges" in told[0]
    assert gates(fail_on_regression=True).judge([compared(WORSE), *many], [].append) == 1
