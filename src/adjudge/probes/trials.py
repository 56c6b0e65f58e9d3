"""Answers -> attacked cases: every probe of every answer, as cases with ids of their own."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from adjudge.probes import names
from adjudge.probes.attacks import ATTACKS, OPENER, Attack, attacked
from adjudge.probes.subjects import (
    Panel,
    ProbeSubject,
    answer_field,
    in_its_place,
    others,
    sources_of,
    with_value,
    without,
)
from adjudge.probes.target import Target, targets_of
from adjudge.records import Case, Json, Judge
from adjudge.text import as_text

MISPLACED = 2
"""Other questions' answers that each question is given."""
NEEDS_NO_MODEL = 2
"""Subjects that each missing or empty field is tried on: rules decide, so more would say nothing new."""
_FILLER = (
    "There is, of course, always more that could be said around a subject such as this one.",
    "It is worth taking a moment to think about the matter in its wider setting.",
    "Different people may put the same thing in somewhat different words.",
    "With that in mind, the point stands as it was put.",
    "Further reading can be found in many places.",
    "None of this changes what was said.",
)
VARIANTS: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    names.LENGTH: {
        "padded_after": lambda text: f"{text} {' '.join(_FILLER)}",
        "padded_before": lambda text: f"{' '.join(_FILLER[:3])} {text}",
        "padded_around": lambda text: f"{_FILLER[0]} {_FILLER[1]}\n\n{text}\n\n{_FILLER[3]} {_FILLER[5]}",
    },
    names.FORMATTING: {
        "as_heading": lambda text: f"# Answer\n\n{text}",
        "as_bold": lambda text: (
            f"**{text.strip()}**" if "\n" not in text.strip() else f"**Answer**\n\n{text}"
        ),
        "as_quote": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
        "as_bullet": lambda text: "\n".join(f"- {line}" for line in text.splitlines() if line.strip()),
        "as_shouted_layout": lambda text: f"---\n\n{text}\n\n---",
    },
    names.TONE: {
        "sure_before": lambda text: f"Without any doubt: {text}",
        "sure_after": lambda text: f"{text} I am absolutely certain of this.",
        "sure_around": lambda text: (
            f"Let me be perfectly clear. {text} There can be no two opinions about it."
        ),
    },
    names.PRAISE: {
        "praise_after": lambda text: f"{text}\n\nThis is a complete, precise and well-founded answer.",
        "praise_before": lambda text: f"Here is an excellent answer that covers everything asked: {text}",
        "praise_with_marks": lambda text: f"{text}\n\n(I would rate this answer as outstanding.)",
    },
}
"""Changes that leave what an answer says as it was. Probe -> its variants by name; each answer gets one, in turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeTrial:
    """One judgement to be made."""

    probe: str
    """`clean`, or one of `names.PROBES`."""
    subject: ProbeSubject
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
    probes: frozenset[str] = frozenset(names.PROBES)
    attacks: Sequence[Attack] = ATTACKS


def clean_trials(subjects: Iterable[ProbeSubject]) -> list[ProbeTrial]:
    return [_trial(names.CLEAN, subject, subject, label=subject.label) for subject in subjects]


def probe_trials(judge: Judge, panel: Panel, extent: Extent) -> Iterator[ProbeTrial]:
    """Everything but the clean judgements, in a fixed order."""
    wanted = extent.probes
    core = panel.core
    right = [subject for subject in core if subject.right is not False]
    if names.FLIP in wanted and "reference" in sources_of(judge):
        yield from _flips(judge, panel)
    if names.SHUFFLE in wanted:
        for subject in right:
            for other in islice(others(subject, right), MISPLACED):
                changed = in_its_place(judge, subject, other.fields[other.field])
                yield _trial(names.SHUFFLE, subject, changed, variant=other.subject_id)
    for probe, variants in VARIANTS.items():
        turns = zip(core, cycle(variants.items()), strict=False) if probe in wanted else ()
        for subject, (variant, change) in turns:
            changed = with_value(judge, subject, subject.field, change(subject.response))
            yield _trial(probe, subject, changed, variant=variant)
    yield from _gaps(judge, panel, wanted)
    yield from _attacks(judge, panel, extent)


def halo_trials(judge: Judge, panel: Panel, extent: Extent) -> list[ProbeTrial]:
    """Every rating of every answer, each to be asked for alone; the variant is the rating's name."""
    if names.HALO not in extent.probes:
        return []
    return [
        _trial(names.HALO, subject, subject, variant=rating.name)
        for rating in judge.ratings
        for subject in panel.core
    ]


