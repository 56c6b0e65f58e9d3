"""Two systems' files -> cases with two answers, matched by id and never by position."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, SettingsError
from adjudge.fields import CANONICAL, RESPONSES
from adjudge.labels.label_rows import LabelRow, refuse_other_responses
from adjudge.options import RunOptions, option
from adjudge.records import BadRow, Case, Json
from adjudge.runs.given_labels import given_labels
from adjudge.runs.groups import cluster_of
from adjudge.runs.plan import Pairing, Plan
from adjudge.runs.required_columns import require_columns
from adjudge.text import shorten, visible

MAX_NAMED = 5
SYSTEMS = ("system_a", "system_b")
"""Where the metadata of a match says whose answers it has."""
_ABOUT_ONE = frozenset({"response", "responses", *RESPONSES, "tool_calls", "messages", "label", "annotators"})
"""Fields that belong to one system's answer: a label of it says nothing of which of two is better."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCases:
    plan: Plan
    rows: Iterator[Case | BadRow]


def open_cases(cases: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Any, plan: Plan) -> RunCases:
    """The cases of a run; with `--against`, those that both files have, each with the answers of both.

    What is in one of them only is in the plan's `pairing`, so both files are read once before the run begins. So are
    the cases where a file of labels says which answers they are of.
    """
    options = plan.options
    labels = _labels_of_responses(options)
    if (labels or options.against is not None) and not _can_be_read_again(cases):
        cases = list(read_cases(cases, maps=options.columns, strict=options.strict))
    if labels:
        _validate_labels(cases, labels, plan)
    if options.against is None:
        read = read_cases(cases, maps=options.columns, strict=options.strict)
        return RunCases(plan=plan, rows=require_columns(read, plan))
    _validate_judges(plan)
    theirs: dict[str, Json] = {}
    unread = 0
    for row in plan.turns(
        read_cases(options.against, maps=options.columns, strict=options.strict, name=_name(options.against))
    ):
        if isinstance(row, BadRow):
            unread += 1
        else:
            theirs[row.case_id] = _response(row)
    ours = plan.turns(read_cases(cases, maps=options.columns, strict=options.strict))
    pairing = _compare(ours, theirs, unread)
    if not pairing.paired:
        raise DatasetError(
            option("--against", _name(options.against) or "…"),
            f"no case id is in both files: the first has {_named(pairing.a_only, pairing.a_ids)}, the other "
            f"{_named(pairing.b_only, pairing.b_ids)}",
            "give the same cases the same `id` in both files; without ids, cases match by question, reference and context",
        )
    rows = plan.turns(read_cases(cases, maps=options.columns, strict=options.strict))
    return RunCases(plan=replace(plan, pairing=pairing), rows=require_columns(_paired(rows, theirs), plan))


def describe_unpaired(pairing: Pairing) -> str:
    """What is in one of the files only; empty where there is no such case."""
    sides = (
        ("this file", pairing.a_only, pairing.a_ids),
        (option("--against"), pairing.b_only, pairing.b_ids),
    )
    found = [f"only in {side}: {_named(count, ids)}" for side, count, ids in sides if count]
    if pairing.b_unread:
        found.append(f"not readable in {option('--against')}: {pairing.b_unread:,}")
    return "; ".join(found)


def _labels_of_responses(options: RunOptions) -> list[LabelRow]:
    """Those of the labels that a cascade learns from that may have the answer they are of."""
    return [
        row
        for row in given_labels(options.labels) or ()
        if row.responses or "messages" in row.columns or options.columns
    ]


def _validate_labels(cases: Any, labels: Sequence[LabelRow], plan: Plan) -> None:
    """Before anything is asked: the cases are read once for it."""
    options, wanted = plan.options, {row.case_id for row in labels}
    rows = plan.turns(read_cases(cases, maps=options.columns, strict=options.strict))
    found = {row.case_id: row for row in rows if isinstance(row, Case) and row.case_id in wanted}
    refuse_other_responses(
        labels,
        found.get,
        options.columns,
        file=f"{option('--labels')} {options.labels}",
        judged=f"{_name(cases) or 'the cases'} has",
        hint="give labels of these answers, or, if they are, drop the column with the responses",
    )


