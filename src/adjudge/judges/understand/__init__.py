"""A bare prompt -> what it means, by rules that read any prompt; what cannot be read is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from adjudge.judges.understand.contract import (
    added_rating,
    added_reason,
    asks_for_list,
    find_contract,
    format_message,
)
from adjudge.judges.understand.inputs import left_over, read_inputs
from adjudge.judges.understand.names import is_rating, is_reason, snake_case
from adjudge.judges.understand.parts import ContractPart, FoundContract, parts_schema
from adjudge.judges.understand.passing import find_pass_rule
from adjudge.judges.understand.rule import PAIRWISE, ScoreReading, is_pairwise, read_rule
from adjudge.judges.understand.scale import Anchors, find_anchors, overall_scale
from adjudge.records import Contract, Dialect, Input, Scale, ScoreRule
from adjudge.templates import TemplateInput
from adjudge.templates import inputs as template_inputs
from adjudge.templates import outline as template_outline

__all__ = ["Understood", "understand"]

_AFTER_REFERENCE = re.compile(r"(?<=⟧)[ \t]{1,64}(?=[A-Z][a-z]{2,20}\b)")
"""A sentence or a label that follows a placeholder on its line: what is filled in has ended, so a new line begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Understood:
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
    unread: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()
    """What looks like a placeholder and is sent as text: true whatever front matter says."""


@lru_cache(maxsize=32)
def understand(body: str, dialect: Dialect) -> Understood:
    """Read a prompt's inputs, output contract, score, scale and pass rule."""
    references = template_inputs(body, dialect)
    # Long runs of blanks say nothing, and would cost patterns that allow blanks in several places dearly.
    outline = re.sub(r"[ \t]{64,}", " " * 64, re.sub(r"\n{32,}", "\n" * 32, template_outline(body, dialect)))
    inputs = read_inputs(references, outline)
    read = _read(inputs, references, _AFTER_REFERENCE.sub("\n", outline))
    return replace(read, left_over=left_over(body, dialect, references))


def _read(inputs: tuple[Input, ...], references: tuple[TemplateInput, ...], outline: str) -> Understood:
    anchors = find_anchors(outline)
    found = find_contract(outline)
    if found is None:
        if is_pairwise(references, ()):
            return Understood(inputs=inputs, outline=outline, unread=(PAIRWISE,))
        return _without_contract(inputs, outline, anchors)
    pairwise = is_pairwise(references, found.parts)
    rule = read_rule(found.parts, outline, anchors, pairwise=pairwise)
    message = None
    if rule.rating is None and not pairwise and not _has_numbers_or_labels(found):
        placed = None if _score_is_input(inputs) else _place_rating(found, outline, anchors)
        if placed is not None:
            found, rule = placed
            assert rule.rating is not None
            message = format_message(found.form, rule.parts, rule.rating)
    return _understood(inputs, outline, found, rule, message)


def _score_is_input(inputs: tuple[Input, ...]) -> bool:
    """Whether the score is an input: a prompt that is told it asks for something else, such as a reason."""
    return any(is_rating(snake_case(item.name).split("_")[-1]) for item in inputs)


def _has_numbers_or_labels(found: FoundContract) -> bool:
    return any(
        part.kind.numeric
        or part.kind.type == "boolean"
        or (part.kind.options and not is_reason(part.name))
        or part.shape
        for part in found.parts
    )


def _place_rating(
    found: FoundContract, outline: str, anchors: list[Anchors]
) -> tuple[FoundContract, ScoreReading] | None:
    """The same contract with a place for the rating, last, when the prompt has a scale and no place for it."""
    kind = overall_scale(outline, anchors)
    if kind is None:
        return None
    rating = added_rating(outline, kind)
    if found[rating.name] is not None:
        return None
    longer = replace(found, parts=(*found.parts, rating))
    return longer, read_rule(longer.parts, outline, anchors, pairwise=False)


def _without_contract(inputs: tuple[Input, ...], outline: str, anchors: list[Anchors]) -> Understood:
    kind = None if asks_for_list(outline) or _score_is_input(inputs) else overall_scale(outline, anchors)
    if kind is not None:
        reason = added_reason(outline)
        rating = added_rating(outline, kind)
        parts = (reason, rating) if reason is not None else (rating,)
        found = FoundContract(form="line", parts=parts)
        rule = read_rule(parts, outline, anchors, pairwise=False)
        assert rule.rating is not None
        message = format_message(found.form, rule.parts, rule.rating)
        return _understood(inputs, outline, found, rule, message)
    if asks_for_list(outline):
        problem = (
            "the prompt asks for a JSON list, and a verdict is an object: ask for an object with the list in a field, "
            "and add `verdict:` and `score:`"
        )
    else:
        problem = (
            "no output contract was found: add `verdict:` with the fields the reply has, `score:` and `scale:`, "
            "or say in the prompt what to answer"
        )
    return Understood(inputs=inputs, outline=outline, unread=(problem,))


def _understood(
    inputs: tuple[Input, ...], outline: str, found: FoundContract, rule: ScoreReading, message: str | None
) -> Understood:
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
        schema=parts_schema(rule.parts), needs=needs, form=found.form, labels=labels, words=dict(rule.words)
    )
    return Understood(
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
    )


def _pass_rule(rule: ScoreReading, outline: str) -> str | None:
    if rule.scale is None or rule.score is None:
        return None
    if rule.binary:
        return "score >= 1"
    return find_pass_rule(outline, rule.scale.low, rule.scale.high)
