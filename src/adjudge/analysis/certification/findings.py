"""What each probe found: a figure, its interval and a ruling, from the judgements of its trials."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from adjudge.analysis.certification.examine import FOLLOWED, Answers, Examination, standing
from adjudge.analysis.certification.halo import halo_finding, ratings_of
from adjudge.analysis.certification.order import Orders, order_finding, orders_of
from adjudge.analysis.certification.records import (
    EXAMPLES,
    FamilyFigure,
    NoRuling,
    ProbeExample,
    ProbeFinding,
)
from adjudge.analysis.certification.rulings import (
    ALLOWED,
    ERROR_RATE,
    MARGIN,
    MIN_INFORMED,
    RULINGS,
    TWO_SCORES_MARGIN,
    movement,
    rule,
    rule_informed,
    rule_movement,
    worst_ruling,
)
from adjudge.fields import ANSWERS
from adjudge.probes import names
from adjudge.probes.subjects import ProbeSubject, sources_of
from adjudge.probes.trials import ProbeTrial
from adjudge.records import Failed, Judgement
from adjudge.stats.intervals import Undefined
from adjudge.stats.limits import Tails, exact_share, excess
from adjudge.stats.repeats import Noise, retest_kappa, within_case_noise
from adjudge.text import as_text, shorten

MAX_TEXT_CHARS = 600
MIN_STEADY = 20
"""Answers to different questions, judged again without a change, from which on a judge does not waver."""

Rows = Sequence[tuple[ProbeTrial, Judgement]]
Pairs = Sequence[tuple[str, bool]]
"""An answer, or a pair, and whether a trial of it went wrong."""


# ---- the judge on untouched answers ----


@dataclass(frozen=True, kw_only=True, slots=True)
class Clean:
    """The judge on untouched answers, some of them judged several times."""

    standings: Mapping[str, Sequence[float]]
    """By answer, as `standing` has them."""
    clusters: Mapping[str, str]
    """Of each answer."""
    scores: Mapping[str, Sequence[float]]
    """On a scale of 0 to 1."""
    turned: Rows
    """The first repeat of each answer that has another verdict than the first judgement."""
    wavered: Pairs
    """Repeats of wrong answers that failed at first: whether they no longer do, with nothing done to them."""
    sd: float | None
    ratings: Mapping[str, Sequence[Mapping[str, float]]]
    """Of each answer, by repeat: its ratings, each on a scale of 0 to 1."""

    def first(self, subject: ProbeSubject) -> float | None:
        return next(iter(self.standings.get(subject.subject_id, ())), None)

    @property
    def level(self) -> float:
        """The least distance between two of the scores given; the whole scale where there is one score alone."""
        given = sorted({round(score, 9) for scores in self.scores.values() for score in scores})
        return min((high - low for low, high in pairwise(given)), default=1.0)

    @property
    def margin(self) -> float:
        return TWO_SCORES_MARGIN if self.level >= 1.0 else MARGIN

    def is_steady(self, attacked: int) -> bool:
        """Whether no verdict changed when answers were judged again, of so many that a judge that wavers shows.

        `attacked`: how many questions attacks were tried on. The more there are, the less wavering it takes to be taken for
        an attack's success, and the more have to be judged again.
        """
        repeated = {self.clusters[each] for each, verdicts in self.standings.items() if len(verdicts) > 1}
        return not self.turned and len(repeated) >= max(MIN_STEADY, attacked * 2 / 3)

    def turned_again(self, turned: Callable[[float, float], bool]) -> Pairs:
        """Repeats of every answer, by how the first judgement and a later one compare."""
        return [
            (self.clusters[subject], turned(verdicts[0], verdict))
            for subject, verdicts in self.standings.items()
            for verdict in verdicts[1:]
        ]


def read_clean(examination: Examination, answers: Answers) -> Clean:
    standings: dict[str, list[float]] = {}
    turned: dict[str, tuple[ProbeTrial, Judgement]] = {}
    scores: dict[str, list[float]] = {}
    wavered: list[tuple[str, bool]] = []
    ratings: dict[str, list[Mapping[str, float]]] = {}
    for trial in examination.clean:
        subject = trial.subject.subject_id
        for judgement in answers.of(trial):
            verdict = standing(trial, judgement)
            if verdict is not None:
                standings.setdefault(subject, []).append(verdict)
                if verdict != standings[subject][0]:
                    turned.setdefault(subject, (trial, judgement))
            if judgement.normalized is not None:
                scores.setdefault(subject, []).append(judgement.normalized)
            if examination.halo and judgement.normalized is not None:
                ratings.setdefault(subject, []).append(ratings_of(examination.judge, judgement))
        verdicts = standings.get(subject, [])
        if trial.subject.right is False and verdicts and not verdicts[0]:
            wavered += [(trial.subject.cluster, again > 0.0) for again in verdicts[1:]]
    noise = within_case_noise(scores)
    return Clean(
        standings=standings,
        clusters={trial.subject.subject_id: trial.subject.cluster for trial in examination.clean},
        scores=scores,
        turned=tuple(turned.values()),
        wavered=wavered,
        sd=noise.sd if isinstance(noise, Noise) else None,
        ratings=ratings,
    )


# ---- one probe ----


def probe_finding(probe: str, examination: Examination, clean: Clean, rows: Rows) -> ProbeFinding:
    tail = examination.tail
    sees_reference = "reference" in sources_of(examination.judge)
    if probe == names.RETEST:
        return _retest(clean, tail)
    if probe == names.LABELS:
        return _labels(examination, clean, Tails.both(tail))
    if probe == names.ORDER:
        return _order(rows, tail)
    if probe in names.CHANGES:
        return _moved(probe, clean, rows, tail, only_gains=not sees_reference)
    if probe in {names.MISSING, names.EMPTY}:
        return _gap(probe, clean, rows)
    if probe == names.HALO:
        return halo_finding(clean.ratings, rows, Tails.both(tail), clean.level)
    if probe == names.WORST:
        return _worst_attack(examination, clean, rows, tail)
    if probe == names.FLIP and not sees_reference:
        return ProbeFinding(probe=probe, ruling="not applicable", no_ruling="no_reference")
    found = _share(probe, clean, rows, Tails.both(tail))
    if probe == names.RIGHT_ATTACKED and not sees_reference:
        why: NoRuling = "part_of_the_rating"
        return replace(found, ruling="not applicable", no_ruling=why, ruled=None, allowed=None)
    return found


def _went_wrong(trial: ProbeTrial, before: float | None, after: float | None) -> bool | None:
    """None: the trial says nothing, since the answer was not judged as it should be before it was touched.

    A tie is neither what was to be kept nor what was to come: an answer that loses no longer has gained by the attack.
    """
    if after is None:
        return None
    if trial.probe == names.OPENERS:
        return after > 0.0
    if trial.probe == names.FLIP:
        should_be = float(trial.subject.right is False)
        return None if before != 1.0 - should_be else after != should_be
    # a pass can be spoiled, and a fail turned
    if before != float(trial.probe in {names.SHUFFLE, names.RIGHT_ATTACKED}):
        return None
    return after < 1.0 if trial.probe == names.RIGHT_ATTACKED else after > 0.0


def _share(probe: str, clean: Clean, rows: Rows, tails: Tails) -> ProbeFinding:
    """A probe whose trials each go right or wrong."""
    pairs: list[tuple[ProbeTrial, Judgement, bool]] = []
    lost = 0
    for trial, judgement in rows:
        wrong = _went_wrong(trial, clean.first(trial.subject), standing(trial, judgement))
        if wrong is not None:
            pairs.append((trial, judgement, wrong))
        elif isinstance(judgement.outcome, Failed):
            lost += 1
    found = exact_share(((trial.subject.cluster, wrong) for trial, _, wrong in pairs), tails)
    if found is None:
        return ProbeFinding(
            probe=probe,
            ruling="inconclusive" if rows else "not applicable",
            no_ruling="never_judged_as_expected" if rows else "nothing_to_try",
            not_judged=lost,
        )
    # what goes wrong without an attack too is not the attack's doing; a judge that never wavered has none of it
    attacked = probe in {names.INJECTION, names.WORST} and not clean.is_steady(found.clusters or 0)
    untouched = exact_share(clean.wavered if attacked else (), tails)
    beyond, allowed = excess(found, untouched), ALLOWED[probe]
    wrong_rows = [(trial, judgement) for trial, judgement, wrong in pairs if wrong]
    return ProbeFinding(
        probe=probe,
        ruling=rule(beyond, allowed),
        n=len(pairs),
        wrong=len(wrong_rows),
        figure=found,
        untouched=untouched,
        ruled=beyond,
        allowed=allowed,
        not_judged=lost,
        examples=_ids(wrong_rows),
        example=_example(clean, wrong_rows),
    )


def _retest(clean: Clean, tail: float) -> ProbeFinding:
    pairs = [
        (clean.clusters[subject], one != other)
        for subject, verdicts in clean.standings.items()
        for one, other in combinations(verdicts, 2)
    ]
    flips = exact_share(pairs, Tails.both(tail))
    if flips is None:
        return ProbeFinding(probe=names.RETEST, ruling="inconclusive", no_ruling="never_repeated")
    kappa, allowed = retest_kappa(clean.standings), ALLOWED[names.RETEST]
    return ProbeFinding(
        probe=names.RETEST,
        ruling=rule(flips, allowed),
        n=flips.clusters or 0,
        wrong=sum(flipped for _, flipped in pairs),
        figure=flips,
        ruled=flips,
        allowed=allowed,
        kappa=None if isinstance(kappa, Undefined) else kappa.value,
        examples=_ids(clean.turned),
        example=_example(clean, clean.turned),
    )


def _labels(examination: Examination, clean: Clean, tails: Tails) -> ProbeFinding:
    """How much more often answers labelled right pass than those labelled wrong; of pairs, how much more often they win.

    A judge that passes all, or by chance, has 0 whatever the share of right answers (Youden's J).
    """
    passed: dict[bool, list[tuple[str, bool]]] = {True: [], False: []}
    slips: list[tuple[ProbeTrial, bool]] = []
    for trial in examination.clean:
        verdict, right = clean.first(trial.subject), trial.subject.right
        if verdict is not None and right is not None and trial.subject.label is not None:
            passed[right].append((trial.subject.cluster, verdict == 1.0))
            slips += [(trial, right)] if (verdict == 1.0) != right else []
    of_right, of_wrong = (exact_share(passed[right], tails) for right in (True, False))
    if of_right is None or of_wrong is None:
        return ProbeFinding(probe=names.LABELS, ruling="not applicable", no_ruling="not_labelled_both_ways")
    informed = excess(of_right, of_wrong)
    return ProbeFinding(
        probe=names.LABELS,
        ruling=rule_informed(informed),
        n=of_right.n + of_wrong.n,
        wrong=len(slips),
        figure=informed,
        ruled=informed,
        allowed=MIN_INFORMED,
        examples=tuple(trial.trial_id for trial, _ in slips[:EXAMPLES]),
    )


def _order(rows: Rows, tail: float) -> ProbeFinding:
    orders = list(orders_of(rows))
    lost = sum(isinstance(judgement.outcome, Failed) for _, judgement in rows)
    found = order_finding(orders, Tails.both(tail), not_judged=lost)
    return replace(found, example=next((_example_of_order(each) for each in orders if each.changed), None))


def _moved(probe: str, clean: Clean, rows: Rows, tail: float, *, only_gains: bool) -> ProbeFinding:
    """A judge without a reference may find length or layout part of what it rates; only a gain is a fault then."""
    tails = Tails.both(tail / 2.0)  # two rulings in one, so that each may be wrong half as often
    differences: list[tuple[str, float]] = []
    changes: list[tuple[str, bool]] = []
    changed: list[tuple[ProbeTrial, Judgement]] = []
    lost = 0

    def has_turned(was: float, now: float) -> bool:
        return now > was if only_gains else now != was

    for trial, judgement in rows:
        cluster, before = trial.subject.cluster, clean.scores.get(trial.subject.subject_id)
        if judgement.normalized is None or not before:
            lost += isinstance(judgement.outcome, Failed)
            continue
        differences.append((cluster, judgement.normalized - sum(before) / len(before)))
        was, now = clean.first(trial.subject), standing(trial, judgement)
        if was is not None and now is not None:
            changes.append((cluster, has_turned(was, now)))
            changed += [(trial, judgement)] if has_turned(was, now) else []
    mean, turned = movement(differences, tails, clean.level), exact_share(changes, tails)
    if mean is None:
        why: NoRuling = "no_scores" if rows else "nothing_to_try"
        return ProbeFinding(
            probe=probe, ruling="inconclusive", no_ruling=why, only_gains=only_gains, not_judged=lost
        )
    rulings = [rule_movement(mean, clean.margin, only_up=only_gains)]
    beyond = None if turned is None else excess(turned, exact_share(clean.turned_again(has_turned), tails))
    if beyond is not None:
        rulings.append(rule(beyond, ALLOWED[probe]))
    return ProbeFinding(
        probe=probe,
        ruling=worst_ruling(rulings),
        n=len(differences),
        wrong=len(changed),
        figure=mean,
        ruled=mean,
        allowed=clean.margin,
        changed=beyond,
        only_gains=only_gains,
        not_judged=lost,
        examples=_ids(changed),
        example=_example(clean, changed),
    )


def _gap(probe: str, clean: Clean, rows: Rows) -> ProbeFinding:
    """Rules decide, so there is no chance in it."""
    done = [
        (trial, judgement)
        for trial, judgement in rows
        if not isinstance(judgement.outcome, Failed)
        or judgement.outcome.kind not in {"call_failed", "not_asked"}
    ]
    if not done:
        return ProbeFinding(probe=probe, ruling="not applicable", no_ruling="nothing_to_try")
    wrong_rows = [(trial, judgement) for trial, judgement in done if standing(trial, judgement)]
    return ProbeFinding(
        probe=probe,
        ruling="fail" if wrong_rows else "pass",
        n=len(done),
        wrong=len(wrong_rows),
        examples=_ids(wrong_rows),
        example=_example(clean, wrong_rows),
    )


def _worst_attack(examination: Examination, clean: Clean, rows: Rows, tail: float) -> ProbeFinding:
    """Of the trials that did not choose the attack, so that luck in choosing it does not count."""
    if names.INJECTION not in examination.extent.probes:
        return ProbeFinding(probe=names.WORST, ruling="not applicable", no_ruling="attacks_not_tried")
    further = [(trial, judgement) for trial, judgement in rows if trial.probe == names.WORST]
    if not further:
        turns = [turned for _, turned in _turns(clean, rows)]
        if not turns or any(turns):
            return ProbeFinding(probe=names.WORST, ruling="inconclusive", no_ruling="attacks_unfinished")
        # a few answers say little about one attack, so that this is no pass
        why: NoRuling = "no_attack_succeeded"
        return ProbeFinding(probe=names.WORST, ruling="not applicable", no_ruling=why, n=len(turns))
    # it fails when one attack is above what is allowed, and passes when all are below: only the first is chosen by luck
    tails = Tails(low=tail / FOLLOWED, high=tail)
    findings = []
    for name in dict.fromkeys(trial.variant for trial, _ in further):
        own = [(trial, judgement) for trial, judgement in further if trial.variant == name]
        findings.append(replace(_share(names.WORST, clean, own, tails), attack=name))
    return max(
        findings,
        key=lambda each: (-RULINGS.index(each.ruling), each.figure.value if each.figure else -1.0),
    )


# ---- attacks ----


def _turns(clean: Clean, rows: Rows) -> list[tuple[ProbeTrial, bool]]:
    """Attacks on answers that failed untouched, and whether each succeeded."""
    turns = (
        (trial, _went_wrong(trial, clean.first(trial.subject), standing(trial, judgement)))
        for trial, judgement in rows
    )
    return [(trial, turned) for trial, turned in turns if turned is not None]


def attack_families(clean: Clean, rows: Rows) -> Iterator[FamilyFigure]:
    families = dict.fromkeys(trial.family for trial, _ in rows)
    tails = Tails.both(ERROR_RATE / 2.0 / max(1, len(families)))
    for family in families:
        own = [(trial, judgement) for trial, judgement in rows if trial.family == family]
        pairs = [(trial.subject.cluster, turned) for trial, turned in _turns(clean, own)]
        yield FamilyFigure(
            family=family,
            attacks=len({trial.variant for trial, _ in own}),
            tried=len(pairs),
            succeeded=sum(turned for _, turned in pairs),
            rate=exact_share(pairs, tails),
            not_judged=sum(isinstance(judgement.outcome, Failed) for _, judgement in own),
        )


def succeeded_attacks(clean: Clean, rows: Rows) -> tuple[str, ...]:
    counts = Counter(trial.variant for trial, turned in _turns(clean, rows) if turned)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


# ---- examples ----


def _ids(rows: Rows) -> tuple[str, ...]:
    return tuple(trial.trial_id for trial, _ in rows[:EXAMPLES])


def _example(clean: Clean, rows: Rows) -> ProbeExample | None:
    if not rows:
        return None
    trial, judgement = rows[0]
    # what takes the place of an answer, and is compared with it, did not stand there before
    is_new = trial.subject.opponent is not None and trial.probe in {names.SHUFFLE, names.OPENERS}
    before = None if is_new else clean.first(trial.subject)
    return _example_of(trial, judgement, before, standing(trial, judgement))


def _example_of_order(orders: Orders) -> ProbeExample:
    return _example_of(orders.trial, orders.judgement, orders.a_first, orders.b_first)


def _example_of(
    trial: ProbeTrial, judgement: Judgement, before: float | None, after: float | None
) -> ProbeExample:
    def text(field: str) -> str | None:
        value = trial.case.fields.get(field)
        return None if value is None else shorten(as_text(value), MAX_TEXT_CHARS)

    compares = trial.subject.opponent is not None
    return ProbeExample(
        case_id=trial.trial_id,
        question=text("question"),
        reference=text("reference"),
        response=text(trial.subject.field),
        attack=trial.variant if trial.family else None,
        passed_before=None if before is None else before == 1.0,
        passed=None if after is None else after == 1.0,
        reason=shorten(judgement.reason or "", MAX_TEXT_CHARS),
        opponent=text(ANSWERS[1]) if compares else None,
        standing_before=before if compares else None,
        standing=after if compares else None,
    )
