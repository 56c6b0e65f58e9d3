"""Two stored runs -> their comparison: judges paired, cases matched, each pair compared, changed cases read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

from adjudge.analysis.chosen_model import choose_model, verdicts_of
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
from adjudge.dataset.label_scale import label_scale_of
from adjudge.errors import InputError, NotComparableError, SettingsError
from adjudge.records import IN_CODE, Json, Judge, jury_name
from adjudge.store import Partial, RunRecord, RunState, Store, model_names, planned_judges
from adjudge.text import field_text

OWN_LABELS = "cases"
_SETTINGS = ("base_url", "temperature", "parameters", "maps", "sets", "current_date")
"""Of the plan: reported where they differ, not refused."""
_OPTIONS = {"maps": "columns", "sets": "variables"}
ChosenModels: TypeAlias = tuple[str | None, str | None]
"""Of A and of B, each as `choose_model` gives it."""


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
class RunDifference:
    """What one run was judged with and the other was not."""

    what: str
    """`judge`, `model`, or a setting of the plan."""
    a: Json
    b: Json
    """None where that run has none, or the setting is not set."""


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
class JudgePairs:
    pairs: tuple[tuple[str, str], ...]
    """A judge of A and the judge of B that it is compared with, each as `name@hash`."""
    refused: tuple[RunDifference, ...]
    """What makes the runs not comparable as they stand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Matched:
    a: JudgedRun
    b: JudgedRun
    matching: Matching


def compare_runs(
    store: Store, a: RunRecord, b: RunRecord, options: ComparisonOptions | None = None
) -> RunComparison:
    options = options or ComparisonOptions()
    models = chosen_models((a, b), options.model)
    judges = pair_judges(a.plan, b.plan, options.only, models)
    _refuse(a, b, judges, across=options.across, same_model=models[0] == models[1])
    columns = dict.fromkeys(name.removeprefix("metadata.") for name in options.columns)
    matched = _match(store, (a, b), models, judges.pairs, tuple(columns))
    labels = None
    if options.labels not in {None, OWN_LABELS}:
        labels = _file_labels(store, str(options.labels), matched, options.label_map)
    contents = _check_contents(store, matched[0], one_label=labels is not None and labels.unnamed)
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


# ---- which judges belong together ----


def pair_judges(
    plan_a: Mapping[str, Json], plan_b: Mapping[str, Json], only: Sequence[str], models: ChosenModels
) -> JudgePairs:
    judges_a, judges_b = ({_name(each): each for each in planned_judges(plan)} for plan in (plan_a, plan_b))
    refused: list[RunDifference] = []
    if only:
        pairs = [_chosen(text, judges_a, judges_b) for text in only]
    elif len(judges_a) == len(judges_b) == 1:
        pairs = [(next(iter(judges_a.values())), next(iter(judges_b.values())))]
    else:
        pairs = [(judges_a[name], judges_b[name]) for name in judges_a if name in judges_b]
        refused += [
            RunDifference(what="judge", a=judges_a.get(name), b=judges_b.get(name))
            for name in {**judges_a, **judges_b}
            if (name in judges_a) != (name in judges_b)
        ]
    if not pairs:
        raise NotComparableError(
            "A and B",
            f"share no judge: A has {_listed(judges_a.values())}, B has {_listed(judges_b.values())}",
            "name a judge of each: --only JUDGE_OF_A=JUDGE_OF_B --across",
            by_pair=True,
        )
    refused += [RunDifference(what="judge", a=a, b=b) for a, b in pairs if a != b]
    model_a, model_b = (model or _whose(plan) for model, plan in zip(models, (plan_a, plan_b), strict=True))
    if model_a != model_b:
        refused.append(RunDifference(what="model", a=model_a, b=model_b))
    repeats_a, repeats_b = (plan.get("repeats", 1) for plan in (plan_a, plan_b))
    if repeats_a != repeats_b:
        refused.append(RunDifference(what="repeats", a=repeats_a, b=repeats_b))
    return JudgePairs(pairs=tuple(pairs), refused=tuple(refused))


