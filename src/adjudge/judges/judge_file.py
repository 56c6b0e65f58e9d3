"""A judge as a judge file: what was read from its prompt as front matter, for a person to check and to edit."""

import json
from collections.abc import Mapping

from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.judges.describe import pair_winners, score_json
from adjudge.judges.front_matter import KEYS, normalize_text, split_front_matter
from adjudge.records import Input, Json, Judge, PointsScore
from adjudge.schemas import as_number, properties_of

SETTLES = {
    "labels": "verdict",
    "fields": "verdict",
    "scale": "scale",
    "better": "better",
    "tie": "score",
    "dialect": "dialect",
    "inputs": "inputs",
}
"""What was guessed -> the key that says it for certain."""
LINES = ("name", "dialect", "inputs", "verdict", "score", "scale", "better", "passes")
KEPT = frozenset(KEYS) - frozenset(LINES) - {"adjudge"} | {"better"}
"""What only front matter says: it is taken over as it stands."""
TO_CONFIRM, TO_CHECK, TO_FILL_IN = "  # confirm", "  # a guess: check it", "  # not found: fill it in"
"""Behind a line that a model wrote, one that is only likely, and one that is missing."""


def front_matter_lines(judge: Judge) -> dict[str, str]:
    """Key -> its line, for all that is known of a judge."""
    known: dict[str, Json] = {"name": judge.name, "dialect": judge.dialect}
    if judge.inputs:
        known["inputs"] = {item.name: _input(item) for item in judge.inputs}
    if judge.contract is not None and properties_of(judge.contract.schema):
        fields = properties_of(judge.contract.schema)
        known["verdict"] = {name: _type(schema) for name, schema in fields.items()}
    if judge.score is not None:
        known["score"] = score_json(judge.score)
    if judge.pair is not None and isinstance(judge.score, PointsScore):
        known["score"] = pair_winners(judge.pair, judge.score)
    elif judge.reply_scale is not None:
        known["scale"] = [as_number(judge.reply_scale.low), as_number(judge.reply_scale.high)]
    better = judge.better if judge.pair is None else judge.pair.better
    if better == "lower":
        known["better"] = better
    if judge.passes is not None:
        known["passes"] = judge.passes
    return {key: front_matter_line(key, value) for key, value in known.items()}


def front_matter_line(key: str, value: Json) -> str:
    return f"{key}: {_flow(value)}"


def missing_lines(judge: Judge) -> dict[str, str]:
    """Key -> a line for what a score needs and the prompt does not tell, with dots where a person has to fill it in."""
    lines = {}
    if judge.contract is None:
        lines["verdict"] = "verdict: {reason: string, score: {type: integer, minimum: …, maximum: …}}"
    if judge.score is None:
        lines["score"] = f"score: {_wanted_score(judge)}"
    if judge.scale is None and not isinstance(judge.score, PointsScore):
        lines["scale"] = "scale: […, …]"
    if "better" in judge.guesses:
        lines["better"] = "better: …"
    return lines


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


def validate_certain(judge: Judge) -> None:
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
    key = guess_key(guess)
    return front_matter_lines(judge).get(key, f"{key}: …")


def guess_key(guess: str) -> str:
    """The key of front matter that settles a guess."""
    return SETTLES.get(guess.partition(".")[0], guess)


def judge_file(judge: Judge, *, proposed: Mapping[str, str] | None = None) -> str:
    """The prompt under front matter with everything that was read; what is missing stands there as a comment to fill in.

    `proposed` are lines by key, for what is missing or a guess, that a person still has to confirm.
    """
    if not judge.has_prompt:
        return judge.text  # nothing was read from a prompt
    proposed = proposed or {}
    read = front_matter_lines(judge)
    if "verdict" in read and proposed.get("verdict", read["verdict"]) != read["verdict"]:
        # the score and its scale were read from the other verdict
        judge = replace(judge, score=None, scale=None, passes=None)
        read = front_matter_lines(judge)
    missing = missing_lines(judge)
    doubtful = set(map(guess_key, judge.guesses))
    lines = ["adjudge: 1"]
    for key in LINES:
        if key in proposed:
            lines.append(f"{proposed[key]}{TO_CONFIRM}")
        elif key in read:
            lines.append(f"{read[key]}{TO_CHECK}" if key in doubtful else read[key])
        elif key in missing:
            lines.append(f"# {missing[key]}{TO_FILL_IN}")
    split = split_front_matter(normalize_text(judge.text), where=judge.name)
    if split.front_matter is not None:
        for key, entry in split.front_matter.entries.items():
            if key in KEPT and key not in judge.ignored and key not in (read.keys() | proposed.keys()):
                lines.append(front_matter_line(key, entry.value))
    return "---\n" + "\n".join(lines) + f"\n---\n{split.body}"


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
    if plain and not reserved and not text.startswith("-"):
        return text
    # YAML takes more than JSON does for the end of a line, or for no character at all
    return "".join(
        each if each.isprintable() else f"\\U{ord(each):08x}" for each in json.dumps(text, ensure_ascii=False)
    )
