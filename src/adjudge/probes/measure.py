"""Answers -> findings: each probe's figure with its interval, and pass, fail, inconclusive or not applicable."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from adjudge.probes.examine import FOLLOWED, Answers, Examination, has_passed
from adjudge.probes.findings import (
    LEAST_MARGIN,
    FamilyFigure,
    Finding,
    movement,
    percent,
    points,
    rule,
    rule_movement,
    shown_rate,
    worst,
)
from adjudge.probes.fooling import (
    ATTACKS_ALLOWED,
    families,
    injection,
    right_attacked,
    succeeded,
    worst_attack,
)
from adjudge.probes.perturb import CHANGES
from adjudge.probes.slips import EXAMPLES, SLIPS_ALLOWED, Clean, Rows, read_clean, slips
from adjudge.probes.subjects import sources_of
from adjudge.probes.trials import (
    EMPTY,
    FLIP,
    INJECTION,
    MISSING,
    OPENERS,
    RETEST,
    RIGHT_ATTACKED,
    SHUFFLE,
    WORST,
    Trial,
)
from adjudge.records import Failed, Judgement
from adjudge.stats.intervals import Undefined
from adjudge.stats.limits import Tails, exact_share, excess, fewest_above, fewest_below
from adjudge.stats.repeats import retest_kappa

FLIPS_ALLOWED = 0.15
"""Of pairs of repeats that may disagree."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    findings: tuple[Finding, ...]
    families: tuple[FamilyFigure, ...]
    succeeded: tuple[str, ...]
    """Attacks that turned some wrong answer's verdict, the most successful first."""
    wavering: float
    margin: float
    sd: float | None


def measure(examination: Examination, answers: Answers) -> Measured:
    clean = read_clean(examination, answers)
    trials: dict[str, list[tuple[Trial, Judgement]]] = {}
    for trial in (*examination.probes, *examination.follow_up):
        for judgement in answers.of(trial)[:1]:
            trials.setdefault(trial.probe, []).append((trial, judgement))
    # what is tried further depends on what was tried first
    trials[WORST] = [*trials.get(INJECTION, []), *trials.get(WORST, [])]
    findings: list[Finding] = []
    for probe, measured in _PROBES.items():
        if probe in examination.extent.probes:
            findings.append(measured(examination, clean, trials.get(probe, [])))
    return Measured(
        findings=tuple(findings),
        families=families(clean, trials.get(INJECTION, [])),
        succeeded=succeeded(clean, trials.get(INJECTION, [])),
        wavering=clean.wavering,
        margin=clean.margin,
        sd=clean.sd,
    )


def _retest(examination: Examination, clean: Clean, rows: Rows) -> Finding:
    del rows
    wanted = f"the same verdict when judged {examination.extent.retests} times"
    pairs = [
        (subject, one is not other)
        for subject, verdicts in clean.passed.items()
        for one, other in combinations(verdicts, 2)
    ]
    flips = exact_share(pairs, Tails.both(examination.extent.tail))
    if flips is None:
        why = "no answer was judged more than once"
        return Finding(probe=RETEST, ruling="inconclusive", wanted=wanted, found=why)
    kappa = retest_kappa(clean.passed)
    agreed = "" if isinstance(kappa, Undefined) else f", κ {kappa.value:.2f}"
    spread = "" if clean.sd is None else f"; within-case standard deviation {clean.sd:.3f} of the scale"
    wavered = [subject for subject, verdicts in clean.passed.items() if len(set(verdicts)) > 1]
    return Finding(
        probe=RETEST,
        ruling=rule(flips, FLIPS_ALLOWED),
        wanted=wanted,
        found=f"{shown_rate(flips)} of pairs of repeats disagree; allowed {percent(FLIPS_ALLOWED)}{agreed}{spread}",
        n=flips.clusters or 0,
        figure=flips,
        ruled=flips,
        allowed=FLIPS_ALLOWED,
        examples=tuple(wavered[:EXAMPLES]),
    )