def _whose(plan: Mapping[str, Json]) -> str | None:
    """The models of a run, or the jury or cascade that they are, as its rows name it."""
    names, jury = model_names(plan), plan.get("jury")
    return jury_name(str(jury.get("rule")), names) if isinstance(jury, dict) else ", ".join(names) or None


def chosen_models(runs: tuple[RunRecord, RunRecord], wanted: str | None) -> ChosenModels:
    """Of `MODEL` or `MODEL_OF_A=MODEL_OF_B`."""
    first, equals, second = (None, "", None) if wanted is None else wanted.partition("=")
    sides = (first, second if equals else first)
    return choose_model(runs[0], sides[0] or None), choose_model(runs[1], sides[1] or None)


def describe_difference(difference: RunDifference) -> str:
    """For the refusal and for the report."""
    what, a, b = difference.what.replace("_", " "), difference.a, difference.b
    if difference.what == "judge" and None in (a, b):
        return f"only A has judge {a}" if b is None else f"only B has judge {b}"
    a, b = ("not set" if each is None or each in ({}, []) else each for each in (a, b))
    return f"{what} is {a} in A and {b} in B"


def _chosen(text: str, judges_a: Mapping[str, str], judges_b: Mapping[str, str]) -> tuple[str, str]:
    name_a, equals, name_b = text.partition("=")
    name_b = name_b if equals else name_a
    for letter, name, judges in (("A", name_a, judges_a), ("B", name_b, judges_b)):
        if name not in judges:
            raise SettingsError(
                "--only", f"{letter} has no judge `{name}`", f"its judges are {_listed(judges)}"
            )
    return judges_a[name_a], judges_b[name_b]


def _refuse(a: RunRecord, b: RunRecord, judges: JudgePairs, *, across: bool, same_model: bool) -> None:
    if a.run_id == b.run_id and same_model and all(one == other for one, other in judges.pairs):
        raise NotComparableError(
            f"run {a.run_id}",
            "is both A and B",
            "name two runs (`adjudge runs` lists them), or two of its judges: --only JUDGE=OTHER --across",
            by_pair=True,
        )
    repeats = next((each for each in judges.refused if each.what == "repeats"), None)
    if repeats is not None:
        raise NotComparableError(
            f"runs {a.run_id} and {b.run_id}",
            f"judged each case a different number of times: {repeats.a} in A and {repeats.b} in B",
            f"judge the cases of A with --repeat {repeats.b}, or those of B with --repeat {repeats.a}, and compare "
            "those runs; replies that are stored are not asked for again",
        )
    if judges.refused and not across:
        raise NotComparableError(
            f"runs {a.run_id} and {b.run_id}",
            f"were not judged alike: {'; '.join(map(describe_difference, judges.refused))}",
            "judge both with the same judge and model, since a difference could be theirs; "
            "or add --across to compare all the same, or --only JUDGE for one they share",
            by_pair=True,
            across=True,
        )


def _name(reference: str) -> str:
    return reference.rpartition("@")[0]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


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
        _check_matching(runs, each.matching)
    return matched


def _stored_judge(judges: Mapping[str, Judge], reference: str, run: RunRecord) -> Judge:
    if reference not in judges:
        raise InputError(
            f"run {run.run_id}", f"its judge {reference} is no longer in the store", "judge the cases again"
        )
    return judges[reference]


def _check_matching(runs: tuple[RunRecord, RunRecord], matching: Matching) -> None:
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
    return _listed(islice(ids, 3))


def _check_contents(store: Store, matched: _Matched, *, one_label: bool) -> OtherContents | None:
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
        [each.a.judge.name for each in matched],
        first.matching.cases.keys(),
    )
    readings = [
        label_scale_of(side.judge.name, side.judge, each.matching.traits[letter].verdicts, label_map)
        for each in matched
        for letter, side in zip(LETTERS, (each.a, each.b), strict=True)
    ]
    labels.refuse_unreadable(readings)
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
