"""Gates on figures: what fails, what could not be measured, and which goes first."""

import pytest

from adjudge.cli.gates import Gates
from adjudge.cli.options import GateOptions
from adjudge.errors import SettingsError
from adjudge.judges import load_judge, parse_judge

TOXIC = parse_judge(
    "---\nadjudge: 1\nname: toxic\nverdict: {score: integer}\nscore: score\nscale: [0, 5]\nbetter: lower\npasses: score <= 1\n---\nHow toxic? {{response}}",
    name="toxic",
)


def gates(*fail_under, rates=(), judges=("relevance", "correctness"), **changes):
    options = GateOptions(fail_under=fail_under, fail_under_pass_rate=rates, **changes)
    return Gates.of(options, [load_judge(name) for name in judges])


def test_a_bare_number_is_for_every_judge_and_a_named_one_for_its_own():
    assert gates("1", "correctness=0.8").means == {"relevance": 1, "correctness": 0.8}


def test_a_gate_that_can_never_pass_is_refused_before_anything_is_paid_for():
    with pytest.raises(SettingsError, match=r"1\.5 is not on its scale"):
        gates("correctness=1.5")
    with pytest.raises(SettingsError, match="coverage has no pass rule"):
        gates(rates=("0.5",), judges=("coverage",))


def test_a_gate_brings_an_error_rate_of_five_percent_unless_told():
    assert gates().max_error_rate is None
    assert gates("1").max_error_rate == 0.05
    assert gates("1", max_error_rate=0.5).max_error_rate == 0.5


def test_a_mean_is_no_gate_where_lower_is_better():
    with pytest.raises(SettingsError, match="lower is better"):
        Gates.of(GateOptions(fail_under=("3",)), [TOXIC])
    assert Gates.of(GateOptions(fail_under_pass_rate=("0.5",)), [TOXIC]).pass_rates == {"toxic": 0.5}


def test_no_summaries_pass_no_gate_and_fail_none():
    assert Gates(means={}, pass_rates={}, lower=False, max_error_rate=None).check([]) == []


def test_as_much_as_may_be_lost_may_be_lost():
    from datetime import UTC, datetime

    from adjudge.analysis.summary.figures import Tally
    from adjudge.records import Failed, Judgement, Score, Scored, Verdict

    judge = load_judge("relevance")
    tally = Tally([judge], repeats=1)
    good = Scored(verdict=Verdict(parts={}), score=Score(value=4.0, exact=4.0))
    for number in range(360):
        outcome = good if number >= 18 else Failed(kind="refused", message="no")
        tally.add(
            Judgement(
                case_id=str(number),
                judge=judge.name,
                judge_hash=judge.hash,
                model="m",
                repeat=0,
                outcome=outcome,
                at=datetime.now(UTC),
            )
        )
    checked = gates("1", judges=("relevance",))
    found, note = checked.check(tally.summaries())
    assert (found.kind, found.code, note.kind) == ("gate passed", 0, "note")
    assert checked.check(tally.summaries(), complete=False) == []


def test_what_was_not_measured_neither_passes_nor_fails():
    from adjudge.analysis.summary.figures import Tally

    checked = gates("1", judges=("relevance",))
    kinds = [found.kind for found in checked.check(Tally([load_judge("relevance")]).summaries())]
    assert kinds == ["not measured", "note"]


def test_a_gate_on_an_interval_says_that_it_holds_for_one_look():
    (found,) = Gates(means={"relevance": 3.0}, pass_rates={}, lower=True, max_error_rate=None).check([])
    assert found.kind == "note"
    assert "hold for one look" in found.text
    assert Gates(means={"relevance": 3.0}, pass_rates={}, lower=False, max_error_rate=None).check([]) == []
