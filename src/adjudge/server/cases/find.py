"""The cases of a run that fit a filter, in its order: a page of them, and the one before and after each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, isfinite, log10
from sqlite3 import Connection
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from adjudge.documents.numbers import whole
from adjudge.errors import InputError
from adjudge.records import OUTCOME_KINDS, Failed
from adjudge.server.cases.index import MAX_LISTED
from adjudge.server.cases.index_rows import (
    clean,
    explained,
    make_facets,
    make_notes,
    make_preview,
    search_words,
)
from adjudge.server.cases.shapes import ListedCase, ListedCases, ListPosition, Neighbour
from adjudge.server.keys import from_key, to_key
from adjudge.server.routing import Query
from adjudge.server.service import Service
from adjudge.store import Entry, JudgementKey, RunRecord
from adjudge.text import NO_VALUE

Sort = Literal[
    "made", "case", "score", "-score", "gap", "-gap", "latency", "-latency", "cost", "-cost", "probability",
    "-probability",
]  # fmt: skip
Passed = Literal["", "yes", "no"]
Labelled = Literal["", "labelled", "unlabelled", "disagree"]
MAX_ROWS = 500
MAX_SKIPPED = 10_000_000
SAME = 1e-9
"""Closer than this, judge and people say the same, as in `adjudge agree`."""

_KEYS: Mapping[str, str] = {
    "score": "score", "gap": "gap", "latency": "latency_ms", "cost": "cost", "probability": "probability"
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseFilter:
    """Which cases, and in which order; the same for the table, its API and the way from case to case."""

    judge: str = ""
    outcomes: tuple[str, ...] = ()
    """Any of these."""
    passed: Passed = ""
    low: float | None = None
    high: float | None = None
    slices: tuple[tuple[str, str], ...] = ()
    """(column, value): any of a column's values, and so for every column named."""
    q: str = ""
    label: Labelled = ""
    note: str = ""
    sort: Sort = "made"
    first: int = 0
    size: int = 50
    cols: tuple[str, ...] = ()
    """Columns of the table; none: the usual ones."""

    def values(self, *, view: bool = True) -> dict[str, Any]:
        """The query parameters that give this filter back, for links; without `view` only what selects and sorts."""
        values: dict[str, Any] = {
            "judge": self.judge,
            "outcome": list(self.outcomes),
            "passed": self.passed,
            "low": _written(self.low),
            "high": _written(self.high),
            "slice": [f"{to_key(name)}={value}" for name, value in self.slices],
            "q": self.q,
            "label": self.label,
            "note": self.note,
            "sort": "" if self.sort == "made" else self.sort,
        }
        if view:
            values |= {
                "first": self.first or None,
                "size": None if self.size == 50 else self.size,
                "cols": list(self.cols),
            }
        return {name: value for name, value in values.items() if value not in (None, "", [])}

    def case_values(self, case_id: str, judge: str, model: str, repeat: int) -> dict[str, Any]:
        """The query parameters of a case's page with this filter carried along; see `carried_filter`."""
        values = self.values()
        values.pop("first", None)
        among = values.pop("judge", "")
        return {
            "case": case_id,
            "judge": judge,
            "model": model,
            "repeat": str(repeat),
            "among": among,
            **values,
        }

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return self != CaseFilter(sort=self.sort, first=self.first, size=self.size, cols=self.cols)

    def without(self, name: str) -> "CaseFilter":
        """The same with one parameter as if it had not been given, from the first page on."""
        return replace(self, first=0, **{name: getattr(CaseFilter(), name)})


def _written(bound: float | None) -> str:
    """As text, because a bound of 0 is a bound."""
    return "" if bound is None else str(whole(bound))


OutcomeKind = Literal[
    "scored", "judged", "forced", "abstained", "missing_input", "bad_row", "unreadable", "refused", "truncated", "too_long",
    "call_failed", "not_asked",
]  # fmt: skip


class FilterQuery(Query, frozen=True, kw_only=True):
    """A filter as an address has it."""

    judge: Annotated[str, Meta(max_length=500)] = ""
    """A judge's name."""
    outcome: Annotated[list[OutcomeKind], Meta(max_length=len(OUTCOME_KINDS))] = field(default_factory=list)
    passed: Passed = ""
    """What the judge's pass rule says."""
    low: float | None = None
    """The lowest score, included."""
    high: float | None = None
    """The highest score, included."""
    slices: Annotated[list[Annotated[str, Meta(max_length=2_000)]], Meta(max_length=20)] = field(
        default_factory=list, name="slice"
    )
    """`COLUMN=VALUE`, the column written as a key (see `choices`)."""
    q: Annotated[str, Meta(max_length=1_000)] = ""
    """Words that all occur; "in quotes" as they stand."""
    label: Labelled = ""
    """`disagree`: people say something else than the judge."""
    note: Annotated[str, Meta(max_length=500)] = ""
    sort: Sort = "made"
    """`made` is the order in which they were judged."""
    first: Annotated[int, Meta(ge=0, le=MAX_SKIPPED)] = 0
    size: Annotated[int, Meta(ge=1, le=MAX_ROWS)] = 50
    cols: Annotated[list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=60)] = field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        if not all(isfinite(bound) for bound in (self.low, self.high) if bound is not None):
            raise ValueError("`low` and `high` are finite numbers")

    def filter(self) -> CaseFilter:
        return CaseFilter(
            judge=clean(self.judge),
            outcomes=tuple(dict.fromkeys(self.outcome)),
            passed=self.passed,
            low=self.low,
            high=self.high,
            slices=tuple(dict.fromkeys(_read_slice(each) for each in self.slices)),
            q=clean(self.q).strip(),
            label=self.label,
            note=clean(self.note),
            sort=self.sort,
            first=self.first,
            size=self.size,
            cols=tuple(dict.fromkeys(clean(each) for each in self.cols)),
        )


