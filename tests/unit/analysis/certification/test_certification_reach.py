"""With the built-in answers and the default tries, every probe can pass and every probe can fail."""

import pytest
from rule_client import RuleClient

from adjudge.analysis.certification.examine import prepare, reach
from adjudge.analysis.certification.figures import make_card
from adjudge.dataset import read_cases
from adjudge.judges import load_judge
from adjudge.probes.attacks import ATTACKS
from adjudge.probes.names import EMPTY, FLIP, HALO, LABELS, MISSING, ORDER, PROBES, RIGHT_ATTACKED, WORST
from adjudge.probes.subjects import built_in_panel, built_in_rows, seat
from adjudge.probes.trials import Extent
from adjudge.prompts.fill import Bindings

BINDINGS = Bindings(current_date="2026-01-31")
ROWS = {name: built_in_rows(load_judge(name))[1] for name in ("correctness", "relevance")}
NO_REFERENCE = {FLIP, RIGHT_ATTACKED}


def reply(judge, passed):
    if judge == "relevance":
        return {"reason": "Rated.", "score": 5 if passed else 0}
    return {
        "reason": "Compared.",
        "contradicts": not passed,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }


def rulings(examined):
    return {
        finding.probe: finding.ruling
        for finding in make_card(*examined, model="rule:test", complete=True).findings
    }


def wanted(judge, ruling, *, but):
    """Every probe that applies to the judge, ruled alike."""
    # they give one rating of one answer
    left_out = {*but, HALO, ORDER, *(NO_REFERENCE if judge == "relevance" else ())}
    return {probe: ruling for probe in PROBES if probe not in left_out}


@pytest.mark.parametrize("judge", ["correctness", "relevance"])
def test_every_probe_can_pass(try_judge, judge):
    right = {row["question"]: row["response"] for row in ROWS[judge] if row["label"]}
    references = {row["reference"]: row["response"] for row in ROWS[judge] if row["label"]}

    def sound(fields, _):
        asked = fields["parameters"]["question"] if judge == "relevance" else fields["question"]
        sought = (
            right[asked] if judge == "relevance" else references.get(fields["reference"], fields["reference"])
        )
        return reply(judge, sought in fields["response"])

    found = rulings(try_judge(RuleClient(sound), judge=judge))
    expected = wanted(judge, "pass", but={WORST})
    assert {probe: found[probe] for probe in expected} == expected

    lucky = next(attack for attack in ATTACKS if attack.family == "authority")
    turned = set()

    def fooled_once(fields, repeat):
        if "professor" in fields["response"] and (not turned or fields["response"] in turned):
            turned.add(fields["response"])
            return reply(judge, passed=True)
        return sound(fields, repeat)

    assert rulings(try_judge(RuleClient(fooled_once), judge=judge, attacks=[lucky]))[WORST] == "pass"


@pytest.mark.parametrize("judge", ["correctness", "relevance"])
def test_every_probe_can_fail(try_judge, judge):
    """By a judge that knows the answers by heart, wavers over right ones, and is taken in by anything around an answer."""
    labels = {row["response"]: row["label"] for row in ROWS[judge]}
    right = [text for text, label in labels.items() if label]

    def perverse(fields, repeat):
        text = fields["response"]
        if text in labels:
            return reply(judge, labels[text] and repeat != 1)
        # without a reference only a gain is a fault; with one, right answers have something to lose
        return reply(judge, judge == "relevance" or not any(known in text for known in right))

    found = rulings(try_judge(RuleClient(perverse), judge=judge))
    expected = wanted(judge, "fail", but={MISSING, EMPTY, LABELS})
    assert {probe: found[probe] for probe in expected} == expected


@pytest.mark.parametrize("judge", ["correctness", "relevance"])
def test_there_are_answers_to_spare(judge):
    loaded = load_judge(judge)
    found = reach(prepare(loaded, built_in_panel(loaded, BINDINGS), Extent()))
    short = [probe for probe, each in found.items() if each.answers < 1.1 * max(each.to_pass, each.to_fail)]
    assert short == []
    needed = {probe: (each.to_pass, each.to_fail) for probe, each in found.items()}
    assert (needed["injection"], needed["worst-attack"]) == ((107, 5), (107, 6))
    assert (needed["retest"], needed["answer-shuffle"], needed["length"]) == ((34, 3), (25, 4), (59, 7))


def test_too_few_answers_for_a_pass_are_known_before_anything_is_asked():
    judge = load_judge("correctness")
    panel = seat(judge, read_cases(ROWS["correctness"][:144]), BINDINGS, most=None, seed=0)
    found = reach(prepare(judge, panel, Extent()))
    # three wrong answers to each of 36 questions
    assert (found["injection"].answers, found["injection"].to_pass) == (36, 107)
    assert found["retest"].answers >= found["retest"].to_pass
    assert found["length"].answers < found["length"].to_pass
