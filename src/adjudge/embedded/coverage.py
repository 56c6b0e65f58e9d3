"""`coverage` on the small model: the checklist is made in code, each statement of it is asked of the model."""

import math
from collections.abc import Mapping, Sequence

from adjudge.embedded.model.small_model import ModelAnswer, TextModel
from adjudge.embedded.reading.checklist import make_checklist
from adjudge.embedded.reading.evidence import find_evidence, in_order
from adjudge.embedded.reply import JobReply, percent
from adjudge.records import Json
from adjudge.scoring.checklist import SHAPES
from adjudge.scoring.text import text_of

THRESHOLD = 0.5
SHORT = 2
"""Statements of a short reference."""


async def list_items(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    """The first step: what the reference says. The model is not asked."""
    del model
    return JobReply(parts=make_checklist(text_of(fields, "reference"), text_of(fields, "question")))


async def match_items(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    """The second step: which of it the response states, behind one reading of the response."""
    response = text_of(fields, "response")
    items = fields.get("items")
    asked = items if isinstance(items, dict) else {}
    entries = {shape.category: rows_of(asked.get(shape.category), shape.key) for shape in SHAPES}
    statements = [*entries["facts"], *entries["conclusions"]]
    answer = await model.states(text=response, statements=[text for _, text in statements])
    whole = await read_as_whole(model, fields, len(statements))
    decided = {
        item_id: decide(item_id, text, probability, whole.probabilities, response)
        for (item_id, text), probability in zip(statements, answer.probabilities, strict=True)
    }
    places = [
        response.find(evidence)
        for item_id, _ in statements
        if isinstance(evidence := decided[item_id]["evidence"], str)
    ]
    parts: dict[str, Json] = {
        "facts": [decided[item_id] for item_id, _ in entries["facts"]],
        "conclusions": [decided[item_id] for item_id, _ in entries["conclusions"]],
        # those that appear in the response were found in code before anybody was asked
        "terms": [
            {"id": item_id, "why": "the response does not have the term", "matched": False, "evidence": None}
            for item_id, _ in entries["terms"]
        ],
        "organization": "matched" if in_order(places) else "mismatched",
    }
    return JobReply(parts=parts, tokens=answer.tokens + whole.tokens, read=(*answer.read, *whole.read))


async def read_as_whole(model: TextModel, fields: Mapping[str, Json], statements: int) -> ModelAnswer:
    """A reference of one or two statements is also an expected answer, to which the response may agree in other words."""
    if statements > SHORT:
        return ModelAnswer([], 0)
    return await model.correct(
        question=text_of(fields, "question"),
        expected=[text_of(fields, "reference")],
        response=text_of(fields, "response"),
    )


def either(states: float, agrees: Sequence[float]) -> float:
    """The probability that it is stated, or else that the response agrees with the whole."""
    return 1 - (1 - states) * math.prod(1 - probability for probability in agrees)


def rows_of(rows: Json, key: str) -> Sequence[tuple[str, str]]:
    """(id, text) of each entry of a checklist."""
    listed = rows if isinstance(rows, list) else []
    return [(str(row["id"]), str(row[key])) for row in listed if isinstance(row, dict)]


def decide(item_id: str, text: str, states: float, agrees: Sequence[float], response: str) -> dict[str, Json]:
    """Matched only with a passage to show for it."""
    probability = either(states, agrees)
    evidence = find_evidence(text, response) if probability >= THRESHOLD else None
    why = f"the model gives {percent(states)} that the response states it"
    if agrees:
        whole = " and ".join(percent(each) for each in agrees)
        why += f" and {whole} that it agrees with the short reference as a whole: {percent(probability)} for either"
    if probability >= THRESHOLD and evidence is None:
        why += ", but no passage shares its words"
    return {"id": item_id, "why": why, "matched": evidence is not None, "evidence": evidence}
