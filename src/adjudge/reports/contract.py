"""What a judge's own prompt would have had the model print, made from the judgement: `--as contract`."""

import json
import re
from collections.abc import Mapping

from adjudge.documents.numbers import whole
from adjudge.documents.records_json import records_json
from adjudge.documents.rows import verdict_parts
from adjudge.records import (
    Failed,
    FieldScore,
    Forced,
    Json,
    Judge,
    Judgement,
    PointsScore,
    Scored,
)
from adjudge.text import visible

EMPTY = "The response is empty."
NOT_GIVEN = "Not given."


def as_contract(judge: Judge, judgement: Judgement) -> str | None:
    """One line of JSON, or Markdown for helpfulness; None when there is no score."""
    outcome = judgement.outcome
    if isinstance(outcome, Failed):
        return None
    parts = dict(verdict_parts(outcome))
    reason = judgement.reason or (outcome.reason if isinstance(outcome, Forced) else "")
    score = outcome.score.value
    match judge.name if judge.built_in else None:
        case "relevance":
            return _line({"score": whole(score), "reason": _text(parts.get("reason")) or reason or NOT_GIVEN})
        case "correctness":
            explained = _text(parts.get("reason")) or reason or NOT_GIVEN
            return _line({"final_score": f"{score:.1f}", "score_reason": explained})
        case "helpfulness":
            is_empty = any(note.partition(":")[0] == "empty_response" for note in judgement.notes)
            return helpfulness_markdown(parts, score, absent=EMPTY if is_empty else reason or NOT_GIVEN)
        case "coverage":
            return _line({"score": whole(score), "rationale": _rationale(parts, score, reason)})
        case _:
            return _line(_any_contract(judge, outcome, parts, reason))


def _rationale(parts: Mapping[str, Json], score: float, reason: str) -> list[Json]:
    match parts.get("rationale"):
        case [_, _, _, _, _] as lines:
            return [_text(line) for line in lines]
        case _:
            topics = ("Fact", "Conclusion", "Terminology", "Organization")
            return [
                *(f"{topic}: N/A" for topic in topics),
                f"Score: {whole(score)} = {reason or 'given by rule'}",
            ]


# ---- any judge -------------------------------------------------------------------------------------------


def _any_contract(
    judge: Judge, outcome: Scored | Forced, parts: Mapping[str, Json], reason: str
) -> dict[str, Json]:
    """The verdict's parts in the contract's order, with the computed score where the contract has it."""
    found = judge.contract.schema.get("properties") if judge.contract else None
    properties = found if isinstance(found, dict) else {}
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


# ---- helpfulness -----------------------------------------------------------------------------------------

_SECTIONS = (
    ("Evaluation", "evaluation"),
    ("Strengths", "strengths"),
    ("Weaknesses", "weaknesses"),
    ("Detailed Analysis", "detailed_analysis"),
    ("Recommendations", "recommendations"),
)
_LISTS = {"strengths", "weaknesses", "recommendations"}


def helpfulness_markdown(parts: Mapping[str, Json], rating: float, *, absent: str) -> str:
    """The five sections and the rating; `absent` stands where a part is missing. No part can look like another."""
    blocks = []
    for number, (title, name) in enumerate(_SECTIONS, start=1):
        value = parts.get(name)
        if name in _LISTS:
            items = value if isinstance(value, list) else [value]
            texts = [text for text in (_inert_item(item) for item in items) if text] or [_inert_item(absent)]
            blocks.append(f"{number}. **{title}**:\n" + "\n".join(f"   - {text}" for text in texts))
        else:
            blocks.append(f"{number}. **{title}**: {_inert(value) or _inert(absent)}")
    return "\n\n".join([*blocks, f"Total rating: {whole(rating)}"])


# A rating wherever it stands; a label where markup sets it off as one, or where it opens the text and stands alone or
# before a colon, a dash or a number.
_LABEL = r"(?:total|overall|final|rating|score|evaluation|strengths?|weakness(?:es)?|detailed|analysis|recommendations?)"
_FORGED = re.compile(
    r"(?<![^\W_])total(?=[\W_]*rating)"
    rf"|(?:(?<=[*_#])|(?<=[*_#] )){_LABEL}(?![^\W_])"
    rf"|\A[\W\d_]*+{_LABEL}(?=(?: \w{{1,20}}){{0,2}}[\W_]*(?:[:：=|/–—\-\d]|\Z))",
    re.IGNORECASE,
)
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
# What makes a list item something else than a line of text when it stands at its start.
_STRUCTURE = re.compile(r"[#>+\-*_=|~`\[]|\d{1,9}[.)]")


def _inert(value: Json) -> str:
    """Model-written text on one line, in which nothing reads as a section, a rating or HTML.

    A character reference shows the same character to a reader and is none of these to a program; written in hexadecimal
    it does not put a number after a label either.
    """
    text = _HTML.sub("&lt;", visible(" ".join(_text(value).split())))
    return _FORGED.sub(_first_letter_referenced, text)


def _inert_item(value: Json) -> str:
    """The same for a list item, where a heading, a quotation or another list could begin."""
    text = _inert(value)
    return f"{_reference(text[0])}{text[1:]}" if _STRUCTURE.match(text) else text


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
