"""A judge as a judge file: what was read from its prompt as front matter, for a person to check and to edit."""

import json
from collections.abc import Iterator, Mapping

from adjudge.errors import JudgeFileError
from adjudge.judges.describe import score_json
from adjudge.judges.front_matter import normalize_text, split_front_matter
from adjudge.records import Input, Json, Judge, PointsScore
from adjudge.schemas import as_number, properties_of

SETTLES = {
    "labels": "verdict",
    "fields": "verdict",
    "scale": "scale",
    "dialect": "dialect",
    "inputs": "inputs",
}
"""What was guessed -> the key that says it for certain."""


def front_matter_lines(judge: Judge) -> dict[str, str]:
    """Key -> its line, for all that is known of a judge."""
    lines: dict[str, str] = {"name": judge.name, "dialect": judge.dialect}
    if judge.inputs:
        lines["inputs"] = _flow({item.name: _input(item) for item in judge.inputs})
    if judge.contract is not None and properties_of(judge.contract.schema):
        fields = properties_of(judge.contract.schema)
        lines["verdict"] = _flow({name: _type(schema) for name, schema in fields.items()})
    if judge.score is not None:
        lines["score"] = _flow(score_json(judge.score))
    if judge.scale is not None:
        lines["scale"] = _flow([as_number(judge.scale.low), as_number(judge.scale.high)])
    if judge.better == "lower":
        lines["better"] = judge.better
    if judge.passes is not None:
        lines["passes"] = _flow(judge.passes)
    return {key: f"{key}: {value}" for key, value in lines.items()}


def missing_lines(judge: Judge) -> Iterator[str]:
    """A line for each thing that a run needs and the prompt does not tell, with dots where a person has to fill it in."""
    if judge.contract is None:
        yield "verdict: {reason: string, score: {type: integer, minimum: …, maximum: …}}"
    if judge.score is None:
        yield f"score: {_wanted_score(judge)}"
    if judge.scale is None and not isinstance(judge.score, PointsScore):
        yield "scale: […, …]"


def _wanted_score(judge: Judge) -> str:
    fields = properties_of(judge.contract.schema) if judge.contract is not None else {}
    for schema in fields.values():
        options = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(options, list):
            return "{" + ", ".join(f"{_scalar(str(option))}: …" for option in options) + "}"
        if isinstance(schema, dict) and schema.get("type") == "boolean":
            return '{"true": …, "false": …}'
    numbers = [name for name, schema in fields.items() if isinstance(schema, dict) and "minimum" in schema]
    return f"({' + '.join(numbers)}) / {len(numbers)}" if len(numbers) > 1 else "…"


def check_certain(judge: Judge) -> None:
    """Refuse a judge of which something is only likely, and say which lines settle it."""
    if judge.guesses:
        lines = dict.fromkeys(f"`{settled_by(judge, guess)}`" for guess in judge.guesses)
        raise JudgeFileError(
            judge.name,
            f"a guess was made about {', '.join(judge.guesses)}, and `--strict` allows none",
            f"settle it in front matter: {', '.join(lines)}",
        )


def settled_by(judge: Judge, guess: str) -> str:
    """The front-matter line that turns a guess into something known, filled with what was guessed."""
    key = guess.partition(".")[0]
    key = SETTLES.get(key, key)
    return front_matter_lines(judge).get(key, f"{key}: …")


def judge_file(judge: Judge, *, proposed: Mapping[str, str] | None = None) -> str:
    """The prompt under front matter with everything that was read; what is missing stands there as a comment to fill in.

    `proposed` are lines for what is missing, by key, that a person still has to confirm.
    """
    proposed = proposed or {}
    doubtful = {SETTLES.get(guess.partition(".")[0], guess) for guess in judge.guesses}
    lines = ["adjudge: 1"]
    for key, line in front_matter_lines(judge).items():
        lines.append(f"{line}  # a guess: check it" if key in doubtful else line)
    for line in missing_lines(judge):
        key = line.partition(":")[0]
        lines.append(
            f"{proposed[key]}  # confirm" if key in proposed else f"# {line}  # not found: fill it in"
        )
    body = split_front_matter(normalize_text(judge.text), where=judge.name).body
    return "---\n" + "\n".join(lines) + f"\n---\n{body}"


def _input(item: Input) -> Json:
    if item.default is not None:
        return {"default": item.default}
    return "required" if item.required else "optional"


def _type(schema: Json) -> Json:
    """A property in the shorthand of judge files."""
    if not isinstance(schema, dict):
        return schema
    if (
        set(schema) == {"type"}
        and isinstance(schema["type"], str)
        and schema["type"] not in {"array", "object"}
    ):
        return schema["type"]
    if schema.get("type") == "object":
        return {name: _type(child) for name, child in properties_of(schema).items()}
    if schema.get("type") == "array" and set(schema) <= {"type", "items"}:
        return [_type(schema.get("items", {"type": "string"}))]
    return schema


def _flow(value: Json) -> str:
    """YAML on one line; what YAML could take for something else stands in quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(name)}: {_flow(child)}" for name, child in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return _scalar(value)
    return json.dumps(value)


def _scalar(text: str) -> str:
    plain = text.isascii() and text.replace("_", "").replace("-", "").isalnum() and not text[0].isdigit()
    reserved = text.lower() in {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"}
    return (
        text if plain and not reserved and not text.startswith("-") else json.dumps(text, ensure_ascii=False)
    )
