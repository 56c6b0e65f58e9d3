"""A stored run's verdicts by one judge, case by case: what labels are held against."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from adjudge.analysis.chosen_model import choose_model, verdicts_of
from adjudge.analysis.summary.stored import judges_of, repeats_of
from adjudge.dataset.label_scale import LabelScale, Meaning, criterion_labels, label_scale_of, rating_label
from adjudge.errors import InputError
from adjudge.expressions import EvaluationError, parse_expression
from adjudge.records import ExpressionScore, Failed, Json, Judge, Judgement, Rating
from adjudge.rubrics import answered_criteria, score_of_labels
from adjudge.runs.engine.repeats import vote_of
from adjudge.scoring.rules import rating_passes
from adjudge.store import RunRecord, Store
from adjudge.text import value_text


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


class AskedCriterion(NamedTuple):
    """One criterion of a rubric."""

    criterion: str
    points: float


class CriterionVerdicts(NamedTuple):
    verdicts: dict[str, list[CaseVerdict]]
    """Case id -> whether it is met, as a pass, for each repeat."""
    labels: dict[str, bool]


class RatingVerdicts(NamedTuple):
    verdicts: dict[str, list[CaseVerdict]]
    labels: dict[str, Meaning]


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
    own_labels: dict[str, Json] = field(default_factory=dict)
    own_annotators: dict[str, Json] = field(default_factory=dict)
    criteria: dict[AskedCriterion, "CriterionVerdicts"] = field(default_factory=dict)
    """Of a rubric, with what people say of each."""
    ratings: dict[str, "RatingVerdicts"] = field(default_factory=dict)
    """Of a judge that gives several, with what people say of each."""

    @property
    def cases(self) -> dict[str, list[CaseVerdict]]:
        """Case id -> its verdicts, one for each repeat, in the order of the run."""
        found: dict[str, list[CaseVerdict]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.case_id, []).append(verdict)
        return found

    @property
    def abstained(self) -> list[str]:
        """The cases without any verdict on which the judge abstained."""
        return [case_id for case_id, kind in self.failed.items() if kind == "abstained"]

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
    repeats = repeats_of(record)
    if repeats is not None and repeats.auto:
        stored = by_most(stored)
    verdicts = collect_verdicts(stored, judges_of(store, record), judge=judge, slices=slices)
    scores = {(verdict.score, verdict.passed) for verdict in verdicts.verdicts}
    return ScaledVerdicts(verdicts, label_scale_of(verdicts.judge, verdicts.source, scores, label_map or {}))


def by_most(judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Of each case's repeats, which follow each other, the first that says what most of them say."""
    for _, group in groupby(
        judgements, key=lambda each: (each.case_id, each.judge, each.judge_hash, each.model)
    ):
        repeats = list(group)
        votes = [vote_of(each) for each in repeats]
        known = Counter(vote for vote in votes if vote is not None)
        yield repeats[votes.index(known.most_common(1)[0][0])] if known else repeats[0]


def collect_verdicts(
    judgements: Iterable[Judgement], judges: Sequence[Judge], *, judge: str | None, slices: Sequence[str] = ()
) -> RunVerdicts:
    """Those of the judge asked for, by name or `name@hash`; of the only one when none is."""
    sources = {(each.name, each.hash): each for each in judges}
    accounts: dict[tuple[str, str, str], RunVerdicts] = {}
    for judgement in judgements:
        key = (judgement.judge, judgement.judge_hash, judgement.model)
        if judge is not None and judge not in {key[0], f"{key[0]}@{key[1]}"}:
            continue
        account = accounts.get(key)
        if account is None:
            account = accounts[key] = RunVerdicts(
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


def _add(account: RunVerdicts, judgement: Judgement, slices: Sequence[str]) -> None:
    people = (
        criterion_labels(judgement.label, account.judge) if account.source and account.source.rubric else ()
    )
    if people:
        label = score_of_labels(judgement.verdict, people)
        if label is not None:
            account.own_labels[judgement.case_id] = label
    elif judgement.label is not None:
        whole = _whole_label(account.source, judgement.label)
        account.own_labels[judgement.case_id] = judgement.label if whole is None else whole
    if judgement.annotators is not None:
        account.own_annotators[judgement.case_id] = judgement.annotators
    if isinstance(judgement.outcome, Failed):
        if judgement.outcome.kind == "abstained" or judgement.case_id not in account.failed:
            account.failed[judgement.case_id] = judgement.outcome.kind
        return
    verdict = CaseVerdict(
        case_id=judgement.case_id,
        repeat=judgement.repeat,
        score=judgement.outcome.score.value,
        passed=judgement.passed,
        probability=judgement.probability,
        cluster=judgement.case_id if judgement.cluster is None else judgement.cluster,
        slices=tuple(value_text(judgement.metadata.get(column)) for column in slices),
    )
    account.verdicts.append(verdict)
    for each, person in zip(answered_criteria(judgement.verdict) if people else (), people, strict=False):
        if person is not None:
            found = account.criteria.setdefault(
                AskedCriterion(each.criterion, each.points), CriterionVerdicts({}, {})
            )
            met = replace(verdict, score=float(each.met), passed=each.met, probability=None)
            found.verdicts.setdefault(verdict.case_id, []).append(met)
            found.labels[verdict.case_id] = person
    for rating in account.source.ratings if account.source else ():
        _add_rating(account, rating, verdict, judgement)


def _add_rating(account: RunVerdicts, rating: Rating, verdict: CaseVerdict, judgement: Judgement) -> None:
    label = rating_label(judgement.label, account.judge, rating)
    value = judgement.verdict.get(rating.name)
    if label is None or isinstance(value, bool) or not isinstance(value, int | float):
        return
    found = account.ratings.setdefault(rating.name, RatingVerdicts({}, {}))
    own = replace(
        verdict, score=float(value), passed=rating_passes(rating, judgement.verdict), probability=None
    )
    found.verdicts.setdefault(verdict.case_id, []).append(own)
    found.labels[verdict.case_id] = label


def _whole_label(judge: Judge | None, label: Json) -> float | None:
    """The score that a person's ratings give, where the judge's rule needs nothing else."""
    if judge is None or not isinstance(judge.score, ExpressionScore):
        return None
    given = {each.name: rating_label(label, judge.name, each) for each in judge.ratings}
    values: dict[str, Json] = {
        name: value
        for name, value in given.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    expression = parse_expression(judge.score.text)
    if not values or not expression.names <= values.keys():
        return None
    try:
        found = expression.evaluate(values)
    except EvaluationError:
        return None
    return float(found) if isinstance(found, Fraction) else None
