"""Two runs' judgements -> pairs: cases matched by id, a case's repeats averaged, what either side lacks counted."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from adjudge.records import OUTCOME_KINDS, Failed, Json, Judgement
from adjudge.text import NO_VALUE, shorten, value_text

Letter = Literal["a", "b"]
LETTERS: tuple[Letter, Letter] = ("a", "b")
MAX_VALUE_CHARS = 80
_LINE_ID = re.compile(r"line-\d+")
_MAX_NAMES = 20
"""Models and snapshots are few; should a provider make up a new one for each call, memory stays bounded."""
_MAX_VERDICTS = 10_000


class CaseSide:
    """One case in one run: sums over its repeats."""

    __slots__ = ("annotators", "failed", "failed_as", "label", "passed", "ruled", "scored", "total")

    def __init__(self) -> None:
        self.total = 0.0
        self.scored = 0
        self.passed = 0
        self.ruled = 0
        self.failed = 0
        self.failed_as = ""
        """How its first repeat without a score ended."""
        self.label: Json = None
        self.annotators: Json = None

    def add(self, judgement: Judgement, value: float | None) -> None:
        if value is None:
            self.failed_as = self.failed_as or judgement.outcome.kind
            self.failed += 1
            return
        self.total += value
        self.scored += 1
        if judgement.passed is not None:
            self.ruled += 1
            self.passed += judgement.passed

    @property
    def mean(self) -> float | None:
        return self.total / self.scored if self.scored else None

    @property
    def pass_share(self) -> float | None:
        return self.passed / self.ruled if self.ruled else None


class MatchedCase:
    """One case in both runs; a side is None where the run does not have it."""

    __slots__ = ("a", "b", "case_id", "cluster", "slices")

    def __init__(self, case_id: str) -> None:
        self.case_id = case_id
        self.a: CaseSide | None = None
        self.b: CaseSide | None = None
        self.cluster: str | None = None
        self.slices: tuple[str, ...] = ()

    def side(self, letter: Letter) -> CaseSide | None:
        return self.a if letter == "a" else self.b

    @property
    def cluster_key(self) -> Hashable:
        """Cases of one cluster share it; a case of no cluster is its own."""
        return (self.case_id,) if self.cluster is None else self.cluster


class Pair(NamedTuple):
    """A case with a score on both sides."""

    case_id: str
    cluster: Hashable
    a: float
    b: float
    passed_a: float | None
    """The share of its repeats that passed; None without a pass rule."""
    passed_b: float | None
    slices: tuple[str, ...]


@dataclass(kw_only=True, slots=True)
class SideTraits:
    """What one run's judgements have in common, whatever the case."""

    models: dict[str, None] = field(default_factory=dict)
    snapshots: dict[str, None] = field(default_factory=dict)
    repeats: int = 0
    unread_rows: int = 0
    """Rows that could not be read as a case, and so cannot be matched."""
    verdicts: set[tuple[float, bool | None]] = field(default_factory=set)
    """Scores, each with whether it passed; where there are too many to hold, some of them."""

    def add(self, judgement: Judgement) -> None:
        _remember(self.models, judgement.model)
        if judgement.model_snapshot:
            _remember(self.snapshots, judgement.model_snapshot)
        self.repeats = max(self.repeats, judgement.repeat + 1)
        if judgement.score is not None and len(self.verdicts) < _MAX_VERDICTS:
            self.verdicts.add((judgement.score, judgement.passed))


