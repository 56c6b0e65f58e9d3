"""The figures: what was asked of each judge, what became of it, and how sure the numbers are."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from adjudge.records import (
    OUTCOME_KINDS,
    Failed,
    Forced,
    Judge,
    Judgement,
    Place,
    Scale,
    Usage,
)
from adjudge.reports.format import plain_json, shorten
from adjudge.reports.labels import label_agrees, read_label
from adjudge.stats.distribution import Distribution
from adjudge.stats.intervals import Estimate, mean_interval, rate_interval
from adjudge.stats.moments import Moments
from adjudge.stats.quantiles import Quantiles

EXAMPLES_PER_KIND = 3
LONGEST_EXAMPLE = 400
_MOST_KINDS = 200
"""Note and error kinds are words of our own code; should text from outside ever become one, memory stays bounded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The figure, had everything without one been at the bottom, or at the top."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Of the judgements for which calls were made in this run; right to 1 %."""

    n: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """How often the score is what the case's own label says."""

    labelled: int
    """Cases with a label that this judge can be held against."""
    judged: int
    equal: int
    rate: Estimate | None
    """Of `judged`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """One row that was not judged, as an example of its kind."""

    case_id: str
    message: str
    place: Place | None


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
    outcomes: Mapping[str, int]
    """The kinds that occurred, in the order of `OUTCOME_KINDS`."""
    repeats: int
    """How often each case was judged."""
    mean: Estimate | None
    """Of scored and forced rows."""
    mean_without_forced: Estimate | None
    """None when nothing was forced."""
    bounds: Bounds | None
    """What the rows that were not judged could have made of the mean; None without a scale."""
    pass_rate: Estimate | None
    """Of the judged rows for which a pass rule is known."""
    pass_bounds: Bounds | None
    distribution: Mapping[str, int] | None
    """Score -> rows; ranges of scores where there are many; None where there are many and no scale."""
    agreement: Agreement | None
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
    failures: Mapping[str, tuple[Failure, ...]]
    """Outcome kind -> the first rows of it with different messages."""

    @property
    def scored(self) -> int:
        return self.outcomes.get("scored", 0)

    @property
    def forced(self) -> int:
        return self.outcomes.get("forced", 0)

    @property
    def judged(self) -> int:
        return self.scored + self.forced

    @property
    def not_judged(self) -> int:
        return self.asked - self.judged


class Tally:
    """Adds judgements up as they come, in memory that does not grow with their number."""

    def __init__(self, judges: Iterable[Judge] = ()) -> None:
        """`judges` gives scales and the order of the summaries; one that gets no row has a summary all the same."""
        self._judges = {(judge.name, judge.hash): judge for judge in judges}
        self._accounts: dict[tuple[str, str, str], _Account] = {}

    def add(self, judgement: Judgement) -> None:
        key = (judgement.judge, judgement.judge_hash, judgement.model)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = _Account(*key, self._judges.get(key[:2]))
        account.add(judgement)

    def summaries(self) -> tuple[Summary, ...]:
        """One for each judge and model, in the order of the judges, then by the model's name."""
        seen = {key[:2] for key in self._accounts}
        idle = {
            (*key, ""): _Account(*key, "", judge) for key, judge in self._judges.items() if key not in seen
        }
        place = {key: position for position, key in enumerate(self._judges)}
        accounts = {**self._accounts, **idle}
        order = sorted(accounts, key=lambda key: (place.get(key[:2], len(place)), key))
        return tuple(accounts[key].summary() for key in order)


