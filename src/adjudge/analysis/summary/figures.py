"""What was asked of each judge, what became of it, and how sure the numbers are."""

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, NamedTuple

from adjudge.analysis.cascade.figures import CascadeFigures, CascadeTally
from adjudge.analysis.jury.figures import JuryFigures, JuryTally
from adjudge.analysis.ranking.figures import SystemRanking
from adjudge.analysis.ranking.stored import RankingTally
from adjudge.analysis.summary.check_agreement import CheckAgreement, CheckTally
from adjudge.analysis.summary.fields import FieldFigures, FieldTally
from adjudge.analysis.summary.pairs import PairFigures, PairTally
from adjudge.analysis.summary.repeats import Repeated, repeat_figures
from adjudge.analysis.summary.sample import ALONE, Bounds, Group, Grouping, JudgedRow, RowSample
from adjudge.analysis.summary.slices import SliceColumn, SliceTally
from adjudge.documents.records_json import records_json
from adjudge.embedded.card import CardFigure, read_card
from adjudge.labels.label_scale import (
    are_zeros_and_ones,
    choice_points,
    is_not_for,
    is_within_one,
    label_agrees,
    read_label,
)
from adjudge.labels.parts import criterion_labels, rating_label
from adjudge.models.families import Relation, related
from adjudge.records import (
    OUTCOME_KINDS,
    Failed,
    Forced,
    Judge,
    Judged,
    Judgement,
    NamedScore,
    Place,
    Scale,
    Scored,
    Usage,
    is_cascade,
    is_jury,
)
from adjudge.rubrics import answered_criteria
from adjudge.scoring.claims import VERDICTS, entries
from adjudge.scoring.rules import rating_passes
from adjudge.stats.distribution import Distribution, Quantiles
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population
from adjudge.text import shorten

