"""A jury beside its members: how far they agree, how many votes that leaves, and whether it beats the best of them."""

from array import array
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum, isnan, nan
from typing import Literal, NamedTuple

from adjudge.labels.label_scale import Meaning, label_on_scale
from adjudge.procedures.jury import NO_MAJORITY, listed_votes, votes_by_label
from adjudge.records import (
    Failed,
    Forced,
    Json,
    Judge,
    Judgement,
    PointsScore,
    Scale,
    Score,
    Scored,
    jury_rule,
)
from adjudge.scoring import passes
from adjudge.stats.intervals import Estimate
from adjudge.stats.populations import population
from adjudge.stats.several.jury import (
    PairGroups,
    effective_votes,
    gain_on_best,
    group_of,
    mean_correlation,
    pair_kappa,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JurorFigures:
    """One of the models, as far as the jury is concerned."""

    model: str
    voted: int
    left_out: Mapping[str, int]
    """Outcome -> cases in which it had no vote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JurorPair:
    """How far two jurors agree, over the cases in which both voted."""

    a: str
    b: str
    n: int
    equal: float = field(metadata=population("judged by both jurors", "case"))
    """The share of cases with the same vote."""
    coefficient: Estimate | None = field(metadata=population("judged by both jurors", "case"))
    """Cohen's κ of labels, passes and winners; the correlation of numbers. None where the votes do not vary."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectiveVotes:
    """How many independent votes the jury's are worth."""

    value: Estimate = field(metadata=population("judged by both jurors", "case"))
    jurors: int
    correlation: Estimate = field(metadata=population("judged by both jurors", "case"))
    """On average over the pairs of jurors."""
    basis: Literal["errors", "votes"]
    """What was correlated: errors against labels, or without labels the votes themselves, which is right only where
    errors correlate as votes do: jurors agree on what is true without copying each other, and lenient ones can agree less
    in votes than in errors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BestMember:
    """The jury against its best single member, over the labelled cases in which both have a verdict."""

    model: str
    measure: Literal["accuracy", "absolute_error"]
    jury: float = field(metadata=population("judged by the jury and labelled", "case"))
    best: float = field(metadata=population("judged by the jury and labelled", "case"))
    """Chosen on these very labels, which flatters it."""
    among: int
    """Members that it is the best of."""
    difference: Estimate = field(metadata=population("judged by the jury and labelled", "case"))
    """What the jury gains: more cases as labelled, or less error. The interval allows for choosing the best by the same
    labels."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JuryFigures:
    judge: str
    judge_hash: str
    jury: str
    rule: str
    kind: Literal["labels", "numbers"]
    """What the votes are: counted, or averaged."""
    cases: int
    below_quorum: int
    no_majority: int
    jurors: tuple[JurorFigures, ...]
    pairs: tuple[JurorPair, ...]
    effective: EffectiveVotes | None
    """None for one juror, or where the votes do not vary."""
    best: BestMember | None
    """None for one juror, or without labels on the judge's scale."""


class Vote(NamedTuple):
    model: str
    outcome: str
    score: float | None
    passed: bool | None
    ballot: Hashable
    """What it is for: a label, a pass or fail, a number."""


def votes_of(judgement: Judgement) -> tuple[Vote, ...]:
    """As the jury's verdict lists them, in the order of its models."""
    return tuple(map(_read, listed_votes(judgement)))


def _read(vote: Mapping[str, Json]) -> Vote:
    score, passed, label = (vote.get(name) for name in ("score", "passed", "label"))
    number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
    known = passed if isinstance(passed, bool) else None
    return Vote(
        model=str(vote.get("model")),
        outcome=str(vote.get("outcome")),
        score=number,
        passed=known,
        ballot=label if isinstance(label, str) else number if known is None else known,
    )


class JuryTally:
    """Adds up one jury's judgements of one judge: sums for each pair of jurors, a few numbers a labelled case."""

    def __init__(self, judge: str, judge_hash: str, jury: str, source: Judge | None) -> None:
        self._names = (judge, judge_hash, jury)
        self._rule = jury_rule(jury)
        self._source = source
        self._by_label = self._rule == "majority" if source is None else votes_by_label(source)
        self._cases = self._below_quorum = self._no_majority = 0
        self._jurors: dict[str, None] = {}
        self._voted: Counter[str] = Counter()
        self._left_out: dict[str, Counter[str]] = {}
        self._votes: dict[tuple[str, str], PairGroups] = {}
        self._errors: dict[tuple[str, str], PairGroups] = {}
        self._units: dict[str, int] = {}
        self._unit = array("q")
        self._gain = array("d")
        self._gains: dict[str, array[float]] = {}

    def add(self, judgement: Judgement) -> None:
        votes, outcome = votes_of(judgement), judgement.outcome
        self._cases += 1
        if isinstance(outcome, Failed):
            self._below_quorum += outcome.error_kind == "quorum"
            self._no_majority += outcome.error_kind == NO_MAJORITY
        for vote in votes:
            self._jurors[vote.model] = None
            if vote.score is None:
                self._left_out.setdefault(vote.model, Counter())[vote.outcome] += 1
            else:
                self._voted[vote.model] += 1
        cast = [vote for vote in votes if vote.score is not None]
        group = group_of(judgement.cluster or judgement.case_id)
        for one, other in combinations(cast, 2):
            sums = self._votes.setdefault((one.model, other.model), PairGroups())
            said = (_coarse(one.ballot), _coarse(other.ballot))
            sums.add(group, one.score or 0.0, other.score or 0.0, said)
        self._add_label(judgement, cast)

    def _add_label(self, judgement: Judgement, cast: list[Vote]) -> None:
        source, outcome = self._source, judgement.outcome
        label = None if source is None else label_for_votes(judgement.label, source)
        if label is None:
            return
        errors = {
            vote.model: error_of(
                score=vote.score or 0.0, passed=vote.passed, label=label, by_label=self._by_label
            )
            for vote in cast
        }
        unit = judgement.cluster or judgement.case_id
        for pair in combinations(errors, 2):
            sums = self._errors.setdefault(pair, PairGroups())
            sums.add(group_of(unit), errors[pair[0]], errors[pair[1]])
        if not isinstance(outcome, Scored | Forced):
            return
        own = error_of(
            score=outcome.score.value, passed=judgement.passed, label=label, by_label=self._by_label
        )
        self._unit.append(self._units.setdefault(unit, len(self._units)))
        self._gain.append(-abs(own))
        for model in self._jurors:
            gains = self._gains.setdefault(model, array("d", [nan] * (len(self._gain) - 1)))
            gains.append(-abs(errors[model]) if model in errors else nan)

    def figures(self) -> JuryFigures:
        judge, judge_hash, jury = self._names
        return JuryFigures(
            judge=judge,
            judge_hash=judge_hash,
            jury=jury,
            rule=self._rule,
            kind="labels" if self._by_label else "numbers",
            cases=self._cases,
            below_quorum=self._below_quorum,
            no_majority=self._no_majority,
            jurors=tuple(
                JurorFigures(
                    model=model,
                    voted=self._voted[model],
                    left_out=dict(self._left_out.get(model, {})),
                )
                for model in self._jurors
            ),
            pairs=tuple(self._pairs()),
            effective=self._effective(),
            best=self._best(),
        )

    def _pairs(self) -> Iterator[JurorPair]:
        for (a, b), pair in self._votes.items():
            sums = pair.total()
            equal = sum(count for (one, other), count in sums.table.items() if one == other)
            coefficient = pair_kappa(pair) if self._by_label else mean_correlation([pair])
            yield JurorPair(a=a, b=b, n=sums.n, equal=equal / sums.n, coefficient=coefficient)

    def _effective(self) -> EffectiveVotes | None:
        for basis, pairs in (("errors", self._errors), ("votes", self._votes)):
            correlation = mean_correlation(list(pairs.values())) if pairs else None
            if correlation is not None:
                jurors = len(self._jurors)
                votes = replace(
                    correlation,
                    value=effective_votes(jurors, correlation.value),
                    low=effective_votes(jurors, correlation.high),
                    high=effective_votes(jurors, correlation.low),
                )
                return EffectiveVotes(
                    value=votes,
                    jurors=jurors,
                    correlation=correlation,
                    basis="errors" if basis == "errors" else "votes",
                )
        return None

    def _best(self) -> BestMember | None:
        if len(self._jurors) < 2 or not self._gain:
            return None
        rows = {
            model: [
                (unit, own, theirs)
                for unit, own, theirs in zip(self._unit, self._gain, gains, strict=True)
                if not isnan(theirs)
            ]
            for model, gains in self._gains.items()
        }
        scale = Scale(low=-1, high=1) if self._by_label else None
        differences = {
            model: [(unit, own - theirs) for unit, own, theirs in each] for model, each in rows.items()
        }
        found = gain_on_best(differences, scale)
        if found is None:
            return None
        model, difference = found
        own_scale = self._source.scale if self._source else None
        if own_scale is not None:  # members that never differ leave the ends open
            width = own_scale.high - own_scale.low
            difference = replace(
                difference, low=max(difference.low, -width), high=min(difference.high, width)
            )
        start, sign = (1.0, 1.0) if self._by_label else (0.0, -1.0)
        both = rows[model]
        return BestMember(
            model=model,
            measure="accuracy" if self._by_label else "absolute_error",
            jury=start + sign * fsum(own for _, own, _ in both) / len(both),
            best=start + sign * fsum(theirs for _, _, theirs in both) / len(both),
            among=len(rows),
            difference=difference,
        )


def _coarse(ballot: Hashable) -> Hashable:
    """So that numbers with many decimals do not fill the memory."""
    return round(ballot, 3) if isinstance(ballot, float) else ballot


def label_for_votes(label: Json, judge: Judge) -> Meaning | None:
    """What votes are held against: where they are passes and fails, whether the label passes."""
    meaning = label_on_scale(label, judge)
    if judge.pair is not None or isinstance(judge.score, PointsScore):
        return meaning
    if not isinstance(meaning, float) or not votes_by_label(judge):
        return meaning
    passed = passes(judge, {}, Score(value=meaning, exact=meaning))
    return meaning if passed is None else passed


def error_of(*, score: float, passed: bool | None, label: Meaning, by_label: bool) -> float:
    """How far a vote is from a label: 1 for a wrong one, the difference where both are numbers."""
    if isinstance(label, bool):
        return float(passed is not label)
    difference = score - label
    return float(abs(difference) > 1e-9) if by_label else difference
