"""What a judge's own prompt would have had the model print, made from the judgement: `--as contract`."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache

from adjudge.documents.numbers import whole
from adjudge.documents.records_json import records_json
from adjudge.documents.rows import verdict_parts
from adjudge.judges.declared import CONTRACT_FIELD
from adjudge.procedures.jury import VOTES
from adjudge.records import (
    Failed,
    FieldScore,
    Forced,
    Json,
    Judge,
    Judged,
    Judgement,
    PointsScore,
    Scored,
    is_jury,
)
from adjudge.schemas import properties_of
from adjudge.text import visible

NOT_GIVEN = "Not given."


def as_contract(judge: Judge, judgement: Judgement) -> str | None:
    """One line of JSON, or the text that the judge file wants; None when it was not judged."""
    outcome = judgement.outcome
    if isinstance(outcome, Failed):
        return None
    if isinstance(outcome, Judged):
        return _line(outcome.verdict.parts)
    parts = dict(verdict_parts(outcome))
    if is_jury(judgement.model):
        parts.pop(VOTES, None)
    reason = judgement.reason or (outcome.reason if isinstance(outcome, Forced) else "")
    template = judge.contract_template
    if template is None:
        return _line(_any_contract(judge, outcome, parts, reason))
    values = {**parts, "score": outcome.score.value}
    absent = reason or NOT_GIVEN
    if isinstance(template, str):
        return _filled_text(template, values, absent)
    return _line({name: _filled_value(text, values, absent) for name, text in template.items()})


def _filled_value(template: str, values: Mapping[str, Json], absent: str) -> Json:
    """A lone `{field}` is the field's own value, a list of texts where it is a list."""
    lone = CONTRACT_FIELD.fullmatch(template)
    if lone is None or lone["decimals"]:
        return CONTRACT_FIELD.sub(lambda found: _field_text(found, values, absent), template)
    match values.get(lone["field"]):
        case bool() as flag:
            return flag
        case int() | float() as number:
            return whole(number)
        case [*items] if items:
            return [_text(item) for item in items]
        case value:
            return _text(value) or absent


def _field_text(found: re.Match[str], values: Mapping[str, Json], absent: str) -> str:
    value = values.get(found["field"])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.{found['decimals']}f}" if found["decimals"] else f"{whole(value)}"
    return _text(value) or absent


# ---- as text -------------------------------------------------------------------------------------------------

_ITEM_LINE = re.compile(r"(?m)^(?P<mark>[ \t]*[-*] )\{(?P<field>\w+)\}$")


def _filled_text(template: str, values: Mapping[str, Json], absent: str) -> str:
    """The template with its fields; a list item that is one field stands once for each entry. No part can look like another."""
    forged = _forged(CONTRACT_FIELD.sub("", template))

    def inert(text: str) -> str:
        """Model-written text on one line, in which nothing reads as a section, a rating or HTML.

        A character reference shows the same character to a reader and is none of these to a program; written in
        hexadecimal it does not put a number after a label either.
        """
        return forged.sub(_first_letter_referenced, _HTML.sub("&lt;", visible(" ".join(text.split()))))

    def inert_item(value: Json) -> str:
        """The same for a list item, where a heading, a quotation or another list could begin."""
        text = inert(_text(value))
        return f"{_reference(text[0])}{text[1:]}" if _STRUCTURE.match(text) else text

    def fill(line: str) -> str:
        item = _ITEM_LINE.fullmatch(line)
        if item is None:
            return CONTRACT_FIELD.sub(
                lambda found: inert(_field_text(found, values, "")) or inert(absent), line
            )
        value = values.get(item["field"])
        entries = value if isinstance(value, list) else [value]
        texts = [text for text in map(inert_item, entries) if text] or [inert_item(absent)]
        return "\n".join(f"{item['mark']}{text}" for text in texts)

    return "\n".join(fill(line) for line in template.strip("\n").split("\n"))


# ---- any judge -------------------------------------------------------------------------------------------


def _any_contract(
    judge: Judge, outcome: Scored | Forced, parts: Mapping[str, Json], reason: str
) -> dict[str, Json]:
    """The verdict's parts in the contract's order, with the computed score where the contract has it."""
    properties = properties_of(judge.contract.schema) if judge.contract else {}
    whole_verdict: dict[str, Json] = {name: parts[name] for name in properties if name in parts}
    whole_verdict.update({name: value for name, value in parts.items() if name not in whole_verdict})
    score = outcome.score.value
    match judge.score:
        case FieldScore(field=name):
            whole_verdict[name] = _typed(score, properties.get(name))
        case PointsScore(field="score"):
            pass  # the contract wants the label under this name
        case _:
            whole_verdict["score"] = _typed(score, properties.get("score"))
    if not parts and reason:
        named = next((name for name in properties if "reason" in name.lower()), "reason")
        whole_verdict[named] = reason
    return {name: whole_verdict[name] for name in (*properties, *whole_verdict) if name in whole_verdict}


def _typed(score: float, schema: Json) -> Json:
    """The score as the contract writes it: a member of its enum, a string or a whole number where it asks for one."""
    if not isinstance(schema, dict):
        return whole(score)
    members = schema.get("enum")
    for member in members if isinstance(members, list) else ():
        if _number(member) == score:
            return member
    wanted = schema.get("type")
    if wanted == "string":
        return f"{whole(score)}"
    return float(score) if wanted == "number" and members else whole(score)


def _number(member: Json) -> float | None:
    if isinstance(member, bool) or not isinstance(member, int | float | str):
        return None
    try:
        return float(member)
    except ValueError:
        return None


# ---- no forgeries --------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _forged(titles: str) -> re.Pattern[str]:
    """A rating wherever it stands; a label where markup sets it off as one, or where it opens the text and stands alone or
    before a colon, a dash or a number. Labels are the words of the template itself, in the singular or the plural.
    """
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", titles)} | {
        "overall",
        "final",
        "rating",
        "score",
    }
    stems = sorted({re.sub(r"(?<=\w{4})e?s$", "", word) for word in words} | words)
    label = rf"(?:{'|'.join(stems)})(?:e?s)?"
    return re.compile(
        r"(?<![^\W_])total(?=[\W_]*rating)"
        rf"|(?:(?<=[*_#])|(?<=[*_#] )){label}(?![^\W_])"
        rf"|\A[\W\d_]*+{label}(?=(?: \w{{1,20}}){{0,2}}[\W_]*(?:[:：=|/–—\-\d]|\Z))",
        re.IGNORECASE,
    )


_HTML = re.compile(r"<(?=[A-Za-z/!?])")
# What makes a list item something else than a line of text when it stands at its start.
_STRUCTURE = re.compile(r"[#>+\-*_=|~`\[]|\d{1,9}[.)]")


def _first_letter_referenced(match: re.Match[str]) -> str:
    found = match[0]
    position = next(place for place, character in enumerate(found) if character.isalpha())
    return f"{found[:position]}{_reference(found[position])}{found[position + 1 :]}"


def _reference(character: str) -> str:
    return f"&#x{ord(character):x};"


# ---- text ------------------------------------------------------------------------------------------------

# DEL and the C1 controls: JSON lets them stand, some terminals obey them.
_RAW_CONTROL = re.compile("[\x7f-\x9f]")


def _line(value: Mapping[str, Json]) -> str:
    text = json.dumps(records_json(value), ensure_ascii=False, allow_nan=False)
    return _RAW_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _text(value: Json) -> str:
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case _:
            return json.dumps(records_json(value), ensure_ascii=False)