class Matching:
    """Takes the judgements of one judge from both runs, in any order; keeps a few numbers for each case."""

    def __init__(self, *, normalized: bool = False, columns: Sequence[str] = ()) -> None:
        """`normalized`: take scores on a scale of 0 to 1, because the judges' own scales differ."""
        self.normalized = normalized
        self.columns = tuple(columns)
        self.traits: dict[Letter, SideTraits] = {letter: SideTraits() for letter in LETTERS}
        self.cases: dict[str, MatchedCase] = {}
        self.clusters_differ = 0
        """Cases that are of another cluster in B; A's counts."""
        self.metadata_columns: dict[str, None] = {}
        self._texts: dict[str, str] = {}

    def add(self, letter: Letter, judgement: Judgement) -> None:
        traits, outcome = self.traits[letter], judgement.outcome
        if (
            isinstance(outcome, Failed)
            and outcome.kind == "bad_row"
            and _LINE_ID.fullmatch(judgement.case_id)
        ):
            traits.unread_rows += not judgement.repeat
            return
        traits.add(judgement)
        case = self.cases.get(judgement.case_id)
        if case is None:
            case = self.cases[judgement.case_id] = MatchedCase(judgement.case_id)
        side = case.side(letter)
        if side is None:
            side = CaseSide()
            side.label, side.annotators = judgement.label, judgement.annotators
            setattr(case, letter, side)
            self._place(case, judgement)
        side.add(judgement, judgement.normalized if self.normalized else judgement.score)

    def _place(self, case: MatchedCase, judgement: Judgement) -> None:
        """The case's cluster and slices: what the first run says, else the second."""
        if judgement.cluster is not None:
            cluster = self._text(judgement.cluster)
            self.clusters_differ += case.cluster is not None and case.cluster != cluster
            case.cluster = case.cluster or cluster
        if not self.columns:
            return
        for column in judgement.metadata:
            _remember(self.metadata_columns, column)
        if not case.slices or set(case.slices) == {NO_VALUE}:
            case.slices = tuple(
                self._text(shorten(value_text(judgement.metadata.get(column)), MAX_VALUE_CHARS))
                for column in self.columns
            )

    def _text(self, text: str) -> str:
        """One string for all cases with the same words."""
        return self._texts.setdefault(text, text)

    def pairs(self) -> Iterator[Pair]:
        for case in self.cases.values():
            if case.a is None or case.b is None:
                continue
            a, b = case.a.mean, case.b.mean
            if a is not None and b is not None:
                yield Pair(
                    case_id=case.case_id,
                    cluster=case.cluster_key,
                    a=a,
                    b=b,
                    passed_a=case.a.pass_share,
                    passed_b=case.b.pass_share,
                    slices=case.slices,
                )

    def scores(self, letter: Letter) -> Iterator[tuple[Hashable, float]]:
        """Cluster and mean of every case judged on one side."""
        for case in self.cases.values():
            side = case.side(letter)
            if side is not None and side.mean is not None:
                yield case.cluster_key, side.mean

    def in_both(self) -> Iterator[tuple[Hashable, CaseSide, CaseSide]]:
        """Each case of both runs with its cluster."""
        for case in self.cases.values():
            if case.a is not None and case.b is not None:
                yield case.cluster_key, case.a, case.b

    def count(self, letter: Letter) -> "SideCounts":
        """What became of one side's cases."""
        cases = unmatched = repeats_not_scored = 0
        not_judged: Counter[str] = Counter()
        for case in self.cases.values():
            mine = case.side(letter)
            if mine is None:
                continue
            cases += 1
            if case.side("b" if letter == "a" else "a") is None:
                unmatched += 1
            elif not mine.scored:
                not_judged[mine.failed_as] += 1
            repeats_not_scored += mine.failed if mine.scored else 0
        return SideCounts(
            cases=cases,
            unmatched=unmatched,
            not_judged={kind: not_judged[kind] for kind in OUTCOME_KINDS if not_judged[kind]},
            repeats_not_scored=repeats_not_scored,
        )


class SideCounts(NamedTuple):
    cases: int
    unmatched: int
    """Not in the other run."""
    not_judged: dict[str, int]
    """In both runs, and not judged in this one: by outcome."""
    repeats_not_scored: int
    """Of cases that other repeats did judge."""


def _remember(names: dict[str, None], name: str) -> None:
    if len(names) < _MAX_NAMES:
        names[name] = None
