"""`json_schema`: the response is JSON that validates against a JSON Schema.

A schema is checked when its judge is loaded, and none fetches another one. `pattern` and its like are matched by RE2,
because what is validated may be written to make another engine slow.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from msgspec import Struct

from adjudge.checks.check import Check, Parameter, ParameterError, flag
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed, quoted
from adjudge.checks.regex import compile_pattern
from adjudge.records import Failed, Json
from adjudge.scoring.text import clipped
from adjudge.text import as_text

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

MAX_STEPS = 50_000
"""Keywords looked at for one text, or one for each of its characters: where references meet the same value on several
ways, each level of it doubles them.
"""
MAX_SCHEMA_CHARS = 100_000
"""Characters of a schema, as JSON."""
_FENCE = re.compile(r"\A\s*+```[a-zA-Z0-9]*+[ \t]*+\n")
_FENCE_END = "```"


class TooManyStepsError(Exception):
    """Validating takes more steps than a text is worth."""


_steps_left: ContextVar[int] = ContextVar("adjudge_schema_steps_left", default=MAX_STEPS)


def read_schema(value: Json) -> Json:
    compile_schema(value)
    return value


class JsonSchema(Struct, frozen=True, kw_only=True):
    schema: Annotated[Json, Parameter(read_schema, "a JSON Schema; without one any JSON passes")] = None
    allow_fence: Annotated[bool, flag("`true`: the JSON may stand in a Markdown code fence")] = False


def check_json_schema(fields: Fields, parameters: JsonSchema) -> Finding | Failed:
    value = fields.get("response")
    if isinstance(value, str):
        text = without_fence(value) if parameters.allow_fence else value
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            place = f"line {error.lineno}, column {error.colno}"
            return failed(f"The response is not JSON: the first fault is at {place}.", response=quoted(text))
    if parameters.schema is None:
        return passed("The response is JSON.")
    try:
        fault = first_fault(parameters.schema, value, len(as_text(fields.get("response"))))
    except RecursionError:
        return not_checked("too_long", "the response is nested too deep to validate", "response")
    except TooManyStepsError:
        return not_checked("too_long", f"validating it takes more than {MAX_STEPS:,} steps", "response")
    except ArithmeticError:
        return not_checked("too_long", "it has a number too large to compute with", "response")
    if fault is None:
        return passed("The response is JSON and validates against the schema.")
    place = "/".join(str(step) for step in fault.absolute_path) or "the top"
    message = clipped(fault.message, 200)
    return failed(
        f"The response is JSON and does not validate: at {clipped(place, 80)}, {message}.",
        place=clipped(place, 80),
        fault=message,
    )


def without_fence(text: str) -> str:
    """What stands in the one code fence that is all of the text; else the text."""
    opening = _FENCE.match(text)
    body = text.rstrip()
    if opening is None or not body.endswith(_FENCE_END) or opening.end() > len(body) - len(_FENCE_END):
        return text
    return body[opening.end() : -len(_FENCE_END)]


CHECK = Check(name="json_schema", version=1, parameters=JsonSchema, run=check_json_schema)


# ---- schemas ----


def first_fault(schema: Json, value: Json, size: int) -> "ValidationError | None":
    """What is wrong with the value, a text of `size` characters, if anything."""
    return _first_fault(compile_schema(schema), value, size)


def _first_fault(validator: "Validator", value: Json, size: int = 0) -> "ValidationError | None":
    _steps_left.set(max(MAX_STEPS, size))
    return next(validator.iter_errors(value), None)


def compile_schema(schema: Json) -> "Validator":
    if isinstance(schema, bool) or not isinstance(schema, dict):
        raise ParameterError(
            f"is {json.dumps(schema)[:80]}, not an object", "write a JSON Schema, such as `{type: object}`"
        )
    text = json.dumps(schema, sort_keys=True)
    if len(text) > MAX_SCHEMA_CHARS:
        raise ParameterError(f"has {len(text)} characters", f"write {MAX_SCHEMA_CHARS} at most")
    return _compile(text)


@lru_cache(maxsize=32)
def _compile(written: str) -> "Validator":
    from jsonschema.exceptions import SchemaError, UnknownType  # noqa: PLC0415 - slow, and few runs need it
    from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415 - as above
    from referencing import Registry  # noqa: PLC0415 - as above

    schema = json.loads(written)
    known: Any = validator_for(schema, default=Draft202012Validator)
    try:
        known.check_schema(schema)
    except (SchemaError, UnknownType) as error:
        place = "/".join(map(str, getattr(error, "absolute_path", ()))) or "its top"
        raise ParameterError(
            f"is not a JSON Schema: at {place}, {getattr(error, 'message', error)}"[:500],
            "see https://json-schema.org/understanding-json-schema",
        ) from None
    _check_patterns(schema)
    _check_references(schema)
    validator: Validator = _bounded(known)(schema, registry=Registry())
    try:
        for text in ("null", '""', "0", "[]", "{}"):
            _first_fault(validator, json.loads(text))
    except TooManyStepsError:
        raise ParameterError(
            f"takes more than {MAX_STEPS:,} steps to validate even an empty value",
            "let `$ref` lead to each part once",
        ) from None
    except RecursionError:
        raise ParameterError(
            "refers to itself without end", "let each `$ref` lead to something smaller"
        ) from None
    return validator


def _bounded(known: Any) -> Any:
    """The same keywords, those that hostile text could make slow replaced by ours."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - as above
    from jsonschema.validators import extend  # noqa: PLC0415 - as above

    def pattern(_validator: Any, wanted: str, instance: object, _schema: object) -> Iterator[Any]:
        if isinstance(instance, str) and not compile_pattern(wanted).search(_encodable(instance)):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    def pattern_properties(
        validator: Any, wanted: Mapping[str, Any], instance: object, _schema: object
    ) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        for text, schema in wanted.items():
            compiled = compile_pattern(text)
            for name, value in instance.items():
                if compiled.search(_encodable(name)):
                    yield from validator.descend(value, schema, path=name, schema_path=text)

    def additional_properties(
        validator: Any, wanted: Any, instance: object, schema: Mapping[str, Any]
    ) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        named = schema.get("properties", {})
        patterns = [compile_pattern(text) for text in schema.get("patternProperties", {})]
        for name, value in instance.items():
            if name in named or any(each.search(_encodable(name)) for each in patterns):
                continue
            if wanted is False:
                yield ValidationError(f"{name!r} is not one of its properties")
            elif isinstance(wanted, dict):
                yield from validator.descend(value, wanted, path=name)

    def unique_items(_validator: Any, wanted: object, instance: object, _schema: object) -> Iterator[Any]:
        if (
            wanted is True
            and isinstance(instance, list)
            and len(set(map(_canonical, instance))) < len(instance)
        ):
            yield ValidationError("its items are not all different")

    ours = {
        "uniqueItems": unique_items,
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
    }
    return extend(known, {name: _counted(keyword) for name, keyword in {**known.VALIDATORS, **ours}.items()})