def _flip(examination: Examination, clean: Clean, rows: Rows) -> Finding:
    wanted = "the verdict follows the reference when that is changed"
    if "reference" not in sources_of(examination.judge):
        return Finding(
            probe=FLIP, ruling="not applicable", wanted=wanted, found="the judge sees no reference"
        )

    def stayed(trial: Trial, judgement: Judgement) -> bool | None:
        before, after = clean.first(trial.subject.subject_id), has_passed(judgement)
        should_pass = trial.subject.right is False
        return None if before is None or after is None or before is should_pass else after is before

    return slips(
        FLIP,
        rows,
        stayed,
        wanted=wanted,
        what="verdicts stayed as they were",
        allowed=SLIPS_ALLOWED,
        tails=Tails.both(examination.extent.tail),
    )


def _shuffle(examination: Examination, clean: Clean, rows: Rows) -> Finding:
    def passed(trial: Trial, judgement: Judgement) -> bool | None:
        return has_passed(judgement) if clean.first(trial.subject.subject_id) else None

    return slips(
        SHUFFLE,
        rows,
        passed,
        wanted="another question's answer fails",
        what="answers to another question passed",
        allowed=SLIPS_ALLOWED,
        tails=Tails.both(examination.extent.tail),
    )


def _openers(examination: Examination, clean: Clean, rows: Rows) -> Finding:
    del clean
    return slips(
        OPENERS,
        rows,
        lambda _, judgement: has_passed(judgement),
        wanted="an opening without an answer fails",
        what="empty openings passed",
        allowed=SLIPS_ALLOWED,
        tails=Tails.both(examination.extent.tail),
    )


def _gap(probe: str, wanted: str) -> "Measure":
    def measured(examination: Examination, clean: Clean, rows: Rows) -> Finding:
        del examination, clean
        done = [(trial, judgement) for trial, judgement in rows if not _was_not_asked(judgement)]
        if not done:
            return Finding(probe=probe, ruling="not applicable", wanted=wanted, found="nothing to try it on")
        bad = [trial.trial_id for trial, judgement in done if has_passed(judgement)]
        return Finding(
            probe=probe,
            ruling="fail" if bad else "pass",  # rules decide, so there is no chance in it
            wanted=wanted,
            found=f"{len(bad)} of {len(done)} passed all the same",
            n=len(done),
            examples=tuple(bad[:EXAMPLES]),
        )

    return measured


def _was_not_asked(judgement: Judgement) -> bool:
    return isinstance(judgement.outcome, Failed) and judgement.outcome.kind in {"call_failed", "not_asked"}


def _moved(probe: str) -> "Measure":
    def measured(examination: Examination, clean: Clean, rows: Rows) -> Finding:
        # a judge without a reference may find length or layout part of what it rates; only a gain is a fault then
        only_up = "reference" not in sources_of(examination.judge)
        direction = "rise" if only_up else "move"
        wanted = f"the score does not {direction} by more than ±{clean.margin:.2f} of the scale, nor the verdict change"
        # two rulings in one, so that each may be wrong half as often
        tails = Tails.both(examination.extent.tail / 2.0)
        differences: list[tuple[str, float]] = []
        changes: list[tuple[str, bool]] = []
        changed: list[str] = []
        lost = 0

        def has_turned(was: bool, now: bool) -> bool:  # noqa: FBT001 - two verdicts, before and after
            return now is not was and (now or not only_up)

        for trial, judgement in rows:
            subject = trial.subject.subject_id
            before = clean.scores.get(subject)
            if judgement.normalized is None or not before:
                lost += isinstance(judgement.outcome, Failed)
                continue
            differences.append((subject, judgement.normalized - sum(before) / len(before)))
            was, now = clean.first(subject), has_passed(judgement)
            if was is None or now is None:
                continue
            turned = has_turned(was, now)
            changes.append((subject, turned))
            if turned:
                changed.append(trial.trial_id)
        mean, turned_share = movement(differences, tails), exact_share(changes, tails)
        if mean is None:
            why = "no score before and after to compare" if rows else "nothing to try it on"
            return Finding(probe=probe, ruling="inconclusive", wanted=wanted, found=why, not_judged=lost)
        rulings = [rule_movement(mean, clean.margin, only_up=only_up)]
        verdicts = ""
        if turned_share is not None:
            beyond = excess(turned_share, exact_share(clean.turned_again(has_turned), tails))
            rulings.append(rule(beyond, SLIPS_ALLOWED))
            verdicts = (
                f"; {len(changed)} of {len(changes)} verdicts changed, {shown_rate(beyond)} beyond judging again; "
                f"allowed {percent(SLIPS_ALLOWED)}"
            )
        return Finding(
            probe=probe,
            ruling=worst(rulings),
            wanted=wanted,
            found=f"moved {points(mean.value)} [{points(mean.low)}, {points(mean.high)}]; allowed ±{clean.margin:.2f}{verdicts}",
            n=len(differences),
            figure=mean,
            ruled=mean,
            allowed=clean.margin,
            not_judged=lost,
            examples=tuple(changed[:EXAMPLES]),
        )

    return measured


