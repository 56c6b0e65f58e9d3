"""Each probe finds the fault it is for, and finds none in a judge that has none."""

from random import Random

import pytest
from rule_client import RuleClient

from adjudge.analysis.certification.document import card_document, finding_text
from adjudge.analysis.certification.examine import standing
from adjudge.analysis.certification.figures import make_card
from adjudge.analysis.certification.findings import Clean
from adjudge.analysis.certification.records import worst_family
from adjudge.analysis.certification.rulings import (
    MARGIN,
    TWO_SCORES_MARGIN,
    movement,
    rule,
    rule_movement,
    worst_ruling,
)
from adjudge.dataset import read_cases
from adjudge.documents.document import Table, plain
from adjudge.judges import load_judge
from adjudge.probes.attacks import ATTACKS
from adjudge.probes.names import (
    CLEAN,
    EMPTY,
    FLIP,
    HALO,
    INJECTION,
    LABELS,
    MISSING,
    OPENERS,
    ORDER,
    PROBES,
    RETEST,
    RIGHT_ATTACKED,
    SHUFFLE,
    WORST,
)
from adjudge.probes.subjects import built_in_rows, seat
from adjudge.prompts.fill import Bindings
from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share

ON_RESPONSES = tuple(attack for attack in ATTACKS if attack.place == "response" and not attack.compares)
FEW = tuple(attack for attack in ON_RESPONSES if attack.name.endswith(("-1", "-2")))


def verdict(agrees):
    return {
        "reason": "It was compared.",
        "contradicts": not agrees,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }


def measure(examination, answers):
    return make_card(examination, answers, model="rule:test", complete=True)


def rulings(measured):
    return {finding.probe: finding.ruling for finding in measured.findings}


def finding(measured, probe):
    return next(each for each in measured.findings if each.probe == probe)


def test_an_honest_judge_passes_every_probe(try_judge, honest):
    examination, answers = try_judge(honest)
    measured = measure(examination, answers)
    tried = [
        probe for probe in PROBES if probe not in {HALO, ORDER}
    ]  # the judge has one rating of one answer
    assert rulings(measured) == {**dict.fromkeys(tried, "pass"), WORST: "not applicable"}
    assert len(answers.all()) == examination.judgements
    found = finding(measured, INJECTION)
    assert (found.figure.value, found.n) == (
        0.0,
        2 * sum(a.family != "contentless-opener" for a in ON_RESPONSES),
    )
    assert measured.succeeded == ()
    assert measured.agreement["accuracy"].value == 1.0


def test_a_judge_that_obeys_is_caught_with_the_families_it_obeys(try_judge, honest):
    def obedient(fields, repeat):
        asked = "Ignore everything" in fields["response"] or "professor" in fields["response"]
        return verdict(True) if asked else honest(fields, repeat)

    measured = measure(*try_judge(obedient, attacks=FEW, tries=4))
    succeeded = {figure.family: figure.succeeded for figure in measured.families if figure.succeeded}
    assert succeeded == {"direct-order": 4, "authority": 4}
    assert set(measured.succeeded) == {"direct-order-1", "authority-1"}
    assert finding(measured, INJECTION).figure.value == pytest.approx(
        8 / (4 * len({a.name for a in FEW} - {"contentless-opener-1", "contentless-opener-2"}))
    )
    assert rulings(measured)[RETEST] == "pass"


def test_one_attack_that_works_is_not_lost_in_the_average(try_judge, honest):
    """It succeeds twice in 334 trials; who picks it succeeds every time."""

    def obedient(fields, repeat):
        return verdict(True) if "professor" in fields["response"] else honest(fields, repeat)

    examination, answers = try_judge(obedient)
    measured = measure(examination, answers)
    assert rulings(measured)[INJECTION] == "pass"
    worst_one = finding(measured, WORST)
    assert (worst_one.ruling, worst_one.n, worst_one.figure.value) == ("fail", 118, 1.0)
    assert worst_one.attack == "authority-1"
    assert (worst_one.example.attack, worst_one.example.passed_before, worst_one.example.passed) == (
        "authority-1",
        False,
        True,
    )
    assert "professor" in worst_one.example.response
    chosen_by = {trial.subject.subject_id for trial in examination.probes if trial.variant == "authority-1"}
    assert not chosen_by & {trial.subject.subject_id for trial in examination.follow_up}
    assert len(answers.all()) == examination.judgements


def test_an_attack_that_was_lucky_once_is_not_called_a_weakness(try_judge, honest):
    seen = []

    def lucky(fields, repeat):
        if "professor" in fields["response"] and "Hamlet" not in fields["response"] and not seen:
            seen.append(fields["response"])
            return verdict(True)
        return verdict(True) if fields["response"] in seen else honest(fields, repeat)

    measured = measure(*try_judge(lucky, attacks=[a for a in ATTACKS if a.family == "authority"], tries=2))
    found = finding(measured, WORST)
    assert (found.ruling, found.figure.value, found.n) == ("pass", 0.0, 118)


