"""What is asked in an examination: every probe of every subject, as cases with ids of their own."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from adjudge.probes.attacks import Attack, attacked
from adjudge.probes.families import ATTACKS
from adjudge.probes.families.openers import OPENER
from adjudge.probes.perturb import CHANGES
from adjudge.probes.subjects import Panel, Subject, another, others, sources_of, with_value, without
from adjudge.probes.target import target_of
from adjudge.records import Case, Json, Judge

CLEAN = "clean"
RETEST = "retest"
FLIP = "reference-flip"
SHUFFLE = "answer-shuffle"
MISSING = "missing-field"
EMPTY = "empty-field"
OPENERS = "contentless-openers"
INJECTION = "injection"
WORST = "worst-attack"
RIGHT_ATTACKED = "right-answers-attacked"
PROBES = (RETEST, FLIP, SHUFFLE, *CHANGES, MISSING, EMPTY, OPENERS, INJECTION, WORST, RIGHT_ATTACKED)
"""In the order in which they are tried."""
BY_CHANCE = frozenset(PROBES) - {MISSING, EMPTY}
"""Ruled on by an interval; for the others rules decide, and there is no chance in it."""
ERROR_RATE = 0.05
"""Of a whole card: how often any of its rulings may be wrong."""
MISPLACED = 2
"""Other questions' answers that each question is given."""
NEEDS_NO_MODEL = 2
"""Subjects that each missing or empty field is tried on: rules decide, so more would say nothing new."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One judgement to be made."""

    probe: str
    """`clean`, or one of `PROBES`."""
    subject: Subject
    """As it was."""
    variant: str
    """The attack's name, the change's, the field's; empty for `clean`."""
    family: str
    case: Case

    @property
    def trial_id(self) -> str:
        return self.case.case_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """How much is tried."""

    retests: int = 3
    """How often each untouched answer is judged."""
    tries: int = 2
    """Wrong answers that each attack is tried on; half as many right ones, twice as many questions for an opening."""
    seed: int = 0
    probes: frozenset[str] = frozenset(PROBES)
    attacks: Sequence[Attack] = ATTACKS

    @property
    def rulings(self) -> int:
        """How many are made by an interval."""
        return len(self.probes & BY_CHANCE)

    @property
    def tail(self) -> float:
        """How often one ruling may be wrong, so that all together are no more often than a card may (Bonferroni)."""
        return ERROR_RATE / max(1, self.rulings)


def clean_trials(subjects: Iterable[Subject]) -> list[Trial]:
    return [_trial(CLEAN, subject, subject, variant="", label=subject.label) for subject in subjects]


def probe_trials(judge: Judge, panel: Panel, extent: Extent) -> list[Trial]:
    """Everything but the clean judgements, in a fixed order."""
    return [*_all_trials(judge, panel, extent)]


def follow_up(
    judge: Judge,
    subjects: Sequence[Subject],
    extent: Extent,
    names: Collection[str],
    done: Collection[tuple[str, str]],
) -> list[Trial]:
    """These attacks on every subject they have not met: (attack, subject) pairs in `done` chose them."""
    target = target_of(judge)
    return [
        _trial(
            WORST,
            subject,
            with_value(judge, subject, "response", attacked(attack, subject.response, target)),
            variant=attack.name,
            family=attack.family,
        )
        for attack in extent.attacks
        if attack.name in names
        for subject in subjects
        if (attack.name, subject.subject_id) not in done
    ]


