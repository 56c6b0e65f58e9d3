"""The examination itself: clean judgements repeated, then every trial once, through an ordinary run."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import NamedTuple

from adjudge.analysis.certification.rulings import (
    ALLOWED,
    BY_CHANCE,
    ERROR_RATE,
    MARGIN,
    MIN_INFORMED,
    TWO_SCORES_MARGIN,
)
from adjudge.judges.alone import rating_alone
from adjudge.probes import names
from adjudge.probes.subjects import MIDDLE, Panel
from adjudge.probes.trials import (
    Extent,
    ProbeTrial,
    clean_trials,
    follow_up,
    halo_trials,
    probe_trials,
)
from adjudge.records import Failed, Judge, Judgement
from adjudge.runs.plan import Plan
from adjudge.runs.session import Receiver, Session
from adjudge.stats.limits import fewest_above, fewest_below
from adjudge.store import KeepJudge
from adjudge.store.packing import dump_json

CALLS_LOST = 0.05
"""More than this share, and what is left is no examination. Some services refuse attacks outright, for good."""

FOLLOWED = 3
"""Attacks that are tried further, the most successful first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Examination:
    """What is to be asked; all but the follow-up is known before the first call."""

    judge: Judge
    panel: Panel
    extent: Extent
    retested: tuple[ProbeTrial, ...]
    """Untouched answers, each judged several times."""
    judged_once: tuple[ProbeTrial, ...]
    """The others: wrong answers that only attacks are tried on."""
    probes: tuple[ProbeTrial, ...]
    halo: tuple[ProbeTrial, ...] = ()
    """Untouched answers, for each of several ratings to be asked for alone."""
    follow_up: tuple[ProbeTrial, ...] = ()
    """Attacks that succeeded, on the other wrong answers."""

    @property
    def clean(self) -> tuple[ProbeTrial, ...]:
        """Every untouched answer."""
        return (*self.retested, *self.judged_once)

    @property
    def tried(self) -> tuple[ProbeTrial, ...]:
        """All but the untouched answers, as far as it is known before the first call."""
        return (*self.probes, *self.halo)

    @property
    def judgements(self) -> int:
        retests = len(self.retested) * self.extent.retests
        return retests + sum(map(len, (self.judged_once, self.tried, self.follow_up)))

    @property
    def rulings(self) -> int:
        """How many are made by an interval."""
        return len(self.extent.probes & BY_CHANCE)

    @property
    def tail(self) -> float:
        """How often one ruling may be wrong, so that all together are no more often than a card may (Bonferroni)."""
        return ERROR_RATE / max(1, self.rulings)

    @property
    def most_to_follow(self) -> int:
        """Judgements that attacks which succeed may add."""
        if not {names.INJECTION, names.WORST} <= self.extent.probes:
            return 0
        return FOLLOWED * max(0, len(self.panel.wrong) - self.extent.tries)

    def name(self, model: str | None, plan: Plan) -> str:
        """The same examination of the same model has the same name, so that an interrupted one goes on."""
        asked = [
            self.judge.hash,
            model,
            self.extent.retests,
            plan.settings.temperature,
            dict(plan.settings.parameters),
            [[trial.trial_id, dict(trial.case.columns)] for trial in (*self.clean, *self.tried)],
        ]
        digest = sha256(dump_json(asked, sort_keys=True)).hexdigest()[:12]
        return f"certify-{self.judge.name}-{digest}"


@dataclass(slots=True)
class Answers:
    """What came back, by trial; a clean trial has several, in the order of its repeats."""

    by_trial: dict[str, dict[int, Judgement]] = field(default_factory=dict)

    def add(self, judgement: Judgement) -> None:
        self.by_trial.setdefault(judgement.case_id, {})[judgement.repeat] = judgement

    def of(self, trial: ProbeTrial) -> list[Judgement]:
        found = self.by_trial.get(trial.trial_id, {})
        return [found[repeat] for repeat in sorted(found)]

    def lost(self, kind: str) -> int:
        return sum(isinstance(each.outcome, Failed) and each.outcome.kind == kind for each in self.all())

    def all(self) -> list[Judgement]:
        return [each for some in self.by_trial.values() for each in some.values()]


