"""What turns a verdict into a score: its interface, and what it answers when the verdict does not allow that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from adjudge.records import NOTHING, Json, Score, Verdict
from adjudge.scoring.steps import Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Invalid:
    """The reply does not validate against the case; `why` is put to the model when it is asked again."""

    why: str


class Scoring(NamedTuple):
    """A score and the records it was computed from, in the order of the computation."""

    score: Score
    steps: tuple[Step, ...]


class Scorer:
    """A scorer computes; steps are what it computes with, so a score cannot differ from its explanation.

    Run over a verdict that it completed itself (`Score.parts`), a scorer gives the same score by the same steps: they are
    not stored, but computed again when somebody wants to see them.
    """

    __slots__ = ()
    whole_points: ClassVar[bool] = False
    """Whether every score is a whole number."""

    def validate_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        """The reply of a judge's first (items) call, checked against the case, cleaned and numbered."""
        del fields
        return dict(parts)

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        """What of the checked items goes into the main prompt as `items`."""
        del fields
        return dict(items)

    def items_in(self, parts: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """The checked items, where a verdict that this scorer completed still holds them."""
        del parts
        return None

    def parts_unasked(self, value: float) -> Mapping[str, Json]:
        """The verdict beside a score that the rules give and no model was asked for."""
        del value
        return NOTHING

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        """The score of a verdict, computed, and its steps; off the scale is Invalid, never clamped."""
        raise NotImplementedError

    def score(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Score | Invalid:
        found = self.explain(verdict, fields, items)
        return found if isinstance(found, Invalid) else found.score
