"""The score, its scale and the pass rule: front matter's where it has them, else the prompt's."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudge.errors import ExpressionError
from adjudge.expressions import parse_expression
from adjudge.judges.assembly.inputs import ITEMS_INPUT
from adjudge.judges.declared import Declared
from adjudge.judges.reading import PromptReading
from adjudge.judges.reading.names import is_doubt, is_label, is_reason
from adjudge.records import (
    CheckScore,
    CombineScore,
    Contract,
    ExpressionScore,
    FieldScore,
    Input,
    Items,
    Json,
    NamedScore,
    Pair,
    PointsScore,
    Scale,
    ScoreRule,
)
from adjudge.schemas import choices_of, object_schema, properties_of, spell_option
from adjudge.text import did_you_mean
from adjudge.versions import SCORER_VERSIONS

PASS_NAMES = frozenset({"pass", "passed", "passes", "passing"})


def score_rule(read: PromptReading, declared: Declared) -> tuple[ScoreRule | None, Contract | None]:
    score = declared.score
    if score is None:
        return read.score, read.contract
    contract = read.contract
    if contract is None:
        if isinstance(score, str) and score in SCORER_VERSIONS:
            return NamedScore(name=score), None
        if not isinstance(score, str):
            return _points_of_reply(score, declared)
        raise declared.error(
            "score",
            "`score` needs a verdict, but none could be read from the prompt",
            "add `verdict:` with the fields the reply has",
        )
    if isinstance(score, str):
        return _score_of_text(score, contract, declared), contract
    return _score_of_map(score, contract, declared)


def _points_of_reply(points: Mapping[str, float], declared: Declared) -> tuple[ScoreRule, Contract]:
    """The labels that have points are known, and the last of them in the reply is the verdict."""
    schema = object_schema({"label": {"enum": [*points, *declared.abstain]}})
    labels = {"label": ("label", "verdict", "answer", "choice", "grade", "result")}
    contract = Contract(schema=schema, needs=("label",), form="last", labels=labels)
    return PointsScore(field="label", points=dict(points)), contract


def _score_of_text(score: str, contract: Contract, declared: Declared) -> ScoreRule:
    properties = properties_of(contract.schema)
    if score in properties:
        _validate_numeric(score, properties[score], declared)
        return FieldScore(field=score)
    if score in SCORER_VERSIONS:
        return NamedScore(name=score)
    known = (*properties, *SCORER_VERSIONS)
    if score.replace("_", "").isalnum():
        raise declared.error(
            "score",
            f"`score: {score}` names neither a field of the verdict nor a scorer",
            did_you_mean(
                score, known, f"fields: {', '.join(properties)}; scorers: {', '.join(SCORER_VERSIONS)}"
            ),
        )
    listed = (ITEMS_INPUT,) if declared.items is not None else ()
    validate_expression("score", score, (*properties, *listed), declared)
    return ExpressionScore(text=score)


def _validate_numeric(name: str, schema: Json, declared: Declared) -> None:
    """A field score is a number; words need points."""
    assert isinstance(schema, dict)
    options = schema.get("enum")
    if isinstance(options, list):
        worded = [
            option
            for option in options
            if isinstance(option, bool) or not isinstance(option, int | float)
            if spell_option(option) not in declared.abstain
        ]
        if worded:
            listed = ", ".join(f"{spell_option(option)}: …" for option in options)
            raise declared.error(
                "score",
                f"`{name}` is a choice of words, not a number",
                f"give them points: `score: {{{listed}}}`",
            )
        return
    kinds = schema.get("type")
    allowed = kinds if isinstance(kinds, list) else [kinds]
    if not {"integer", "number"} & {str(kind) for kind in allowed}:
        hint = (
            'give true and false points: `score: {"true": 1, "false": 0}`'
            if "boolean" in allowed
            else "declare it as `number` or `integer`, or write an expression"
        )
        raise declared.error("score", f"`{name}` is a {kinds}, not a number", hint)


def _score_of_map(
    points: Mapping[str, float], contract: Contract, declared: Declared
) -> tuple[ScoreRule, Contract]:
    labels = set(points)
    worth = [label for label in declared.abstain if label in labels]
    if worth:
        raise declared.error(
            "score",
            f"`score` gives points to `{worth[0]}`, which `abstain` says is no score",
            "remove it from one of the two",
        )
    properties = properties_of(contract.schema)
    choices = {name: options for name, schema in properties.items() if (options := choices_of(schema))}
    for name, options in choices.items():
        if set(options) - set(declared.abstain) == labels:
            return PointsScore(field=name, points=dict(points)), contract
    open_labels = [
        name
        for name, schema in properties.items()
        if isinstance(schema, dict)
        and schema.get("type") == "string"
        and is_label(name)
        and not is_reason(name)
    ]
    if not choices and len(open_labels) == 1:
        # The prompt names the place and not the labels: the points name them.
        name = open_labels[0]
        labelled: Json = {**properties, name: {"enum": [*points, *declared.abstain]}}
        schema: dict[str, Json] = {**contract.schema, "properties": labelled}
        return PointsScore(field=name, points=dict(points)), replace(contract, schema=schema)
    near = max(choices, key=lambda name: len(labels & set(choices[name])), default=None)
    if near is None:
        raise declared.error(
            "score",
            "`score` gives points to labels, and no field of the verdict has labels",
            f"declare one in `verdict:`, such as `label: {{enum: [{', '.join(points)}]}}`",
        )
    raise declared.error(
        "score",
        f"the labels with points ({', '.join(points)}) are not those of `{near}` ({', '.join(choices[near])})",
        "give every label of the field its points, spelled the same",
    )


def with_needs(contract: Contract | None, score: ScoreRule | None, declared: Declared) -> Contract | None:
    if contract is None:
        return None
    properties = properties_of(contract.schema)
    match score:
        case None:
            needs: tuple[str, ...] = _telling(properties)
        case FieldScore(field=name) | PointsScore(field=name):
            needs = (name,)
        case ExpressionScore(text=text):
            used = {name.split(".")[0] for name in parse_expression(text).names}
            needs = tuple(name for name in properties if name in used)
        case CheckScore() | CombineScore():
            return contract  # made in `in_code`, never read from a prompt
        case NamedScore():
            needs = tuple(name for name, schema in properties.items() if not _is_prose(schema))
    if declared.abstain or declared.ratings:
        rated = {each.name for each in declared.ratings}
        needs = tuple(
            name
            for name, schema in properties.items()
            if name in needs or name in rated or set(_labels(schema)) & set(declared.abstain)
        )
    return replace(contract, needs=needs, structured=declared.structured)


def _telling(properties: Mapping[str, Json]) -> tuple[str, ...]:
    """Of a verdict without a score, what a reply cannot do without: labels and numbers, else what is no explanation."""
    decisive = {name: schema for name, schema in properties.items() if not is_reason(name)}
    scalars = [name for name, schema in decisive.items() if choices_of(schema) or is_number(schema)]
    doubts = [name for name in scalars if is_doubt(name)]
    told = [name for name in scalars if name not in doubts] or [
        name for name, schema in decisive.items() if not _is_prose(schema)
    ]
    return tuple(told or [name for name in decisive if is_label(name)] or decisive or properties)


def is_number(schema: Json) -> bool:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    return not {"integer", "number"}.isdisjoint(kinds if isinstance(kinds, list) else [kinds])


def validate_claims(
    declared: Declared, score: ScoreRule | None, items: Items | None, inputs: tuple[Input, ...]
) -> None:
    """`groundedness` checks the claims of a first call against a context."""
    sources = {item.source for item in inputs}
    if score == NamedScore(name="groundedness") and (items is None or not {"context", "response"} <= sources):
        raise declared.error(
            "score",
            "`score: groundedness` needs `items` that lists the claims of `response`, and a prompt with `context`",
            "begin with `adjudge show groundedness`, the judge that has both",
        )


def _is_prose(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _labels(schema: Json) -> tuple[str, ...]:
    """What a value may be that is no number: its labels, and `null` where it may be that."""
    kinds = schema.get("type") if isinstance(schema, dict) else None
    return (*choices_of(schema), *(("null",) if isinstance(kinds, list) and "null" in kinds else ()))


def validate_abstain(declared: Declared, contract: Contract | None) -> None:
    """Every label by which the judge abstains is one that its verdict can have."""
    schemas = properties_of(contract.schema).values() if contract is not None else ()
    labels = list(dict.fromkeys(label for schema in schemas for label in _labels(schema)))
    for label in declared.abstain:
        if label not in labels:
            raise declared.error(
                "abstain",
                f"`abstain` names `{label}`, which is no label of the verdict",
                did_you_mean(label, labels)
                or (
                    f"its labels are {', '.join(labels)}"
                    if labels
                    else f"declare it in `verdict:`, such as `label: {{enum: [pass, fail, {label}]}}`"
                ),
            )


def scale_of(
    read: PromptReading, declared: Declared, score: ScoreRule | None, contract: Contract | None
) -> Scale | None:
    if declared.scale is not None:
        return declared.scale
    if isinstance(score, PointsScore):
        low, high = min(score.points.values()), max(score.points.values())
        if low == high:
            raise declared.error("score", f"every label has {low} points", "give the labels different points")
        return Scale(low=float(low), high=float(high))
    if score == read.score:
        return read.scale
    if isinstance(score, FieldScore) and contract is not None:
        return field_scale(properties_of(contract.schema)[score.field])
    return None


def field_scale(schema: Json) -> Scale | None:
    """The bounds of a number, or of the numbers that it is one of."""
    assert isinstance(schema, dict)
    low, high = schema.get("minimum"), schema.get("maximum")
    options = schema.get("enum")
    if isinstance(options, list):
        numbers = [
            option for option in options if isinstance(option, int | float) and not isinstance(option, bool)
        ]
        low, high = min(numbers, default=None), max(numbers, default=None)
    if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
        return Scale(low=float(low), high=float(high))
    return None


def validate_scores(declared: Declared, scale: Scale | None) -> None:
    if scale is None:
        return
    for key, value in (("when_missing", declared.when_missing), ("when_empty", declared.when_empty)):
        if isinstance(value, float) and not scale.low <= value <= scale.high:
            raise declared.error(
                key,
                f"the score {value:g} of `{key}` is off the scale {scale.low:g} to {scale.high:g}",
                "use a score on the scale",
            )


def pass_rule(
    read: PromptReading,
    declared: Declared,
    contract: Contract | None,
    score: ScoreRule | None,
    scale: Scale | None,
    *,
    pair: Pair | None,
) -> str | None:
    if declared.passes is not None:
        validate_pass_rule(declared.passes, contract, declared, pair=pair)
        return declared.passes
    if score is None or scale is None or pair is not None:
        return None
    field = _pass_field(contract)
    if field is not None and not (isinstance(score, PointsScore) and score.field == field):
        return field
    if isinstance(score, PointsScore):
        return "score >= 1" if set(score.points.values()) == {0.0, 1.0} else None
    return (
        read.passes
        if score == read.score and (declared.scale is None or declared.scale == read.scale)
        else None
    )


def _pass_field(contract: Contract | None) -> str | None:
    """The field by which the judge itself says whether the response passes."""
    for name, schema in properties_of(contract.schema).items() if contract is not None else ():
        if name.lower() in PASS_NAMES and isinstance(schema, dict):
            kinds, options = schema.get("type"), schema.get("enum")
            if "boolean" in (kinds if isinstance(kinds, list) else [kinds]) or options in (
                [True, False],
                [False, True],
            ):
                return name
    return None


def validate_pass_rule(
    text: str, contract: Contract | None, declared: Declared, *, pair: Pair | None = None
) -> None:
    fields = tuple(properties_of(contract.schema)) if contract is not None else ()
    if pair is not None:
        fields = ("winner",)  # what both orders say together; neither's own fields decide
    validate_expression("passes", text, ("score", *(name for name in fields if name != "score")), declared)


def validate_expression(key: str, text: str, names: tuple[str, ...], declared: Declared) -> None:
    try:
        expression = parse_expression(text)
    except ExpressionError as error:
        raise declared.error(
            key, f"`{key}: {text}` is not an expression: {error.problem}", error.hint
        ) from None
    for name in sorted(expression.names):
        if name.split(".")[0] not in names:
            raise declared.error(
                key,
                f"`{key}` names `{name}`, which the verdict does not have",
                did_you_mean(name, names, f"known: {', '.join(names) or 'nothing'}"),
            )
