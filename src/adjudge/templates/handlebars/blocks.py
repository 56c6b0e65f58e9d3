"""Blocks and helpers -> the shared syntax tree: what each name of a Handlebars template stands for."""

import re
from dataclasses import dataclass
from typing import Literal as OneOf

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import Literal, Name
from adjudge.records import Role
from adjudge.templates.handlebars.statements import BlockStatement, Statement
from adjudge.templates.handlebars.tags import Argument, Constant, Content, Invocation, Path
from adjudge.templates.syntax import (
    FENCED,
    Arm,
    ContextBlock,
    Expression,
    HelperCall,
    Here,
    If,
    LoopFact,
    Node,
    Outer,
    Output,
    RoleChange,
    Root,
    Span,
    Text,
    error_at,
    joined,
)
from adjudge.text import did_you_mean, shorten

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "model": "assistant",
    "assistant": "assistant",
}
ROLE_TAG = re.compile(r"\{\{~?\s*+role\s++[\"']")
"""A text with one of these is Dotprompt, where `{{history}}` is not an input."""
LOOP_FACTS = ("index", "key", "first", "last")
INLINE_HELPERS = ("lookup", "log", "json", "role", "media")
BLOCK_HELPERS = ("if", "unless", "each", "with", "ifEquals", "unlessEquals")
MAX_INDENT = 10
"""As JSON.stringify has it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What the blocks around a tag mean for the names in it."""

    names: frozenset[str] = frozenset()
    """Local ones: `as |item|`."""
    contexts: int = 0
    """Blocks around here that can change what names belong to."""
    loops: int = 0

    def inside(self, names: tuple[str, ...], *, loop: bool) -> "Surroundings":
        return Surroundings(
            names=self.names | set(names), contexts=self.contexts + 1, loops=self.loops + loop
        )


def build(text: str, statements: list[Statement]) -> tuple[Node, ...]:
    return _TreeBuilder(text).nodes(statements, Surroundings())