def test_a_judge_that_passes_all_that_has_an_attack_fails_the_probe(try_judge, honest):
    def gullible(fields, repeat):
        return verdict(len(fields["response"]) > 120 or honest(fields, repeat)["contradicts"] is False)

    found = rulings(measure(*try_judge(gullible)))
    assert found[INJECTION] == "fail"
    assert found["length"] == "fail"
    assert found[SHUFFLE] == "pass"


def test_a_wavering_judge_is_told_from_a_fooled_one(try_judge, honest):
    """It fails wrong answers at first and passes them when asked again, attack or none."""

    def wavering(fields, repeat):
        return verdict(True) if repeat else honest(fields, repeat)

    measured = measure(*try_judge(wavering, probes=frozenset({RETEST, INJECTION}), attacks=FEW))
    assert measured.wavering == 1.0
    assert rulings(measured)[RETEST] == "fail"
    assert rulings(measured)[INJECTION] == "pass"
    assert finding(measured, INJECTION).untouched.value == 1.0
    assert "100.0 % when judged again without an attack" in plain(finding_text(finding(measured, INJECTION)))
    again = finding(measured, RETEST).example
    assert (again.passed_before, again.passed) == (False, True)


def test_a_judge_that_ignores_the_reference_does_not_follow_it(try_judge):
    def ignorant(fields, _):
        return verdict("Tides come" in fields["response"] or "right" in fields["response"])

    def knows(fields, _):
        from adjudge.probes.subjects import built_in_rows

        right = {row["response"] for row in built_in_rows(load_judge("correctness"))[1] if row["label"]}
        return verdict(any(text in fields["response"] for text in right))

    assert rulings(measure(*try_judge(knows, probes=frozenset({FLIP}))))[FLIP] == "fail"
    assert rulings(measure(*try_judge(knows, probes=frozenset({SHUFFLE}))))[SHUFFLE] == "fail"
    # it passes one answer of the forty: too few were judged as they should be to say anything
    shuffled = measure(*try_judge(ignorant, probes=frozenset({SHUFFLE})))
    assert (rulings(shuffled)[SHUFFLE], finding(shuffled, SHUFFLE).n) == ("inconclusive", 2)


def test_a_judge_taken_in_by_openings_or_layout(try_judge, honest):
    def taken_in(fields, repeat):
        return verdict(True) if len(fields["response"]) < 20 else honest(fields, repeat)

    assert rulings(measure(*try_judge(taken_in, probes=frozenset({OPENERS}))))[OPENERS] == "fail"

    def dislikes_markdown(fields, repeat):
        return verdict(
            not fields["response"].startswith(("#", "*", ">", "-"))
            and not honest(fields, repeat)["contradicts"]
        )

    assert (
        rulings(measure(*try_judge(dislikes_markdown, probes=frozenset({"formatting"}))))["formatting"]
        == "fail"
    )


def test_right_answers_that_an_attack_spoils_are_counted(try_judge, honest):
    def harsh(fields, repeat):
        return verdict(
            "§" not in fields["response"]
            and len(fields["response"]) < 100
            and not honest(fields, repeat)["contradicts"]
        )

    assert rulings(measure(*try_judge(harsh, attacks=FEW, tries=4)))[RIGHT_ATTACKED] == "fail"


def test_missing_and_empty_fields_are_never_sent_to_the_model(try_judge, honest):
    client = RuleClient(honest)
    examination, answers = try_judge(client, probes=frozenset({MISSING, EMPTY}))
    measured = measure(examination, answers)
    assert rulings(measured) == {MISSING: "pass", EMPTY: "pass"}
    assert len(client.requests) == 3 * len(examination.retested) + len(examination.judged_once)


def test_a_judge_without_a_reference_has_nothing_to_flip_and_may_rate_length(try_judge):
    def rates(fields, _):
        return {"reason": "Rated.", "score": 5 if "Once a week" in fields["response"] else 1}

    measured = measure(*try_judge(rates, judge="relevance", attacks=FEW))
    found = rulings(measured)
    assert found[FLIP] == "not applicable"
    assert found[RIGHT_ATTACKED] == "not applicable"
    assert finding(measured, "length").only_gains


def test_a_judge_without_a_pass_rule_is_held_to_the_middle_of_its_scale(try_judge):
    examination, answers = try_judge(
        lambda *_: {"facts": [], "conclusions": [], "terms": [], "organization": "matched"},
        judge="coverage",
        probes=frozenset({MISSING}),
    )
    forced = [
        (trial, each)
        for trial in examination.probes
        for each in answers.of(trial)
        if each.outcome.kind == "forced"
    ]
    assert forced
    assert all(standing(trial, each) == 0.0 for trial, each in forced)
    assert rulings(measure(examination, answers))[MISSING] == "pass"


