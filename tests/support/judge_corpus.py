"""A prompt of the corpus, and the check that it is understood as it must be."""

from dataclasses import dataclass, field
from typing import Any

from adjudge.judges import describe_judge, parse_judge
from adjudge.judges.judge_file import judge_file

WRITTEN = ("dialect", "inputs", "verdict", "score", "scale", "passes", "format", "structured", "messages")
"""What a judge file says of a prompt when it is written, and is read from it again."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    name: str
    text: str
    dialect: str
    inputs: tuple[str, ...]
    """`name`, `name?` when optional, `name=default`."""
    verdict: Any
    """Field -> its kind in a few characters; in a list when the reply is a list; None for none."""
    score: Any = None
    scale: list[float] | None = None
    passes: str | None = None
    form: str | None = "json"
    unread: tuple[str, ...] = field(default=())
    """A piece of each sentence that says what could not be read."""
    added_message: bool = False


def brief(schema: dict[str, Any]) -> Any:
    """A property's schema in a few characters."""
    if "enum" in schema:
        return schema["enum"]
    if schema["type"] == "array":
        count = f"{{{schema['minItems']}}}" if "minItems" in schema else ""
        inner = brief(schema["items"])
        return f"{inner}[]{count}" if isinstance(inner, str) else [inner]
    if schema["type"] == "object":
        return {name: brief(child) for name, child in schema["properties"].items()}
    kind = schema["type"] if isinstance(schema["type"], str) else "|".join(schema["type"])
    return f"{kind} {schema['minimum']}..{schema['maximum']}" if "minimum" in schema else kind


def check(prompt: Prompt) -> None:
    judge = parse_judge(prompt.text, name=prompt.name)
    shown = describe_judge(judge)
    inputs = tuple(
        item["name"] + (f"={item['default']}" if "default" in item else "" if item["required"] else "?")
        for item in shown["inputs"]
    )
    verdict = None if shown["verdict"] is None else brief(shown["verdict"])
    assert {
        "dialect": shown["dialect"],
        "inputs": inputs,
        "verdict": verdict,
        "score": shown["score"],
        "scale": shown["scale"],
        "passes": shown["passes"],
        "form": shown["format"],
        "added_message": judge.format_message is not None,
    } == {
        "dialect": prompt.dialect,
        "inputs": prompt.inputs,
        "verdict": prompt.verdict,
        "score": prompt.score,
        "scale": prompt.scale,
        "passes": prompt.passes,
        "form": prompt.form,
        "added_message": prompt.added_message,
    }
    if verdict is not None:
        assert list(verdict) == list(prompt.verdict or {})
    assert len(shown["unread"]) == len(prompt.unread), shown["unread"]
    for sentence, piece in zip(shown["unread"], prompt.unread, strict=True):
        assert piece in sentence
    if not prompt.text.startswith("---"):
        again = describe_judge(parse_judge(judge_file(judge), name=prompt.name))
        assert {key: again[key] for key in WRITTEN} == {key: shown[key] for key in WRITTEN}
