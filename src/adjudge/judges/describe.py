"""A judge as `adjudge show --json` prints it: what was understood, so that a person can correct it."""

import re

from adjudge.records import (
    CheckScore,
    CombineScore,
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
    Role,
    Rubric,
    ScoreRule,
)
from adjudge.schemas import as_number

_MESSAGE_TAG = re.compile(r"<(?P<name>system|user|assistant|developer)(?:\s[^<>]{0,500})?>")


def describe_judge(judge: Judge) -> dict[str, Json]:
    contract = judge.contract
    attached = _attached(judge)
    return {
        "name": judge.name,
        "hash": judge.hash,
        "dialect": judge.dialect,
        "inputs": [_input(item) for item in judge.inputs if item.name not in attached],
        "verdict": None if contract is None else dict(contract.schema),
        "score": score_json(judge.score),
        "scale": None if judge.scale is None else [as_number(judge.scale.low), as_number(judge.scale.high)],
        "passes": judge.passes,
        "messages": _messages(judge),
        "better": judge.better,
        "abstain": list(judge.abstain),
        "rubric": None if judge.rubric is None else _rubric(judge.rubric),
        "ratings": [_rating(each) for each in judge.ratings],
        "description": judge.description,
        "ignored": dict(judge.ignored),
        "unread": list(judge.unread),
        "guesses": list(judge.guesses),
        "attached": [_input(item) for item in judge.inputs if item.name in attached],
        "format": None if contract is None else contract.form,
        "structured": None if contract is None else contract.sends_schema,
        "anchors": dict(judge.anchors),
        "embedded": judge.for_embedded,
        "pair": _pair(judge),
    }


def _pair(judge: Judge) -> Json:
    """The inputs that are compared, what else changes places, and what each label is for."""
    pair = judge.pair
    if pair is None:
        return None
    winners = pair_winners(pair, judge.score) if isinstance(judge.score, PointsScore) else None
    return {
        "a": pair.answers[0],
        "b": pair.answers[1],
        "exchanged": [list(swap) for swap in pair.swaps],
        "winners": winners,
        "reply_scale": [as_number(pair.scale.low), as_number(pair.scale.high)],
    }


def pair_winners(pair: Pair, score: PointsScore) -> dict[str, Json]:
    """Label -> the answer it is for, as front matter writes it."""
    middle = (pair.scale.low + pair.scale.high) / 2
    high, low = ("a", "b") if pair.better == "higher" else ("b", "a")
    return {
        label: "tie" if points == middle else high if points > middle else low
        for label, points in score.points.items()
    }


def _attached(judge: Judge) -> set[str]:
    """The inputs that a message of ours carries."""
    messages = [message for message in judge.messages if message.attached]
    if not messages:
        return set()
    from adjudge.templates import messages_inputs  # noqa: PLC0415 - slow, and most prompts have their own placeholders

    return {item.name for item in messages_inputs(messages)}


def _rubric(rubric: Rubric) -> Json:
    criteria: list[Json] = [
        {"criterion": each.criterion, "points": as_number(each.points)} for each in rubric.criteria
    ]
    return {"criteria": criteria, "column": rubric.column, "ask": rubric.ask}


def _rating(rating: Rating) -> Json:
    scale: list[Json] = [as_number(rating.scale.low), as_number(rating.scale.high)]
    return {"name": rating.name, "scale": scale, "passes": rating.passes, "better": rating.better}


def _input(item: Input) -> Json:
    described: dict[str, Json] = {"name": item.name, "required": item.required}
    if item.default is not None:
        described["default"] = item.default
    return {**described, "from": item.source}


def score_json(score: ScoreRule | None) -> Json:
    """A score rule as front matter writes it."""
    match score:
        case None:
            return None
        case FieldScore(field=name) | NamedScore(name=name):
            return name
        case PointsScore(points=points):
            return {label: as_number(value) for label, value in points.items()}
        case ExpressionScore(text=text):
            return text
        case CheckScore(name=name, parameters=parameters):
            return {"check": {name: dict(parameters)} if parameters else name}
        case CombineScore(text=text, parts=parts):
            return {
                "combine": text,
                "judges": {name: f"{part.name}@{part.hash}" for name, part in parts.items()},
            }


def _messages(judge: Judge) -> list[Json]:
    """The prompt as it stands, placeholders and all, and the message added after it."""
    messages: list[Json] = [
        {"role": role, "content": content}
        for message in (*judge.items_messages, *judge.messages)
        for role, content in _unrendered(message)
    ]
    if judge.format_message is not None:
        messages.append({"role": "user", "content": judge.format_message})
    return messages


def _unrendered(message: PromptMessage) -> list[tuple[Role, str]]:
    """A template cut at its message tags, which only PromptL has; else it is the one message."""
    body = message.text
    if message.dialect != "promptl":
        return [(message.role, body)]
    found: list[tuple[Role, str]] = []
    position = 0
    while match := _MESSAGE_TAG.search(body, position):
        closing = re.compile(rf"</{match['name']}\s{{0,20}}>").search(body, match.end())
        if closing is None or body[match.start() - 1 : match.start()] in {"`", '"', "'"}:
            break
        outside = body[position : match.start()].strip()
        if outside:
            found.append(("user", outside))
        found.append((_role(match["name"]), body[match.end() : closing.start()].strip()))
        position = closing.end()
    if not found:
        return [(message.role, body)]
    rest = body[position:].strip()
    return [*found, ("user", rest)] if rest else found


def _role(name: str) -> Role:
    if name == "assistant":
        return "assistant"
    return "user" if name == "user" else "system"
