"""Syntax tree -> the inputs it asks for: their names, where they stand, and whether their absence is foreseen."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

from msgspec import Struct

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import (
    COMPARISONS,
    LOGICAL,
    Chain,
    ComputedMember,
    Name,
    Step,
    Ternary,
    Unary,
    children,
)
from adjudge.fields import NAMESPACES, canonical_field
from adjudge.templates.syntax import (
    FENCED,
    MAX_STEPS,
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
    Span,
    TemplateInput,
    Text,
    dotted,
    error_at,
    input_name,
)

MAX_INPUTS = 1000
HERE = "."
"""Among aliases: the input whose elements the innermost section is about; `../.` is the one around it, and so on."""

FLAG = re.compile(r"(?:has|is|show|include|with|use|if)(?:_|(?=[A-Z]))")
"""A section on such a name asks yes or no; names inside it are inputs, not members of it."""


class Mention(Struct, frozen=True, kw_only=True):
    name: str
    alias: str
    """The local name that stands for it; empty when it is named itself."""
    path: str
    span: Span
    written: bool
    """It is sent, not only tested."""
    guarded: bool
    local: bool = False
    """Inside a section about something else: it may be a member of that."""


def gather(mentions: list[Mention]) -> tuple[TemplateInput, ...]:
    """One reference per input, in the order of first mention.

    A name that stands only inside sections about something else is a member of what the section is about,
    unless it is one that cases have a field for; then it is an input that may be absent.
    """
    by_name: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_name.setdefault(mention.name, []).append(mention)
    if len(by_name) > MAX_INPUTS:
        raise TemplateError(
            "line 1", f"the prompt names {len(by_name)} inputs; at most {MAX_INPUTS} are read", "use fewer"
        )
    references = []
    for name, found in by_name.items():
        sure = [mention for mention in found if not mention.local]
        if not sure and canonical_field(name) is None:
            continue
        spans = [mention.span for mention in found if mention.written] or [mention.span for mention in found]
        references.append(
            TemplateInput(
                name=name,
                path=found[0].path,
                guarded=all(mention.guarded for mention in sure),
                spans=tuple(dict.fromkeys(spans)),
            )
        )
    return tuple(references)


def find_mentions(
    text: str, nodes: tuple[Node, ...], known: Mapping[str, str] = MappingProxyType({})
) -> list[Mention]:
    """Every place that names an input; `known` has local names that are bound from the start."""
    surveyor = _Surveyor(text)
    surveyor.visit(nodes, frozenset(), dict(known), ())
    return surveyor.mentions


def entered(aliases: Mapping[str, str], name: str) -> dict[str, str]:
    """The local names inside a block that is about `name`."""
    deeper = {f"../{alias}": found for alias, found in aliases.items() if alias.endswith(HERE)}
    return {**aliases, **deeper, HERE: name}


def source_of(expression: Name | Here | Outer | Root, aliases: Mapping[str, str]) -> str:
    """The input behind an expression, through the local names; empty when there is none."""
    if is_own(expression, aliases):
        return input_name(expression.path) if expression.path else ""
    match expression:
        case Name(path=path):
            return aliases[str(path[0])]
        case Outer(up=up):
            return aliases["../" * up + HERE]
        case _:
            return aliases[HERE]


def sources(expression: Expression, aliases: Mapping[str, str]) -> list[str]:
    """The inputs behind an expression, in its order."""
    match expression:
        case Name() | Here() | Outer() | Root():
            found = [source_of(expression, aliases)]
        case Formatted(value=value):
            found = sources(value, aliases)
        case LoopFact():
            found = []
        case HelperCall(arguments=arguments):
            found = [name for part in arguments for name in sources(part, aliases)]
        case Ternary(test=test, then=then, otherwise=otherwise):
            found = [name for part in (then, otherwise, test) for name in sources(part, aliases)]
        case _:
            found = [name for part in children(expression) for name in sources(part, aliases)]
    return [name for name in found if name]


def alias_of(expression: Expression, aliases: Mapping[str, str]) -> str:
    """The input that a local name stands for when it is bound to this expression; empty when to none."""
    found = sources(expression, aliases)
    return found[0] if found else ""


class _Surveyor:
    def __init__(self, text: str) -> None:
        self.text = text
        self.mentions: list[Mention] = []
        self.covered: set[str] = set()
        """Local names bound to an expression that already says what to do when its input is absent."""

    def visit(
        self,
        nodes: tuple[Node, ...],
        governed: frozenset[str],
        aliases: dict[str, str],
        sections: tuple[str, ...],
    ) -> None:
        """Collect mentions; `governed` names the inputs that conditions around here test."""
        for node in nodes:
            match node:
                case Text():
                    pass
                case Output(expression=expression, span=span):
                    self._mention(expression, span, governed, aliases, sections, written=True)
                case If(arms=arms, otherwise=otherwise):
                    inside = governed
                    for arm in arms:
                        self._mention(arm.test, arm.span, governed, aliases, sections, tested=True)
                        inside |= set(sources(arm.test, aliases))
                        self.visit(arm.body, inside, aliases, sections)
                    self.visit(otherwise, inside, aliases, sections)
                case For(source=source, span=span):
                    before = len(self.mentions)
                    # Only a loop that says what to write when there is nothing foresees that there is nothing.
                    self._mention(source, span, governed, aliases, sections, tested=bool(node.otherwise))
                    foreseen = all(mention.guarded for mention in self.mentions[before:])
                    inside = governed | set(sources(source, aliases)) if foreseen else governed
                    bound = {**aliases, node.item: alias_of(source, aliases)}
                    if node.index:
                        bound[node.index] = ""
                    self.visit(node.body, inside, bound, sections)
                    self.visit(node.otherwise, inside, aliases, sections)
                case Section(subject=subject, body=body, span=span):
                    before = len(self.mentions)
                    self._mention(subject, span, governed, aliases, sections, tested=True)
                    inside = governed | set(sources(subject, aliases))
                    name = alias_of(subject, aliases)
                    # A section that is itself about a member leaves what it holds to that member's owner.
                    member = any(mention.local for mention in self.mentions[before:])
                    if node.inverted or member or FLAG.match(name):
                        self.visit(body, inside, aliases, sections)
                    else:
                        self.visit(body, inside, {**aliases, HERE: name}, (*sections, name))
                case ContextBlock(kind=kind, subject=subject, span=span):
                    before = len(self.mentions)
                    # As with a loop; the other blocks are conditions too.
                    foreseen = kind != "each" or bool(node.otherwise)
                    self._mention(subject, span, governed, aliases, sections, tested=foreseen)
                    foreseen = all(mention.guarded for mention in self.mentions[before:])
                    inside = governed | set(sources(subject, aliases)) if foreseen else governed
                    name = alias_of(subject, aliases)
                    flag = kind == "section" and FLAG.match(name)
                    bound = dict(aliases) if flag else entered(aliases, name)
                    bound.update(zip(node.names, (name, ""), strict=False))
                    self.visit(node.body, inside, bound, sections)
                    self.visit(node.otherwise, inside, aliases, sections)
                case Assign(name=name, value=value, span=span):
                    before = len(self.mentions)
                    self._mention(value, span, governed, aliases, sections)
                    if all(mention.guarded for mention in self.mentions[before:]):
                        self.covered.add(name)
                    else:
                        self.covered.discard(name)
                    aliases[name] = alias_of(value, aliases)
                case MessageTag(body=body):
                    self.visit(body, governed, aliases, sections)
                case RoleChange():
                    pass
                case _:
                    assert_never(node)

    def _mention(
        self,
        expression: Expression,
        span: Span,
        governed: frozenset[str],
        aliases: dict[str, str],
        sections: tuple[str, ...],
        *,
        written: bool = False,
        tested: bool = False,
    ) -> None:
        def go(expression: Expression, governed: frozenset[str], *, written: bool, tested: bool) -> None:
            match expression:
                case Name() | Here() | Outer() | Root():
                    name = alias_of(expression, aliases)
                    if not name:
                        return
                    own = is_own(expression, aliases)
                    path = (
                        expression.path if own or isinstance(expression, Name) else (name, *expression.path)
                    )
                    validate_path(self.text, path, span)
                    self.mentions.append(
                        Mention(
                            name=name,
                            alias="" if source_is_own(path, aliases) else str(path[0]),
                            path=dotted(path) if own else name,
                            span=span,
                            written=written,
                            guarded=tested
                            or name in governed
                            or getattr(expression, "optional", False)
                            or (path[0] in self.covered and path[0] in aliases),
                            local=bool(sections)
                            and name not in sections
                            and path[0] not in (*NAMESPACES, FENCED, *aliases),
                        )
                    )
                case ComputedMember(target=target, key=key):
                    go(target, governed, written=written, tested=tested)
                    go(key, governed, written=False, tested=tested)
                case Unary(operator=operator, operand=operand):
                    go(operand, governed, written=written and operator != "!", tested=tested)
                case Chain(operator=operator, operands=(*firsts, last)):
                    sent = written and operator not in COMPARISONS
                    joins = operator in LOGICAL
                    inside = governed
                    for operand in firsts:
                        go(operand, inside, written=sent and operator != "&&", tested=tested or joins)
                        if joins:
                            inside |= set(sources(operand, aliases))
                    go(last, inside, written=sent, tested=tested)
                case Ternary(test=test, then=then, otherwise=otherwise):
                    go(test, governed, written=False, tested=True)
                    inside = governed | set(sources(test, aliases))
                    go(then, inside, written=written, tested=tested)
                    go(otherwise, inside, written=written, tested=tested)
                case Formatted(value=value):
                    go(value, governed, written=written, tested=tested)
                case LoopFact():
                    pass
                case HelperCall(function=function, arguments=(first, *others)):
                    go(first, governed, written=written and function != "equal", tested=tested)
                    for argument in others:
                        go(argument, governed, written=False, tested=tested)
                case HelperCall():
                    raise AssertionError("a call has an argument")
                case _:
                    for part in children(expression):
                        go(part, governed, written=written, tested=tested)

        go(expression, governed, written=written, tested=tested)


def is_own(expression: Name | Here | Outer | Root, aliases: Mapping[str, str]) -> bool:
    """Does an expression name an input itself, and not something local that stands for it?"""
    match expression:
        case Name(path=path):
            return source_is_own(path, aliases)
        case Here():
            return HERE not in aliases
        case Outer(up=up):
            return "../" * up + HERE not in aliases
        case Root():
            return True


def source_is_own(path: tuple[Step, ...], aliases: Mapping[str, str]) -> bool:
    return str(path[0]) not in aliases


def validate_path(text: str, path: tuple[Step, ...], span: Span) -> None:
    """Refuse one that is too long, and a member of a fenced input: only a whole value can stand inside its boundary."""
    if len(path) > MAX_STEPS:
        raise error_at(
            text,
            span[0],
            f"`{dotted(path[:3])}…` has {len(path)} parts; at most {MAX_STEPS} are read",
            "name the value by a shorter path",
        )
    if path[0] == FENCED and len(path) > 1:
        name = input_name(path)
        if dotted(path[1:]) != name:
            raise error_at(
                text,
                span[0],
                f"`{dotted(path)}` asks for a part of a fenced input",
                f"write `{FENCED}.{name}`, or `{dotted(path[1:])}` without the fence",
            )