def _validate_judges(plan: Plan) -> None:
    others = [judge.name for judge in plan.judges if judge.pair is None]
    if others:
        raise SettingsError(
            option("--against"),
            f"{', '.join(others)} judges one answer and does not compare two",
            f"use {option('--judge', 'preference')}, or a prompt that shows `response_a` and `response_b`",
        )


def _can_be_read_again(cases: object) -> bool:
    if isinstance(cases, str | os.PathLike):
        return os.fspath(cases) != "-" and Path(cases).is_file()
    return isinstance(cases, list | tuple)


def _compare(rows: Iterable[Case | BadRow], theirs: Mapping[str, Json], unread: int) -> Pairing:
    paired = bad = only = 0
    left, ids = dict.fromkeys(theirs), list[str]()
    for row in rows:
        if isinstance(row, BadRow):
            bad += 1
        elif row.case_id in theirs:
            paired += 1
            left.pop(row.case_id, None)
        else:
            only += 1
            ids += [shorten(row.case_id, 80)] if only <= MAX_NAMED else []
    others = [shorten(case_id, 80) for case_id in list(left)[:MAX_NAMED]]
    return Pairing(
        paired=paired,
        rows=paired + bad,
        a_only=only,
        b_only=len(left),
        a_ids=tuple(ids),
        b_ids=tuple(others),
        b_unread=unread,
    )


def _paired(rows: Iterable[Case | BadRow], theirs: Mapping[str, Json]) -> Iterator[Case | BadRow]:
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif row.case_id in theirs:
            yield _with_both(row, theirs[row.case_id], row.case_id)


def match_case(one: Case, other: Case, systems: tuple[str, str]) -> Case:
    """The first system's case with the answers of both, and whose they are; all matches of a case are one cluster."""
    paired = _with_both(one, _response(other), f"{one.case_id} · {' vs '.join(systems)}")
    metadata = paired.fields.get("metadata")
    about = {
        "metadata": {
            **(metadata if isinstance(metadata, dict) else {}),
            **dict(zip(SYSTEMS, systems, strict=True)),
        },
        "cluster": cluster_of(one) or one.case_id,
    }
    return structs.replace(paired, fields={**paired.fields, **about})


def _with_both(case: Case, other: Json, case_id: str) -> Case:
    answers = {
        name: value
        for name, value in (("response_a", _response(case)), ("response_b", other))
        if value is not None
    }
    columns = {name: value for name, value in case.columns.items() if CANONICAL.get(name) not in _ABOUT_ONE}
    fields = {name: value for name, value in case.fields.items() if name not in _ABOUT_ONE}
    contested = {name: rivals for name, rivals in case.contested.items() if name not in _ABOUT_ONE}
    return Case(
        case_id=case_id,
        columns={**columns, **answers},
        fields={**fields, **answers},
        contested=contested,
        place=case.place,
    )


def _response(case: Case) -> Json:
    rivals = case.contested.get("response")
    if rivals:
        flags = " or ".join(f"`{option('--columns', f'response={name}')}`" for name in rivals)
        named = " and ".join(f"`{name}`" for name in rivals)
        raise DatasetError(
            str(case.place or case.case_id), f"{named} could each be the response", f"say which: {flags}"
        )
    return case.fields.get("response")


def _name(source: object) -> str | None:
    return os.fspath(source) if isinstance(source, str | Path) else None


def _named(count: int, ids: tuple[str, ...]) -> str:
    listed = ", ".join(visible(case_id) for case_id in ids)
    return f"{count:,} ({listed}{', …' if count > len(ids) else ''})" if count else "none"
