"""The claims of a response as judge, procedure and report pass them on, and the context they are looked for in."""

from collections.abc import Mapping
from typing import get_args

from adjudge.records import Json
from adjudge.scoring.steps import ClaimVerdict
from adjudge.text import as_text

TEXT_KEYS = ("text", "content", "page_content", "body", "passage", "document")
VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
"""The one that counts first, where windows differ."""
UNFOUND = "passage_not_found:"


def context_text(value: Json) -> str:
    """A context as the judge reads it: a text as it is, the passages of a list under their numbers."""
    if isinstance(value, list):
        passages = [text for each in value if (text := _passage(each)).strip()]
        if len(passages) == 1:
            return passages[0]
        return "\n\n".join(f"[{number}]\n{text}" for number, text in enumerate(passages, start=1))
    return _passage(value)


def _passage(value: Json) -> str:
    """A retrieved document is its text, below what else it says of itself in words and numbers."""
    if not isinstance(value, dict):
        return "" if value is None else as_text(value)
    key = next((name for name in TEXT_KEYS if isinstance(value.get(name), str)), None)
    if key is None:
        return as_text(value) if value else ""
    if not str(value[key]).strip():
        return ""
    held = {name: each for name, each in value.items() if name not in {key, "metadata"}}
    metadata = value.get("metadata")
    held |= metadata if isinstance(metadata, dict) else {}
    lines = [f"{name}: {each}" for name, each in held.items() if isinstance(each, str | int | float)]
    return "\n".join([*lines, str(value[key])])


def entries(parts: Mapping[str, Json]) -> list[dict[str, Json]]:
    found = parts.get("claims")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def best_answers(found: list[dict[str, Json]]) -> list[Json]:
    """Of what several windows say of each claim, what counts: support before contradiction before neither."""
    best: dict[Json, dict[str, Json]] = {}
    for each in found:
        earlier = best.get(each["id"])
        if earlier is None or _rank(each) < _rank(earlier):
            best[each["id"]] = each
    return list(best.values())


def _rank(answer: Mapping[str, Json]) -> int:
    return [str(each) for each in VERDICTS].index(str(answer["verdict"]))
