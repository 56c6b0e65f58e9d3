"""What front matter declares and what the prompt says -> one Judge; where both speak, front matter counts."""

import dataclasses
import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from adjudge.errors import ExpressionError, JudgeFileError
from adjudge.expressions import parse_expression
from adjudge.fields import strip_namespace
from adjudge.judges.asking import ask_for
from adjudge.judges.attaching import announced_inputs, attachment
from adjudge.judges.declared import CONTRACT_FIELD, Declared, clean_name
from adjudge.judges.declared_verdict import with_declared_verdict
from adjudge.judges.exports import WrittenPrompt
from adjudge.judges.identity import judge_hash
from adjudge.judges.judge_file import SETTLES
from adjudge.judges.pairs import pair_inputs, read_pair
from adjudge.judges.reading import PromptReading, read_prompt
from adjudge.judges.reading.inputs import DATE_NAMES, input_source, read_inputs
from adjudge.judges.reading.names import is_label, is_reason
from adjudge.records import (
    CheckScore,
    CombineScore,
    Contract,
    Dialect,
    ExpressionScore,
    FieldScore,
    Input,
    Items,
    Json,
    Judge,
    NamedScore,
    Pair,
    PointsScore,
    PromptMessage,
    Rating,
    Rubric,
    Scale,
    ScoreRule,
)
from adjudge.rubrics import VERDICT
from adjudge.schemas import as_number, choices_of, object_schema, properties_of, spell_option
from adjudge.templates import BETWEEN_MESSAGES, custom, detect, outline
from adjudge.templates import inputs as template_inputs
from adjudge.templates import unread as template_unread
from adjudge.text import did_you_mean
from adjudge.versions import SCORER_VERSIONS

ITEMS_INPUT = "items"
CRITERIA_INPUT = "criteria"
_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
PASS_NAMES = frozenset({"pass", "passed", "passes", "passing"})


def detect_dialect(written: WrittenPrompt) -> Dialect:
    """The dialect of a prompt, over the texts of all its messages."""
    return detect(BETWEEN_MESSAGES.join(message.text for message in written.messages))


def assemble(declared: Declared, written: WrittenPrompt, *, name: str, where: str, text: str) -> Judge:
    """Join the two readings; what they cannot agree on is an error at the line that says so."""
    if not any(message.text.strip() for message in written.messages):
        raise JudgeFileError(where, "there is no prompt in it", "write the prompt below the front matter")
    declared = _with_ratings(_with_rubric(declared))
    dialect = declared.dialect or written.dialect or detect_dialect(written)
    if dialect == "none" and declared.items is not None:
        # the text may stay without a placeholder where another prompt asks for what is judged
        dialect = detect(declared.items.prompt)
    messages = tuple(
        PromptMessage(role=message.role, text=message.text, dialect=dialect) for message in written.messages
    )
    read = read_prompt(messages, frozenset(declared.inputs))
    declared = _with_choices(declared, written.choices, read)
    bare = not read.inputs and declared.dialect in {None, "none"} and declared.items is None
    attached = _attached(read, declared) if bare else ()
    read = with_declared_verdict(dataclasses.replace(read, inputs=(*read.inputs, *attached)), declared)
    items = _items(declared, dialect)
    inputs = _inputs(read, declared, items)
    if read.contract is not None and any(map(choices_of, properties_of(read.contract.schema).values())):
        _check_abstain(declared, read.contract)  # before its labels are taken for others that lack points
    score, contract = _score(read, declared)
    scale = _scale(read, declared, score, contract)
    contract = _with_needs(contract, score, declared)
    _check_abstain(declared, contract)
    _check_claims(declared, score, items, inputs)
    pair, once = read_pair(read, declared, inputs, score, scale)
    if pair is not None:
        inputs, scale = pair_inputs(pair, inputs), Scale(low=0.0, high=1.0)
    judge = Judge(
        name=declared.name or clean_name(name),
        hash="",
        messages=(*messages, attachment(attached)) if attached else messages,
        dialect=dialect,
        inputs=inputs,
        contract=contract,
        score=score,
        scale=scale,
        better=declared.better if pair is None else "higher",
        passes=_passes(read, declared, contract, score, scale, pair=pair),
        format_message=_format_message(read, contract),
        items=items,
        rubric=_rubric(declared, read, inputs),
        ratings=_ratings(declared, contract),
        when_missing=declared.when_missing,
        when_empty=declared.when_empty,
        abstain=declared.abstain,
        truncate=_truncate(declared, inputs),
        temperature=declared.temperature,
        max_output_tokens=declared.max_output_tokens,
        anchors=declared.anchors if declared.anchors is not None else read.anchors,
        description=declared.description,
        ignored={**written.ignored, **declared.ignored},
        unread=(
            *_unread(read, declared, contract, score, scale),
            *once,
            *read.left_over,
            *(sentence for message in messages for sentence in template_unread(message.text, dialect)),
        ),
        guesses=(
            *_guesses(declared, dialect, messages, bare=bare),
            *_read_guesses(read, declared, score, scale),
        ),
        text=text,
        contract_template=_contract_template(declared, contract, score),
        pair=pair,
        embedded=declared.embedded,
    )
    _check_scores(declared, scale)
    return replace(judge, hash=judge_hash(judge))