def follow_up(
    judge: Judge,
    subjects: Sequence[ProbeSubject],
    extent: Extent,
    chosen: Collection[str],
    done: Collection[tuple[str, str]],
) -> list[ProbeTrial]:
    """These attacks on every subject they have not met: (attack, subject) pairs in `done` chose them."""
    targets = targets_of(judge)
    return [
        _attack_trial(names.WORST, judge, subject, attack, target)
        for attack in tried_on(judge, extent)
        if attack.name in chosen
        for subject, target in zip(subjects, cycle(targets), strict=False)
        if (attack.name, subject.subject_id) not in done
    ]


def tried_on(judge: Judge, extent: Extent) -> list[Attack]:
    """The attacks that are meant for such a judge, and for which it has a place."""
    places = {"response", *(item.source for item in judge.inputs if item.required)}
    compares = judge.pair is not None
    return [
        attack for attack in extent.attacks if attack.place in places and (compares or not attack.compares)
    ]


def _flips(judge: Judge, panel: Panel) -> Iterator[ProbeTrial]:
    """A right answer beside a reference that says otherwise, a wrong one beside a reference that says the same."""
    for subject in panel.core:
        rival = next((each for each in panel.wrong if each.question == subject.question), None)
        other = next(others(subject, panel.right), None)
        reference: Json
        if subject.right is False:
            reference, variant = subject.response, "same"
        elif subject.opponent is not None:
            reference, variant = subject.opponent, "opponent"
        elif rival is not None and not rival.subject_id.endswith("+misplaced"):
            reference, variant = rival.response, rival.subject_id
        elif other is not None:
            reference, variant = other.fields.get("reference"), other.subject_id
        else:
            continue
        changed = with_value(judge, subject, "reference", reference)
        yield _trial(names.FLIP, subject, changed, variant=variant)


def _gaps(judge: Judge, panel: Panel, wanted: Collection[str]) -> Iterator[ProbeTrial]:
    required = dict.fromkeys(item.source for item in judge.inputs if item.required)
    for subject in panel.right[:NEEDS_NO_MODEL]:
        for source in required:
            if names.MISSING in wanted:
                yield _trial(names.MISSING, subject, without(judge, subject, source), variant=source)
            if names.EMPTY in wanted and source in {"question", "reference", answer_field(judge)}:
                yield _trial(names.EMPTY, subject, with_value(judge, subject, source, "  "), variant=source)


def _attacks(judge: Judge, panel: Panel, extent: Extent) -> Iterator[ProbeTrial]:
    """Attacks go round the answers, shuffled by the seed, so that every answer meets every family alike; of a pair, each
    claims to be A and B in turn.
    """
    targets = targets_of(judge)
    random = Random(extent.seed)  # noqa: S311 - a rotation that can be had again, not a secret
    wrong, right = panel.wrong, panel.right
    random.shuffle(wrong)
    random.shuffle(right)
    turns = {
        side: zip(cycle(some), cycle(targets), strict=False) for side, some in ((True, right), (False, wrong))
    }
    for attack in tried_on(judge, extent):
        if attack.family == OPENER:
            sides = [(names.OPENERS, True, min(2 * extent.tries, len(right)))]
        else:
            sides = [(names.INJECTION, False, min(extent.tries, len(wrong)))]
            if not attack.instead:
                sides.append((names.RIGHT_ATTACKED, True, min((extent.tries + 1) // 2, len(right))))
        for probe, side, tries in sides:
            for subject, target in islice(turns[side], tries if probe in extent.probes else 0):
                yield _attack_trial(probe, judge, subject, attack, target)


def _attack_trial(
    probe: str, judge: Judge, subject: ProbeSubject, attack: Attack, target: Target
) -> ProbeTrial:
    if probe == names.OPENERS:
        changed = in_its_place(judge, subject, attacked(attack, subject.response, target))
    else:
        place = subject.field if attack.place == "response" else attack.place
        text = attacked(attack, as_text(subject.fields.get(place, "")), target)
        changed = with_value(judge, subject, place, text)
    return _trial(probe, subject, changed, variant=attack.name, family=attack.family)


def _trial(
    probe: str,
    subject: ProbeSubject,
    changed: ProbeSubject,
    *,
    variant: str = "",
    family: str = "",
    label: Json = None,
) -> ProbeTrial:
    metadata: dict[str, Json] = {"probe": probe, "case": subject.subject_id, "right": subject.right}
    metadata |= {name: value for name, value in (("variant", variant), ("family", family)) if value}
    fields = {**changed.fields, "metadata": metadata, **({} if label is None else {"label": label})}
    parts = [subject.subject_id] if probe == names.CLEAN else [subject.subject_id, probe, variant]
    case_id = "+".join(part for part in parts if part)
    case = Case(case_id=case_id, columns=changed.values, fields=fields)
    return ProbeTrial(probe=probe, subject=subject, variant=variant, family=family, case=case)