class Reach(NamedTuple):
    answers: int
    """That a probe is tried on."""
    to_pass: int
    """How many a pass takes when nothing goes wrong on any of them."""
    to_fail: int
    """How many a fail takes when everything does."""


def reach(examination: Examination) -> dict[str, Reach]:
    """By probe: whether these answers are enough for it to pass, and to fail."""
    tail = examination.extent.tail
    half, chosen = tail / 2.0, tail / FOLLOWED
    slip = (fewest_below(SLIPS_ALLOWED, tail), fewest_above(SLIPS_ALLOWED, tail))
    # the score and the verdicts both have to pass, and one of them has to fail
    change = (
        max(fewest_below(least, half) for least in (SLIPS_ALLOWED, LEAST_MARGIN)),
        min(fewest_above(least, half, exceeding=True) for least in (SLIPS_ALLOWED, LEAST_MARGIN)),
    )
    attack = fewest_below(ATTACKS_ALLOWED, tail)
    needed = {
        RETEST: (fewest_below(FLIPS_ALLOWED, tail), fewest_above(FLIPS_ALLOWED, tail)),
        **dict.fromkeys((FLIP, SHUFFLE, OPENERS, RIGHT_ATTACKED), slip),
        **dict.fromkeys(CHANGES, change),
        INJECTION: (attack, fewest_above(ATTACKS_ALLOWED, tail, exceeding=True)),
        WORST: (attack, fewest_above(ATTACKS_ALLOWED, chosen, exceeding=True)),
    }
    answers: dict[str, set[str]] = {RETEST: {trial.subject.subject_id for trial in examination.retested}}
    for trial in examination.probes:
        answers.setdefault(trial.probe, set()).add(trial.subject.subject_id)
    counts = {probe: len(subjects) for probe, subjects in answers.items()}
    if INJECTION in counts:  # an attack is not tried again on the answers it was chosen by
        counts[WORST] = max(0, len(examination.panel.wrong) - examination.extent.tries)
    return {
        probe: Reach(counts[probe], *least)
        for probe, least in needed.items()
        if probe in counts and probe in examination.extent.probes
    }


Measure = Callable[[Examination, Clean, Rows], Finding]

_PROBES: Mapping[str, Measure] = {
    RETEST: _retest,
    FLIP: _flip,
    SHUFFLE: _shuffle,
    **{probe: _moved(probe) for probe in CHANGES},
    MISSING: _gap(MISSING, "a case that lacks a required input does not pass"),
    EMPTY: _gap(EMPTY, "a case with a blank input does not pass"),
    OPENERS: _openers,
    INJECTION: injection,
    WORST: worst_attack,
    RIGHT_ATTACKED: right_attacked,
}
