"""The table of cases: what it can be filtered by, its columns, and the selection as a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from sqlite3 import Connection
from typing import Literal, get_args

from adjudge.errors import InputError
from adjudge.records import OUTCOME_KINDS, Judgement
from adjudge.server.cases.find import CaseFilter, Sort, find_numbers
from adjudge.server.cases.shapes import FilterChoices, ListedCases, SliceValues, Value
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import Link, query
from adjudge.server.run_files import row_file
from adjudge.server.service import Service
from adjudge.store import RunRecord
from adjudge.text import NO_VALUE

MAX_VALUES = 40
"""Of a column that can be chosen from a list."""
MAX_LISTS = 12
MAX_COLUMNS = 200
MAX_NOTES = 60
EXPORTED_AT_ONCE = 500
METADATA = "meta:"


# ---- what there is to choose from ------------------------------------------------------------------------


def filter_choices(service: Service, record: RunRecord) -> FilterChoices:
    with service.index.reading(record) as index:
        return index.once("choices", lambda: _choices(index.connection))


def _choices(connection: Connection) -> FilterChoices:
    outcomes = _counted(connection, "SELECT outcome, count(*) FROM judgements GROUP BY outcome")
    columns = _columns(connection)
    passes, labelled = connection.execute(
        "SELECT count(passed), coalesce(sum(labelled), 0) FROM judgements"
    ).fetchone()
    return FilterChoices(
        judges=_counted(
            connection, "SELECT judge, count(*) FROM judgements GROUP BY judge ORDER BY min(made)"
        ),
        outcomes=sorted(outcomes, key=lambda each: OUTCOME_KINDS.index(each.value)),
        notes=_counted(
            connection,
            f"SELECT note, count(*) FROM notes GROUP BY note ORDER BY count(*) DESC, note LIMIT {MAX_NOTES}",
        ),
        slices=_lists(connection, columns),
        columns=columns,
        passes=passes > 0,
        labelled=labelled,
    )


def metadata_columns(service: Service, record: RunRecord) -> list["TableColumn"]:
    with service.index.reading(record) as index:
        names = _columns(index.connection)
    return [TableColumn(key=f"{METADATA}{to_key(name)}", title=name, metadata=name) for name in names]


def _columns(connection: Connection) -> list[str]:
    """One step from name to name, however many values each has."""
    found: list[str] = []
    row = connection.execute("SELECT min(name) FROM facet_values").fetchone()
    while row[0] is not None and len(found) < MAX_COLUMNS:
        found.append(row[0])
        row = connection.execute("SELECT min(name) FROM facet_values WHERE name > ?", [row[0]]).fetchone()
    return found


def _lists(connection: Connection, columns: Sequence[str]) -> list[SliceValues]:
    lists: list[SliceValues] = []
    for name in columns:
        values = connection.execute(
            "SELECT value, judgements FROM facet_values WHERE name = ? LIMIT ?", [name, MAX_VALUES + 1]
        ).fetchall()
        if len(lists) < MAX_LISTS and len(values) <= MAX_VALUES:
            values.sort(key=lambda row: (row[0] == NO_VALUE, -row[1], row[0]))
            lists.append(
                SliceValues(
                    name=name,
                    key=to_key(name),
                    values=[Value(value=value, count=count) for value, count in values],
                )
            )
    return lists


def _counted(connection: Connection, sql: str) -> list[Value]:
    return [Value(value=value, count=count) for value, count in connection.execute(sql)]


# ---- columns ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class TableColumn:
    key: str
    """As `cols` names it."""
    title: str
    sorts: tuple[Sort, ...] = ()
    """What its header sorts by: first the one that is mostly wanted, then its opposite."""
    number: bool = False
    metadata: str | None = None
    """The metadata column that it shows."""

    def next_sort(self, now: Sort) -> Sort:
        return (
            self.sorts[(self.sorts.index(now) + 1) % len(self.sorts)] if now in self.sorts else self.sorts[0]
        )

    def sorted(self, now: Sort) -> Literal["ascending", "descending", "none"]:
        if now not in self.sorts:
            return "none"
        return "descending" if now.startswith("-") else "ascending"


COLUMNS = (
    TableColumn(key="case", title="Case", sorts=("case",)),
    TableColumn(key="judge", title="Judge"),
    TableColumn(key="model", title="Model"),
    TableColumn(key="repeat", title="Repeat", number=True),
    TableColumn(key="score", title="Score", sorts=("score", "-score")),
    TableColumn(key="exact", title="Exact score", number=True),
    TableColumn(key="probability", title="Probability", sorts=("probability", "-probability"), number=True),
    TableColumn(key="label", title="Label"),
    TableColumn(key="gap", title="Gap to label", sorts=("-gap", "gap"), number=True),
    TableColumn(key="question", title="Question"),
    TableColumn(key="response", title="Answer"),
    TableColumn(key="reference", title="Expected"),
    TableColumn(key="reason", title="Reason"),
    TableColumn(key="notes", title="Notes"),
    TableColumn(key="cost", title="Cost", sorts=("-cost", "cost"), number=True),
    TableColumn(key="latency", title="Latency", sorts=("-latency", "latency"), number=True),
    TableColumn(key="calls", title="Calls", number=True),
    TableColumn(key="time", title="Judged", sorts=("made",)),
    TableColumn(key="cluster", title="Cluster"),
)
USUAL = ("case", "score", "question", "response", "notes")
ORDERS: dict[Sort, str] = {
    "made": "as judged",
    "case": "by case",
    "score": "lowest score first",
    "-score": "highest score first",
    "-gap": "largest gap to the label first",
    "gap": "smallest gap to the label first",
    "-latency": "slowest first",
    "latency": "fastest first",
    "-cost": "most expensive first",
    "cost": "cheapest first",
    "probability": "lowest probability first",
    "-probability": "highest probability first",
}
LABEL_CHOICES: dict[str, str] = {
    "labelled": "labelled",
    "unlabelled": "not labelled",
    "disagree": "label and score differ",
}
assert set(ORDERS) == set(get_args(Sort))


def usual_columns(wanted: CaseFilter, found: ListedCases, judges: int) -> set[str]:
    """What is shown where nothing was chosen: what tells the rows apart, what there is, and what they are sorted by."""
    referenced = any(row.reference for row in found.rows)
    keys = {*USUAL, "reference" if referenced else "reason"}
    if judges > 1 and not wanted.judge:
        keys.add("judge")
    if found.labelled:
        keys.add("label")
    if wanted.label:
        keys.add("gap")
    return keys | {column.key for column in COLUMNS if wanted.sort in column.sorts and wanted.sort != "made"}


def table_columns(wanted: CaseFilter, found: ListedCases, judges: int) -> list[TableColumn]:
    """Those chosen, in the table's order, then metadata columns; what is none of them is passed over."""
    chosen = wanted.cols or usual_columns(wanted, found, judges)
    fixed = [column for column in COLUMNS if column.key in chosen]
    return fixed + [made for each in wanted.cols if (made := metadata_column(each)) is not None]