def _counted(keyword: Any) -> Any:
    def apply(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        left = _steps_left.get() - 1
        if left < 0:
            raise TooManyStepsError
        _steps_left.set(left)
        return keyword(validator, wanted, instance, schema)

    return apply


def _canonical(value: Json) -> str:
    """Equal for equal JSON: 1.0 is 1, and true is not."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _check_patterns(schema: Json) -> None:
    """Those of the schema's own keywords; a property that is called `pattern` holds a schema and no text."""
    nodes = list(_objects(schema))
    keywords = {name for node in nodes for name in node}
    if "patternProperties" in keywords and keywords & {"unevaluatedProperties", "unevaluatedItems"}:
        raise ParameterError(
            "has `patternProperties` beside `unevaluatedProperties`", "use `additionalProperties` instead"
        )
    for node in nodes:
        texts = [node["pattern"]] if isinstance(node.get("pattern"), str) else []
        named = node.get("patternProperties")
        for text in (*texts, *(named if isinstance(named, dict) else ())):
            try:
                compile_pattern(str(text))
            except ParameterError as error:
                raise ParameterError(
                    f"has the pattern `{str(text)[:80]}`, which {error.problem}", error.hint
                ) from None


def _check_references(schema: Json) -> None:
    for node in _objects(schema):
        for name in ("$ref", "$dynamicRef"):
            target = node.get(name)
            if isinstance(target, str) and not target.startswith("#"):
                raise ParameterError(
                    f"refers to `{target[:80]}`, which is not part of it",
                    "copy that schema into `$defs` and refer to it as `#/$defs/name`: nothing is fetched",
                )
            if isinstance(target, str) and not _leads_somewhere(schema, target):
                raise ParameterError(
                    f"refers to `{target[:80]}`, which it does not have", "add it to `$defs`"
                )


def _leads_somewhere(schema: Json, target: str) -> bool:
    if not target.startswith("#/"):  # the whole schema, or an anchor
        anchors = {node.get(name) for node in _objects(schema) for name in ("$anchor", "$dynamicAnchor")}
        return target == "#" or target[1:] in anchors
    at: Json = schema
    for step in target[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and name in at:
            at = at[name]
        elif isinstance(at, list) and name.isdecimal() and len(name) < 6 and int(name) < len(at):
            at = at[int(name)]
        else:
            return False
    return True


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    """Every object in it; front matter is not nested deep."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(each)
