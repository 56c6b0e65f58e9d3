"""A verdict that front matter declares: it replaces the one read from the prompt, and is asked for where the prompt does not."""

import dataclasses
import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from adjudge.judges.asking import ask_for, ask_for_text
from adjudge.judges.declared import Declared
from adjudge.judges.reading import PromptReading
from adjudge.judges.reading.pair import is_pairwise
from adjudge.judges.reading.parts import ContractPart, parts_of_schema
from adjudge.judges.reading.rule import read_rule
from adjudge.judges.reading.scale import find_anchors
from adjudge.records import Contract, Form, Json, JsonSchema
from adjudge.schemas import properties_of, spell_option


def with_declared_verdict(read: PromptReading, declared: Declared) -> PromptReading:
    """A declared verdict replaces the one read; the score is then looked for in it."""
    verdict, anchors = declared.verdict, find_anchors(read.outline)
    names = tuple(item.name for item in read.inputs)
    if verdict is None or (read.contract is not None and verdict == read.contract.schema):
        # declared as it was read: nothing changes, but that labels which abstain have no points
        if read.contract is None or not declared.abstain:
            return read
        compared = names if read.compares else ()
        rule = read_rule(_without(read.parts, declared.abstain), read.outline, anchors, compared=compared)
        words = replace(read.contract, words=dict(rule.words))
        return dataclasses.replace(
            read, contract=words, score=rule.score, scale=rule.scale, passes=None, unread=rule.unread
        )
    parts = _without(parts_of_schema(verdict), declared.abstain)
    compares = is_pairwise(names, parts)
    rule = read_rule(parts, read.outline, anchors, compared=names if compares else ())
    bounded = rule.rating is not None and rule.rating.kind.bounded and _same_bounds(rule.rating, parts)
    form = _form(read, verdict)
    labels = {
        part.name: _labels(
            part, rating=rule.rating is not None and part.name == rule.rating.name and part.kind.numeric
        )
        for part in parts
        if form != "json" or (rule.rating is not None and part.name == rule.rating.name)
    }
    contract = Contract(schema=verdict, needs=(), form=form, labels=labels, words=dict(rule.words))
    return PromptReading(
        inputs=read.inputs,
        outline=read.outline,
        contract=contract,
        parts=parts,
        score=rule.score,
        scale=rule.scale if bounded or declared.scale is None else None,
        passes=read.passes if read.scale is not None else None,
        anchors=rule.anchors or read.anchors,
        format_message=_asked(read, form, rule.rating, verdict),
        compares=compares,
        unread=rule.unread,
        guesses=tuple(rule.guesses),
        left_over=read.left_over,
    )


def _without(parts: tuple[ContractPart, ...], labels: Sequence[str]) -> tuple[ContractPart, ...]:
    """The parts as they would be if these labels were none of theirs: what is left has the points."""
    return tuple(
        dataclasses.replace(
            part,
            kind=dataclasses.replace(
                part.kind,
                options=tuple(option for option in part.kind.options if spell_option(option) not in labels),
            ),
        )
        if labels
        else part
        for part in parts
    )


def _form(read: PromptReading, verdict: JsonSchema) -> Form:
    """The prompt's own form where it asks for these fields; JSON where they are asked for by a message of ours."""
    if read.contract is None or not _same_names(read.contract, verdict):
        return "json"
    placed = read.format_message is not None and read.contract.form != "sections"
    return "json" if placed else read.contract.form


def _asked(read: PromptReading, form: Form, rating: ContractPart | None, verdict: JsonSchema) -> str | None:
    """A message that asks for a declared verdict, unless the prompt does so itself: by its form, or as JSON by every name."""
    fields = properties_of(verdict)
    if read.contract is not None and _same_names(read.contract, verdict):
        if read.format_message is None:
            return None
        if form == "json" or rating is None:
            return ask_for(fields)
        return ask_for_text(fields, rating.name, read.contract.labels[rating.name][0], form=form)
    named = all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", read.outline) for name in fields)
    if named and re.search(r"\bjson\b", read.outline, re.IGNORECASE):
        return None
    return ask_for(fields)


def _labels(part: ContractPart, *, rating: bool) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys((part.name.replace("_", " ").lower(), *(("rating", "score") if rating else ())))
    )


def _same_bounds(rating: ContractPart, parts: tuple[ContractPart, ...]) -> bool:
    return any(part.name == rating.name and part.kind.bounded for part in parts)


def _same_names(contract: Contract, verdict: Mapping[str, Json]) -> bool:
    return set(properties_of(contract.schema)) == set(properties_of(verdict))