def _with_rubric(declared: Declared) -> Declared:
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


def _with_ratings(declared: Declared) -> Declared:
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


def _ratings(declared: Declared, contract: Contract | None) -> tuple[Rating, ...]:
    """Each is a number of the verdict, and its pass rule can be computed."""
    properties = properties_of(contract.schema) if contract is not None else {}
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
            _check_expression("ratings", each.passes, names, declared)
    return declared.ratings


def _rubric(declared: Declared, read: PromptReading, inputs: tuple[Input, ...]) -> Rubric | None:
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


def _with_choices(declared: Declared, choices: Mapping[str, float | None], read: PromptReading) -> Declared:
    """Labels that an export keeps beside its prompt, as if front matter had them; the prompt's own place for them counts."""
    if not choices or declared.verdict is not None or declared.score is not None:
        return declared
    fields = properties_of(read.contract.schema) if read.contract is not None else {}
    placed = any(set(choices_of(schema)) == set(choices) for schema in fields.values())
    points = {label: value for label, value in choices.items() if value is not None}
    return replace(
        declared,
        verdict=None if placed else object_schema({"choice": {"enum": list(choices)}}),
        score=points if len(points) == len(choices) else None,
    )


def _contract_template(
    declared: Declared, contract: Contract | None, score: ScoreRule | None
) -> str | Mapping[str, str] | None:
    """What `--as contract` prints, its fields checked; a named scorer may add fields to the verdict."""
    template = declared.contract
    if template is None:
        return None
    texts = [template] if isinstance(template, str) else template.values()
    names = {found["field"] for text in texts for found in CONTRACT_FIELD.finditer(text)}
    known = {"score", "reason", *(properties_of(contract.schema) if contract else ())}
    unknown = sorted(names - known)
    if unknown and not isinstance(score, NamedScore):
        raise declared.error(
            "contract",
            f"`contract` names `{unknown[0]}`, which is not a field of the verdict",
            f"fields: {', '.join(sorted(known))}",
        )
    return template


# ---- inputs --------------------------------------------------------------------------------------------


def _attached(read: PromptReading, declared: Declared) -> tuple[Input, ...]:
    """What is sent beside a prompt without a placeholder: what front matter names, else what the text announces."""
    if _declares_inputs(declared):
        for name, entry in declared.inputs.items():
            if not _PLAIN_NAME.fullmatch(name):
                raise JudgeFileError(
                    f"{declared.where} line {entry.line}",
                    f"`{name}` cannot be sent beside a prompt without placeholders",
                    "use letters, digits and `_` for its name",
                )
        return tuple(
            _declared_input(Input(name=name, required=True, source=input_source(name)), declared)
            for name in declared.inputs
        )
    return announced_inputs(read.outline)


def _declares_inputs(declared: Declared) -> bool:
    """Whether front matter says which inputs there are; another tool's `inputs:` does not count."""
    return "inputs" in declared.lines and "inputs" not in declared.ignored


def _guesses(
    declared: Declared, dialect: Dialect, messages: tuple[PromptMessage, ...], *, bare: bool
) -> tuple[str, ...]:
    """What is only likely, by key; `bare` says that the prompt has no placeholder."""
    if bare:
        return () if _declares_inputs(declared) else ("inputs",)
    unsure = dialect == "custom" and declared.dialect is None
    return (
        ("dialect", "inputs")
        if unsure and not any(custom.is_wrapped(message.text) for message in messages)
        else ()
    )


def _items(declared: Declared, dialect: Dialect) -> Items | None:
    if declared.items is None:
        return None
    references = template_inputs(declared.items.prompt, dialect)
    inputs = read_inputs(references, outline(declared.items.prompt, dialect), frozenset(declared.inputs))
    schema = declared.items.verdict
    needs = tuple(properties_of(schema))
    return Items(
        body=declared.items.prompt,
        inputs=tuple(_declared_input(item, declared) for item in inputs),
        contract=Contract(schema=schema, needs=needs, structured=declared.structured),
    )


def _inputs(read: PromptReading, declared: Declared, items: Items | None) -> tuple[Input, ...]:
    found: dict[str, Input] = {item.name: item for item in (items.inputs if items is not None else ())}
    for item in read.inputs:
        if item.name == (ITEMS_INPUT if items is not None else CRITERIA_INPUT if declared.rubric else None):
            continue
        found.setdefault(item.name, _declared_input(item, declared))
    # One that is declared and never used changes nothing; lint says so.
    return tuple(found.values())


def _declared_input(item: Input, declared: Declared) -> Input:
    entry = declared.inputs.get(item.name)
    if entry is None:
        return item
    source = "current_date" if strip_namespace(item.name).lower() in DATE_NAMES else input_source(item.name)
    return Input(name=item.name, required=entry.required, source=source, default=entry.default)


