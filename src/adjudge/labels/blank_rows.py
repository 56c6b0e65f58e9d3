"""The rows that people fill in: a case as the judge was shown it, blind, with blanks for what they say."""

from collections.abc import Mapping, Sequence

from adjudge.fields import NEVER_IN_PROMPT
from adjudge.labels.parts import blank_parts, rating_scales
from adjudge.records import Case, Criterion, Json, Judge

TO_FILL_IN = ("label", "annotator", "explanation")
_FIRST_FIELDS = ("question", "response", "reference")
_OURS = ("case_id", "run")
"""Columns of the file that say what a row is of: a case's own would be taken for them."""


def row_to_label(case: Case, judge: Judge | None, criteria: Sequence[Criterion]) -> dict[str, Json]:
    """For a rubric or several ratings `label` names each; beside those of ratings stand their scales."""
    label = blank_parts(criteria, judge)
    scales: dict[str, Json] = {**rating_scales(judge)} if judge else {}
    return {
        "case_id": case.case_id,
        **fields_to_label(case, judge),
        **({"rating_scales": scales} if scales else {}),
        **dict.fromkeys(TO_FILL_IN),
        "label": dict[str, Json](label) if label else None,
    }


def fields_to_label(case: Case, judge: Judge | None) -> Mapping[str, Json]:
    """What a person reads of a case: what the judge was shown, and nothing of what it said."""
    wanted = list(_FIRST_FIELDS)
    sources = [each.source for each in judge.inputs] if judge else []
    if "parameters" in sources and case.columns.get("parameters") is None:
        sources.append("context")  # it is in the parameters that the judge was shown
    for source in sources:
        if source not in wanted and source not in {*NEVER_IN_PROMPT, *_OURS, "current_date"}:
            wanted.append(source)
    found: dict[str, Json] = {}
    for name in wanted:
        value = case.fields.get(name, case.columns.get(name))
        if value is not None:
            found[name] = value
    if not found:  # columns whose names say nothing to us may still say all to a person
        found = {
            name: value
            for name, value in case.columns.items()
            if name not in {*NEVER_IN_PROMPT, *TO_FILL_IN, *_OURS}
        }
    return found
