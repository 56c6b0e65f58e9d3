"""Two stored runs -> their comparison: judges paired, cases matched, each pair compared, changed cases read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from adjudge.analysis.chosen_model import verdicts_of
from adjudge.analysis.comparison.alike import (
    ChosenModels,
    RunDifference,
    list_names,
    pair_comparable_judges,
)
from adjudge.analysis.comparison.corrected import find_correction, some_cases
from adjudge.analysis.comparison.figures import (
    ChangedCase,
    ChangedCases,
    JudgeComparison,
    JudgedAnswer,
    JudgedRun,
    compare_judge,
    scales_differ,
)
from adjudge.analysis.comparison.matching import LETTERS, Letter, Matching
from adjudge.analysis.comparison.people import FileLabels, compare_with_labels, read_file_labels
from adjudge.analysis.summary.run import without_votes
from adjudge.analysis.summary.stored import judges_of
from adjudge.errors import InputError, SettingsError
from adjudge.labels.case_labels import OWN_LABELS
from adjudge.labels.label_scale import label_scale_of
from adjudge.records import IN_CODE, Json, Judge
from adjudge.store import Partial, RunRecord, RunState, Store
from adjudge.text import field_text

_SETTINGS = ("base_url", "temperature", "parameters", "maps", "sets", "current_date")
"""Of the plan: reported where they differ, not refused."""
_OPTIONS = {"maps": "columns", "sets": "variables"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonOptions:
    only: tuple[str, ...] = ()
    """`JUDGE`, or `JUDGE_OF_A=JUDGE_OF_B`; none: all judges."""
    model: str | None = None
    """Whose verdicts, where several models judged a run: `MODEL`, or `MODEL_OF_A=MODEL_OF_B`."""
    across: bool = False
    """Compare even if judges, judge versions or models differ."""
    columns: tuple[str, ...] = ()
    """Of the cases' metadata, to compare by: `topic` or `metadata.topic`."""
    labels: str | None = None
    """A file, or `cases` for the cases' own: which side agrees more with them."""
    label_map: Mapping[str, str] = field(default_factory=dict, hash=False)
    listed: int = 10
    """How many regressions, and how many improvements, are listed."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedRun:
    run: str
    state: RunState
    partial: Partial | None
    """None when it holds all its cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherContents:
    """Cases that ask something else, or have another reference, in B than in A under the same id."""

    count: int
    checked: int
    example: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunComparison:
    a: ComparedRun
    b: ComparedRun
    judges: tuple[JudgeComparison, ...]
    across: tuple[RunDifference, ...]
    """Judges and models that differ, where that was allowed."""
    settings: tuple[RunDifference, ...]
    other_contents: OtherContents | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Matched:
    a: JudgedRun
    b: JudgedRun
    matching: Matching


def compare_runs(
    store: Store, a: RunRecord, b: RunRecord, options: ComparisonOptions | None = None
) -> RunComparison:
    options = options or ComparisonOptions()
    models, judges = pair_comparable_judges(
        a, b, only=options.only, model=options.model, across=options.across
    )
    columns = dict.fromkeys(name.removeprefix("metadata.") for name in options.columns)
    matched = _match(store, (a, b), models, judges.pairs, tuple(columns))
    labels = None
    if options.labels not in {None, OWN_LABELS}:
        labels = _file_labels(store, str(options.labels), matched, options.label_map)
    contents = _validate_contents(store, matched[0], one_label=labels is not None and labels.unnamed)
    return RunComparison(
        a=ComparedRun(run=a.run_id, state=a.state, partial=a.partial),
        b=ComparedRun(run=b.run_id, state=b.state, partial=b.partial),
        judges=tuple(_compare(store, each, options, labels) for each in matched),
        across=judges.refused,
        settings=tuple(
            RunDifference(what=_OPTIONS.get(name, name), a=a.plan.get(name), b=b.plan.get(name))
            for name in _SETTINGS
            if a.plan.get(name) != b.plan.get(name)
        ),
        other_contents=contents,
    )


# ---- their cases ----


def _match(
    store: Store,
    runs: tuple[RunRecord, RunRecord],
    models: ChosenModels,
    pairs: Sequence[tuple[str, str]],
    columns: Sequence[str],
) -> list[_Matched]:
    known = [{f"{judge.name}@{judge.hash}": judge for judge in judges_of(store, run)} for run in runs]
    matched = []
    for pair in pairs:
        a, b = (
            JudgedRun(run_id=run.run_id, judge=_stored_judge(judges, reference, run), model=model)
            for run, judges, reference, model in zip(runs, known, pair, models, strict=True)
        )
        normalized = scales_differ(a.judge, b.judge)
        if normalized and (a.judge.scale is None or b.judge.scale is None):
            raise InputError(
                f"{pair[0]} and {pair[1]}",
                "cannot be put on one scale: one of them has none",
                "say the scale in the judge file (`scale: [0, 1]`), and judge again",
            )
        matched.append(_Matched(a=a, b=b, matching=Matching(normalized=normalized, columns=columns)))
    for letter, run, model in zip(LETTERS, runs, models, strict=True):
        matchings = {(each.a if letter == "a" else each.b).judge.name: each.matching for each in matched}
        for judgement in verdicts_of(store.judgements(run.run_id), run, model):
            matching = matchings.get(judgement.judge)
            if matching is not None:
                matching.add(letter, judgement)
    for each in matched:
        _validate_matching(runs, each.matching)
    return matched


