"""A rubric: criteria that are each met or not, asked about together or one by one, and scored in code."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct
from adjudge.procedures.single import judge_once, rule_on
from adjudge.prompts.fill import Filled
from adjudge.records import Contract, Criterion, Failed, Json, Rubric, Scored, Verdict
from adjudge.rubrics import VERDICT, RubricError, listed_criteria
from adjudge.schemas import properties_of
from adjudge.scoring import Invalid
from adjudge.text import as_text


def judge_by_rubric(context: Context, contract: Contract, rubric: Rubric, filled: Filled) -> Procedure:
    """One call, or one for each criterion; a rubric that is a sentence is asked about as the judge file has it."""
    try:
        criteria = criteria_of(rubric, contract, filled.fields)
    except RubricError as error:
        return Ruling(outcome=Failed(kind="bad_row", message=f"`{rubric.column}`: {error}"))
    if not criteria:
        return (yield from judge_once(context, contract, filled, items=None))
    listed = numbered(criteria)
    own = replace(contract, schema=VERDICT, needs=("criteria",))
    if rubric.ask == "together":
        return (yield from judge_once(context, own, filled, items={"criteria": listed}))
    entries: list[Json] = []
    notes: tuple[str, ...] = ()
    for number, each in enumerate(listed, start=1):
        ruling = yield from judge_once(context, own, filled, items={"criteria": [each]}, suffix=f"_{number}")
        notes = distinct(notes, ruling.notes)
        if not isinstance(ruling.outcome, Scored):
            return ruling._replace(
                notes=notes
            )  # one that is not answered might have earned any of its points
        found = ruling.outcome.verdict.parts["criteria"]
        assert isinstance(found, list)
        entries += found
    verdict = Verdict(parts={"criteria": entries})
    score = context.scorer.score(verdict, filled.fields, {"criteria": listed})
    assert not isinstance(score, Invalid)
    return rule_on(context.judge, own, verdict, score)._replace(notes=notes)


def criteria_of(rubric: Rubric, contract: Contract, fields: Mapping[str, Json]) -> tuple[Criterion, ...]:
    """The judge's own, else the case's; none where that is a sentence and the judge has a way to ask about one."""
    if rubric.column is None:
        return rubric.criteria
    value = fields.get(rubric.column)
    found = listed_criteria(value)
    if found or "criteria" not in properties_of(contract.schema):
        return found
    return (Criterion(criterion=as_text(value), points=1.0),)


def numbered(criteria: tuple[Criterion, ...]) -> list[Json]:
    """By position, so that no text of a criterion can be its name."""
    return [
        {"id": number, "criterion": each.criterion, "points": each.points}
        for number, each in enumerate(criteria, start=1)
    ]
