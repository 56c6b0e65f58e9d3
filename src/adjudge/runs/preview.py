"""The prompts that a judge would send about a case, without sending them."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from adjudge.errors import DatasetError
from adjudge.procedures.groundedness import checks_claims, context_windows
from adjudge.procedures.procedure import RequestSettings
from adjudge.procedures.rubric import criteria_of, numbered
from adjudge.prompts.fill import Bindings, exchange, fill_inputs, values_for
from adjudge.prompts.render import render_prompt
from adjudge.records import BadRow, Case, Json, Judge, Message

FIRST_REPLY = "(the reply to the first prompt)"


class PreviewStep(NamedTuple):
    name: str
    """`items`, `verdict`, `verdict_swapped`, or `verdict_2` for the second window of a context."""
    messages: tuple[Message, ...]


def first_case(rows: Iterable[Case | BadRow], where: str) -> Case:
    """Of several rows the first; an error that names the place where it is no case."""
    for row in islice(rows, 1):
        if isinstance(row, BadRow):
            raise DatasetError(str(row.place), f"found {row.found}", f"wanted {row.wanted}")
        return row
    raise DatasetError(where, "contains no cases", "give a file with at least one case")


def preview(judge: Judge, case: Case, bindings: Bindings) -> list[PreviewStep]:
    """An input that the case lacks is an error that names it."""
    filled = fill_inputs(judge.inputs, case, bindings)
    if filled.missing:
        raise DatasetError(
            str(case.place or case.case_id),
            "; ".join(missing.message for missing in filled.missing),
            "name its column with --columns, or give it with --variables",
        )
    if not judge.has_prompt:
        return []
    values = dict(filled.values)
    steps = []
    if judge.items is not None:
        first = render_prompt(judge.items_messages, values_for(judge.items.inputs, values))
        steps.append(PreviewStep("items", first.messages))
        values["items"] = FIRST_REPLY
    if judge.rubric is not None and judge.contract is not None:
        asked = numbered(criteria_of(judge.rubric, judge.contract, filled.fields))
        values |= {"criteria": asked[:1] if judge.rubric.ask == "each" else asked} if asked else {}
    if checks_claims(judge):
        return steps + _window_steps(judge, values, bindings)
    prompt = render_prompt(judge.messages, values, format_message=judge.format_message)
    steps.append(PreviewStep("verdict", prompt.messages))
    if judge.pair is not None:
        exchanged = exchange(filled, judge.pair).values
        swapped = render_prompt(judge.messages, exchanged, format_message=judge.format_message)
        steps.append(PreviewStep("verdict_swapped", swapped.messages))
    return steps


def _window_steps(judge: Judge, values: dict[str, Json], bindings: Bindings) -> list[PreviewStep]:
    """A prompt for each window, as for a model of which it is not known how much it takes."""
    names = [item.name for item in judge.inputs if item.source == "context"]
    windows = context_windows(judge, values, RequestSettings(bindings=bindings))
    steps = []
    for number, window in enumerate(windows, start=1):
        prompt = render_prompt(judge.messages, {**values, **dict.fromkeys(names, window)})
        name = f"verdict_{number}" if len(windows) > 1 else "verdict"
        steps.append(PreviewStep(name, prompt.messages))
    return steps
