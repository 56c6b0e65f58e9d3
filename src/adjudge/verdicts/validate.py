"""An object's fields -> the contract's parts: strict where the score depends on them, noted where it does not."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

from adjudge.identity_cache import cache_by_identity
from adjudge.records import Contract, Json, Verdict
from adjudge.schemas import properties_of
from adjudge.text import encodable
from adjudge.verdicts.decode import too_deep
from adjudge.verdicts.names import FieldNames, plain_key, properties
from adjudge.verdicts.values import (
    Allowed,
    ValueProblem,
    allowed_by,
    as_number,
    fit_number,
    plain,
    read_value,
    show,
)

MISSING: Final = "missing"
Missing = Literal["missing"]
MAX_EXTRA_NOTES = 8
MAX_SCALAR_TEXT = 1000
NO_WORDS: Mapping[str, Json] = {}
BULLET = re.compile(r"\A[ \t]*(?:[-*•+–‣▪]|\(?\d{1,2}[.)])[ \t]+")
TRUTH = {"true": True, "yes": True, "false": False, "no": False}


ExactCheck = Callable[[Json], bool]
"""Whether a value is what a schema asks for as it stands: `validate_value` would give it back, and note nothing."""


@cache_by_identity
def exact_checks(contract: Contract) -> Mapping[str, ExactCheck]:
    """By property. Most replies need nothing but this; whatever else they hold is for `validate_value`."""
    return {name: exact_validator(schema) for name, schema in properties(contract).items()}


def exact_validator(schema: Mapping[str, Json]) -> ExactCheck:
    if schema.keys() & {"anyOf", "oneOf", "const"}:
        return _never
    options = schema.get("enum")
    if isinstance(options, list):
        return _exact_option(options)
    match schema.get("type"):
        case [str(kind), "null"]:
            is_exact = exact_validator({**schema, "type": kind})
            return lambda value: value is None or is_exact(value)
        case "boolean":
            return lambda value: value is True or value is False
        case "integer":
            allowed = allowed_by(schema, NO_WORDS)
            return lambda value: type(value) is int and fit_number(value, allowed) == value
        case "number":
            allowed = allowed_by(schema, NO_WORDS)
            return lambda value: (
                isinstance(value, int | float)
                and as_number(value) is not None
                and fit_number(value, allowed) == value
            )
        case "string" if not schema.keys() & {"minLength", "maxLength"}:
            return lambda value: type(value) is str and (value.isascii() or encodable(value) is value)
        case "array" if isinstance(schema.get("items"), Mapping):
            return _exact_array(schema)
        case "object" if isinstance(schema.get("properties"), Mapping):
            return _exact_object(schema)
        case _:
            return _never


def _never(value: Json) -> bool:
    del value
    return False


def _exact_option(options: list[Json]) -> ExactCheck:
    known: dict[type, set[Json]] = {}
    for option in options:
        if not isinstance(option, dict | list):
            known.setdefault(type(option), set()).add(option)
    return lambda value: type(value) in known and value in known[type(value)]


def _exact_array(schema: Mapping[str, Json]) -> ExactCheck:
    items = schema["items"]
    assert isinstance(items, Mapping)
    is_exact = exact_validator(items)

    def validate_array(value: Json) -> bool:
        notes: list[str] = []
        if type(value) is not list or not all(map(is_exact, value)):
            return False
        _note_length(value, schema, "", notes)
        return not notes

    return validate_array


def _exact_object(schema: Mapping[str, Json]) -> ExactCheck:
    """With every property, in their order, and nothing else."""
    fields = properties_of(schema)
    names = list(fields)
    if len({plain_key(name) for name in names}) < len(names):
        return _never
    checks = [
        (name, exact_validator(rule) if isinstance(rule, Mapping) else _never)
        for name, rule in fields.items()
    ]

    def validate_object(value: Json) -> bool:
        if type(value) is not dict or list(value) != names:
            return False
        for name, is_exact in checks:  # noqa: SIM110 - `all` takes twice the time
            if not is_exact(value[name]):
                return False
        return True

    return validate_object


@cache_by_identity
def exact_reply(contract: Contract) -> ExactCheck:
    """Whether an object is the verdict as it stands: `to_verdict` would give back all of it, and note nothing."""
    return _never if too_deep({**contract.schema}) else _exact_object(contract.schema)


def to_verdict(found: Mapping[str, Json], contract: Contract, names: FieldNames) -> Verdict | ValueProblem:
    """Validate what the score needs, fit the rest, in the contract's order."""
    fields = names.pick(found)
    notes: list[str] = []
    parts: dict[str, Json] = {}
    exact = exact_checks(contract)
    for name, schema in properties(contract).items():
        if name in fields.values and name not in fields.twice and exact[name](fields.values[name]):
            parts[name] = fields.values[name]
            continue
        words = contract.words.get(name, NO_WORDS)
        if name in contract.needs:
            if name in fields.twice:
                return ValueProblem(f"`{name}` is given twice, with different values")
            if name not in fields.values:
                return ValueProblem(f"`{name}` is missing")
            value = validate_value(fields.values[name], schema, name, notes, words)
            if isinstance(value, ValueProblem):
                return value
            parts[name] = value
            continue
        field_value = fields.values.get(name)
        if field_value is None and not _allows(schema, "null"):
            notes.append(f"missing_field:{name}")
            continue
        fitted = fit(field_value, schema, name, notes, words)
        if not isinstance(fitted, ValueProblem):
            parts[name] = fitted
    notes += [f"extra_field:{printable_key(key)}" for key in fields.extra[:MAX_EXTRA_NOTES]]
    return Verdict(parts=parts, notes=tuple(dict.fromkeys(notes)))