NOT_KEPT: Mapping[str, float | None] = MappingProxyType({})
EXAMPLES_PER_KIND = 3
MAX_EXAMPLE_CHARS = 400
MAX_WORST = 10
_MAX_KINDS = 200
"""Note and error kinds are words of our own code; should text from outside ever become one, memory stays bounded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Of the judgements for which calls were made in this run; right to 1 %."""

    n: int
    p50_ms: float = field(metadata=population("called for in this run", "judgement"))
    p95_ms: float = field(metadata=population("called for in this run", "judgement"))


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelAgreement:
    """How the score compares with what the case's own label says."""

    labelled: int
    """Cases with a label that this judge can be held against."""
    judged: int
    equal: int
    rate: Estimate | None = field(metadata=population("judged and labelled", "judgement"))
    """How often they are equal; None where labels are measurements, or not on the judge's scale."""
    within_one: Estimate | None = field(default=None, metadata=population("judged and labelled", "judgement"))
    """The share within one step of the label; None where the scale has no steps."""
    measured: bool = False
    """Labels or scores are measurements, such as means of ratings: they are hardly ever equal."""
    absolute_error: Estimate | None = field(
        default=None, metadata=population("judged and labelled", "judgement")
    )
    """The mean distance from the label; None on a scale of 0 and 1, where agreement says as much."""
    rank_correlation: Estimate | Undefined | None = field(
        default=None, metadata=population("judged and labelled", "judgement")
    )
    """Spearman's, of all labels that are numbers; None as for `absolute_error`."""
    off_scale: int = 0
    """Labels that mean nothing on the judge's scale, of the rows that were judged."""
    off_scale_example: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionFigures:
    """One criterion of a rubric, over the cases in which it was answered."""

    criterion: str
    points: float
    met: Estimate = field(metadata=population("judged with this criterion", "judgement"))
    """How often it is met; with points below 0 that is how often the fault occurs."""
    labelled: int
    agreement: Estimate | None = field(
        metadata=population("judged with this criterion, and labelled", "judgement")
    )
    """How often people say the same, where the case's own label is a list with one truth value for each criterion."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimFigures:
    """How many of the claims that a groundedness judge checked had one verdict."""

    verdict: str
    share: Estimate = field(metadata=population("judged", "claim"))
    """Over all claims; the claims of one case are one piece of evidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingFigures:
    """One of several ratings, over the judged cases."""

    name: str
    scale: Scale
    better: Literal["higher", "lower"]
    mean: Estimate = field(metadata=population("judged with this rating", "judgement"))
    passed: int | None
    pass_rate: Estimate | None = field(metadata=population("judged with this rating", "judgement"))
    """None where the rating has no pass rule."""
    labelled: int
    agreement: Estimate | None = field(
        metadata=population("judged with this rating, and labelled", "judgement")
    )
    """How often people give the same, where the case's own label is an object with the ratings by name."""
    within_one: Estimate | None = field(
        metadata=population("judged with this rating, and labelled", "judgement")
    )
    absolute_error: Estimate | None = field(
        metadata=population("judged with this rating, and labelled", "judgement")
    )
    rank_correlation: Estimate | Undefined | None = field(
        metadata=population("judged with this rating, and labelled", "judgement")
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class UnscoredExample:
    """One case that was not scored, as an example of its kind."""

    case_id: str
    message: str
    place: Place | None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorstCase:
    """One of the cases that came out worst, to be read."""

    case_id: str
    repeat: int
    score: float
    passed: bool | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateFigures:
    """A model that wrote responses, and judged them or is of the family of the one that did."""

    candidate: str
    relation: Relation
    cases: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """One judge with one model. Every figure can be read beside `asked`, `judged` and `outcomes`."""

    judge: str
    judge_hash: str
    model: str
    """Empty when the judge got no row at all."""
    scale: Scale | None
    better: Literal["higher", "lower"]
    asked: int
    """The sum of `outcomes`."""
    judged: int
    """Scored, judged without a score, or forced by rule."""
    not_judged: int
    outcomes: Mapping[str, int]
    """The kinds that occurred, in the order of `OUTCOME_KINDS`."""
    passed: int | None
    """How many passed; None where no pass rule is known."""
    repeats: int
    """How often each case was judged."""
    grouping: Grouping | None
    """What intervals count as one piece of evidence: the `cluster` column's values, a case's repeats, or each row."""
    mean: Estimate | None = field(metadata=population("judged", "judgement"))
    """Of scored and forced rows."""
    mean_without_forced: Estimate | None = field(metadata=population("scored by the model", "judgement"))
    """None when nothing was forced."""
    bounds: Bounds | None = field(metadata=population("asked", "judgement"))
    """What the rows that were not judged could have made of the mean; None without a scale."""
    pass_rate: Estimate | None = field(metadata=population("judged, with pass or fail", "judgement"))
    """Of the judged rows for which a pass rule is known."""
    pass_bounds: Bounds | None = field(metadata=population("asked", "judgement"))
    abstention_rate: Estimate | None = field(metadata=population("scored or abstained", "judgement"))
    """Of the model's answers, scored or abstained; None where the judge file has no `abstain:`."""
    criteria: tuple[CriterionFigures, ...]
    """Of a rubric, in its order; where each case has its own, those that occur most, at most as many as are kept."""
    claims: tuple[ClaimFigures, ...]
    """Of a groundedness judge, `supported` first."""
    ratings: tuple[RatingFigures, ...]
    """Of a judge that gives several, in its order."""
    fields: tuple[FieldFigures, ...]
    """Of a judge without a score: its labels and numbers one by one."""
    expected_mean: Estimate | None = field(
        metadata=population("judged with token probabilities", "judgement")
    )
    """Of the expected scores, over the rows that have one from the log-probabilities of their tokens."""
    distribution: Mapping[str, int] | None
    """Score -> rows; ranges of scores where there are many; None where there are many and no scale."""
    agreement: LabelAgreement | None
    """None when no case has a label on the judge's scale."""
    cost: Decimal | None
    """What the calls made in this run cost, as far as known; None when no price is known."""
    cost_unknown: int
    """Judgements with a call in this run whose price is unknown."""
    usage: Usage
    """Of the calls made in this run."""
    from_store: int
    """Judgements answered from the store alone."""
    latency: Latency | None
    answered: int
    """Judgements for which a model said something, now or when it was stored."""
    temperatures: tuple[float | None, ...]
    """What was asked for; None is the provider's default."""
    notes: Mapping[str, int]
    """Kind of note (what stands before its colon) -> rows, most frequent first."""
    error_kinds: Mapping[str, Mapping[str, int]]
    """Outcome kind -> the finer kind its rows give -> rows."""
    failures: Mapping[str, tuple[UnscoredExample, ...]]
    """Outcome kind -> the first rows of it with different messages."""
    worst: tuple[WorstCase, ...]
    """The worst first; none that passed."""
    repeated: Repeated | None
    """None when no case was judged twice."""
    slices: tuple[SliceColumn, ...]
    """By the columns asked for."""
    pairs: PairFigures | None
    """Of a judge that compares two answers; `mean` is then the win rate of A."""
    card: tuple[CardFigure, ...] | None
    """How far the embedded judge agrees with people on sets kept apart, where it is this version of it that judged."""
    among_models: bool = False
    """Other models answered the same judge in the run."""
    candidates: tuple["CandidateFigures", ...] = ()
    """Models that wrote responses and are the judging one, or of its family."""

    @property
    def title(self) -> str:
        """The judge's name, with the model's where that is needed to tell it from others."""
        return f"{self.judge} ({self.model})" if self.among_models else self.judge

    @property
    def scored(self) -> int:
        return self.outcomes.get("scored", 0)

    @property
    def abstained(self) -> int:
        return self.outcomes.get("abstained", 0)

    @property
    def forced(self) -> int:
        return self.outcomes.get("forced", 0)


class Tally:
    """Adds judgements up as they come, in a dozen bytes a row; with repeats, and each case's id once."""

    def __init__(
        self,
        judges: Iterable[Judge] = (),
        *,
        repeats: int | None = None,
        slices: Sequence[str] = (),
        temperatures: Mapping[str, float | None] = NOT_KEPT,
        candidate: str | None = None,
        ranking: RankingTally | None = None,
    ) -> None:
        """`judges` gives scales and the order of the summaries; one that gets no row has a summary all the same.

        `repeats` is how often each case is judged: with 1, no ids need to be kept.
        `slices` are metadata columns. `temperatures`, by the judge's `name@hash`, is what a run asked for, where its rows
        no longer say it. `candidate` is the model that wrote the responses whose rows do not say so. `ranking` adds the
        same judgements up where they compare systems.
        """
        self._ranking = ranking
        self._candidate = candidate
        self._deciders: dict[tuple[str, str, str], JuryTally | CascadeTally] = {}
        """Juries and cascades, whose judgements stand for those of their members."""
        self._judges = {(judge.name, judge.hash): judge for judge in judges}
        self._checks = CheckTally(self._judges.values())
        self._accounts: dict[tuple[str, str, str], _JudgeTally] = {}
        self._slices = tuple(dict.fromkeys(slices))
        self._repeats = repeats
        self._temperatures = temperatures
        self._clusters: dict[str, int] = {}
        self.added = 0
        """Judgements."""
        self.columns: dict[str, None] = {}
        """The metadata columns seen; only looked for where slices are asked for."""

    def add(self, judgement: Judgement) -> None:
        self.added += 1
        key = (judgement.judge, judgement.judge_hash, judgement.model)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = self._account(key, self._slices)
        if self._slices and len(self.columns) < _MAX_KINDS:
            self.columns.update(dict.fromkeys(judgement.metadata))
        cluster = judgement.cluster
        number = (
            ALONE
            if cluster is None
            or (isinstance(judgement.outcome, Failed) and judgement.outcome.kind != "abstained")
            else self._clusters.setdefault(cluster, len(self._clusters))
        )
        account.add(judgement, number)
        if is_jury(judgement.model):
            decider = self._deciders.get(key)
            if decider is None:
                kind = CascadeTally if is_cascade(judgement.model) else JuryTally
                decider = self._deciders[key] = kind(*key, self._judges.get(key[:2]))
            decider.add(judgement)
        self._checks.add(judgement, number)
        if self._ranking is not None:
            self._ranking.add(judgement)

    def ranking(self) -> SystemRanking | None:
        return None if self._ranking is None else self._ranking.ranking()

    def checks(self) -> tuple[CheckAgreement, ...]:
        """Each check in code beside each judge that asks a model."""
        return self._checks.agreements()

    @property
    def unknown_slices(self) -> list[str]:
        """The columns asked for that no row has."""
        return [column for column in self._slices if column not in self.columns]

    def summaries(self) -> tuple[Summary, ...]:
        """One for each judge and model, in the order of the judges, then by the model's name. Where a jury decides it
        stands for its members.
        """
        return self._summaries(jurors=False)

    def jurors(self) -> tuple[Summary, ...]:
        """One for each judge and member of a jury."""
        return self._summaries(jurors=True) if self._deciders else ()

    def juries(self) -> tuple[JuryFigures, ...]:
        return tuple(each.figures() for each in self._deciders.values() if isinstance(each, JuryTally))

    def cascades(self) -> tuple[CascadeFigures, ...]:
        return tuple(each.figures() for each in self._deciders.values() if isinstance(each, CascadeTally))

    def _summaries(self, *, jurors: bool) -> tuple[Summary, ...]:
        seen = {key[:2] for key in self._accounts}
        idle = {(*key, ""): self._account((*key, ""), ()) for key in self._judges if key not in seen}
        place = {key: position for position, key in enumerate(self._judges)}
        accounts = {**self._accounts, **idle}
        order = sorted(accounts, key=lambda key: (place.get(key[:2], len(place)), key))
        models = Counter(key[:2] for key in accounts if not self._deciders or is_jury(key[2]))
        decided = {key[:2] for key in self._deciders}
        return tuple(
            accounts[key].summary(among_models=models[key[:2]] > 1)
            for key in order
            if (key[:2] in decided and not is_jury(key[2])) is jurors
        )

    def _account(self, key: tuple[str, str, str], slices: Sequence[str]) -> "_JudgeTally":
        return _JudgeTally(
            *key,
            self._judges.get(key[:2]),
            slices,
            repeats=self._repeats,
            temperatures=self._temperatures,
            candidate=self._candidate,
        )


class _JudgeTally:
    """The running sums of one judge with one model."""

    def __init__(
        self,
        judge: str,
        judge_hash: str,
        model: str,
        source: Judge | None,
        slices: Sequence[str],
        *,
        repeats: int | None,
        temperatures: Mapping[str, float | None],
        candidate: str | None,
    ) -> None:
        self.candidate = candidate
        self.candidates: Counter[str] = Counter()
        """Related to the judging model."""
        self.judge, self.judge_hash, self.model = judge, judge_hash, model
        self.scale = source.scale if source else None
        self.better: Literal["higher", "lower"] = source.better if source else "higher"
        self.pass_rule = source.passes is not None if source else None
        """None: known only from the rows."""
        self.repeats = 0
        self.cases: dict[str, int] | None = None if repeats == 1 else {}
        """Judged cases, numbered as they come; None where it is known that no case is judged twice."""
        named = f"{judge}@{judge_hash}"
        self.planned = (temperatures[named],) if named in temperatures else ()
        self.rows = Group()
        self.answers = RowSample() if source and source.abstain else None
        """The model's answers, as passes where it abstained; None where it cannot."""
        self.ratings = {each: RowSample() for each in source.ratings} if source else {}
        self.fields = FieldTally(source)
        self.has_rubric = source is not None and source.rubric is not None
        self.criteria: dict[tuple[str, float], RowSample] = {}
        self.claims = (
            {verdict: RowSample() for verdict in VERDICTS}
            if source and source.score == NamedScore(name="groundedness")
            else {}
        )
        self.claim_units: dict[tuple[bool, int], int] = {}
        """Clusters and cases that claims come from, numbered as they come."""
        self.expected = RowSample()
        self.slices = SliceTally(slices, source)
        self.distribution = Distribution(self.scale)
        self.worst: list[tuple[float, str, int, WorstCase]] = []
        self.labelled = 0
        self.off_scale, self.off_scale_example = 0, ""
        self.points = choice_points(source)
        self.pairs = PairTally(compares=source is not None and source.pair is not None)
        self.label_counts: Counter[float] = Counter()
        """Of numeric labels; a few different ones are enough to tell 0 and 1 from a scale."""
        self.cost, self.cost_unknown = Decimal(0), 0
        self.usage = Usage()
        self.from_store = 0
        self.latency = Quantiles()
        self.answered = 0
        self.temperatures: dict[float | None, None] = {}
        self.notes: Counter[str] = Counter()
        self.error_kinds: dict[str, Counter[str]] = {}
        self.failures: dict[str, list[UnscoredExample]] = {}

    def add(self, judgement: Judgement, cluster: int) -> None:
        """`cluster` is a number that stands for it."""
        self.repeats = max(self.repeats, judgement.repeat + 1)
        self._add_calls(judgement)
        self._add_candidate(judgement)
        self._add_counted(judgement, cluster)

    def _case(self, judgement: Judgement) -> int:
        return ALONE if self.cases is None else self.cases.setdefault(judgement.case_id, len(self.cases))

    def _row(
        self,
        judgement: Judgement,
        outcome: Scored | Forced,
        cluster: int,
        case: int,
        *,
        label: bool | float | None = None,
    ) -> JudgedRow:
        score, passed = outcome.score.value, judgement.passed
        return JudgedRow(
            score=score,
            forced=isinstance(outcome, Forced),
            passed=passed,
            agrees=None if label is None else label_agrees(label=label, score=score, passed=passed),
            near=None if label is None else is_within_one(label=label, score=score, scale=self.scale),
            label=label if isinstance(label, float) else None,
            cluster=cluster,
            case=case,
            repeat=judgement.repeat if case != ALONE else 0,
        )

    def _add_counted(self, judgement: Judgement, cluster: int) -> None:
        outcome = judgement.outcome
        case = ALONE if isinstance(outcome, Failed) else self._case(judgement)
        for kind in {note.partition(":")[0].strip() for note in judgement.notes}:
            _count(self.notes, kind)
        label = self._add_label(judgement)
        row = unscored = None
        if isinstance(outcome, Failed):
            self._add_failure(judgement, outcome)
        elif isinstance(outcome, Judged):
            judged = JudgedRow(
                score=0.0,
                forced=False,
                passed=None,
                agrees=None,
                cluster=cluster,
                case=case,
                repeat=judgement.repeat if case != ALONE else 0,
            )
            unscored = (judgement.verdict, judged)
            self.fields.add(judgement.verdict, judged)
            self._add_ratings(judgement, judged)
        else:
            row = self._row(judgement, outcome, cluster, case, label=label)
            self.pairs.add(judgement.verdict, row)
            self._add_criteria(judgement, row)
            self._add_claims(judgement, row)
            self._add_ratings(judgement, row)
            self.distribution.add(row.score)
            if judgement.distribution is not None:
                self.expected.add(row._replace(score=judgement.distribution.expected, label=None))
            self._add_worst(judgement, row.score)
        self.rows.add(outcome.kind, row)
        self._add_answer(judgement, cluster)
        self.slices.add(judgement.metadata, outcome.kind, row, unscored)

    def _add_answer(self, judgement: Judgement, cluster: int) -> None:
        kind = judgement.outcome.kind
        if self.answers is None or not judgement.calls or kind not in {"scored", "abstained"}:
            return
        case = self._case(judgement)
        self.answers.add(
            JudgedRow(
                score=0.0,
                forced=False,
                passed=kind == "abstained",
                agrees=None,
                cluster=cluster,
                case=case,
                repeat=judgement.repeat if case != ALONE else 0,
            )
        )

    def _add_candidate(self, judgement: Judgement) -> None:
        wrote = judgement.metadata.get("model", self.candidate)
        if isinstance(wrote, str) and not judgement.repeat and related(self.model, wrote):
            _count(self.candidates, wrote)

    def _candidates(self) -> Iterator[CandidateFigures]:
        for candidate, cases in self.candidates.most_common():
            relation = related(self.model, candidate)
            if relation is not None:
                yield CandidateFigures(candidate=candidate, relation=relation, cases=cases)

    def _add_criteria(self, judgement: Judgement, row: JudgedRow) -> None:
        if not self.has_rubric:
            return
        people = criterion_labels(judgement.label, self.judge)
        for place, (criterion, points, met) in enumerate(answered_criteria(judgement.verdict)):
            key = (shorten(criterion, MAX_EXAMPLE_CHARS), points)
            if key not in self.criteria and len(self.criteria) >= _MAX_KINDS:
                continue
            person = people[place] if place < len(people) else None
            agrees = None if person is None else person is met
            sample = self.criteria.setdefault(key, RowSample())
            sample.add(row._replace(score=float(met), passed=met, agrees=agrees, near=None, label=None))

    def _add_claims(self, judgement: Judgement, row: JudgedRow) -> None:
        if not self.claims:
            return
        # a case that is in no cluster is one to its claims: those of one response are not new evidence each
        case = len(self.rows.sample) if row.case == ALONE else row.case
        unit = (False, case) if row.cluster == ALONE else (True, row.cluster)
        number = self.claim_units.setdefault(unit, len(self.claim_units))
        together = row._replace(cluster=number, agrees=None, near=None, label=None)
        for claim in entries(judgement.verdict):
            for verdict, sample in self.claims.items():
                sample.add(together._replace(passed=claim.get("verdict") == verdict))

    def _add_ratings(self, judgement: Judgement, row: JudgedRow) -> None:
        for rating, sample in self.ratings.items():
            value = judgement.verdict.get(rating.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue  # scored by rule: nobody was asked
            label = rating_label(judgement.label, self.judge, rating)
            passed = rating_passes(rating, judgement.verdict)
            sample.add(
                row._replace(
                    score=float(value),
                    passed=passed,
                    agrees=None if label is None else label_agrees(label=label, score=value, passed=passed),
                    near=None
                    if label is None
                    else is_within_one(label=label, score=value, scale=rating.scale),
                    label=label if isinstance(label, float) else None,
                )
            )

    def _rating_figures(self) -> Iterator[RatingFigures]:
        for rating, sample in self.ratings.items():
            mean = sample.mean(rating.scale)
            if mean is not None:
                labelled, compared = sample.labelled()[0], _compare(sample, rating.scale, ())
                yield RatingFigures(
                    name=rating.name,
                    scale=rating.scale,
                    better=rating.better,
                    mean=mean,
                    passed=sample.passed if sample.ruled else None,
                    pass_rate=sample.pass_rate(),
                    labelled=labelled,
                    agreement=compared.rate if labelled else None,
                    within_one=compared.within_one if labelled else None,
                    absolute_error=compared.absolute_error,
                    rank_correlation=compared.rank_correlation,
                )

    def _criteria(self) -> Iterator[CriterionFigures]:
        found = sorted(
            self.criteria.items(), key=lambda item: -len(item[1])
        )  # stable: as they came where equal
        for (criterion, points), sample in found:
            met = sample.pass_rate()
            if met is not None:
                yield CriterionFigures(
                    criterion=criterion,
                    points=points,
                    met=met,
                    labelled=sample.labelled()[0],
                    agreement=sample.agreement() if sample.labelled()[0] else None,
                )

    def _add_calls(self, judgement: Judgement) -> None:
        completions = [call.completion for call in judgement.calls if not call.completion.from_store]
        self.from_store += judgement.from_store
        self.usage = sum((completion.usage for completion in completions), self.usage)
        costs = [completion.cost for completion in completions if completion.cost is not None]
        self.cost = sum(costs, self.cost)
        lost = isinstance(judgement.outcome, Failed) and judgement.outcome.maybe_billed
        self.cost_unknown += lost or len(costs) < len(completions)
        self.answered += bool(judgement.calls)
        for call in judgement.calls:
            if (
                call.request.prompt.messages
            ):  # what a store gives back of a call says nothing of how it was asked
                self.temperatures[call.request.temperature] = None
        if completions:
            self.latency.add(max(0.0, sum(completion.latency_ms for completion in completions)))

    def _add_label(self, judgement: Judgement) -> bool | float | None:
        """What it says on the judge's scale; None where there is none, or none for this judge."""
        if is_not_for(judgement.label, self.judge):
            return None
        if isinstance(judgement.outcome, Judged):
            return None  # there is no score to hold it against
        if (self.has_rubric and criterion_labels(judgement.label, self.judge)) or any(
            rating_label(judgement.label, self.judge, rating) is not None for rating in self.ratings
        ):
            return None  # held against the criteria, or the ratings, one by one
        pass_rule = judgement.passed is not None if self.pass_rule is None else self.pass_rule
        label = read_label(judgement.label, self.judge, self.scale, pass_rule=pass_rule, points=self.points)
        if label is not None:
            self.labelled += 1
            if isinstance(label, float) and len(self.label_counts) <= 2:
                self.label_counts[label] += 1
        elif not isinstance(judgement.outcome, Failed):
            self.off_scale += 1
            self.off_scale_example = self.off_scale_example or shorten(str(records_json(judgement.label)), 40)
        return label

    def _add_worst(self, judgement: Judgement, score: float) -> None:
        rank = -score if self.better == "lower" else score
        if judgement.passed or (len(self.worst) == MAX_WORST and rank > self.worst[-1][0]):
            return
        outcome = judgement.outcome
        reason = judgement.reason or (outcome.reason if isinstance(outcome, Forced) else "")
        case_id = shorten(judgement.case_id, 200)
        worst = WorstCase(
            case_id=case_id,
            repeat=judgement.repeat,
            score=score,
            passed=judgement.passed,
            reason=shorten(reason, MAX_EXAMPLE_CHARS),
        )
        insort(
            self.worst,
            (rank, case_id, judgement.repeat, worst),
            key=lambda item: (*item[:3], item[3].reason),
        )
        del self.worst[MAX_WORST:]

    def _add_failure(self, judgement: Judgement, outcome: Failed) -> None:
        _count(self.error_kinds.setdefault(outcome.kind, Counter()), outcome.error_kind or outcome.kind)
        examples = self.failures.setdefault(outcome.kind, [])
        message = shorten(outcome.message, MAX_EXAMPLE_CHARS)
        if len(examples) < EXAMPLES_PER_KIND and all(message != example.message for example in examples):
            case_id = shorten(judgement.case_id, 200)
            examples.append(UnscoredExample(case_id=case_id, message=message, place=judgement.place))

    def summary(self, *, among_models: bool = False) -> Summary:
        asked, outcomes, sample = self.rows.asked, self.rows.outcomes, self.rows.sample
        judged = len(sample) + outcomes.get("judged", 0)
        return Summary(
            judge=self.judge,
            judge_hash=self.judge_hash,
            model=self.model,
            scale=self.scale,
            better=self.better,
            asked=asked,
            judged=judged,
            not_judged=asked - judged,
            outcomes=outcomes,
            passed=sample.passed if sample.ruled else None,
            repeats=self.repeats,
            grouping=sample.grouping,
            mean=sample.mean(self.scale),
            mean_without_forced=sample.mean(self.scale, forced=False) if "forced" in outcomes else None,
            bounds=None if "judged" in outcomes else sample.bounds(self.scale, asked),
            pass_rate=sample.pass_rate(),
            pass_bounds=sample.pass_bounds(asked),
            abstention_rate=None if self.answers is None else self.answers.pass_rate(),
            criteria=tuple(self._criteria()),
            claims=tuple(
                ClaimFigures(verdict=verdict, share=share)
                for verdict, sample in self.claims.items()
                if (share := sample.pass_rate()) is not None
            ),
            ratings=tuple(self._rating_figures()),
            fields=self.fields.figures(),
            expected_mean=self.expected.mean(self.scale),
            distribution=self.distribution.counts(),
            agreement=self._agreement(),
            cost=None if self.cost_unknown and not self.cost else self.cost,
            cost_unknown=self.cost_unknown,
            usage=self.usage,
            from_store=self.from_store,
            latency=self._latency(),
            answered=self.answered,
            temperatures=tuple(self.temperatures) or self.planned,
            notes=dict(sorted(self.notes.items(), key=lambda item: (-item[1], item[0]))),
            error_kinds={
                kind: dict(self.error_kinds[kind]) for kind in OUTCOME_KINDS if kind in self.error_kinds
            },
            failures={kind: tuple(self.failures[kind]) for kind in OUTCOME_KINDS if kind in self.failures},
            worst=tuple(item[-1] for item in self.worst),
            repeated=repeat_figures(sample, list(self.cases))
            if self.cases and self.repeats > 1 and len(sample)
            else None,
            slices=self.slices.columns(self.scale),
            pairs=self.pairs.figures(),
            card=_card(self.model, self.judge),
            among_models=among_models,
            candidates=tuple(self._candidates()),
        )

    def _agreement(self) -> LabelAgreement | None:
        if not self.labelled and not self.off_scale:
            return None
        judged, equal = self.rows.sample.labelled()
        off_scale, example = self.off_scale, self.off_scale_example
        if not off_scale and are_zeros_and_ones(self.label_counts, self.scale):
            off_scale, example = judged, "0"
        if off_scale:
            return LabelAgreement(
                labelled=self.labelled + self.off_scale,
                judged=judged,
                equal=equal,
                rate=None,
                off_scale=off_scale,
                off_scale_example=example,
            )
        ties = (0.5,) if self.pairs.figures() is not None else ()
        compared = _compare(self.rows.sample, self.scale, (*self.points.values(), *ties))
        return LabelAgreement(
            labelled=self.labelled,
            judged=judged,
            equal=equal,
            rate=compared.rate,
            within_one=compared.within_one,
            measured=compared.measured,
            absolute_error=compared.absolute_error,
            rank_correlation=compared.rank_correlation,
        )

    def _latency(self) -> Latency | None:
        p50, p95 = self.latency.at(0.5), self.latency.at(0.95)
        if p50 is None or p95 is None:
            return None
        return Latency(n=self.latency.count, p50_ms=p50, p95_ms=p95)


class _Compared(NamedTuple):
    """Scores beside labels."""

    measured: bool
    rate: Estimate | None
    within_one: Estimate | None
    absolute_error: Estimate | None
    rank_correlation: Estimate | Undefined | None


def _compare(sample: RowSample, scale: Scale | None, levels: Iterable[float]) -> _Compared:
    """`levels` are the scores that the judge's own labels are worth."""
    measured = sample.is_measured(frozenset(levels))
    several = measured or scale is None or scale.high - scale.low >= 2.0
    error = sample.absolute_error(scale) if several else None
    return _Compared(
        measured=measured,
        rate=None if measured else sample.agreement(),
        within_one=None if measured else sample.within_one(),
        absolute_error=error,
        rank_correlation=None if error is None else sample.rank_correlation(),
    )


def _card(model: str, judge: str) -> tuple[CardFigure, ...] | None:
    if not model.startswith("embedded@"):
        return None
    card = read_card()
    return tuple(card.for_judge(judge)) or None if card.model == model else None


def _count(counter: Counter[str], kind: str) -> None:
    name = str(records_json(shorten(kind, 80)))
    counter[name if name in counter or len(counter) < _MAX_KINDS else "other"] += 1