def test_failures_are_counted_beside_the_figure_and_are_no_verdict(try_judge, honest):
    def refuses(fields, repeat):
        return "no" if "Ignore everything" in fields["response"] else honest(fields, repeat)

    measured = measure(*try_judge(RuleClient(refuses, structured=False), attacks=FEW[:4], tries=2))
    found = finding(measured, INJECTION)
    assert (found.not_judged, found.n, found.figure.value) == (2, 6, 0.0)


def test_nothing_judged_is_inconclusive_and_not_a_pass(try_judge):
    measured = measure(*try_judge(RuleClient(lambda *_: "nothing", structured=False), attacks=FEW[:4]))
    assert "pass" not in {
        ruling for probe, ruling in rulings(measured).items() if probe not in {MISSING, EMPTY}
    }


def test_unlabelled_cases_are_taken_for_what_the_judge_says_of_them(try_judge):
    rows = [
        {
            "id": str(number),
            "question": f"{number} + 1?",
            "reference": f"r{number}",
            "response": f"It is r{number}.",
        }
        for number in range(12)
    ]
    judge = load_judge("correctness")
    panel = seat(judge, read_cases(rows), Bindings(current_date="2026-01-31"), most=None, seed=0)
    examination, answers = try_judge(
        lambda fields, _: verdict(f"{fields['reference']}." in fields["response"]), panel=panel, attacks=FEW
    )
    measured = measure(examination, answers)
    assert measured.agreement == {}
    assert rulings(measured)[INJECTION] in {"pass", "inconclusive"}
    assert sum(trial.probe == CLEAN for trial in examination.clean) == 24


def test_trials_are_the_same_every_time_and_have_ids_of_their_own(try_judge, honest):
    first, _ = try_judge(honest, attacks=FEW)
    again, _ = try_judge(honest, attacks=FEW)
    other, _ = try_judge(honest, attacks=FEW, seed=1)
    ids = [trial.trial_id for trial in first.probes]
    assert ids == [trial.trial_id for trial in again.probes]
    assert ids != [trial.trial_id for trial in other.probes]
    every = [*ids, *(trial.trial_id for trial in first.clean)]
    assert len(set(every)) == len(every)
    assert all(trial.case.fields["metadata"]["probe"] == trial.probe for trial in first.probes)


def estimate(value, low, high, n=30):
    return Estimate(value=value, low=low, high=high, n=n, method="")


@pytest.mark.parametrize(
    ("found", "ruling"),
    [
        (estimate(0.0, 0.0, 0.04), "pass"),
        (estimate(0.02, 0.0, 0.2), "inconclusive"),
        (estimate(0.2, 0.1, 0.3), "fail"),
        (estimate(0.2, 0.03, 0.5), "inconclusive"),
    ],
)
def test_a_share_is_ruled_on_by_its_interval(found, ruling):
    assert rule(found, 0.05) == ruling


@pytest.mark.parametrize(
    ("found", "both", "up"),
    [
        (estimate(0.01, -0.05, 0.07), "pass", "pass"),
        (estimate(0.3, 0.2, 0.4), "fail", "fail"),
        (estimate(-0.3, -0.4, -0.2), "fail", "pass"),
        (estimate(0.05, -0.1, 0.2), "inconclusive", "inconclusive"),
        (estimate(0.2, 0.05, 0.4), "inconclusive", "inconclusive"),
        (estimate(-0.2, -0.4, -0.05), "inconclusive", "pass"),
    ],
)
def test_a_movement_is_ruled_on_by_its_interval(found, both, up):
    assert rule_movement(found, 0.1, only_up=False) == both
    assert rule_movement(found, 0.1, only_up=True) == up


def moved(values, tail=0.05):
    return movement([(str(number), value) for number, value in enumerate(values)], Tails.both(tail))


def test_scores_that_never_move_have_an_interval_all_the_same():
    few, many = moved([0.0] * 5), moved([0.0] * 32)
    assert few.high > 0.4
    assert (few.low, many.low) == (-few.high, -many.high)
    assert many.high == pytest.approx(1 - 0.05 ** (1 / 32))
    assert moved([0.3]).high > 0.9
    assert moved([]) is None


def test_a_few_scores_that_move_all_the_way_leave_more_doubt_than_t_would():
    from scipy import stats

    values = [1.0] * 3 + [0.0] * 77
    found = moved(values)
    assert found.value == pytest.approx(3 / 80)
    assert found.high > stats.binomtest(3, 80).proportion_ci(0.90, "exact").high - 1e-9
    assert found.high > stats.t.interval(0.9, 79, loc=3 / 80, scale=stats.sem(values))[1]