def _all_trials(judge: Judge, panel: Panel, extent: Extent) -> Iterator[Trial]:
    wanted: Collection[str] = extent.probes
    core = panel.core
    right = [subject for subject in core if subject.right is not False]
    if FLIP in wanted and "reference" in sources_of(judge):
        yield from _flips(judge, panel, core)
    if SHUFFLE in wanted:
        for subject in right:
            for other in islice(others(subject, right), MISPLACED):
                yield _trial(
                    SHUFFLE,
                    subject,
                    with_value(judge, subject, "response", other.fields["response"]),
                    variant=other.subject_id,
                )
    for probe, changes in CHANGES.items():
        for number, subject in enumerate(core) if probe in wanted else ():
            change = changes[number % len(changes)]
            text = change(subject.response)
            yield _trial(
                probe, subject, with_value(judge, subject, "response", text), variant=change.__name__
            )
    yield from _gaps(judge, panel, wanted)
    yield from _attacks(judge, panel, extent)


def _flips(judge: Judge, panel: Panel, core: Sequence[Subject]) -> Iterator[Trial]:
    """A right answer beside a reference that says otherwise, a wrong one beside a reference that says the same."""
    for subject in core:
        if subject.right is False:
            yield _trial(
                FLIP, subject, with_value(judge, subject, "reference", subject.response), variant="same"
            )
            continue
        rival = next((each for each in panel.wrong if each.question == subject.question), None)
        other = another(subject, panel.right)
        if rival is not None and not rival.subject_id.endswith("+misplaced"):
            changed, variant = with_value(judge, subject, "reference", rival.response), rival.subject_id
        elif other is not None:
            changed = with_value(judge, subject, "reference", other.fields.get("reference"))
            variant = other.subject_id
        else:
            continue
        yield _trial(FLIP, subject, changed, variant=variant)


def _gaps(judge: Judge, panel: Panel, wanted: Collection[str]) -> Iterator[Trial]:
    required = dict.fromkeys(item.source for item in judge.inputs if item.required)
    for subject in panel.right[:NEEDS_NO_MODEL]:
        for source in required:
            if MISSING in wanted:
                yield _trial(MISSING, subject, without(judge, subject, source), variant=source)
            if EMPTY in wanted and source in {"question", "reference", "response"}:
                yield _trial(EMPTY, subject, with_value(judge, subject, source, "  "), variant=source)


def _attacks(judge: Judge, panel: Panel, extent: Extent) -> Iterator[Trial]:
    """Attacks go round the answers, shuffled by the seed, so that every answer meets every family alike."""
    target = target_of(judge)
    random = Random(extent.seed)  # noqa: S311 - a rotation that can be had again, not a secret
    wrong, right = list(panel.wrong), list(panel.right)
    random.shuffle(wrong)
    random.shuffle(right)
    turn = {True: 0, False: 0}
    for attack in extent.attacks:
        if attack.family == OPENER:
            sides = [(OPENERS, right, True, 2 * extent.tries)]
        else:
            sides = [(INJECTION, wrong, False, extent.tries)]
            if attack.keeps_the_response:
                sides.append((RIGHT_ATTACKED, right, True, (extent.tries + 1) // 2))
        for probe, subjects, side, tries in sides:
            for _ in range(min(tries, len(subjects)) if probe in extent.probes else 0):
                subject = subjects[turn[side] % len(subjects)]
                turn[side] += 1
                text = attacked(attack, subject.response, target)
                yield _trial(
                    probe,
                    subject,
                    with_value(judge, subject, "response", text),
                    variant=attack.name,
                    family=attack.family,
                )


def _trial(
    probe: str, subject: Subject, changed: Subject, *, variant: str, family: str = "", label: Json = None
) -> Trial:
    metadata: dict[str, Json] = {"probe": probe, "case": subject.subject_id, "right": subject.right}
    if variant:
        metadata["variant"] = variant
    if family:
        metadata["family"] = family
    fields = {**changed.fields, "metadata": metadata}
    if label is not None:
        fields["label"] = label
    parts = [subject.subject_id, probe, variant] if probe != CLEAN else [subject.subject_id]
    return Trial(
        probe=probe,
        subject=subject,
        variant=variant,
        family=family,
        case=Case(case_id="+".join(part for part in parts if part), columns=changed.values, fields=fields),
    )
