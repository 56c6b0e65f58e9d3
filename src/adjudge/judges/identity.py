"""The hash a judge is known by: of everything that changes what is sent or how it is read, and nothing else."""

import hashlib
import json

from adjudge.records import (
    CheckScore,
    CombineScore,
    Contract,
    ExpressionScore,
    FieldScore,
    Input,
    Json,
    Judge,
    NamedScore,
    Pair,
    PointsScore,
    PromptMessage,
    Rating,
    Rubric,
    ScoreRule,
)
from adjudge.templates import canonical
from adjudge.versions import READER_VERSION, SCORER_VERSIONS

HASH_LENGTH = 12


VERSIONS_TRIED = 8
"""How far beyond today's numbers is looked for what a newer adjudge may have stored."""


def judge_hash(judge: Judge) -> str:
    """The first 12 hex digits of the SHA-256 over the judge's canonical JSON."""
    named = judge.score.name if isinstance(judge.score, NamedScore) else None
    return _hash(judge, None if named is None else SCORER_VERSIONS.get(named), READER_VERSION)


def scorer_version(judge: Judge) -> int | None:
    """The version of its named scorer that a judge was hashed with; None where no version gives its hash."""
    if not isinstance(judge.score, NamedScore):
        return None
    today = SCORER_VERSIONS.get(judge.score.name, 0)
    scorers = sorted(range(1, today + VERSIONS_TRIED), key=lambda version: version != today)
    readers = sorted(range(1, READER_VERSION + VERSIONS_TRIED), key=lambda version: version != READER_VERSION)
    tried = ((scorer, reader) for scorer in scorers for reader in readers)
    return next((scorer for scorer, reader in tried if _hash(judge, scorer, reader) == judge.hash), None)


def _hash(judge: Judge, scorer: int | None, reader: int) -> str:
    identity: dict[str, Json] = {
        "body": _body(judge),
        "dialect": judge.dialect,
        "items": _items(judge),
        "inputs": [_input(item) for item in judge.inputs],
        "contract": _contract(judge.contract),
        "score": _score(judge.score),
        "scale": None if judge.scale is None else [float(judge.scale.low), float(judge.scale.high)],
        "better": judge.better,
        "passes": judge.passes,
        "format_message": judge.format_message,
        "when_missing": judge.when_missing,
        "when_empty": judge.when_empty,
        "temperature": None if judge.temperature is None else float(judge.temperature),
        "max_output_tokens": judge.max_output_tokens,
        **({} if judge.truncate is None else {"truncate": judge.truncate}),
        **({} if judge.pair is None else {"pair": _pair(judge.pair)}),
        **({"abstain": list(judge.abstain)} if judge.abstain else {}),
        **({} if judge.rubric is None else {"rubric": _rubric(judge.rubric)}),
        **({"ratings": list(map(_rating, judge.ratings))} if judge.ratings else {}),
        "reader": reader,
        "scorer": scorer,
    }
    text = json.dumps(identity, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_LENGTH]


def _body(judge: Judge) -> Json:
    """A prompt of one user message is its text; any other is its messages."""
    match judge.messages:
        case (PromptMessage(role="user", dialect=judge.dialect, text=text),):
            return canonical(text, judge.dialect)
    return [
        [message.role, message.dialect, canonical(message.text, message.dialect)]
        for message in judge.messages
    ]


def _items(judge: Judge) -> Json:
    if judge.items is None:
        return None
    return {
        "body": canonical(judge.items.body, judge.dialect),
        "inputs": [_input(item) for item in judge.items.inputs],
        "contract": _contract(judge.items.contract),
    }


def _rubric(rubric: Rubric) -> Json:
    criteria: list[Json] = [[each.criterion, float(each.points)] for each in rubric.criteria]
    return {"criteria": criteria, "column": rubric.column, "ask": rubric.ask}


def _rating(rating: Rating) -> Json:
    scale: list[Json] = [float(rating.scale.low), float(rating.scale.high)]
    return {"name": rating.name, "scale": scale, "passes": rating.passes, "better": rating.better}


def _input(item: Input) -> Json:
    return {"name": item.name, "required": item.required, "default": item.default, "source": item.source}


def _pair(pair: Pair) -> Json:
    swaps: list[Json] = [list(swap) for swap in pair.swaps]
    return {
        "answers": list(pair.answers),
        "swaps": swaps,
        "scale": [pair.scale.low, pair.scale.high],
        "better": pair.better,
    }


def _contract(contract: Contract | None) -> Json:
    if contract is None:
        return None
    return {
        "schema": _ordered(dict(contract.schema)),
        "needs": list(contract.needs),
        "form": contract.form,
        "sends_schema": contract.sends_schema,
        "labels": {name: list(labels) for name, labels in contract.labels.items()},
        "words": {name: dict(words) for name, words in contract.words.items()},
    }


def _ordered(schema: Json) -> Json:
    """A schema whose properties are a list: their order is asked for, that of other keys means nothing."""
    if isinstance(schema, list):
        return [_ordered(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: [[name, _ordered(child)] for name, child in value.items()]
        if key == "properties" and isinstance(value, dict)
        else _ordered(value)
        for key, value in schema.items()
    }


def _score(score: ScoreRule | None) -> Json:
    match score:
        case None:
            return None
        case FieldScore(field=name):
            return {"field": name}
        case PointsScore(field=name, points=points):
            return {"field": name, "points": {label: float(value) for label, value in points.items()}}
        case ExpressionScore(text=text):
            return {"expression": text}
        case NamedScore(name=name):
            return {"named": name}
        case CheckScore(name=name, parameters=parameters):
            return {"check": name, "parameters": dict(parameters), "version": _check_version(name)}
        case CombineScore(text=text, parts=parts):
            return {"combine": text, "parts": {name: part.hash for name, part in parts.items()}}


def _check_version(name: str) -> int | None:
    from adjudge.checks.registry import CHECKS  # noqa: PLC0415 - slow to load, and few judges are checks

    check = CHECKS.get(name)
    return None if check is None else check.version