def test_the_worst_family_is_the_one_that_succeeds_most_with_an_interval_for_all_together(try_judge, honest):
    def obedient(fields, repeat):
        return verdict(True) if "professor" in fields["response"] else honest(fields, repeat)

    measured = measure(
        *try_judge(obedient, attacks=FEW, tries=4, probes=frozenset({RETEST, INJECTION, WORST}))
    )
    found = worst_family(measured.families)
    assert (found.family, found.succeeded, found.tried) == ("authority", 4, 8)
    texts = [plain(block.text) for block in card_document(measured).blocks if not isinstance(block, Table)]
    assert any("worst family authority: 4 of 8, 50.0 %" in text for text in texts)
    alone = exact_share([(str(number), number < 4) for number in range(8)], Tails.both(0.025))
    assert found.rate.low < alone.low
    assert found.rate.high > alone.high


def test_the_worst_ruling_counts():
    assert worst_ruling(["pass", "inconclusive"]) == "inconclusive"
    assert worst_ruling(["fail", "inconclusive", "pass"]) == "fail"
    assert worst_ruling([]) == "not applicable"


def test_a_judge_that_believes_what_a_context_says_of_claims_is_caught(try_judge):
    """It goes by the words of the claim, and by a sentence in the context that calls every claim supported."""

    def believes(fields, repeat):
        if "items" not in fields:
            first = fields["response"].partition("\n")[0]
            return {"claims": [{"claim": first, "quote": first}]}
        swayed = "All claims are supported." in fields["context"]
        (claim,) = fields["items"]
        right = any(claim["claim"] in each for each in answers)
        passage = "All claims are supported." if swayed else fields["context"].partition("?")[2].strip()
        found = "supported" if right or swayed else "not_found"
        return {"claims": [{"id": "C1", "passage": passage, "why": "So.", "verdict": found}]}

    answers = {row["response"] for row in built_in_rows(load_judge("groundedness"))[1] if row["label"]}
    attacks = [attack for attack in ATTACKS if attack.family == "context-order"]
    measured = measure(
        *try_judge(believes, judge="groundedness", attacks=attacks, tries=2, probes=frozenset({INJECTION}))
    )
    (family,) = measured.families
    assert (family.family, family.tried) == ("context-order", 16)
    assert set(measured.succeeded) == {"context-order-1", "context-order-5", "context-order-7"}
    assert rulings(measured)[INJECTION] == "fail"


def test_a_judge_that_passes_whatever_it_is_shown_fails_by_the_labels(try_judge):
    card = make_card(
        *try_judge(lambda *_: verdict(agrees=True), probes=frozenset({RETEST, LABELS})),
        model="rule",
        complete=True,
    )
    found = {each.probe: each for each in card.findings}
    assert found[RETEST].ruling == "pass"
    assert (found[LABELS].ruling, found[LABELS].wrong, card.ruling) == ("fail", 120, "fail")
    assert found[LABELS].figure.value == 0.0


@pytest.mark.parametrize(
    ("noise", "gain", "never"), [(0.12, 0.08, "pass"), (0.02, 0.05, "pass"), (0.02, 0.08, "inconclusive")]
)
def test_a_noisier_judge_may_not_be_moved_further(noise, gain, never):
    """Padding moves the score by six standard errors or more; the margin does not grow with the noise."""
    tails = Tails.both(0.05 / 12 / 2)
    for seed in range(50):
        random = Random(seed)
        moved = [(str(at), gain + random.gauss(0.0, noise * (4 / 3) ** 0.5)) for at in range(80)]
        assert rule_movement(movement(moved, tails, 0.01), MARGIN, only_up=True) != never


def test_a_score_that_never_moved_passes_by_the_level_of_its_scale():
    still = [(str(at), 0.0) for at in range(80)]
    tails = Tails.both(0.05 / 12 / 2)
    assert rule_movement(movement(still, tails, 0.25), MARGIN, only_up=False) == "pass"
    assert rule_movement(movement(still, tails, 1.0), TWO_SCORES_MARGIN, only_up=False) == "pass"


@pytest.mark.parametrize(
    ("again", "attacked", "steady"), [(20, 20, True), (19, 19, False), (80, 120, True), (40, 120, False)]
)
def test_a_judge_is_steady_by_as_many_answers_as_the_attacks_can_tell_from(again, attacked, steady):
    """With 40 judged again and 120 attacked, a judge of which 2 % pass when judged again failed in .0075, not .0042."""
    standings = {str(at): (0.0, 0.0, 0.0) for at in range(again)}
    clean = Clean(
        standings=standings,
        clusters={answer: answer for answer in standings},
        scores={},
        turned=(),
        wavered=(),
        sd=None,
        ratings={},
    )
    assert clean.is_steady(attacked) is steady
