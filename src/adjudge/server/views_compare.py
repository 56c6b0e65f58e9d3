"""Two runs held against each other: what the API answers and the page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from adjudge.errors import InputError
from adjudge.fields import CANONICAL
from adjudge.records import Case, Json
from adjudge.reports.compare import Compared
from adjudge.reports.compare_corrected_words import corrected_lines
from adjudge.reports.compare_json import comparison_json
from adjudge.reports.compare_words import (
    evidence,
    facts,
    finding,
    flips_heading,
    how,
    people_lines,
    slices_line,
)
from adjudge.reports.format import plain_json, seen
from adjudge.server.differences import Piece, mark_differences
from adjudge.server.figures import AT_ONCE
from adjudge.server.keys import from_key
from adjudge.server.service import Service
from adjudge.server.shapes_compare import CompareResult, Words
from adjudge.server.views_runs import run_row
from adjudge.store import RunRecord, planned_judges

MOST_FLIPS = 200
FLIPS = 10
"""As many as the command line lists when it is not told."""
MOST_PAIRS = 24


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a request wants compared."""

    a: str
    b: str
    judge: str = ""
    across: bool = False
    columns: tuple[str, ...] = ()
    people: bool = False
    flips: int = MOST_FLIPS


def compare(service: Service, asked: Asked, *, at_once: int | None = None) -> CompareResult | None:
    """None where the runs have more judgements than `at_once` and were not compared before."""
    a, b = service.run(from_key(asked.a)), service.run(from_key(asked.b))
    made = service.comparisons.get(
        a,
        b,
        only=(asked.judge,) if asked.judge else (),
        across=asked.across,
        columns=asked.columns,
        flips=asked.flips,
        with_people=asked.people,
        at_once=at_once,
    )
    if made is None:
        return None
    rows = [run_row(record, service.figures.known(record)) for record in (a, b)]
    return CompareResult(
        a=rows[0],
        b=rows[1],
        compared=comparison_json(made.comparisons, notes=made.notes, across=made.across),
        words=[_words(each) for each in made.comparisons],
    )


def _words(compared: Compared) -> Words:
    made = compared.comparison
    return Words(
        judge=" against ".join(dict.fromkeys((compared.a.judge, compared.b.judge))),
        finding=finding(compared),
        how="" if made is None else f"over {evidence(compared)}; {how(made)}",
        facts=facts(compared),
        people=[] if compared.people is None else people_lines(compared.people, one_judge=compared.one_judge),
        corrected=[] if compared.corrected is None else list(corrected_lines(compared.corrected)),
        slices=slices_line(compared.slices, compared.slices_left_out) if compared.slices else "",
        flips=flips_heading(compared) if compared.pairs else "",
    )


# ---- for the page ----------------------------------------------------------------------------------------


def judge_pairs(a: RunRecord, b: RunRecord) -> list[str]:
    """`JUDGE_OF_A=JUDGE_OF_B` for all that can be held against each other; a judge with itself only in two runs."""
    names = [[each.rpartition("@")[0] for each in planned_judges(run.plan)] for run in (a, b)]
    pairs = [f"{one}={other}" for one in names[0] for other in names[1]]
    return [each for each in pairs if a.run_id != b.run_id or len(set(each.split("="))) > 1][:MOST_PAIRS]


def farthest(slices: Sequence[Mapping[str, Any]]) -> float:
    """How far from 0 a drawing of these slices' intervals reaches."""
    ends = [part["difference"][end] for part in slices for end in ("low", "value", "high")]
    return max((abs(end) for end in ends if end is not None), default=0.0) or 1.0


# ---- one case, side by side ------------------------------------------------------------------------------

ALWAYS_SHOWN = ("question", "reference", "response", "context", "tool_calls", "messages", "focus")


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    field: str
    a: tuple[Piece, ...] | None
    b: tuple[Piece, ...] | None
    """None where that side has no such field, or not the case."""
    same: bool
    """Shown once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
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
    shown = [_beside(name, *(each.get(name) for each in fields)) for name in ALWAYS_SHOWN]
    if a is not None and b is not None:
        others = sorted({name for each in columns for name in each})
        shown += [
            _beside(name, *(each.get(name) for each in columns))
            for name in others
            if columns[0].get(name) != columns[1].get(name)
        ]
    return [each for each in shown if each is not None]


def find_place(service: Service, asked: Asked, pair: str, case: str) -> Place | None:
    """Among the flips of one pair of judges; None when it is none of them, or large runs were not compared yet."""
    try:
        found = compare(service, asked, at_once=AT_ONCE)
    except InputError:  # two runs that cannot be compared still have the case
        return None
    for judge in found.compared["judges"] if found else []:
        if "=".join(judge[side]["judge"].rpartition("@")[0] for side in ("a", "b")) == pair:
            cases = [flip["case_id"] for flip in judge["flips"]["shown"]]
            if case in cases:
                at = cases.index(case)
                return Place(
                    position=at + 1,
                    total=len(cases),
                    previous=cases[at - 1] if at else None,
                    next=cases[at + 1] if at + 1 < len(cases) else None,
                )
    return None


def _other_columns(case: Case) -> Mapping[str, Json]:
    stand_for_fields = {name for name, field in CANONICAL.items() if field in ALWAYS_SHOWN or field == "id"}
    return {name: value for name, value in case.columns.items() if name not in stand_for_fields}


def _beside(name: str, a: Json, b: Json) -> SideBySide | None:
    text_a, text_b = _text(a), _text(b)
    if text_a is None and text_b is None:
        return None
    marked = mark_differences(text_a or "", text_b or "")
    return SideBySide(
        field=str(plain_json(name)),
        a=None if text_a is None else marked.a,
        b=None if text_b is None else marked.b,
        same=text_a == text_b,
    )


def _text(value: Json) -> str | None:
    if value is None:
        return None
    plain = plain_json(value)
    return seen(plain if isinstance(plain, str) else orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode())
