"""A stored run's verdicts beside people's labels, case by case: what the figures of agreement are made from."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from adjudge.errors import InputError
from adjudge.records import Failed, Json, Judge, Judgement
from adjudge.reports.agree_labels import (
    Meaning,
    Reading,
    Said,
    not_placed,
    read_annotators,
    refuse_zeros_and_ones,
)
from adjudge.store import KeptLabel

OWN_LABELS = "the cases' own label column"
OWN_ANNOTATORS = "the cases' own annotators column"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One judgement, as far as agreement needs it: a run of 100,000 is held in memory whole."""

    case_id: str
    repeat: int
    score: float
    passed: bool | None
    probability: float | None
    cluster: str
    """The case itself where its row names none."""
    slices: tuple[str, ...]
    """Its values of the columns asked for, in their order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """What one person said, on the judge's scale."""

    case_id: str
    annotator: str
    says: Meaning
    explanation: str | None = None
    tuning: bool = False


@dataclass(kw_only=True, slots=True)
class Verdicts:
    """What one judge with one model said in a run."""

    judge: str
    judge_hash: str
    model: str
    source: Judge | None
    verdicts: list[Verdict] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """Case id -> how it came out, for cases without any verdict."""
    own_labels: dict[str, Json] = field(default_factory=dict)
    own_annotators: dict[str, Json] = field(default_factory=dict)

    @property
    def cases(self) -> dict[str, list[Verdict]]:
        """Case id -> its verdicts, one for each repeat, in the order of the run."""
        found: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.case_id, []).append(verdict)
        return found

    @property
    def outcomes(self) -> dict[str, int]:
        """Of the cases that were not judged."""
        return dict(sorted(Counter(self.failed.values()).items()))


def collect_verdicts(
    judgements: Iterable[Judgement], judges: Sequence[Judge], *, judge: str | None, slices: Sequence[str] = ()
) -> Verdicts:
    """Those of the judge asked for, by name or `name@hash`; of the only one when none is."""
    sources = {(each.name, each.hash): each for each in judges}
    accounts: dict[tuple[str, str, str], Verdicts] = {}
    for judgement in judgements:
        key = (judgement.judge, judgement.judge_hash, judgement.model)
        if judge is not None and judge not in {key[0], f"{key[0]}@{key[1]}"}:
            continue
        account = accounts.get(key)
        if account is None:
            account = accounts[key] = Verdicts(
                judge=key[0], judge_hash=key[1], model=key[2], source=sources.get(key[:2])
            )
        _add(account, judgement, slices)
    names = [f"{each.name}@{each.hash}" for each in judges]
    if not accounts:
        asked = f"--only {judge}" if judge is not None else "this run"
        raise InputError(
            asked, "no judgement of it is in the run", f"the run's judges are {', '.join(names) or 'none'}"
        )
    if len(accounts) > 1:
        found = ", ".join(f"{key[0]}@{key[1]} ({key[2]})" for key in accounts)
        raise InputError(
            "this run", f"has several judges: {found}", "say whose verdicts to look at with --only NAME@HASH"
        )
    (account,) = accounts.values()
    for verdict in account.verdicts:  # a case that failed in one repeat was judged in another
        account.failed.pop(verdict.case_id, None)
    return account


def _add(account: Verdicts, judgement: Judgement, slices: Sequence[str]) -> None:
    if judgement.label is not None:
        account.own_labels[judgement.case_id] = judgement.label
    if judgement.annotators is not None:
        account.own_annotators[judgement.case_id] = judgement.annotators
    if isinstance(judgement.outcome, Failed):
        account.failed.setdefault(judgement.case_id, judgement.outcome.kind)
        return
    account.verdicts.append(
        Verdict(
            case_id=judgement.case_id,
            repeat=judgement.repeat,
            score=judgement.outcome.score.value,
            passed=judgement.passed,
            probability=judgement.probability,
            cluster=judgement.case_id if judgement.cluster is None else judgement.cluster,
            slices=tuple(_slice(judgement.metadata, column) for column in slices),
        )
    )