def _stored_judge(judges: Mapping[str, Judge], reference: str, run: RunRecord) -> Judge:
    if reference not in judges:
        raise InputError(
            f"run {run.run_id}", f"its judge {reference} is no longer in the store", "judge the cases again"
        )
    return judges[reference]


def _validate_matching(runs: tuple[RunRecord, RunRecord], matching: Matching) -> None:
    if not any(True for _ in matching.in_both()):
        a, b = (_first_ids(matching, letter) for letter in LETTERS)
        raise InputError(
            f"runs {runs[0].run_id} and {runs[1].run_id}",
            f"have no case in common: A has {a} …, B has {b} …",
            "cases are matched by `id`, or without one by question, reference and context: use the same in both files",
        )
    known = matching.metadata_columns
    for column in matching.columns:
        if column not in known:
            raise SettingsError(
                "--slice",
                f"no case has `{column}` in its metadata",
                f"the columns are {', '.join(known)}" if known else "give the cases a `metadata` object",
            )


def _first_ids(matching: Matching, letter: Letter) -> str:
    ids = (case_id for case_id, case in matching.cases.items() if case.side(letter) is not None)
    return list_names(islice(ids, 3))


def _validate_contents(store: Store, matched: _Matched, *, one_label: bool) -> OtherContents | None:
    """Two files that number their rows match by id whatever they ask; a look at some cases tells."""
    ids = [case_id for case_id, case in matched.matching.cases.items() if case.a and case.b]
    checked, other = 0, []
    for case_id, a, b in some_cases(store, (matched.a.run_id, matched.b.run_id), ids):
        checked += 1
        if a is None or b is None:
            continue
        if one_label and not a.answers_like(b):
            raise InputError(
                "--labels",
                f"case {case_id} has another response in B than in A, and one label cannot be of both",
                "give each file its own column `label`, judge again and use --labels cases",
            )
        if any(a.fields.get(name) != b.fields.get(name) for name in ("question", "reference")):
            other.append(case_id)
    return OtherContents(count=len(other), checked=checked, example=other[0]) if other else None


def _file_labels(
    store: Store, path: str, matched: Sequence[_Matched], label_map: Mapping[str, str]
) -> FileLabels:
    first = matched[0]
    labels = read_file_labels(
        store,
        path,
        (first.a.run_id, first.b.run_id),
        first.matching.cases.keys(),
    )
    scales = [
        label_scale_of(side.judge.name, side.judge, each.matching.traits[letter].verdicts, label_map)
        for each in matched
        for letter, side in zip(LETTERS, (each.a, each.b), strict=True)
    ]
    labels.refuse_unreadable(scales)
    return labels


# ---- one judge ----


def _compare(
    store: Store, matched: _Matched, options: ComparisonOptions, labels: FileLabels | None
) -> JudgeComparison:
    a, b, matching, seed = matched.a, matched.b, matched.matching, options.seed
    found = compare_judge(matching, a, b, seed=seed, listed=options.listed)
    agreement = correction = None
    if options.labels is not None:
        both = None if labels is None else labels.both
        agreement = compare_with_labels(
            matching, (a.judge, b.judge), both, label_map=options.label_map, seed=seed
        )
    if found.comparison is not None:
        correction = find_correction(
            store,
            matching,
            ((a.run_id, a.judge), (b.run_id, b.judge)),
            primary=found.comparison,
            label_map=options.label_map,
            seed=seed,
        )
    changes = replace(
        found.changes,
        regressions=_with_texts(store, matched, found.changes.regressions),
        improvements=_with_texts(store, matched, found.changes.improvements),
    )
    return replace(found, changes=changes, agreement=agreement, correction=correction)


def _with_texts(store: Store, matched: _Matched, changed: ChangedCases) -> ChangedCases:
    """With questions, responses and reasons, as the store has them."""
    cases = []
    for each in changed.cases:
        a, b = (_fields(store, side, each.case_id) for side in (matched.a, matched.b))
        cases.append(
            ChangedCase(
                case_id=each.case_id,
                difference=each.difference,
                question=field_text(a, "question") or field_text(b, "question"),
                expected=field_text(a, "reference") or field_text(b, "reference"),
                a=_with_text(store, matched.a, each.case_id, each.a, a),
                b=_with_text(store, matched.b, each.case_id, each.b, b),
            )
        )
    return ChangedCases(count=changed.count, cases=tuple(cases))


def _fields(store: Store, side: JudgedRun, case_id: str) -> Mapping[str, Json]:
    case = store.case(side.run_id, case_id)
    return {} if case is None else case.fields


def _with_text(
    store: Store, side: JudgedRun, case_id: str, answer: JudgedAnswer, fields: Mapping[str, Json]
) -> JudgedAnswer:
    judgements = store.judgement(side.run_id, case_id, side.judge.name)
    if side.model is None:
        judgements = without_votes(judgements)
    else:
        judgements = [each for each in judgements if each.model in {side.model, IN_CODE}]
    reason = next((judgement.reason for judgement in judgements if judgement.reason), None)
    return replace(answer, response=field_text(fields, "response"), reason=reason)
