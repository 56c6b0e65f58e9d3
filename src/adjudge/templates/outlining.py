"""Syntax tree -> its literal text with `⟦name⟧` for each input, and -> a stable form for hashing."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import takewhile
from types import MappingProxyType
from typing import assert_never

from msgspec import Struct

from adjudge.expressions.syntax import Chain, ComputedMember, Literal, Name, Ternary, children
from adjudge.records import Json
from adjudge.templates.survey import HERE, alias_of, entered
from adjudge.templates.syntax import (
    Assign,
    ContextBlock,
    Expression,
    For,
    Formatted,
    HelperCall,
    Here,
    If,
    LoopFact,
    MessageTag,
    Node,
    Outer,
    Output,
    RoleChange,
    Root,
    Section,
    Text,
)
from adjudge.templates.values import to_text

HASHED_AS: dict[type, str] = {ComputedMember: "Index"}
"""Nodes that stand in the hashed form under an earlier name."""
NOT_SENT = frozenset({"span"})
"""Fields of a node that say where it stood, not what it sends."""


BETWEEN_ARMS = " | "
"""Between what an `if` and its `else` write on one line: one or the other is sent."""


def placeholder(name: str) -> str:
    return f"⟦{name}⟧"


def outline_of(nodes: tuple[Node, ...], known: Mapping[str, str] = MappingProxyType({})) -> str:
    """`known` has local names that are bound from the start."""
    parts: list[str] = []
    _collect(nodes, parts, dict(known))
    return "".join(parts)


def _collect(nodes: tuple[Node, ...], parts: list[str], aliases: dict[str, str]) -> None:
    for node in nodes:
        match node:
            case Text(text=text):
                parts.append(text)
            case Output(expression=expression):
                parts.append(_written(expression, aliases))
            case If(arms=arms, otherwise=otherwise):
                for number, body in enumerate((*(arm.body for arm in arms), otherwise)):
                    written: list[str] = []
                    _collect(body, written, aliases)
                    inline = number and written and parts and not parts[-1].endswith("\n")
                    parts += [BETWEEN_ARMS, *written] if inline and "\n" not in written[0] else written
            case For(item=item, index=index, source=source, body=body, otherwise=otherwise):
                bound = {**aliases, item: alias_of(source, aliases)}
                if index:
                    bound[index] = ""
                _collect(body, parts, bound)
                _collect(otherwise, parts, aliases)
            case Section(subject=subject, body=body):
                _collect(body, parts, {**aliases, HERE: alias_of(subject, aliases)})
            case ContextBlock(subject=subject, names=names, body=body, otherwise=otherwise):
                about = alias_of(subject, aliases)
                bound = {**entered(aliases, about), **dict(zip(names, (about, ""), strict=False))}
                _collect(body, parts, bound)
                _collect(otherwise, parts, aliases)
            case Assign(name=name, value=value):
                aliases[name] = alias_of(value, aliases)
            case MessageTag(body=body):
                if parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
                _collect(body, parts, aliases)
                parts.append("\n")
            case RoleChange():
                if parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
            case _:
                assert_never(node)


def _written(expression: Expression, aliases: Mapping[str, str]) -> str:
    """What an expression can write: its literals and its inputs, every branch in order."""
    match expression:
        case Literal(value=value) if not isinstance(value, Fraction):
            return to_text(value)
        case Ternary(then=then, otherwise=otherwise):
            return _written(then, aliases) + _written(otherwise, aliases)
        case Chain(operator="??" | "||"):
            return "".join(_written(operand, aliases) for operand in expression.operands)
        case Chain(rest=(*_, ("&&", last))):
            return _written(last, aliases)
        case Chain(first=first, rest=(*_, ("+", _)) as rest):
            joined = list(takewhile(lambda part: part[0] == "+", reversed(rest)))
            before = rest[: -len(joined)]
            start = Chain(first=first, rest=before) if before else first
            return _written(start, aliases) + "".join(_written(part, aliases) for _, part in reversed(joined))
        case Name(path=path):
            return placeholder(alias_of(expression, aliases) or str(path[0]))
        case Here() | Outer() | Root():
            return placeholder(alias_of(expression, aliases) or ".")
        case LoopFact(name=name):
            return placeholder(f"@{name}")
        case _:
            return "".join(_written(name, aliases) for name in _names(expression))


def _names(expression: Expression) -> Iterator[Name | Here | Outer | Root]:
    match expression:
        case Name() | Here() | Outer() | Root():
            yield expression
        case Formatted(value=value):
            yield value
        case LoopFact():
            pass
        case HelperCall(arguments=arguments):
            for part in arguments[:1]:
                yield from _names(part)
        case _:
            for part in children(expression):
                yield from _names(part)


def serialise(dialect: str, nodes: tuple[Node, ...]) -> str:
    """A form for hashing: equal for trees that send the same."""
    return json.dumps([dialect, _plain(nodes)], ensure_ascii=False, separators=(",", ":"))


def _plain(part: object) -> Json:
    if isinstance(part, Chain):
        nested = _plain(part.first)
        for operator, operand in part.rest:
            nested = ["Binary", operator, nested, _plain(operand)]
        return nested
    if isinstance(part, Struct):
        kept = [name for name in part.__struct_fields__ if name not in NOT_SENT]
        return [
            HASHED_AS.get(type(part), type(part).__name__),
            *(_plain(getattr(part, name)) for name in kept),
        ]
    if isinstance(part, tuple | list):
        return [_plain(item) for item in part]
    if isinstance(part, dict):
        return {str(key): _plain(value) for key, value in part.items()}
    if part is None or isinstance(part, str | int | float | bool):
        return part
    raise TypeError(f"a syntax tree holds no {type(part).__name__}")
