"""Where `compare` takes people's labels from: a file, the store, or the cases themselves."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from adjudge.dataset.labels import LabelRow, read_labels
from adjudge.errors import InputError
from adjudge.records import Case, Json, Judge
from adjudge.reports.agree_by_run import bare_id, sort_by_run
from adjudge.reports.agree_given import draws_elsewhere
from adjudge.reports.agree_labels import Reading, not_placed, reading_of
from adjudge.reports.agree_rows import Verdicts, kept_labels, merge_labels, own_labels
from adjudge.reports.compare import Compared
from adjudge.reports.compare_corrected import Correction, SideLabels, correct_difference
from adjudge.reports.compare_match import Matching, SideName
from adjudge.stats.intervals import Undefined
from adjudge.store import KeptLabel, Store

LOOKED_AT = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidOfBoth:
    """Case -> what each person said, of A's answer and of B's."""

    a: dict[str, list[Json]]
    b: dict[str, list[Json]]
    unnamed: bool = False
    """Whether some rows name no run: they are of the one response that both runs judged."""


def read_said(
    store: Store, path: str, runs: tuple[str, str], judges: Iterable[str], known: Collection[str]
) -> SaidOfBoth:
    """The labels of a file; a row that names a run is of that run's answer alone. `known` are the ids of cases."""
    rows = [row for row in read_labels(path) if row.label is not None]
    unnamed = [row for row in rows if row.run is None]
    draws = [draw for judge in judges for draw in store.draws(runs[0], judge)]
    by_run = sort_by_run(store, runs[0], draws, [row for row in rows if row.run is not None], partner=runs[1])
    a, b = (_by_case([*unnamed, *by_run.get(run_id, [])], known) for run_id in runs)
    return SaidOfBoth(a=a, b=b, unnamed=bool(unnamed))


def refuse_strange(path: str, said: SaidOfBoth, readings: Sequence[Reading]) -> None:
    """An `InputError` when a label means nothing to either judge, as for `agree`."""
    strange = [
        label
        for side in (said.a, said.b)
        for labels in side.values()
        for label in labels
        if not isinstance(label, dict) and all(reading.place(label) is None for reading in readings)
    ]
    if strange:
        raise not_placed(path, strange, readings[0])


def _by_case(rows: Sequence[LabelRow], known: Collection[str]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for row in rows:
        case_id = row.case_id if row.case_id in known else bare_id(row.case_id)
        found.setdefault(case_id, []).append(row.label)
    return found


def find_correction(
    store: Store,
    compared: Compared,
    matching: Matching,
    *,
    judge_a: Judge,
    judge_b: Judge,
    label_map: Mapping[str, str],
    seed: int,
) -> Correction | Undefined | None:
    """What the labels known of both runs say of the difference; None when there are none, or nothing to correct."""
    if compared.comparison is None:
        return None
    sides: tuple[tuple[SideName, str, Judge], ...] = (
        ("a", compared.a.run, judge_a),
        ("b", compared.b.run, judge_b),
    )
    kept = {side: store.labels(run, judge.name) for side, run, judge in sides}
    own = {side: _own(matching, side, judge) for side, _, judge in sides}
    if not any(kept.values()) and not any(each.own_labels or each.own_annotators for each in own.values()):
        return None
    if judge_a.name != judge_b.name or compared.normalized:
        return Undefined(
            why=f"A was judged by {judge_a.name} and B by {judge_b.name}, and a label is of one judge's question"
            if judge_a.name != judge_b.name
            else f"{judge_a.name} had another scale in each run"
        )
    if _same_answers(store, compared, matching):
        return Undefined(
            why="both runs judged the same responses, of which people say the same; "
            "--labels says which run agrees more with them"
        )
    seen = matching.seen["a"].verdicts | matching.seen["b"].verdicts
    reading = reading_of(judge_a.name, judge_a, seen, label_map)
    try:
        labels = {side: _labels(store, run, kept[side], own[side], reading) for side, run, _ in sides}
        return correct_difference(
            list(matching.pairs()),
            labels["a"],
            labels["b"],
            reading,
            primary=compared.comparison,
            lower_is_better=compared.turned,
            seed=seed,
        )
    except InputError as error:  # labels that mean nothing here do not stop a comparison that was not of them
        return Undefined(why=f"{error.problem}; {error.hint}")


def _labels(
    store: Store, run_id: str, kept: Sequence[KeptLabel], own: Verdicts, reading: Reading
) -> SideLabels:
    stored = kept_labels(kept, reading, "the stored labels")
    return SideLabels(
        labels=merge_labels(stored, own_labels(own, reading)).labels,
        draws=store.draws(run_id, own.judge) or draws_elsewhere(store, kept),
    )


def _own(matching: Matching, side: SideName, judge: Judge) -> Verdicts:
    """The cases' own labels, in the form in which `agree` reads them."""
    found = Verdicts(judge=judge.name, judge_hash=judge.hash, model="", source=judge)
    for case_id, case in matching.cases.items():
        mine = case.a if side == "a" else case.b
        if mine is None:
            continue
        if mine.label is not None:
            found.own_labels[case_id] = mine.label
        if mine.annotators is not None:
            found.own_annotators[case_id] = mine.annotators
    return found


def _same_answers(store: Store, compared: Compared, matching: Matching) -> bool:
    """Whether the runs judged one system's responses: a look at some cases tells."""
    ids = [pair.case_id for pair in matching.pairs()]
    return all(
        a is not None and b is not None and a.fields.get("response") == b.fields.get("response")
        for _, a, b in some_cases(store, compared.a.run, compared.b.run, ids)
    )


def some_cases(
    store: Store, run_a: str, run_b: str, ids: Sequence[str]
) -> Iterator[tuple[str, Case | None, Case | None]]:
    """Twenty at most, spread over all, as they stood in each run."""
    for case_id in ids[:: max(1, len(ids) // LOOKED_AT)][:LOOKED_AT]:
        yield case_id, store.case(run_a, case_id), store.case(run_b, case_id)