def printable_key(key: str) -> str:
    return re.sub(r"[^\w .-]+", "?", key)[:40]


def _types(schema: Mapping[str, Json]) -> list[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return [kinds]
    if isinstance(kinds, list):
        return [kind for kind in kinds if isinstance(kind, str)]
    if "properties" in schema:
        return ["object"]
    return ["array"] if "items" in schema else []


def branches_of(schema: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    found = schema.get("anyOf", schema.get("oneOf"))
    return [branch for branch in found if isinstance(branch, Mapping)] if isinstance(found, list) else []


def _allows(schema: Mapping[str, Json], kind: str) -> bool:
    options = schema.get("enum")
    if kind == "null" and isinstance(options, list) and None in options:
        return True
    return kind in _types(schema) or any(_allows(branch, kind) for branch in branches_of(schema))


def kind_of(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def validate_value(
    value: Json, schema: Mapping[str, Json], path: str, notes: list[str], words: Mapping[str, Json] = NO_WORDS
) -> Json | ValueProblem:
    """The value as the schema has it, or a whole sentence of what is wrong."""
    branches = branches_of(schema)
    if branches:
        return _validate_branches(value, branches, path, notes, words)
    if "enum" in schema or "const" in schema:
        return _validate_options(value, schema, path, words)
    kinds = _types(schema)
    if not kinds:
        return clean_strings(value)
    kind_found = kind_of(value)
    # An exact type goes before one that the value could be turned into.
    exact = [kind for kind in kinds if kind == kind_found or (kind == "number" and kind_found == "integer")]
    checked: Json | ValueProblem = None
    for kind in exact or kinds:
        checked = _validate_kind(value, schema, path, notes, kind=kind, words=words)
        if not isinstance(checked, ValueProblem):
            break
    return checked


def _validate_branches(
    value: Json, branches: list[Mapping[str, Json]], path: str, notes: list[str], words: Mapping[str, Json]
) -> Json | ValueProblem:
    kind_found = kind_of(value)
    fitting = [
        b for b in branches if kind_found in _types(b) or (kind_found == "integer" and "number" in _types(b))
    ]
    problem: ValueProblem | None = None
    for branch in fitting + [b for b in branches if b not in fitting]:
        aside: list[str] = []
        checked = validate_value(value, branch, path, aside, words)
        if not isinstance(checked, ValueProblem):
            notes += aside
            return checked
        problem = checked if branch in fitting else problem
    return problem or ValueProblem(f"`{path}` is {show(value)}, which fits none of the forms asked for")


def _validate_options(
    value: Json, schema: Mapping[str, Json], path: str, words: Mapping[str, Json]
) -> Json | ValueProblem:
    allowed = allowed_by(schema, words)
    options = allowed.options or ()
    kind_found = kind_of(value)
    for option in options:
        if kind_of(option) == kind_found and option == value:
            return option
    wanted = ValueProblem(f"`{path}` is {show(value)}, not {allowed.describe()}")
    if value is None or isinstance(value, dict | list):
        return wanted
    if isinstance(value, bool):
        text = "true" if value else "false"
        return next((o for o in options if isinstance(o, str) and plain(o) == text), wanted)
    if isinstance(value, str):
        if plain(value) in TRUTH and TRUTH[plain(value)] in [o for o in options if isinstance(o, bool)]:
            return TRUTH[plain(value)]
        return _named(_from_text(value, allowed), path)
    return _named(fit_number(value, allowed), path)


def _from_text(value: str, allowed: Allowed) -> Json | ValueProblem:
    if len(value) > MAX_SCALAR_TEXT:
        return ValueProblem(f"is a long text, not {allowed.describe()}")
    return read_value(value, allowed)


def _named(value: Json | ValueProblem, path: str) -> Json | ValueProblem:
    return ValueProblem(f"`{path}` {value.text}") if isinstance(value, ValueProblem) else value


def _validate_kind(
    value: Json,
    schema: Mapping[str, Json],
    path: str,
    notes: list[str],
    *,
    kind: str,
    words: Mapping[str, Json],
) -> Json | ValueProblem:
    match kind:
        case "null":
            return None if value is None else ValueProblem(f"`{path}` is {show(value)}, not null")
        case "boolean":
            return _validate_boolean(value, path)
        case "integer" | "number":
            return _validate_number(value, {**schema, "type": kind}, path, words)
        case "string":
            return _validate_string(value, schema, path, notes)
        case "array":
            return _validate_array(value, schema, path, notes)
        case "object":
            return _validate_object(value, schema, path, notes)
        case _:
            return clean_strings(value)


def _validate_boolean(value: Json, path: str) -> Json | ValueProblem:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and plain(value) in TRUTH:
        return TRUTH[plain(value)]
    return ValueProblem(f"`{path}` is {show(value)}, not true or false")


def _validate_number(
    value: Json, schema: Mapping[str, Json], path: str, words: Mapping[str, Json]
) -> Json | ValueProblem:
    allowed = allowed_by(schema, words)
    if isinstance(value, str):
        return _named(_from_text(value, allowed), path)
    number = as_number(value)
    if number is None:
        return ValueProblem(f"`{path}` is {show(value)}, not {allowed.describe()}")
    return _named(fit_number(number, allowed), path)


def _validate_string(
    value: Json, schema: Mapping[str, Json], path: str, notes: list[str]
) -> Json | ValueProblem:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = json.dumps(value)
    if not isinstance(value, str):
        return ValueProblem(f"`{path}` is {show(value)}, not text")
    text = encodable(value)
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if isinstance(shortest, int) and len(text) < shortest:
        return ValueProblem(f"`{path}` is {'empty' if not text else 'too short'}")
    if isinstance(longest, int) and len(text) > longest:
        notes.append(f"string_length:{top(path)}")
    return text


def _validate_array(
    value: Json, schema: Mapping[str, Json], path: str, notes: list[str]
) -> Json | ValueProblem:
    if not isinstance(value, list):
        return ValueProblem(f"`{path}` is {show(value)}, not a list")
    _note_length(value, schema, path, notes)
    items = schema.get("items")
    if not isinstance(items, Mapping):
        return clean_strings(value)
    checked: list[Json] = []
    for index, item in enumerate(value):
        checked_item = validate_value(item, items, f"{path}[{index}]", notes)
        if isinstance(checked_item, ValueProblem):
            return checked_item
        checked.append(checked_item)
    return checked


def _note_length(value: list[Json], schema: Mapping[str, Json], path: str, notes: list[str]) -> None:
    fewest, most = schema.get("minItems"), schema.get("maxItems")
    if (isinstance(fewest, int) and len(value) < fewest) or (isinstance(most, int) and len(value) > most):
        notes.append(f"list_length:{top(path)}")


def _validate_object(
    value: Json, schema: Mapping[str, Json], path: str, notes: list[str]
) -> Json | ValueProblem:
    if not isinstance(value, dict):
        return ValueProblem(f"`{path}` is {show(value)}, not an object")
    inner = schema.get("properties")
    known = inner if isinstance(inner, Mapping) else {}
    names = FieldNames(own={plain_key(name): name for name in known}, aliases={}, nested=frozenset())
    fields = names.pick(value)
    required = schema.get("required")
    wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    for name in wanted:
        if name not in fields.values:
            return ValueProblem(f"`{path}.{name}` is missing")
    checked: dict[str, Json] = {}
    for name, rule in known.items():
        if name not in fields.values:
            continue
        if name in fields.twice:
            return ValueProblem(f"`{path}.{name}` is given twice, with different values")
        field_value = fields.values[name]
        rule = rule if isinstance(rule, Mapping) else {}  # noqa: PLW2901 - a schema of `true` allows anything
        if field_value is None and name not in wanted and not _allows(rule, "null"):
            continue
        checked_item = validate_value(field_value, rule, f"{path}.{name}", notes)
        if isinstance(checked_item, ValueProblem):
            return checked_item
        checked[name] = checked_item
    more = schema.get("additionalProperties", not known)
    for key in fields.extra:
        if isinstance(more, Mapping):
            checked_item = validate_value(value[key], more, f"{path}.{printable_key(key)}", notes)
            if isinstance(checked_item, ValueProblem):
                return checked_item
            checked[encodable(key)] = checked_item
        elif more is True:
            checked[encodable(key)] = clean_strings(value[key])
    return checked


# ---- what the score does not depend on -----------------------------------------------------------------


def fit(
    value: Json, schema: Mapping[str, Json], name: str, notes: list[str], words: Mapping[str, Json] = NO_WORDS
) -> Json | ValueProblem:
    """The value, turned into its type where that is plain; otherwise a note says what was wrong with it."""
    aside: list[str] = []
    checked = validate_value(value, schema, name, aside, words)
    if not isinstance(checked, ValueProblem):
        notes += aside
        return checked
    if "enum" in schema or "const" in schema:
        notes.append(f"wrong_value:{name}")
        return checked
    kinds = _types(schema)
    if "string" in kinds and isinstance(value, str):
        notes.append(f"wrong_form:{name}")
        return encodable(value)
    if ("integer" in kinds or "number" in kinds) and as_number(value) is not None:
        notes.append(f"off_scale:{name}")
        return checked
    notes.append(f"wrong_type:{name}")
    if "array" in kinds:
        return _fit_list(value, schema, name, notes)
    if "string" in kinds:
        return _as_text(value)
    return checked


def _fit_list(value: Json, schema: Mapping[str, Json], name: str, notes: list[str]) -> Json | ValueProblem:
    items = schema.get("items")
    rule = items if isinstance(items, Mapping) else {}
    if isinstance(value, str):
        entries: list[Json] = list(split_bullets(value))
    elif isinstance(value, list):
        entries = value
    else:
        entries = (
            list(value.values()) if isinstance(value, dict) and "object" not in _types(rule) else [value]
        )
    kept: list[Json] = []
    for item in entries:
        checked_item = validate_value(item, rule, name, [])
        if isinstance(checked_item, ValueProblem) and "string" in _types(rule) and item is not None:
            checked_item = _as_text(item)
        if not isinstance(checked_item, ValueProblem):
            kept.append(checked_item)
    _note_length(kept, schema, name, notes)
    return kept


def _as_text(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return encodable("\n".join(item for item in value if isinstance(item, str)))
    return (
        encodable(value) if isinstance(value, str) else json.dumps(clean_strings(value), ensure_ascii=False)
    )


def split_bullets(text: str) -> list[str]:
    """Bullet lines as items, with their continuation lines; text without bullets is one item."""
    items: list[list[str]] = []
    lead: list[str] = []
    for line in text.splitlines():
        bullet = BULLET.match(line)
        if bullet is not None:
            items.append([line[bullet.end() :].strip()])
        elif line.strip():
            (items[-1] if items else lead).append(line.strip())
    if not items:
        joined = "\n".join(lead).strip()
        return [joined] if joined else []
    return [item for item in ("\n".join(lines).strip() for lines in items) if item]


def clean_strings(value: Json) -> Json:
    r"""Without lone surrogates, which `\ud83d` in JSON can make and UTF-8 cannot hold."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [clean_strings(item) for item in value]
    if isinstance(value, dict):
        return {encodable(key): clean_strings(item) for key, item in value.items()}
    return value


def top(path: str) -> str:
    """The property a path begins with: notes name properties."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]
