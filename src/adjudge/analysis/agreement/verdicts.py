"""A stored run's verdicts by one judge, case by case: what labels are held against."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.analysis.chosen_model import choose_model, verdicts_of
from adjudge.analysis.scores.figures import case_fields
from adjudge.analysis.summary.stored import judges_of
from adjudge.errors import InputError
from adjudge.labels.label_scale import LabelScale, Meaning, label_scale_of
from adjudge.labels.parts import read_own_label
from adjudge.procedures.rubric import criteria_of
from adjudge.records import Criterion, Failed, Json, Judge, Judged, Judgement
from adjudge.rubrics import RubricError, answered_criteria
from adjudge.scoring.rules import rating_passes
from adjudge.store import RunRecord, Store
from adjudge.text import value_text

_NO_VERDICT = frozenset({"abstained", "unreadable", "refused", "truncated"})
"""Outcomes of cases that the judge was asked about; the others were never put to it, or can be asked again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseVerdict:
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
    parts: tuple["PartVerdict", ...] = ()
    """Criteria of a rubric, or several ratings, in the judge's order."""


class PartVerdict(NamedTuple):
    """What was said of one criterion of a rubric, or one of several ratings."""

    name: str
    points: float | None
    """None of a rating."""
    score: float
    passed: bool | None


@dataclass(kw_only=True, slots=True)
class RunVerdicts:
    """What one judge with one model said in a run."""

    judge: str
    judge_hash: str
    model: str
    source: Judge | None
    verdicts: list[CaseVerdict] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """Case id -> how it came out, for cases without any verdict."""
    clusters: dict[str, str] = field(default_factory=dict)
    """Case id -> its cluster, for cases without any verdict whose row names one."""
    own_labels: dict[str, Json] = field(default_factory=dict)
    own_annotators: dict[str, Json] = field(default_factory=dict)
    own_parts: dict[str, Mapping[str, Meaning]] = field(default_factory=dict)
    """What the cases' own labels say of criteria or ratings, by name."""
    find_case: Callable[[str], Mapping[str, Json] | None] = lambda _: None
    """Case id -> its fields as the judge saw them, where they may hold a rubric."""

    @property
    def cases(self) -> dict[str, list[CaseVerdict]]:
        """Case id -> its verdicts, one for each repeat, in the order of the run."""
        found: dict[str, list[CaseVerdict]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.case_id, []).append(verdict)
        return found

    @property
    def asked(self) -> Callable[[str], Sequence[Criterion]]:
        """Case id -> the criteria that it is judged by."""
        parts = {verdict.case_id: verdict.parts for verdict in self.verdicts}

        def asked(case_id: str) -> Sequence[Criterion]:
            known = asked_criteria(self.source, parts.get(case_id, ()))
            return known or criteria_in(self.source, self.find_case(case_id))

        return asked

    @property
    def unjudged(self) -> list[str]:
        """The cases on which the judge was asked, and gave no verdict."""
        return [case_id for case_id, kind in self.failed.items() if kind in _NO_VERDICT]

    @property
    def outcomes(self) -> dict[str, int]:
        """Of the cases that were not judged."""
        return dict(sorted(Counter(self.failed.values()).items()))


class ScaledVerdicts(NamedTuple):
    """One judge of a stored run, and how its labels are read."""

    verdicts: RunVerdicts
    scale: LabelScale


def judged_in(
    store: Store,
    record: RunRecord,
    *,
    judge: str | None,
    model: str | None = None,
    label_map: Mapping[str, str] | None = None,
    slices: Sequence[str] = (),
) -> ScaledVerdicts:
    """By name or `name@hash`, the only one when none is named; with one of the run's models, or its jury."""
    stored = verdicts_of(store.judgements(record.run_id), record, choose_model(record, model))
    verdicts = collect_verdicts(stored, judges_of(store, record), judge=judge, slices=slices)
    source = verdicts.source
    if source is not None and source.rubric is not None and source.rubric.column is not None:

        def find_case(case_id: str) -> Mapping[str, Json] | None:
            case = store.case(record.run_id, case_id)
            return None if case is None else case_fields(source, case, record.plan)

        verdicts.find_case = find_case
    scores = {(verdict.score, verdict.passed) for verdict in verdicts.verdicts}
    return ScaledVerdicts(verdicts, label_scale_of(verdicts.judge, verdicts.source, scores, label_map or {}))


