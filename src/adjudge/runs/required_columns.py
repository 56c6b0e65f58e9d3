"""A column that a judge needs and no row has is one error before anything is judged, not one for each case."""

from collections.abc import Iterable, Iterator
from itertools import islice

from adjudge.errors import DatasetError
from adjudge.fields import NO_TURN, canonical_field, strip_namespace
from adjudge.options import columns_option
from adjudge.prompts.fill import fill_inputs
from adjudge.prompts.lookup import Missing, list_columns, suggest_columns
from adjudge.records import BadRow, Case, Judge
from adjudge.runs.plan import Plan

MAX_PEEKED = 20


def require_columns(rows: Iterator[Case | BadRow], plan: Plan) -> Iterator[Case | BadRow]:
    """The same rows. The first are looked at until every input was seen: where one is in none of them, a `DatasetError`
    names the `--columns` to add.
    """
    most = min(MAX_PEEKED, plan.options.first or MAX_PEEKED)
    peeked: list[Case | BadRow] = []
    first: Case | None = None
    lacking: dict[str, Missing] | None = None
    for row in islice(rows, most):
        peeked.append(row)
        for case in plan.turns([row]):
            if isinstance(case, Case):
                first = first or case
                found = _lacking(case, plan)
                lacking = (
                    found if lacking is None else {each: lacking[each] for each in lacking if each in found}
                )
        if lacking is not None and not lacking:
            break
    if first is not None and lacking:
        raise _error(first, lacking, len(peeked))
    return _chain(peeked, rows)


def _chain(peeked: Iterable[Case | BadRow], rows: Iterable[Case | BadRow]) -> Iterator[Case | BadRow]:
    yield from peeked
    yield from rows


def _lacking(case: Case, plan: Plan) -> dict[str, Missing]:
    """Inputs that some judge cannot do without and the case has no column for, by name."""
    found: dict[str, Missing] = {}
    for judge in plan.judges:
        if not _fails_without(judge):
            continue
        filled = fill_inputs(judge.inputs, case, plan.settings.bindings)
        if NO_TURN in filled.notes:
            continue  # the column is there: the conversation has no answer
        found |= {each.name: each for each in filled.missing if not _has_column(case, each)}
    return found


def _fails_without(judge: Judge) -> bool:
    return judge.when_missing is None or judge.score is None


def _has_column(case: Case, missing: Missing) -> bool:
    """Whether there is one that is blank or null, as it may be in some rows."""
    if missing.why == "blank":
        return True
    if missing.column is not None:
        return missing.column in case.columns
    name = strip_namespace(missing.name)
    field = canonical_field(name) or name
    return any(column == name or canonical_field(column) == field for column in case.columns)


def _error(case: Case, lacking: dict[str, Missing], count: int) -> DatasetError:
    names = [strip_namespace(each) for each in lacking]
    suggested = suggest_columns(case, names)
    flags = columns_option({each: suggested.get(each, "COLUMN") for each in names})
    rows = "the row has" if count == 1 else f"the first {count} rows have"
    mapped = [each.message for each in lacking.values() if each.column is not None]
    said = "; ".join(mapped) or f"{rows} no {_listed(names)}"
    where = case.case_id if case.place is None else case.place.file
    named = "the column that has it" if len(names) == 1 else "the columns that have them"
    return DatasetError(where, f"{said}; there is {list_columns(case)}", f"name {named}: `{flags}`")


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