def metadata_column(key: str) -> TableColumn | None:
    if not key.startswith(METADATA):
        return None
    try:
        name = from_key(key.removeprefix(METADATA))
    except InputError:
        return None
    return TableColumn(key=key, title=name, metadata=name)


# ---- what the filter says --------------------------------------------------------------------------------


def chips(wanted: CaseFilter) -> list[Link]:
    """Each thing the filter asks for, in words, with the address of the list without it."""
    found: list[tuple[str, CaseFilter]] = []
    if wanted.q:
        found.append((f"“{wanted.q}”", wanted.without("q")))
    if wanted.judge:
        found.append((f"judge {wanted.judge}", wanted.without("judge")))
    for kind in wanted.outcomes:
        left = tuple(each for each in wanted.outcomes if each != kind)
        found.append((kind.replace("_", " "), replace(wanted, first=0, outcomes=left)))
    if wanted.passed:
        found.append(("passed" if wanted.passed == "yes" else "failed", wanted.without("passed")))
    values = wanted.values()
    if wanted.low is not None:
        found.append((f"score ≥ {values['low']}", wanted.without("low")))
    if wanted.high is not None:
        found.append((f"score ≤ {values['high']}", wanted.without("high")))
    for each in wanted.slices:
        rest = tuple(other for other in wanted.slices if other != each)
        found.append((f"{each[0]}: {each[1]}", replace(wanted, first=0, slices=rest)))
    if wanted.label:
        found.append((LABEL_CHOICES[wanted.label], wanted.without("label")))
    if wanted.note:
        found.append((f"note {wanted.note.replace('_', ' ')}", wanted.without("note")))
    return [Link(text=text, href=query(rest.values())) for text, rest in found]


# ---- the selection as a file -----------------------------------------------------------------------------


def export_cases(
    service: Service, record: RunRecord, wanted: CaseFilter, suffix: Literal[".jsonl", ".csv"]
) -> Iterator[bytes]:
    """All that fit, in the filter's order, each whole and as `adjudge export` writes it; read as it is sent."""
    numbers = find_numbers(service, record, wanted)
    return row_file(service.store, record, suffix, _judgements(service, record.run_id, numbers))


def _judgements(service: Service, run_id: str, numbers: Sequence[int]) -> Iterator[Judgement]:
    for start in range(0, len(numbers), EXPORTED_AT_ONCE):
        yield from service.store.judgements_at(run_id, numbers[start : start + EXPORTED_AT_ONCE])