def collect_verdicts(
    judgements: Iterable[Judgement], judges: Sequence[Judge], *, judge: str | None, slices: Sequence[str] = ()
) -> RunVerdicts:
    """Those of the judge asked for, by name or `name@hash`; of the only one when none is."""
    sources = {(each.name, each.hash): each for each in judges}
    accounts: dict[tuple[str, str, str], RunVerdicts] = {}
    known: dict[PartVerdict, PartVerdict] = {}  # each once: the cases of a run share them
    for judgement in judgements:
        key = (judgement.judge, judgement.judge_hash, judgement.model)
        if judge is not None and judge not in {key[0], f"{key[0]}@{key[1]}"}:
            continue
        account = accounts.get(key)
        if account is None:
            account = accounts[key] = RunVerdicts(
                judge=key[0], judge_hash=key[1], model=key[2], source=sources.get(key[:2])
            )
        parts = part_verdicts(account.source, judgement.verdict)
        _add(account, judgement, slices, tuple(known.setdefault(each, each) for each in parts))
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


def _add(
    account: RunVerdicts, judgement: Judgement, slices: Sequence[str], parts: tuple[PartVerdict, ...]
) -> None:
    if judgement.label is not None:
        criteria = asked_criteria(account.source, parts)
        own = read_own_label(judgement.label, account.judge, account.source, criteria)
        if own.parts:
            account.own_parts[judgement.case_id] = own.parts
        if own.whole is not None:
            account.own_labels[judgement.case_id] = own.whole
    if judgement.annotators is not None:
        account.own_annotators[judgement.case_id] = judgement.annotators
    if isinstance(judgement.outcome, Failed):
        if judgement.outcome.kind == "abstained" or judgement.case_id not in account.failed:
            account.failed[judgement.case_id] = judgement.outcome.kind
            if judgement.cluster is not None:
                account.clusters[judgement.case_id] = judgement.cluster
        return
    if isinstance(judgement.outcome, Judged):
        return  # its labels and ratings are compared by themselves
    verdict = CaseVerdict(
        case_id=judgement.case_id,
        repeat=judgement.repeat,
        score=judgement.outcome.score.value,
        passed=judgement.passed,
        probability=judgement.probability,
        cluster=judgement.case_id if judgement.cluster is None else judgement.cluster,
        slices=tuple(value_text(judgement.metadata.get(column)) for column in slices),
        parts=parts,
    )
    account.verdicts.append(verdict)


def part_verdicts(judge: Judge | None, verdict: Mapping[str, Json]) -> Iterator[PartVerdict]:
    """What a verdict says of each criterion or rating."""
    if judge is None:
        return
    if judge.rubric is not None:
        for each in answered_criteria(verdict):
            yield PartVerdict(each.criterion, each.points, float(each.met), each.met)
    for rating in judge.ratings:
        value = verdict.get(rating.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield PartVerdict(rating.name, None, float(value), rating_passes(rating, verdict))


def criteria_in(judge: Judge | None, fields: Mapping[str, Json] | None) -> Sequence[Criterion]:
    """Those that a case's own column lists, for cases without a verdict on them; none where it is a sentence."""
    if judge is None or judge.rubric is None or judge.contract is None or fields is None:
        return ()
    try:
        return criteria_of(judge.rubric, judge.contract, fields)
    except RubricError:
        return ()


def asked_criteria(judge: Judge | None, parts: Iterable[PartVerdict]) -> Sequence[Criterion]:
    """The judge's own, else those that it was asked about in this case; none without a rubric, or of a sentence."""
    if judge is not None and judge.rubric is not None and judge.rubric.criteria:
        return judge.rubric.criteria
    return [Criterion(criterion=part.name, points=part.points) for part in parts if part.points is not None]