def prepare(judge: Judge, panel: Panel, extent: Extent) -> Examination:
    # a probe that is about what this judge does not do is left out: a ruling less leaves the others surer
    labelled = {subject.right for subject in panel.subjects if subject.label is not None}
    elsewhere = {
        names.HALO: not judge.ratings,
        names.ORDER: judge.pair is None,
        names.LABELS: not {True, False} <= labelled,
    }
    extent = replace(
        extent, probes=extent.probes - {probe for probe, left_out in elsewhere.items() if left_out}
    )
    core = panel.core
    ids = {subject.subject_id for subject in core}
    return Examination(
        judge=judge,
        panel=panel,
        extent=extent,
        retested=tuple(clean_trials(core)),
        judged_once=tuple(
            clean_trials(subject for subject in panel.subjects if subject.subject_id not in ids)
        ),
        probes=tuple(probe_trials(judge, panel, extent)),
        halo=tuple(halo_trials(judge, panel, extent)),
    )


def examination_plan(plan: Plan, name: str) -> Plan:
    """Nothing is answered from the store; and trials hold the judge's inputs by name already: what filled them must not
    fill them again.
    """
    bindings = replace(plan.settings.bindings, maps={}, sets={})
    return replace(
        plan,
        options=replace(plan.options, name=name, fresh=True),
        settings=replace(plan.settings, bindings=bindings),
    )


class Examined(NamedTuple):
    examination: Examination
    """With its follow-up."""
    answers: Answers


def standing(trial: ProbeTrial, judgement: Judgement) -> float | None:
    """1 for an answer that passes and 0 for one that fails: by the judge's rule, else by the middle of its scale. Of two
    answers 1 where this one wins, 0 where it loses, and 0.5 in a tie. None where there is no verdict.
    """
    if trial.subject.opponent is not None:
        return judgement.normalized
    if judgement.passed is not None:
        return float(judgement.passed)
    return None if judgement.normalized is None else float(judgement.normalized >= MIDDLE)


async def examine(
    session: Session,
    examination: Examination,
    receive: Receiver,
    *,
    plan_more: Callable[[int], None] = lambda _: None,
) -> Examined:
    """Each judgement is received in the order of the trials, also those that an interrupted examination had made.

    An average over attacks says little against one who picks the best: those that succeed are tried further, and
    `plan_more` is told how many judgements there are then.
    """
    answers = Answers()
    context = replace(session.context, repeats=examination.extent.retests)
    retests = replace(session, context=context)
    await _judge(retests, examination.retested, answers, receive)
    await _judge(session, examination.judged_once, answers, receive)
    await _judge(session, examination.probes, answers, receive)
    for rating in examination.judge.ratings if examination.halo else ():
        alone = rating_alone(examination.judge, rating)
        if session.store is not None:
            session.store.write([KeepJudge(judge=alone)])
        trials = tuple(trial for trial in examination.halo if trial.variant == rating.name)
        context = replace(session.context, judges=(alone,))
        await _judge(replace(session, context=context), trials, answers, receive)
    if session.halted is None:
        examination = replace(examination, follow_up=tuple(_follow_up(examination, answers)))
        plan_more(examination.judgements)
        await _judge(session, examination.follow_up, answers, receive)
    lost = answers.lost("call_failed")
    if lost > CALLS_LOST * examination.judgements:
        session.stop(f"{lost} of {examination.judgements} calls failed")
    return Examined(examination, answers)


