"""`rubric:` and `ratings:`: the verdict, score and scale that several criteria bring with them."""

from msgspec.structs import replace

from adjudge.judges.assembly.inputs import CRITERIA_INPUT
from adjudge.judges.assembly.score import field_scale, is_number, validate_expression
from adjudge.judges.declared import Declared
from adjudge.judges.reading import PromptReading
from adjudge.records import (
    Contract,
    Input,
    Json,
    Rating,
    Rubric,
    Scale,
    ScoreRule,
)
from adjudge.rubrics import VERDICT
from adjudge.schemas import as_number, object_schema, properties_of
from adjudge.text import did_you_mean


def with_rubric(declared: Declared) -> Declared:
    """A rubric has its own verdict, score and scale; of a case's own rubric a file may also ask for a verdict on a sentence."""
    if declared.rubric is None:
        return declared
    for key, found, wanted in (
        ("score", declared.score, "rubric"),
        ("scale", declared.scale, Scale(low=0, high=1)),
        ("items", declared.items, None),
        ("verdict", None if declared.rubric.column else declared.verdict, VERDICT),
    ):
        if found is not None and found != wanted:
            raise declared.error(
                key,
                f"`{key}` does not go with `rubric`, whose criteria are answered and scored from 0 to 1 in code",
                "remove one of the two",
            )
    return replace(
        declared,
        score="rubric",
        scale=Scale(low=0.0, high=1.0),
        verdict=declared.verdict if declared.verdict is not None else VERDICT,
    )


def rubric_of(declared: Declared, read: PromptReading, inputs: tuple[Input, ...]) -> Rubric | None:
    """The rubric, where the prompt shows its criteria and has the column they come from."""
    rubric = declared.rubric
    if rubric is None:
        return None
    if not any(item.name == CRITERIA_INPUT for item in read.inputs):
        raise declared.error(
            "rubric",
            f"the prompt does not show the criteria: it has no place for `{CRITERIA_INPUT}`",
            f"write `{{{{ fenced.{CRITERIA_INPUT} }}}}` where they belong",
        )
    sources = [item.source for item in inputs]
    if rubric.column is not None and rubric.column not in sources:
        raise declared.error(
            "rubric",
            f"`rubric` takes criteria from `{rubric.column}`, which is no input of the prompt",
            f"list it under `inputs:` and write `{{{{ fenced.{rubric.column} }}}}` for a case whose rubric is a sentence",
        )
    return rubric


def with_ratings(declared: Declared) -> Declared:
    """Several ratings are asked for after one reason; without a `score:` the score is their mean, each from 0 to 1."""
    ratings = declared.ratings
    if not ratings:
        return declared
    if declared.rubric is not None:
        raise declared.error("ratings", "`ratings` does not go with `rubric`", "remove one of the two")
    fields: dict[str, Json] = {"reason": {"type": "string"}}
    parts = []
    for each in ratings:
        low, high = as_number(each.scale.low), as_number(each.scale.high)
        whole = isinstance(low, int) and isinstance(high, int) and high - low > 1
        fields[each.name] = {"type": "integer" if whole else "number", "minimum": low, "maximum": high}
        worst, sign = (high, -1) if each.better == "lower" else (low, 1)
        parts.append(f"({each.name} - ({worst})) / ({sign * (high - low)})")
    if declared.verdict is None:
        declared = replace(declared, verdict=object_schema(fields))
    if declared.score is not None:
        return declared
    if declared.scale not in {None, Scale(low=0, high=1)}:
        raise declared.error(
            "scale",
            "without a `score:` the score of several ratings is their mean, from 0 to 1",
            "remove `scale:`, or add a `score:` that is on it",
        )
    return replace(declared, score=f"({' + '.join(parts)}) / {len(parts)}", scale=Scale(low=0.0, high=1.0))


def ratings_of(declared: Declared, contract: Contract | None, score: ScoreRule | None) -> tuple[Rating, ...]:
    """Each is a number of the verdict, and its pass rule can be computed; where there is no score, all numbers are."""
    properties = properties_of(contract.schema) if contract is not None else {}
    if score is None and not declared.ratings:
        scales = {name: field_scale(schema) for name, schema in properties.items() if is_number(schema)}
        return tuple(Rating(name=name, scale=scale) for name, scale in scales.items() if scale is not None)
    for each in declared.ratings:
        schema = properties.get(each.name)
        kind = schema.get("type") if isinstance(schema, dict) else None
        if kind not in {"integer", "number"}:
            raise declared.error(
                "ratings",
                f"the rating `{each.name}` is no number of the verdict",
                did_you_mean(each.name, tuple(properties)) or f"its fields are {', '.join(properties)}",
            )
        if each.passes is not None:
            names = ("score", *(name for name in properties if name != "score"))
            validate_expression("ratings", each.passes, names, declared)
    return declared.ratings
