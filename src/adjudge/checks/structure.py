"""`json_schema`: the response is JSON, and validates."""

import re
from collections.abc import Mapping

import orjson

from adjudge.checks.finding import Finding, failed, not_checked, passed, quoted
from adjudge.checks.json_schema import MAX_STEPS, TooManyStepsError, first_fault
from adjudge.records import Failed, Json
from adjudge.scoring.text import clipped
from adjudge.text import as_text

_FENCE = re.compile(r"\A\s*+```[a-zA-Z0-9]*+[ \t]*+\n")
_FENCE_END = "```"


def check_json_schema(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    value = fields.get("response")
    if isinstance(value, str):
        text = without_fence(value) if parameters["allow_fence"] else value
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            place = f"line {error.lineno}, column {error.colno}"
            return failed(f"The response is not JSON: the first fault is at {place}.", response=quoted(text))
    schema = parameters.get("schema")
    if schema is None:
        return passed("The response is JSON.")
    try:
        fault = first_fault(schema, value, len(as_text(fields.get("response"))))
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
