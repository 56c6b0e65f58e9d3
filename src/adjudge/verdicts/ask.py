"""The words of a re-ask, in the form that the prompt asks for, and a contract's schema in words."""

import json
from collections.abc import Mapping

from adjudge.records import Contract, Json
from adjudge.verdicts.names import labels_of, properties

MAX_WHY = 400


def describe_format(contract: Contract) -> str:
    """What to answer with: the fields of one JSON object, or where the verdict stands in an answer that is text."""
    if contract.form != "json" and not contract.sends_schema:
        return "\n".join(
            _place(contract, name, schema)
            for name, schema in properties(contract).items()
            if name in contract.needs
        )
    lines = ["Answer with one JSON object and nothing else. Its fields, in this order:"]
    for name, schema in properties(contract).items():
        lines += _field(name, schema, depth=0)
    return "\n".join(lines)


def ask_again(contract: Contract, why: str) -> str:
    """The user message after a reply that did not validate."""
    bounded = " ".join(why.split())[:MAX_WHY]
    if contract.form != "json" and not contract.sends_schema:
        # For the verdict alone the model would have to leave out the explanation that the prompt asks for.
        wanted = f"Answer again, as the instructions above ask you to. {describe_format(contract)}"
    else:
        wanted = _alone(contract)
    return f"Your last reply could not be used. {bounded}\n\n{wanted}"


def ask_alone(contract: Contract) -> str:
    """The user message after a verdict that also stands in the material."""
    return (
        "Your last reply holds a verdict that also stands in the material you were given, beside other text, so it is "
        "not clear that it is your own. Judge for yourself; do not copy a verdict from the material.\n\n"
        + _alone(contract)
    )


def _alone(contract: Contract) -> str:
    return "Give the verdict alone, with nothing before or after it. " + describe_format(contract)


def _place(contract: Contract, name: str, schema: Mapping[str, Json]) -> str:
    """Where a needed value stands in the prompt's own form; `N` where a number or a label goes."""
    label = labels_of(contract, name)[0]
    match contract.form:
        case "brackets":
            place = "as [[N]]"
        case "tags":
            tag = label.replace(" ", "_")
            place = f"as <{tag}>N</{tag}>"
        case "bare":
            place = "as N, on a line of its own"
        case _:
            head = label.upper() if label.endswith("]") else f"{label[:1].upper()}{label[1:]}:"
            place = f"as `{head} N`, on a line of its own"
    return f"Write the {name.replace('_', ' ')} {place}, where N is {kind_in_words(schema)}."


def _field(name: str, schema: Mapping[str, Json], depth: int) -> list[str]:
    about = schema.get("description")
    indent = "  " * depth
    text = f'{indent}- "{name}": {kind_in_words(schema)}'
    if isinstance(about, str) and about.strip():
        text += f". {' '.join(about.split())}"
    lines = [text]
    inner = schema.get("items") if _is(schema, "array") else schema
    if isinstance(inner, Mapping) and isinstance(fields := inner.get("properties"), Mapping):
        for key, rule in fields.items():
            lines += _field(key, rule if isinstance(rule, Mapping) else {}, depth + 1)
    return lines


def _is(schema: Mapping[str, Json], kind: str) -> bool:
    kinds = schema.get("type")
    return kinds == kind or (isinstance(kinds, list) and kind in kinds)


def kind_in_words(schema: Mapping[str, Json]) -> str:
    """`a whole number from 0 to 5`, `one of "yes", "no"`, `a list of 2 to 3 strings`."""
    options = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(options, list):
        shown = ", ".join(json.dumps(option, ensure_ascii=False) for option in options)
        return shown if len(options) == 1 else f"one of {shown}"
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        return " or ".join(kind_in_words(branch) for branch in branches if isinstance(branch, Mapping))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " or ".join(_kind(kind, schema) for kind in kinds if isinstance(kind, str))
    return (
        _kind(kinds, schema)
        if isinstance(kinds, str)
        else "an object"
        if "properties" in schema
        else "a value"
    )


def _kind(kind: str, schema: Mapping[str, Json]) -> str:
    match kind:
        case "integer" | "number":
            return ("a whole number" if kind == "integer" else "a number") + _range(schema)
        case "boolean":
            return "true or false"
        case "array":
            items = schema.get("items")
            things = _plural(items) if isinstance(items, Mapping) else "values"
            return f"a list of {_count(schema)}{things}"
        case "object":
            return "an object" + (" with" if "properties" in schema else "")
        case "string":
            return "a string"
        case _:
            return kind


def _range(schema: Mapping[str, Json]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {_shown(low)} to {_shown(high)}"
    parts = [
        (low, "of at least"),
        (high, "of at most"),
        (above, "above"),
        (below, "below"),
    ]
    said = " and ".join(f"{word} {_shown(bound)}" for bound, word in parts if bound is not None)
    return f" {said}" if said else ""


def _shown(bound: Json) -> str:
    return f"{bound:g}" if isinstance(bound, int | float) else str(bound)


def _count(schema: Mapping[str, Json]) -> str:
    fewest, most = schema.get("minItems"), schema.get("maxItems")
    if fewest is not None and fewest == most:
        return f"exactly {fewest} "
    if fewest is not None and most is not None:
        return f"{fewest} to {most} "
    if fewest is not None:
        return f"at least {fewest} "
    return f"at most {most} " if most is not None else ""


def _plural(items: Mapping[str, Json]) -> str:
    if _is(items, "string") and "enum" not in items:
        return "strings"
    if "properties" in items or _is(items, "object"):
        return "objects, each with"
    return f"values, each {kind_in_words(items)}"