class _Account:
    """The running sums of one judge with one model."""

    def __init__(self, judge: str, judge_hash: str, model: str, source: Judge | None) -> None:
        self.judge, self.judge_hash, self.model = judge, judge_hash, model
        self.scale = source.scale if source else None
        self.better: Literal["higher", "lower"] = source.better if source else "higher"
        self.pass_rule = source.passes is not None if source else None
        """None: known only from the rows."""
        self.outcomes: Counter[str] = Counter()
        self.repeats = 0
        self.scored, self.forced = _Scores(), _Scores()
        self.passed, self.ruled = 0, Counter[int]()
        self.distribution = Distribution(self.scale)
        self.labelled, self.label_judged, self.label_equal = 0, Counter[int](), 0
        self.cost, self.priced, self.cost_unknown = Decimal(0), 0, 0
        self.usage = Usage()
        self.from_store = 0
        self.latency = Quantiles()
        self.answered = 0
        self.temperatures: dict[float | None, None] = {}
        self.notes: Counter[str] = Counter()
        self.error_kinds: dict[str, Counter[str]] = {}
        self.failures: dict[str, list[Failure]] = {}

    def add(self, judgement: Judgement) -> None:
        outcome = judgement.outcome
        self.outcomes[outcome.kind] += 1
        self.repeats = max(self.repeats, judgement.repeat + 1)
        for kind in {note.partition(":")[0].strip() for note in judgement.notes}:
            _count(self.notes, kind)
        self._add_calls(judgement)
        self._add_label(judgement)
        if isinstance(outcome, Failed):
            self._add_failure(judgement, outcome)
            return
        scores = self.forced if isinstance(outcome, Forced) else self.scored
        scores.add(outcome.score.value, judgement.repeat)
        self.distribution.add(outcome.score.value)
        if judgement.passed is not None:
            self.ruled[judgement.repeat] += 1
            self.passed += judgement.passed

    def _add_calls(self, judgement: Judgement) -> None:
        made = [call.completion for call in judgement.calls if not call.completion.from_store]
        self.from_store += judgement.from_store
        self.usage = sum((completion.usage for completion in made), self.usage)
        costs = [completion.cost for completion in made if completion.cost is not None]
        self.cost = sum(costs, self.cost)
        self.priced += len(costs)
        lost = isinstance(judgement.outcome, Failed) and judgement.outcome.maybe_billed
        self.cost_unknown += lost or len(costs) < len(made)
        self.answered += bool(judgement.calls)
        for call in judgement.calls:
            self.temperatures[call.request.temperature] = None
        if made:
            self.latency.add(max(0.0, sum(completion.latency_ms for completion in made)))

    def _add_label(self, judgement: Judgement) -> None:
        if judgement.label is None:
            return
        pass_rule = judgement.passed is not None if self.pass_rule is None else self.pass_rule
        label = read_label(judgement.label, self.judge, self.scale, pass_rule=pass_rule)
        if label is None:
            return
        self.labelled += 1
        outcome = judgement.outcome
        if not isinstance(outcome, Failed):
            self.label_judged[judgement.repeat] += 1
            self.label_equal += label_agrees(label=label, score=outcome.score.value, passed=judgement.passed)

    def _add_failure(self, judgement: Judgement, outcome: Failed) -> None:
        _count(self.error_kinds.setdefault(outcome.kind, Counter()), outcome.error_kind or outcome.kind)
        examples = self.failures.setdefault(outcome.kind, [])
        message = shorten(outcome.message, LONGEST_EXAMPLE)
        if len(examples) < EXAMPLES_PER_KIND and all(message != example.message for example in examples):
            case_id = shorten(judgement.case_id, 200)
            examples.append(Failure(case_id=case_id, message=message, place=judgement.place))

    def summary(self) -> Summary:
        asked = self.outcomes.total()
        both = self.scored.with_those_of(self.forced)
        ruled = self.ruled.total()
        return Summary(
            judge=self.judge,
            judge_hash=self.judge_hash,
            model=self.model,
            scale=self.scale,
            better=self.better,
            asked=asked,
            outcomes={kind: self.outcomes[kind] for kind in OUTCOME_KINDS if self.outcomes[kind]},
            repeats=self.repeats,
            mean=both.estimate(self.scale),
            mean_without_forced=self.scored.estimate(self.scale) if self.forced.moments.count else None,
            bounds=both.bounds(self.scale, asked),
            pass_rate=rate_interval(self.passed, ruled, cases=_cases(self.ruled)),
            pass_bounds=Bounds(low=self.passed / asked, high=(self.passed + asked - ruled) / asked)
            if ruled
            else None,
            distribution=self.distribution.counts(),
            agreement=self._agreement(),
            cost=None if self.cost_unknown and not self.priced else self.cost,
            cost_unknown=self.cost_unknown,
            usage=self.usage,
            from_store=self.from_store,
            latency=self._latency(),
            answered=self.answered,
            temperatures=tuple(self.temperatures),
            notes=dict(sorted(self.notes.items(), key=lambda item: (-item[1], item[0]))),
            error_kinds={
                kind: dict(self.error_kinds[kind]) for kind in OUTCOME_KINDS if kind in self.error_kinds
            },
            failures={kind: tuple(self.failures[kind]) for kind in OUTCOME_KINDS if kind in self.failures},
        )

    def _agreement(self) -> Agreement | None:
        if not self.labelled:
            return None
        judged = self.label_judged.total()
        return Agreement(
            labelled=self.labelled,
            judged=judged,
            equal=self.label_equal,
            rate=rate_interval(self.label_equal, judged, cases=_cases(self.label_judged)),
        )

    def _latency(self) -> Latency | None:
        p50, p95 = self.latency.at(0.5), self.latency.at(0.95)
        if p50 is None or p95 is None:
            return None
        return Latency(n=self.latency.count, p50_ms=p50, p95_ms=p95)


class _Scores:
    """Scores, and how many came from each repeat."""

    def __init__(self) -> None:
        self.moments = Moments()
        self.by_repeat: Counter[int] = Counter()

    def add(self, value: float, repeat: int) -> None:
        self.moments.add(value)
        self.by_repeat[repeat] += 1

    def with_those_of(self, other: "_Scores") -> "_Scores":
        both = _Scores()
        both.moments.merge(self.moments)
        both.moments.merge(other.moments)
        both.by_repeat = self.by_repeat + other.by_repeat
        return both

    def estimate(self, scale: Scale | None) -> Estimate | None:
        return mean_interval(self.moments, scale, cases=_cases(self.by_repeat))

    def bounds(self, scale: Scale | None, asked: int) -> Bounds | None:
        if scale is None or not asked:
            return None
        left_out = asked - self.moments.count
        return Bounds(
            low=self.moments.mean_with(scale.low, left_out), high=self.moments.mean_with(scale.high, left_out)
        )


def _cases(by_repeat: Counter[int]) -> int | None:
    """How many cases the rows are from, at least: those of the fullest repeat. Counting them would take their ids."""
    return max(by_repeat.values(), default=None)


def _count(counter: Counter[str], kind: str) -> None:
    name = str(plain_json(shorten(kind, 80)))
    counter[name if name in counter or len(counter) < _MOST_KINDS else "other"] += 1
