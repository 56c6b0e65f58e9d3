"""What a score was computed from: a closed set of records, one for each kind of step, with no words for them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from adjudge.expressions import Expression
from adjudge.records import Json, Winner
from adjudge.scoring.numbers.compare import NumberComparison
from adjudge.scoring.rationale import CoverageScore

Category = Literal["facts", "conclusions", "terms"]


class FieldStep(NamedTuple):
    """The number in a field of the verdict is the score."""

    field: str
    value: Json
    number: Fraction


class PointsStep(NamedTuple):
    """A label is worth points."""

    field: str
    label: str
    points: Mapping[str, float]
    worth: float


class ExpressionStep(NamedTuple):
    """A rule was computed with these values."""

    expression: Expression
    values: Mapping[str, Json]
    result: Fraction
    exact: Fraction
    """Before rounding, where the rule rounds."""


class OrderStep(NamedTuple):
    """What follows is from the reply to this order."""

    first: Literal["a", "b"]


class PairStep(NamedTuple):
    """Two answers were compared in both orders; a verdict that changes with the order is a tie."""

    a_first: Winner
    b_first: Winner
    winner: Winner


class FlagStep(NamedTuple):
    """A truth value of the verdict that makes the score 0."""

    name: str
    value: bool


class NumberStep(NamedTuple):
    """Two quoted numbers were compared."""

    expected: str
    response: str | None
    critical: bool
    comparison: NumberComparison


class MarginStep(NamedTuple):
    """How far off a number may be."""

    margin: Fraction
    calculation: bool


class VetoStep(NamedTuple):
    """1 unless there is a veto."""

    vetoes: tuple[FlagStep | NumberStep, ...]
    critical: int
    """How many numbers could have been one."""


class ItemStep(NamedTuple):
    """One item of a checklist, looked for in the response."""

    category: Category
    item_id: str
    text: str
    quote: str
    """The words of the reference that it stands for."""
    matched: bool
    evidence: str | None
    """The words of the response that it was found by, as the model quotes them."""
    why: str
    found: Literal["code", "model"] | None
    """Who found a matched term."""


class LinesStep(NamedTuple):
    """The k-of-n lines of the verdict; nothing else decides."""

    lines: tuple[str, ...]


class CheckStep(NamedTuple):
    """A check in code looked at the case."""

    check: str
    parameters: Mapping[str, Json]
    reason: str
    details: tuple[tuple[str, str], ...]
    score: Fraction


class MismatchStep(NamedTuple):
    """The verdict's k-of-n lines give another score than the one it states, which counts."""

    stated: Fraction
    computed: Fraction


class CriterionStep(NamedTuple):
    """One criterion of a rubric."""

    number: int
    criterion: str
    points: Fraction
    met: bool
    why: str


class RubricStep(NamedTuple):
    """Points earned of those that could be earned, kept within 0 and 1."""

    earned: Fraction
    possible: Fraction
    share: Fraction


ClaimVerdict = Literal["supported", "contradicted", "not_found"]


class ClaimStep(NamedTuple):
    """One claim of the response, looked for in the context."""

    claim_id: str
    claim: str
    quote: str
    """The words of the response that make it."""
    verdict: ClaimVerdict
    passage: str | None
    """The words of the context that show it, as the model quotes them."""
    why: str


class ShareStep(NamedTuple):
    """How many claims are supported, of how many."""

    supported: int
    claims: int


Step: TypeAlias = (
    FieldStep
    | PointsStep
    | ExpressionStep
    | OrderStep
    | PairStep
    | FlagStep
    | NumberStep
    | MarginStep
    | VetoStep
    | ItemStep
    | CoverageScore
    | LinesStep
    | MismatchStep
    | CheckStep
    | CriterionStep
    | RubricStep
    | ClaimStep
    | ShareStep
)