def _read_guesses(
    read: PromptReading, declared: Declared, score: ScoreRule | None, scale: Scale | None
) -> Iterator[str]:
    """What the reader is not sure of and front matter does not settle."""
    used = {"scale": scale == read.scale, "better": score == read.score}
    for guess in read.guesses:
        if SETTLES[guess] not in declared.lines and used.get(guess, True):
            yield guess


# ---- score ---------------------------------------------------------------------------------------------


def _score(read: PromptReading, declared: Declared) -> tuple[ScoreRule | None, Contract | None]:
    score = declared.score
    if score is None:
        return read.score, read.contract
    contract = read.contract
    if contract is None:
        if isinstance(score, str) and score in SCORER_VERSIONS:
            return NamedScore(name=score), None
        raise declared.error(
            "score",
            "`score` needs a verdict, but none could be read from the prompt",
            "add `verdict:` with the fields the reply has",
        )
    if isinstance(score, str):
        return _score_of_text(score, contract, declared), contract
    return _score_of_map(score, contract, declared)


def _score_of_text(score: str, contract: Contract, declared: Declared) -> ScoreRule:
    properties = properties_of(contract.schema)
    if score in properties:
        _check_numeric(score, properties[score], declared)
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
    _check_expression("score", score, (*properties, *listed), declared)
    return ExpressionScore(text=score)


def _check_numeric(name: str, schema: Json, declared: Declared) -> None:
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


def _check_expression(key: str, text: str, names: tuple[str, ...], declared: Declared) -> None:
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


def _check_claims(
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


def _with_needs(contract: Contract | None, score: ScoreRule | None, declared: Declared) -> Contract | None:
    if contract is None:
        return None
    properties = properties_of(contract.schema)
    match score:
        case None:
            needs: tuple[str, ...] = ()
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


def _labels(schema: Json) -> tuple[str, ...]:
    """What a value may be that is no number: its labels, and `null` where it may be that."""
    kinds = schema.get("type") if isinstance(schema, dict) else None
    return (*choices_of(schema), *(("null",) if isinstance(kinds, list) and "null" in kinds else ()))


def _check_abstain(declared: Declared, contract: Contract | None) -> None:
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


def _is_prose(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _format_message(read: PromptReading, contract: Contract | None) -> str | None:
    """Our message about the place of the rating, as JSON where a schema is sent."""
    if (
        read.format_message is None
        or contract is None
        or contract.form == "json"
        or not contract.sends_schema
    ):
        return read.format_message
    return ask_for(properties_of(contract.schema))


# ---- scale and pass rule -------------------------------------------------------------------------------


def _scale(
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
        return _field_scale(properties_of(contract.schema)[score.field])
    return None


def _field_scale(schema: Json) -> Scale | None:
    assert isinstance(schema, dict)
    low, high = schema.get("minimum"), schema.get("maximum")
    options = schema.get("enum")
    if isinstance(options, list):
        numbers = [
            option for option in options if isinstance(option, int | float) and not isinstance(option, bool)
        ]
        low, high = min(numbers), max(numbers)
    if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
        return Scale(low=float(low), high=float(high))
    return None


def _passes(
    read: PromptReading,
    declared: Declared,
    contract: Contract | None,
    score: ScoreRule | None,
    scale: Scale | None,
    *,
    pair: Pair | None,
) -> str | None:
    if declared.passes is not None:
        check_pass_rule(declared.passes, contract, declared, pair=pair)
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


def check_pass_rule(
    text: str, contract: Contract | None, declared: Declared, *, pair: Pair | None = None
) -> None:
    fields = tuple(properties_of(contract.schema)) if contract is not None else ()
    if pair is not None:
        fields = ("winner",)  # what both orders say together; neither's own fields decide
    _check_expression("passes", text, ("score", *(name for name in fields if name != "score")), declared)


def _truncate(declared: Declared, inputs: tuple[Input, ...]) -> str | None:
    names = [item.name for item in inputs]
    if declared.truncate is not None and declared.truncate not in names:
        raise declared.error(
            "too_long",
            f"`too_long` would cut `{declared.truncate}`, which is not an input of this judge",
            did_you_mean(declared.truncate, names) or f"the inputs are {', '.join(names)}",
        )
    return declared.truncate


def _check_scores(declared: Declared, scale: Scale | None) -> None:
    if scale is None:
        return
    for key, value in (("when_missing", declared.when_missing), ("when_empty", declared.when_empty)):
        if isinstance(value, float) and not scale.low <= value <= scale.high:
            raise declared.error(
                key,
                f"the score {value:g} of `{key}` is off the scale {scale.low:g} to {scale.high:g}",
                "use a score on the scale",
            )


def _unread(
    read: PromptReading,
    declared: Declared,
    contract: Contract | None,
    score: ScoreRule | None,
    scale: Scale | None,
) -> tuple[str, ...]:
    """What still cannot be known, once front matter has spoken."""
    if contract is None or score is None:
        return read.unread
    if scale is None:
        about = f" for `{score.field}`" if isinstance(score, FieldScore) else ""
        return (f"no scale was found{about}: add `scale: [lo, hi]`",)
    if score == read.score and read.scale is not None and "better" not in declared.lines:
        return read.unread
    return ()