class CarriedQuery(FilterQuery, frozen=True, kw_only=True):
    """The filter of the list that a case was reached from."""

    among: Annotated[str, Meta(max_length=500)] = ""
    """The list's judge; `judge` is the case's own."""

    def filter(self) -> CaseFilter:
        return replace(super().filter(), judge=clean(self.among), first=0)


def _read_slice(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise InputError("slice", "is written COLUMN=VALUE", "take the key that /choices gives for a column")
    return clean(from_key(key)), clean(value)


# ---- finding -------------------------------------------------------------------------------------------


def find_cases(service: Service, record: RunRecord, wanted: CaseFilter) -> ListedCases:
    with service.index.reading(record, words=bool(wanted.q)) as index:
        where, bound = _condition(wanted)
        total = index.connection.execute(f"SELECT count(*) FROM judgements WHERE {where}", bound).fetchone()[
            0
        ]
        found = index.connection.execute(
            f"SELECT made, label_score, label_pass, gap FROM judgements WHERE {where}"
            f" ORDER BY {_order(wanted.sort)} LIMIT ? OFFSET ?",
            [*bound, wanted.size if wanted.first < total else 0, wanted.first],
        )
        labels = {row[0]: row[1:] for row in found}
        judgements, labelled = index.once("counts", lambda: _counts(index.connection))
    entries = service.store.entries_at(record.run_id, list(labels))
    return ListedCases(
        run=record.run_id,
        rows=[_row(entry, *labels[entry.number]) for entry in entries],
        total=total,
        first=wanted.first,
        size=wanted.size,
        judgements=judgements,
        labelled=labelled,
    )


def _counts(connection: Connection) -> tuple[int, int]:
    """How many judgements there are, and how many have a label."""
    judgements, labelled = connection.execute(
        "SELECT count(*), coalesce(sum(labelled), 0) FROM judgements"
    ).fetchone()
    return judgements, labelled


def find_numbers(service: Service, record: RunRecord, wanted: CaseFilter) -> list[int]:
    """All that fit, in the filter's order, by the number that the store has for each."""
    with service.index.reading(record, words=bool(wanted.q)) as index:
        where, bound = _condition(wanted)
        sql = f"SELECT made FROM judgements WHERE {where} ORDER BY {_order(wanted.sort)}"
        return [row[0] for row in index.connection.execute(sql, bound)]


def neighbours(
    service: Service, record: RunRecord, wanted: CaseFilter, key: JudgementKey
) -> ListPosition | None:
    """The case before and after this one, in the filter's order; `first` and `size` do not matter. None where the run is
    too large to be listed.
    """
    if record.judgements > MAX_LISTED:
        return None
    with service.index.reading(record, words=bool(wanted.q)) as index:
        connection = index.connection
        where, bound = _condition(wanted)
        column = _KEYS.get(wanted.sort.lstrip("-"), "made")
        name = [clean(key.case_id), clean(key.judge), clean(key.model), key.repeat]
        here = connection.execute(
            f"SELECT made, {column} FROM judgements WHERE case_id = ? AND judge = ? AND model = ? AND repeat = ?",
            name,
        ).fetchone()
        if here is None:
            (total,) = connection.execute(f"SELECT count(*) FROM judgements WHERE {where}", bound).fetchone()
            return ListPosition(previous=None, next=None, position=None, total=total)
        before, after = _before_and_after(wanted.sort, here[0], here[1], name)

        def nearest(condition: tuple[str, list[Any]], order: str) -> Neighbour | None:
            found = connection.execute(
                f"SELECT case_id, judge, model, repeat FROM judgements WHERE ({where}) AND ({condition[0]}) ORDER BY {order} LIMIT 1",
                [*bound, *condition[1]],
            ).fetchone()
            return Neighbour(**dict(zip(JudgementKey._fields, found, strict=True))) if found else None

        total, fits, earlier = connection.execute(
            f"SELECT count(*), sum(made = ?), sum({before[0]}) FROM judgements WHERE {where}",
            [here[0], *before[1], *bound],
        ).fetchone()
        return ListPosition(
            previous=nearest(before, _order(wanted.sort, backwards=True)),
            next=nearest(after, _order(wanted.sort)),
            position=earlier + 1 if fits else None,
            total=total,
        )


# ---- SQL: columns of ours, every value bound -----------------------------------------------------------


def _condition(wanted: CaseFilter) -> tuple[str, list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []

    def add(condition: str, *bound: object) -> None:
        conditions.append(condition)
        values.extend(bound)

    if wanted.judge:
        add("judge = ?", wanted.judge)
    if wanted.outcomes:
        add(f"outcome IN ({','.join('?' * len(wanted.outcomes))})", *wanted.outcomes)
    if wanted.passed:
        add("passed = ?", int(wanted.passed == "yes"))
    low, high = wanted.low, wanted.high
    if low is not None and low == high:
        # one value as it is written: 0.1 + 0.2 is written as 0.3 and is not
        step = 0.5 * 10.0 ** (floor(log10(abs(low))) - 11) if low else 0.0
        low, high = low - step, low + step
    if low is not None:
        add("score >= ?", low)
    if high is not None:
        add("score <= ?", high)
    if wanted.note:
        # a kind of note has all of its details: `left_out` finds `left_out:temperature`
        add(
            "made IN (SELECT made FROM notes WHERE note = ? OR (note >= ? AND note < ?))",
            *(f"{wanted.note}{end}" for end in ("", ":", ";")),
        )
    match wanted.label:
        case "labelled":
            add("labelled = 1")
        case "unlabelled":
            add("labelled = 0")
        case "disagree":
            add("gap > ?", SAME)
    for column in dict.fromkeys(name for name, _ in wanted.slices):
        chosen = [value for name, value in wanted.slices if name == column]
        among = (
            f"made IN (SELECT made FROM facets WHERE name = ? AND value IN ({','.join('?' * len(chosen))}))"
        )
        if NO_VALUE in chosen:
            # as the report counts them: what has no such column has no value
            absent = "made NOT IN (SELECT made FROM facets WHERE name = ?)"
            add(f"({among} OR {absent})", column, *chosen, column)
        else:
            add(among, column, *chosen)
    if wanted.q:
        words = search_words(wanted.q)
        # what has neither letter nor digit is found nowhere
        if words:
            add("made IN (SELECT rowid FROM words WHERE words MATCH ?)", words)
        else:
            add("0")
    return " AND ".join(conditions) or "1", values


def _order(sort: Sort, *, backwards: bool = False) -> str:
    if sort == "case":
        way = " DESC" if backwards else ""
        return f"case_id{way}, judge{way}, model{way}, repeat{way}, made{way}"
    if sort == "made":
        return "made DESC" if backwards else "made"
    down = sort.startswith("-") != backwards
    way, nulls = ("DESC" if down else "ASC"), ("FIRST" if backwards else "LAST")
    return f"{_KEYS[sort.lstrip('-')]} {way} NULLS {nulls}, made {way}"


def _before_and_after(
    sort: Sort, made: int, value: float | None, name: list[Any]
) -> tuple[tuple[str, list[Any]], tuple[str, list[Any]]]:
    """What stands before a case in this order, and what after it; what has no value stands last."""
    if sort == "made":
        return ("made < ?", [made]), ("made > ?", [made])
    if sort == "case":
        columns = "(case_id, judge, model, repeat, made)"
        return (f"{columns} < (?, ?, ?, ?, ?)", [*name, made]), (
            f"{columns} > (?, ?, ?, ?, ?)",
            [*name, made],
        )
    key = _KEYS[sort.lstrip("-")]
    less, more = (">", "<") if sort.startswith("-") else ("<", ">")
    if value is None:
        return (
            (f"{key} IS NOT NULL OR made {less} ?", [made]),
            (f"{key} IS NULL AND made {more} ?", [made]),
        )
    return (
        (f"{key} {less} ? OR ({key} = ? AND made {less} ?)", [value, value, made]),
        (f"{key} {more} ? OR ({key} = ? AND made {more} ?) OR {key} IS NULL", [value, value, made]),
    )


def _row(entry: Entry, label_score: float | None, label_pass: float | None, gap: float | None) -> ListedCase:
    judgement, outcome = entry.judgement, entry.judgement.outcome
    fields = entry.case.fields if entry.case else {}
    return ListedCase(
        number=entry.number,
        case_id=clean(judgement.case_id),
        judge=clean(judgement.judge),
        judge_hash=judgement.judge_hash,
        model=clean(judgement.model),
        repeat=judgement.repeat,
        outcome=outcome.kind,
        error_kind=clean(outcome.error_kind) if isinstance(outcome, Failed) else "",
        score=judgement.score,
        exact=judgement.exact,
        passed=judgement.passed,
        probability=judgement.probability,
        label_score=label_score,
        label_pass=label_pass,
        gap=gap,
        cost=None if judgement.cost is None else float(judgement.cost),
        latency_ms=judgement.latency_ms,
        calls=len(judgement.calls),
        from_store=judgement.from_store,
        at=judgement.at,
        cluster=None if judgement.cluster is None else clean(judgement.cluster),
        question=make_preview(fields.get("question")),
        response=make_preview(fields.get("response")),
        reference=make_preview(fields.get("reference")),
        reason=explained(judgement),
        notes=make_notes(judgement.notes),
        metadata=make_facets(judgement.metadata),
    )
