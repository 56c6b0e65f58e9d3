"""What comparisons of two answers come to: who wins, how often the order decides, and what else seems to."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adjudge.analysis.summary.sample import ALONE, JudgedRow
from adjudge.records import Json
from adjudge.stats.clusters import NumberedClusters, clustered_rate
from adjudge.stats.intervals import Estimate, rate_interval
from adjudge.stats.populations import population

_WINNERS = frozenset({"a", "b", "tie"})
_A, _B, _TIE, _INCONSISTENT, _BY_RULE, _WON_BY_RULE = range(6)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairFigures:
    """Counts are of judgements. The win rate of A, ties counted half, is the mean."""

    wins: int
    """For A in both orders."""
    losses: int
    ties: int
    """Declared in both orders."""
    inconsistent: int
    """The verdict changed with the order; counted as ties."""
    by_rule: int
    """An answer was blank, or an input missing: decided with no call, whoever won."""
    wins_by_rule: int
    """Those of them for A."""
    consistent: Estimate | None = field(metadata=population("judged in both orders", "judgement"))
    """The share with the same verdict in both orders."""
    first: Estimate | None = field(
        metadata=population("judged in both orders, one answer preferred", "reply")
    )
    """Of the replies that prefer one answer, the share that prefers the one shown first; without a bias 0.5."""
    longer: Estimate | None = field(
        metadata=population("judged in both orders, one answer won, lengths differ", "judgement")
    )
    """Of the wins and losses between answers of different length, the share that the longer one has."""


class PairTally:
    """A few bytes a judgement: what is one piece of evidence, and what came of it."""

    __slots__ = ("_clustered", "_compares", "_first", "_kinds", "_longer", "_units")

    def __init__(self, *, compares: bool) -> None:
        """`compares`: it is known that the judge compares two answers; else its verdicts show it."""
        self._compares = compares
        self._units = array("q")
        self._kinds = array("B")
        self._first: tuple[array[int], array[int]] = (array("b"), array("b"))
        """For each order 1 where the answer shown first won, 0 where the other one did, -1 where neither."""
        self._longer = array("b")
        self._clustered = False

    def add(self, verdict: Mapping[str, Json], row: JudgedRow) -> None:
        """Add a verdict on two answers; any other says nothing here."""
        winner = verdict.get("winner")
        orders = (verdict.get("a_first"), verdict.get("b_first"))
        asked = all(isinstance(each, str) and each in _WINNERS for each in orders)
        if not (self._compares or asked) or not isinstance(winner, str) or winner not in _WINNERS:
            return
        consistent = orders[0] == orders[1]
        decided = {"a": _A, "b": _B, "tie": _TIE if consistent else _INCONSISTENT}[winner]
        self._kinds.append(decided if asked else _WON_BY_RULE if winner == "a" else _BY_RULE)
        for shown, said, values in zip("ab", orders, self._first, strict=True):
            values.append(-1 if said not in {"a", "b"} else int(said == shown))
        longer = verdict.get("longer")
        compared = decided in {_A, _B} and longer in {"a", "b"}
        self._longer.append(int(longer == winner) if compared else -1)
        alone = len(self._units) if row.case == ALONE else row.case
        self._clustered |= row.cluster != ALONE or row.repeat > 0
        self._units.append(2 * row.cluster if row.cluster != ALONE else 2 * alone + 1)

    def figures(self) -> PairFigures | None:
        if not self._kinds:
            return None
        counts = [self._kinds.count(kind) for kind in range(6)]
        asked = [-1 if kind >= _BY_RULE else int(kind != _INCONSISTENT) for kind in self._kinds]
        return PairFigures(
            wins=counts[_A],
            losses=counts[_B],
            ties=counts[_TIE],
            inconsistent=counts[_INCONSISTENT],
            by_rule=counts[_BY_RULE] + counts[_WON_BY_RULE],
            wins_by_rule=counts[_WON_BY_RULE],
            consistent=self._rate(asked),
            first=clustered_rate(
                NumberedClusters(pair for values in self._first for pair in self._values(values))
            ),
            longer=self._rate(self._longer),
        )

    def _rate(self, values: Iterable[int]) -> Estimate | None:
        if self._clustered:
            return clustered_rate(NumberedClusters(self._values(values)))
        known = [value for value in values if value >= 0]
        return rate_interval(sum(known), len(known))

    def _values(self, values: Iterable[int]) -> Iterable[tuple[int, float]]:
        return ((unit, float(value)) for unit, value in zip(self._units, values, strict=True) if value >= 0)
