"""Two runs compared: what the API answers and the page shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

import orjson
from pydantic import Field

from adjudge.analysis.comparison.document import judge_document, run_facts
from adjudge.analysis.comparison.figures import ComparedSlice, JudgeComparison
from adjudge.analysis.comparison.runs import OWN_LABELS, ComparisonOptions, RunComparison
from adjudge.documents.document import CaseList, Fact, Text
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError
from adjudge.fields import CANONICAL, RESPONSES
from adjudge.records import Case, Json
from adjudge.server.differences import Piece, mark_differences
from adjudge.server.figures import AT_ONCE
from adjudge.server.keys import from_key
from adjudge.server.service import Service
from adjudge.server.shapes import ApiRecord, RunRow
from adjudge.server.views_runs import run_row
from adjudge.store import RunRecord, planned_judges
from adjudge.text import seen

MOST_FLIPS = 200
FLIPS = 5
"""As many of either kind as the command line lists when it is not told."""
MOST_PAIRS = 24


class CompareQuery(ApiRecord):
    """What a request wants compared."""

    a: str = Field(max_length=1_000, description="The `key` of a run.")
    b: str = Field(max_length=1_000, description="The `key` of a run.")
    judge: str = Field("", max_length=400, description="One judge, or JUDGE_OF_A=JUDGE_OF_B.")
    across: bool = Field(False, description="Compare runs of different judges or models all the same.")
    people: bool = Field(False, description="Say which side agrees more with the cases' labels.")
    flips: int = Field(
        FLIPS, ge=0, le=MOST_FLIPS, description="How many regressions, and how many improvements, to list."
    )
    slice: list[str] = Field([], max_length=5, description="Metadata columns to compare by.")

    @property
    def values(self) -> dict[str, object]:
        """For links to the same comparison."""
        return {
            **self.model_dump(include={"a", "b", "judge", "across", "people"}),
            "slice": [name.removeprefix("metadata.") for name in self.slice if name],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSection:
    """One judge's figures and their words."""

    figures: JudgeComparison
    title: Text
    finding: Fact
    facts: tuple[Fact, ...]
    """All others."""
    changed: tuple[CaseList, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparePage:
    a: RunRow
    b: RunRow
    facts: tuple[Fact, ...]
    """Of both runs, whatever the judge."""
    judges: tuple[JudgeSection, ...]


def compare(service: Service, asked: CompareQuery, *, at_once: int | None = None) -> RunComparison | None:
    """None where the runs have more judgements than `at_once` and were not compared before."""
    options = ComparisonOptions(
        only=(asked.judge,) if asked.judge else (),
        across=asked.across,
        columns=tuple(name for name in asked.slice if name),
        labels=OWN_LABELS if asked.people else None,
        listed=asked.flips,
    )
    a, b = service.run(from_key(asked.a)), service.run(from_key(asked.b))
    return service.comparisons.get(a, b, options, at_once=at_once)


def compare_page(service: Service, asked: CompareQuery, *, at_once: int | None) -> ComparePage | None:
    compared = compare(service, asked, at_once=at_once)
    if compared is None:
        return None
    a, b = (service.run(from_key(key)) for key in (asked.a, asked.b))
    return ComparePage(
        a=run_row(a, service.figures.known(a)),
        b=run_row(b, service.figures.known(b)),
        facts=tuple(run_facts(compared)),
        judges=tuple(map(_section, compared.judges)),
    )


def _section(judge: JudgeComparison) -> JudgeSection:
    document = judge_document(judge)
    (finding,) = document.facts("finding")
    return JudgeSection(
        figures=judge,
        title=document.title,
        finding=finding,
        facts=tuple(block for block in document.blocks if isinstance(block, Fact) and block != finding),
        changed=tuple(block for block in document.blocks if isinstance(block, CaseList)),
    )


# ---- for the page ----------------------------------------------------------------------------------------


def judge_pairs(a: RunRecord, b: RunRecord) -> list[str]:
    """`JUDGE_OF_A=JUDGE_OF_B` for all that can be held against each other; a judge with itself only in two runs."""
    names = [[each.rpartition("@")[0] for each in planned_judges(run.plan)] for run in (a, b)]
    pairs = [f"{one}={other}" for one in names[0] for other in names[1]]
    return [each for each in pairs if a.run_id != b.run_id or len(set(each.split("="))) > 1][:MOST_PAIRS]


def pair_of(judge: JudgeComparison) -> str:
    return "=".join(side.judge.rpartition("@")[0] for side in (judge.a, judge.b))


def farthest(slices: Iterable[ComparedSlice]) -> float:
    """How far from 0 a drawing of these slices' intervals reaches."""
    differences = [part.comparison.difference for part in slices]
    ends = [abs(end) for each in differences for end in (each.low, each.value, each.high) if isfinite(end)]
    return max(ends, default=0.0) or 1.0


# ---- one case, side by side ------------------------------------------------------------------------------

CASE_FIELDS = ("question", "reference", "response", *RESPONSES, "context", "tool_calls", "messages", "focus")


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    field: str
    a: tuple[Piece, ...] | None
    b: tuple[Piece, ...] | None
    """None where that side has no such field, or not the case."""
    same: bool
    """Shown once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CasePosition:
    """Where a case stands among the flips."""

    position: int
    """From 1."""
    total: int
    previous: str | None
    next: str | None


def side_by_side(a: Case | None, b: Case | None) -> list[SideBySide]:
    """What was asked and answered, with the differences marked; of other columns those that differ."""
    fields = [{} if case is None else case.fields for case in (a, b)]
    columns = [{} if case is None else _other_columns(case) for case in (a, b)]
    found = [_field_in_both(name, *(each.get(name) for each in fields)) for name in CASE_FIELDS]
    if a is not None and b is not None:
        others = sorted({name for each in columns for name in each})
        found += [
            _field_in_both(name, *(each.get(name) for each in columns))
            for name in others
            if columns[0].get(name) != columns[1].get(name)
        ]
    return [each for each in found if each is not None]


def find_place(service: Service, asked: CompareQuery, pair: str, case: str) -> CasePosition | None:
    """Among the flips of one pair of judges; None when it is none of them, or large runs were not compared yet."""
    try:
        found = compare(service, asked, at_once=AT_ONCE)
    except InputError:  # two runs that cannot be compared still have the case
        return None
    for judge in found.judges if found else ():
        cases = [changed.case_id for changed in judge.changes.cases]
        if pair_of(judge) == pair and case in cases:
            at = cases.index(case)
            return CasePosition(
                position=at + 1,
                total=len(cases),
                previous=cases[at - 1] if at else None,
                next=cases[at + 1] if at + 1 < len(cases) else None,
            )
    return None


def _other_columns(case: Case) -> Mapping[str, Json]:
    stand_for_fields = {name for name, field in CANONICAL.items() if field in CASE_FIELDS or field == "id"}
    return {name: value for name, value in case.columns.items() if name not in stand_for_fields}


def _field_in_both(name: str, a: Json, b: Json) -> SideBySide | None:
    text_a, text_b = _text(a), _text(b)
    if text_a is None and text_b is None:
        return None
    marked = mark_differences(text_a or "", text_b or "")
    return SideBySide(
        field=str(records_json(name)),
        a=None if text_a is None else marked.a,
        b=None if text_b is None else marked.b,
        same=text_a == text_b,
    )


def _text(value: Json) -> str | None:
    if value is None:
        return None
    plain = records_json(value)
    return seen(plain if isinstance(plain, str) else orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode())
