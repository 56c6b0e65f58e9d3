"""Whose verdicts of a run a command looks at, where several models judged it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from adjudge.errors import SettingsError
from adjudge.records import IN_CODE, Json, Judgement, is_vote
from adjudge.store import JudgementKey, RunRecord, has_jury, model_names

T = TypeVar("T", Judgement, JudgementKey)


def choose_model(record: RunRecord, wanted: str | None) -> str | None:
    """The one that was asked for; None: all of the run's, because they are one model's or the jury's.

    `jury` is the jury. Of several models without a jury one has to be named.
    """
    names = model_names(record.plan)
    if wanted is None and (len(names) < 2 or has_jury(record.plan)):
        return None
    if wanted in names or (wanted == JURY and has_jury(record.plan)):
        return None if wanted == JURY else wanted
    known = ", ".join(model_choices(record.plan))
    problem = f"has no model `{wanted}`" if wanted is not None else "was judged by several models"
    raise SettingsError(f"run {record.run_id}", problem, f"name one with --by: {known}")


JURY = "jury"


def usual_model(record: RunRecord) -> str | None:
    """For where nobody can be asked: the first of several models, unless there is a jury."""
    names = model_names(record.plan)
    return names[0] if len(names) > 1 and not has_jury(record.plan) else None


def model_choices(plan: Mapping[str, Json]) -> list[str]:
    """What `choose_model` takes."""
    names = model_names(plan)
    return [JURY, *names] if has_jury(plan) else names


def same_model(model: str, record: RunRecord) -> str | None:
    """To look at the same model's verdicts in another run; None where that run does not have it."""
    return model if model in model_names(record.plan) else None


def verdicts_of(judgements: Iterable[T], record: RunRecord, model: str | None) -> Iterator[T]:
    """Those of the model that `choose_model` gave; what code judged always belongs to them."""
    decided = has_jury(record.plan)
    for judgement in judgements:
        wanted = not decided if model is None else judgement.model == model
        if wanted or judgement.model == IN_CODE or (model is None and not is_vote(judgement.model)):
            yield judgement