class _TreeBuilder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.dotprompt = ROLE_TAG.search(text) is not None

    def error(self, span: Span, problem: str, hint: str) -> TemplateError:
        return error_at(self.text, span[0], problem, hint)

    def nodes(self, statements: list[Statement], around: Surroundings) -> tuple[Node, ...]:
        found: list[Node] = []
        for statement in statements:
            match statement:
                case Content(text=text):
                    if text:
                        found.append(Text(text=text))
                case BlockStatement():
                    found.append(self.block(statement, around))
                case _ if statement.expression is not None:
                    found += self.tag(statement.expression, statement.span, around)
        return joined(found)

    # ---- blocks

    def block(self, block: BlockStatement, around: Surroundings) -> Node:
        expression, span = block.expression, block.span
        name = self._helper(expression, around)
        if name in {"if", "unless", "ifEquals", "unlessEquals"}:
            return self._condition(name, block, around)
        if name in {"each", "with"}:
            (subject,) = self._arguments(name, expression, span, around, count=1)
            kind: OneOf["each", "with", "section"] = "each" if name == "each" else "with"
        elif expression.arguments or expression.options or name in INLINE_HELPERS:
            raise self._unknown(expression, span, BLOCK_HELPERS)
        else:
            subject, kind = self.value(expression.head, span, around), "section"
        if len(block.names) > 2:
            raise self.error(
                span,
                f"`{block.names[2]}` is a third local name",
                "write `as |item index|`: there are two at most",
            )
        inner = around.inside(block.names, loop=kind != "with")
        return ContextBlock(
            kind=kind,
            subject=subject,
            names=block.names,
            body=self.nodes(block.program or [], inner),
            otherwise=self.nodes(block.inverse or [], around),
            span=span,
        )

    def _condition(self, name: str, block: BlockStatement, around: Surroundings) -> If:
        expression, span = block.expression, block.span
        test: HelperCall
        if name in {"if", "unless"}:
            (value,) = self._arguments(name, expression, span, around, count=1, options=("includeZero",))
            zero = dict(expression.options).get("includeZero")
            counts = isinstance(zero, Constant) and bool(zero.value)
            test = HelperCall(function="filled_or_zero" if counts else "filled", arguments=(value,))
        else:
            test = HelperCall(
                function="equal", arguments=self._arguments(name, expression, span, around, count=2)
            )
        body = self.nodes(block.program or [], around)
        otherwise = self.nodes(block.inverse or [], around)
        if name.startswith("unless"):
            body, otherwise = otherwise, body
        arms = [Arm(test=test, body=body, span=span)]
        if block.chained and name == "if":
            # `{{else if}}` is one more arm
            match otherwise:
                case (If(arms=others, otherwise=last),):
                    arms += others
                    otherwise = last
        return If(arms=tuple(arms), otherwise=otherwise)

    # ---- tags

    def tag(self, expression: Invocation, span: Span, around: Surroundings) -> list[Node]:
        name = self._helper(expression, around)
        if name == "role":
            return [RoleChange(role=self._role(expression, span))]
        if name == "log":
            return []
        if name == "media":
            return [Output(expression=self._media(expression, span, around), span=span)]
        if name == "history" and self.dotprompt and not expression.arguments:
            messages = Name(path=("messages",), optional=True)
            return [
                RoleChange(role="user"),
                Output(expression=messages, span=span),
                RoleChange(role="assistant"),
            ]
        return [Output(expression=self.value(self._plain(expression), span, around), span=span)]

    @staticmethod
    def _plain(expression: Invocation) -> Argument:
        bare = not expression.arguments and not expression.options
        return expression.head if bare and isinstance(expression.head, Constant) else expression

    def _role(self, expression: Invocation, span: Span) -> Role:
        match expression.arguments:
            case (Constant(value=str(role)),) if role in ROLES:
                return ROLES[role]
        raise self.error(
            span,
            "`role` names no role",
            f'write `{{{{role "user"}}}}`; the roles are {", ".join(ROLES)}',
        )

    def _media(self, expression: Invocation, span: Span, around: Surroundings) -> Expression:
        url = dict(expression.options).get("url")
        if url is None:
            raise self.error(span, "`media` has no `url`", "write `{{media url=name}}`")
        return self.value(url, span, around) if not isinstance(url, Constant) else Literal(value=url.value)

    # ---- values

    def argument(self, argument: Argument, span: Span, around: Surroundings) -> Expression:
        if isinstance(argument, Constant):
            return Literal(value=argument.value)
        return self.value(argument, span, around)

    def value(self, argument: Argument, span: Span, around: Surroundings) -> Expression:
        match argument:
            case Constant(value=value):
                # Where a name stands, a literal is one: `{{"odd name"}}`.
                return self._at((_spelled(value),), around)
            case Path():
                return self._path(argument, span, around)
        name = self._helper(argument, around)
        if name == "lookup":
            return HelperCall(
                function="lookup", arguments=self._arguments(name, argument, span, around, count=2)
            )
        if name == "json":
            indent = dict(argument.options).get("indent")
            number = indent.value if isinstance(indent, Constant) else None
            return HelperCall(
                function="json",
                arguments=self._arguments(name, argument, span, around, count=1, options=("indent",)),
                indent=min(number, MAX_INDENT) if isinstance(number, int) and number > 0 else None,
            )
        if argument.arguments or argument.options or name in (*BLOCK_HELPERS, *INLINE_HELPERS):
            raise self._unknown(argument, span, INLINE_HELPERS)
        return self.value(argument.head, span, around)

    def _path(self, path: Path, span: Span, around: Surroundings) -> Expression:
        if path.data:
            return self._data(path, span, around)
        steps = path.steps
        if path.up > around.contexts:
            raise self.error(
                span,
                f"`{shorten(path.written, 40)}` goes above the inputs",
                "only `{{#each}}`, `{{#with}}` and blocks on a name are a step of `../`; `{{#if}}` is none",
            )
        if not steps and path.up == around.contexts:
            raise self.error(
                span,
                f"`{path.written}` stands for all the inputs here",
                "name the one that is meant",
            )
        if path.up:
            return Outer(path=steps, up=path.up)
        if path.scoped:
            return Here(path=steps) if around.contexts else Name(path=steps)
        return self._at(steps, around)

    @staticmethod
    def _at(steps: tuple[str, ...], around: Surroundings) -> Expression:
        if not around.contexts or steps[0] in around.names or steps[0] == FENCED:
            return Name(path=steps)
        return Here(path=steps)

    def _data(self, path: Path, span: Span, around: Surroundings) -> Expression:
        name, rest = (path.steps[0], path.steps[1:]) if path.steps else ("", ())
        if name == "root" and rest and not path.up:
            return Root(path=rest)
        if name in LOOP_FACTS and not rest and path.up < around.loops:
            return LoopFact(name=name, up=path.up)
        known = name in LOOP_FACTS and not rest
        raise self.error(
            span,
            f"`{shorten(path.written, 40)}` {'stands outside of its loop' if known else 'is not known'}",
            "`@index`, `@key`, `@first` and `@last` stand inside `{{#each}}`; `@root.name` is an input anywhere",
        )

    # ---- helpers

    def _helper(self, expression: Invocation, around: Surroundings) -> str:
        """The name that may be a helper's; empty when it cannot be."""
        head = expression.head
        if isinstance(head, Constant) or head.scoped or head.data or len(head.steps) != 1:
            return ""
        name = head.steps[0]
        return "" if name in around.names else name

    def _arguments(
        self,
        name: str,
        expression: Invocation,
        span: Span,
        around: Surroundings,
        *,
        count: int,
        options: tuple[str, ...] = (),
    ) -> tuple[Expression, ...]:
        if len(expression.arguments) != count or {key for key, _ in expression.options} - set(options):
            raise self.error(
                span,
                f"`{name}` takes {'one value' if count == 1 else f'{count} values'}",
                f"it has {len(expression.arguments)} here"
                + ", and an option it does not know" * bool(expression.options),
            )
        return tuple(self.argument(argument, span, around) for argument in expression.arguments)

    def _unknown(self, expression: Invocation, span: Span, known: tuple[str, ...]) -> TemplateError:
        head = expression.head
        name = str(head.value) if isinstance(head, Constant) else head.written
        listed = f"helpers here are {', '.join(known)}; compute anything else into a column of the cases"
        return self.error(
            span, f"`{shorten(name, 40)}` is not a helper here", did_you_mean(name, known, listed)
        )


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
