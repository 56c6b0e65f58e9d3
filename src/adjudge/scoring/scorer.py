"""What turns a verdict into a score, and what it says when the verdict does not allow that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from adjudge.records import Json, Score, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Invalid:
    """The reply does not validate against the case; `why` is put to the model when it is asked again."""

    why: str


class Scorer(Protocol):
    def check_items(
        self, parts: Mapping[str, Json], fields: Mapping[str, Json]
    ) -> Mapping[str, Json] | Invalid:
        """The reply of a judge's first (items) call, checked against the case, cleaned and numbered."""

    def items_to_ask(self, items: Mapping[str, Json], fields: Mapping[str, Json]) -> Json:
        """What of the checked items goes into the main prompt as `items`."""

    def score(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Score | Invalid:
        """The score of a verdict, computed; off the scale is Invalid, never clamped."""