def own_labels(verdicts: Verdicts, reading: Reading) -> list[Label]:
    """The cases' own labels; an `InputError` when some mean nothing to this judge.

    Where a case says what several people said, its one label is what became of that, and is not counted besides.
    """
    found, strange = list[Label](), defaultdict[str, list[Json]](list)
    said = [
        (case_id, each)
        for case_id, given in verdicts.own_annotators.items()
        for each in read_annotators(case_id, given)
    ]
    several = {case_id for case_id, _ in said}
    said += [
        (case_id, Said(annotator="", label=label))
        for case_id, label in verdicts.own_labels.items()
        if case_id not in several
    ]
    for case_id, each in said:
        if isinstance(each.label, dict) and verdicts.judge not in each.label:
            continue
        says = reading.place(each.label)
        if says is None:
            strange[OWN_ANNOTATORS if case_id in several else OWN_LABELS].append(each.label)
        elif not isinstance(says, str):
            found.append(
                Label(case_id=case_id, annotator=each.annotator, says=says, explanation=each.explanation)
            )
    for where, labels in strange.items():
        raise not_placed(where, labels, reading)
    refuse_zeros_and_ones(own_source(verdicts), [label.says for label in found], reading)
    return found


def own_source(verdicts: Verdicts) -> str:
    """Where `own_labels` found them, for people."""
    several = {case_id for case_id, given in verdicts.own_annotators.items() if given}
    if not several:
        return OWN_LABELS
    alone = verdicts.own_labels.keys() - several
    return "the cases' own annotators and label columns" if alone else OWN_ANNOTATORS


def kept_labels(kept: Iterable[KeptLabel], reading: Reading, where: str) -> list[Label]:
    """What the store holds, on the judge's scale as it now is."""
    found, strange = list[Label](), list[Json]()
    for label in kept:
        says = reading.place(label.label)
        if says is None:
            strange.append(label.label)
        elif not isinstance(says, str):
            found.append(
                Label(
                    case_id=label.case_id,
                    annotator=label.annotator,
                    says=says,
                    explanation=label.explanation,
                    tuning=label.tuning,
                )
            )
    if strange:
        raise not_placed(where, strange, reading)
    return found


class Merged(NamedTuple):
    """Labels of the store and of the cases themselves, as one."""

    labels: list[Label]
    own: int
    """Of those, the cases' own."""
    replaced: int
    """The cases' own labels whose annotator has a stored one too, which was given later and counts."""


def merge_labels(stored: Sequence[Label], own: Sequence[Label]) -> Merged:
    """Different annotators of one case are several annotators; of one annotator's two labels the stored one counts."""
    known = {(label.case_id, label.annotator) for label in stored}
    more = [label for label in own if (label.case_id, label.annotator) not in known]
    return Merged(labels=[*stored, *more], own=len(more), replaced=len(own) - len(more))


def in_one_kind(labels: Sequence[Label], reading: Reading) -> list[Label]:
    """Passes and fails only, as soon as one label is one: a score is then read by the judge's rule."""
    kinds = {isinstance(label.says, bool) for label in labels}
    if len(kinds) < 2:
        return list(labels)
    if reading.passes is None:
        raise InputError(
            "the labels",
            "some are scores and some are passes or fails, and this judge's pass rule cannot turn one into the other",
            "give one kind, or say with --label-map what each stands for",
        )
    return [as_pass(label, reading.passes) for label in labels]


def as_pass(label: Label, passes: Callable[[float], bool]) -> Label:
    return label if isinstance(label.says, bool) else replace(label, says=passes(label.says))


def by_case(labels: Iterable[Label]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        found[label.case_id].append(label)
    return dict(found)


def decided(labels: Mapping[str, Sequence[Label]], adjudicators: Collection[str]) -> dict[str, list[Label]]:
    """What counts as the case's label: the adjudicator's where there is one, else everybody's."""
    return {
        case_id: [label for label in given if label.annotator in adjudicators] or list(given)
        for case_id, given in labels.items()
    }


def of_people(labels: Mapping[str, Sequence[Label]], adjudicators: Collection[str]) -> dict[str, list[Label]]:
    """Without adjudicators, who saw what the others said and so do not agree or disagree with them as one of them."""
    found = {
        case_id: [label for label in given if label.annotator not in adjudicators]
        for case_id, given in labels.items()
    }
    return {case_id: given for case_id, given in found.items() if given}


def _slice(metadata: Mapping[str, Json], column: str) -> str:
    value = metadata.get(column)
    return "(none)" if value is None else value if isinstance(value, str) else str(value)
