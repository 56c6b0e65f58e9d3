"""A bare prompt -> what it means, by rules that read any prompt; what cannot be read is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from adjudge.judges.reading.bare import BARE
from adjudge.judges.reading.choices import CHOICES
from adjudge.judges.reading.contract import (
    REPLIES,
    added_rating,
    added_reason,
    asks_for_list,
    defined_label,
    find_contract,
    format_message,
    lines_or_sections,
    says_how_to_answer,
)
from adjudge.judges.reading.inputs import left_over, read_inputs
from adjudge.judges.reading.listed import find_sections
from adjudge.judges.reading.names import is_rating, is_reason, snake_case
from adjudge.judges.reading.pair import is_pairwise
from adjudge.judges.reading.parts import ContractPart, FoundContract, parts_schema
from adjudge.judges.reading.recogniser import name_of, without
from adjudge.judges.reading.rule import ScoreReading, read_rule
from adjudge.judges.reading.scale import SCALES, Anchors, find_anchors, find_pass_rule, overall_scale
from adjudge.judges.reading.textual import find_lines
from adjudge.judges.reading.words import WHOLE, WRITTEN
from adjudge.patterns import lazy_pattern
from adjudge.records import Contract, Input, Json, PromptMessage, Scale, ScoreRule
from adjudge.templates import TemplateInput, messages_inputs, messages_outline

__all__ = ["RECOGNISERS", "PromptReading", "read_prompt", "without"]

RECOGNISERS = tuple(
    name_of(each)
    for each in (
        *REPLIES,
        find_lines,
        find_sections,
        *BARE,
        *WRITTEN,
        *WHOLE,
        *CHOICES,
        *SCALES,
    )
    if each is not lines_or_sections
)
"""The names of all of them, in the order in which they are asked."""

_AFTER_REFERENCE = lazy_pattern(r"(?<=⟧)[ \t]{1,64}(?=[A-Z][a-z]{2,20}\b)")
"""A sentence or a label that follows a placeholder on its line: what is filled in has ended, so a new line begins."""


ENTRIES = "entries"
LISTED = (
    "the prompt asks for a JSON list: it is kept as `entries`, and what stands in it is reported field by field; "
    "for one score ask for an object with the list in a field, and add `verdict:` and `score:`"
)
NO_CONTRACT = (
    "no output contract was found, so that the whole reply is the verdict: add `verdict:` with the fields the reply has, "
    "`score:` and `scale:`, or say in the prompt what to answer"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptReading:
    """What a prompt says about itself."""

    inputs: tuple[Input, ...]
    outline: str
    contract: Contract | None = None
    parts: tuple[ContractPart, ...] = ()
    score: ScoreRule | None = None
    scale: Scale | None = None
    passes: str | None = None
    anchors: Mapping[str, str] = field(default_factory=dict)
    format_message: str | None = None
    compares: bool = False
    """It shows two answers and asks which is better."""
    unread: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    """Of `fields`, `labels`, `scale`, `better` and `tie` those that are likely and not certain."""
    left_over: tuple[str, ...] = ()
    """What looks like a placeholder and is sent as text: true whatever front matter says."""


@lru_cache(maxsize=32)
def read_prompt(messages: tuple[PromptMessage, ...], declared: frozenset[str] = frozenset()) -> PromptReading:
    """Read a prompt's inputs, output contract, score, scale and pass rule.

    `declared`: the inputs of which front matter says whether they may be absent.
    """
    references = messages_inputs(messages)
    # Long runs of blanks say nothing, and would cost patterns that allow blanks in several places dearly.
    outline = re.sub(r"[ \t]{64,}", " " * 64, re.sub(r"\n{32,}", "\n" * 32, messages_outline(messages)))
    inputs = read_inputs(references, outline, declared)
    read = _read(inputs, references, _AFTER_REFERENCE.sub("\n", outline))
    body = "\n\n".join(message.text for message in messages)
    return replace(read, left_over=left_over(body, messages[0].dialect, references))


def _read(inputs: tuple[Input, ...], references: tuple[TemplateInput, ...], outline: str) -> PromptReading:
    anchors = find_anchors(outline)
    found = find_contract(outline)
    names = tuple(reference.name for reference in references)
    if found is None:
        if is_pairwise(names, ()):
            rule = read_rule((), outline, anchors, compared=names)
            return PromptReading(
                inputs=inputs, outline=outline, scale=rule.scale, compares=True, unread=rule.unread
            )
        return _without_contract(inputs, outline, anchors)
    pairwise = is_pairwise(names, found.parts)
    rule = read_rule(found.parts, outline, anchors, compared=names if pairwise else ())
    if found.listed:
        shape: dict[str, Json] = {"type": "array", "items": parts_schema(rule.parts)}
        entries = (ContractPart(name=ENTRIES, shape=shape),)
        found = replace(found, form="list")
        rule = replace(rule, parts=entries, score=None, rating=None, binary=False, unread=(LISTED,))
    message = None
    if rule.rating is None and not found.listed and not pairwise and not _has_numbers_or_labels(found):
        placed = None if _score_is_input(inputs) else _place_rating(found, outline, anchors)
        if placed is not None:
            found, rule = placed
            if found.form == "sections":  # they are listed, and nothing says how the reply ends
                assert rule.rating is not None
                message = format_message(found.form, rule.parts, rule.rating)
    return replace(_understood(inputs, outline, found, rule, message), compares=pairwise)


def _score_is_input(inputs: tuple[Input, ...]) -> bool:
    """Whether the score is an input: a prompt that is told it asks for something else, such as a reason."""
    return any(is_rating(snake_case(item.name).split("_")[-1]) for item in inputs)


def _has_numbers_or_labels(found: FoundContract) -> bool:
    return any(
        part.shape or (part.kind.decides and not (part.kind.options and is_reason(part.name)))
        for part in found.parts
    )


def _place_rating(
    found: FoundContract, outline: str, anchors: list[Anchors]
) -> tuple[FoundContract, ScoreReading] | None:
    """The same contract with a rating, when the prompt has a scale and no place for it: the fields that say nothing
    themselves, or the last number of the scale in a reply that is text.
    """
    kind = overall_scale(outline, anchors)
    if kind is None:
        return None
    rated = replace(kind, guess=True)
    parts = tuple(replace(part, kind=rated) if _is_open(part) else part for part in found.parts)
    if found.form == "json":
        return (found, read_rule(parts, outline, anchors)) if parts != found.parts else None
    rating = added_rating(outline, kind)
    if found[rating.name] is not None:
        return None
    longer = replace(found, parts=(*found.parts, rating))
    if found.form != "sections":
        longer = replace(longer, form="last", guess=True)
    return longer, read_rule(longer.parts, outline, anchors)


def _is_open(part: ContractPart) -> bool:
    """A field that may hold anything, by its name no explanation."""
    said = part.shape is not None or part.kind.options or part.kind.type not in {None, "string"}
    shown = part.says.partition("\n")[0]
    return not said and not is_reason(part.name) and re.fullmatch(r"[\W_]*", shown) is not None


def _without_contract(inputs: tuple[Input, ...], outline: str, anchors: list[Anchors]) -> PromptReading:
    """A prompt that says on what scale, or with which labels, and not where: a line of our own asks for the rating."""
    kind = None if _score_is_input(inputs) else overall_scale(outline, anchors)
    label = defined_label(outline)
    rating = None if kind is None else added_rating(outline, kind)
    if asks_for_list(outline):
        entries = (ContractPart(name=ENTRIES, shape={"type": "array"}),)
        listed = FoundContract(form="list", parts=entries, listed=True)
        return _understood(inputs, outline, listed, ScoreReading(parts=entries, unread=(LISTED,)), None)
    if not (label or rating):
        return PromptReading(inputs=inputs, outline=outline, unread=(NO_CONTRACT,))
    reason = None if rating is None else added_reason(outline)
    parts = tuple(part for part in (reason, label, rating) if part is not None)
    rule = read_rule(parts, outline, anchors)
    if rating is None or rule.rating is None or says_how_to_answer(outline):
        # the reply settles what the prompt does not: the last label, or number of the scale, in it
        return _understood(inputs, outline, FoundContract(form="last", parts=parts, guess=True), rule, None)
    found = FoundContract(form="line", parts=parts)
    return _understood(inputs, outline, found, rule, format_message(found.form, rule.parts, rule.rating))


def _understood(
    inputs: tuple[Input, ...], outline: str, found: FoundContract, rule: ScoreReading, message: str | None
) -> PromptReading:
    needs = (rule.rating.name,) if rule.rating is not None and rule.score is not None else ()
    labels = {}
    for part in rule.parts:
        own = dict.fromkeys((*part.labels, part.name.replace("_", " ")))
        if rule.rating is not None and part.name == rule.rating.name:
            own |= dict.fromkeys(("rating", "score") if part.kind.numeric else ())
        elif found.form == "json":
            continue
        labels[part.name] = tuple(own)
    contract = Contract(
        schema=parts_schema(rule.parts),
        needs=needs,
        # fields that are named one here, one there may stand anywhere in the reply
        form="last"
        if found.guess and found.form in {"sections", "line"} and rule.rating is not None
        else found.form,
        labels=labels,
        words=dict(rule.words),
    )
    return PromptReading(
        inputs=inputs,
        outline=outline,
        contract=contract,
        parts=rule.parts,
        score=rule.score,
        scale=rule.scale,
        passes=_pass_rule(rule, outline),
        anchors=rule.anchors,
        format_message=message,
        unread=rule.unread,
        guesses=(*(("fields",) if found.guess else ()), *rule.guesses),
    )


def _pass_rule(rule: ScoreReading, outline: str) -> str | None:
    if rule.scale is None or rule.score is None:
        return None
    if rule.binary:
        return "score >= 1"
    return find_pass_rule(outline, rule.scale.low, rule.scale.high)