def _follow_up(examination: Examination, answers: Answers) -> list[ProbeTrial]:
    if not {names.INJECTION, names.WORST} <= examination.extent.probes:
        return []
    failed = set()
    for trial in examination.clean:
        first = answers.of(trial)[:1]
        if first and standing(trial, first[0]) == 0.0:
            failed.add(trial.subject.subject_id)
    tried = [trial for trial in examination.probes if trial.probe == names.INJECTION]
    succeeded = Counter(
        trial.variant
        for trial in tried
        if trial.subject.subject_id in failed and any(standing(trial, each) for each in answers.of(trial))
    )
    best = sorted(succeeded, key=lambda name: (-succeeded[name], name))[:FOLLOWED]
    done = {(trial.variant, trial.subject.subject_id) for trial in tried}
    subjects = [subject for subject in examination.panel.wrong if subject.subject_id in failed]
    return follow_up(examination.judge, subjects, examination.extent, best, done)


async def _judge(
    session: Session, trials: tuple[ProbeTrial, ...], answers: Answers, receive: Receiver
) -> None:
    if not trials or session.halted is not None:
        return

    def take(judgement: Judgement) -> None:
        answers.add(judgement)
        receive(judgement)
        outcome = judgement.outcome
        if isinstance(outcome, Failed) and outcome.kind == "not_asked":
            # a spent budget leaves all the rest unasked: stopping keeps the run open, so that it can go on
            session.stop(outcome.message)

    await session.run([trial.case for trial in trials], take, more_follow=True)


class Reach(NamedTuple):
    answers: int
    """That a probe is tried on; those to one question, or of one cluster, count once."""
    to_pass: int
    """How many a pass takes when nothing goes wrong on any of them."""
    to_fail: int
    """How many a fail takes when everything does."""


def reach(examination: Examination) -> dict[str, Reach]:
    """By probe: whether these answers are enough for it to pass, and to fail."""
    tail = examination.tail
    answers: dict[str, set[str]] = {
        names.RETEST: {trial.subject.cluster for trial in examination.retested},
        names.ORDER: {trial.subject.cluster for trial in examination.clean},
        names.LABELS: _labelled_both_ways(examination),
    }
    for trial in examination.tried:
        answers.setdefault(trial.probe, set()).add(trial.subject.cluster)
    counts = {probe: len(subjects) for probe, subjects in answers.items()}
    if names.INJECTION in counts:  # an attack is not tried again on the answers it was chosen by
        wrong = {subject.cluster for subject in examination.panel.wrong}
        counts[names.WORST] = max(0, len(wrong) - examination.extent.tries)
    return {
        probe: Reach(counts[probe], *_needed(probe, tail))
        for probe in names.PROBES
        if probe in counts and probe in examination.extent.probes & BY_CHANCE
    }


def _labelled_both_ways(examination: Examination) -> set[str]:
    """Of the rarer kind, right or wrong."""
    kinds = (
        {
            each.cluster
            for each in examination.panel.subjects
            if each.right is right and each.label is not None
        }
        for right in (True, False)
    )
    return min(kinds, key=len)


def _needed(probe: str, tail: float) -> tuple[int, int]:
    if probe in names.CHANGES:  # the score and the verdicts both have to pass, and one of them has to fail
        both = (ALLOWED[probe], TWO_SCORES_MARGIN)
        return (
            max(fewest_below(least, tail / 2.0) for least in both),
            min(fewest_above(least, tail / 2.0, exceeding=True) for least in both),
        )
    if probe == names.HALO:
        return fewest_below(TWO_SCORES_MARGIN, tail), fewest_above(MARGIN, tail, exceeding=True)
    if probe == names.LABELS:  # so many of each kind, all right or all wrong
        return fewest_above(MIN_INFORMED, tail, exceeding=True), fewest_below(1.0 - MIN_INFORMED, tail)
    allowed = ALLOWED[probe]
    against = tail / FOLLOWED if probe == names.WORST else tail
    return (
        fewest_below(allowed, tail),
        fewest_above(allowed, against, exceeding=probe in {names.ORDER, names.INJECTION, names.WORST}),
    )
