"""Which two runs can be compared: the same judges, models and repeats, and cases that both scored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from adjudge.analysis.chosen_model import choose_model
from adjudge.errors import InputError, NotComparableError, SettingsError
from adjudge.records import Json, jury_name
from adjudge.store import RunRecord, Store, model_names, planned_judges

ChosenModels: TypeAlias = tuple[str | None, str | None]
"""Of A and of B, each as `choose_model` gives it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDifference:
    """What one run was judged with and the other was not."""

    what: str
    """`judge`, `model`, or a setting of the plan."""
    a: Json
    b: Json
    """None where that run has none, or the setting is not set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePairs:
    pairs: tuple[tuple[str, str], ...]
    """A judge of A and the judge of B that it is compared with, each as `name@hash`."""
    refused: tuple[RunDifference, ...]
    """What makes the runs not comparable as they stand."""


class ComparableJudges(NamedTuple):
    models: ChosenModels
    judges: JudgePairs


def pair_comparable_judges(
    a: RunRecord, b: RunRecord, *, only: Sequence[str] = (), model: str | None = None, across: bool = False
) -> ComparableJudges:
    """The judges to compare; raises where the two runs were not judged alike."""
    models = chosen_models((a, b), model)
    judges = pair_judges(a.plan, b.plan, only, models)
    _refuse(a, b, judges, across=across, same_model=models[0] == models[1])
    return ComparableJudges(models, judges)


def find_run_before(store: Store, record: RunRecord, records: Iterable[RunRecord]) -> RunRecord | None:
    """The latest finished run of the same file that began before this one and that `adjudge compare` accepts with it."""
    path = record.plan.get("path")
    earlier = [
        run
        for run in records
        if path
        and run.plan.get("path") == path
        and against_of(run) == against_of(record)
        and run.run_id != record.run_id
        and run.state == "finished"
        and run.started_at < record.started_at
    ]
    earlier.sort(key=lambda run: run.started_at, reverse=True)
    return next((run for run in earlier if is_comparable(store, run, record)), None)


def is_comparable(store: Store, a: RunRecord, b: RunRecord) -> bool:
    """Whether `adjudge compare A B` gives a difference with no further options."""
    try:
        pair_comparable_judges(a, b)
    except InputError:
        return False
    return store.share_scored_case(a.run_id, b.run_id)


def against_of(record: RunRecord) -> str | None:
    """The path of the file that a run compares with its own cases."""
    pairing = record.plan.get("pairing")
    path = pairing.get("path") if isinstance(pairing, dict) else None
    return path if isinstance(path, str) else None


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
            f"share no judge: A has {list_names(judges_a.values())}, B has {list_names(judges_b.values())}",
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
                "--only", f"{letter} has no judge `{name}`", f"its judges are {list_names(judges)}"
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


def list_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
