"""Text -> syntax tree: one tokenizer and one parser, told by a `Grammar` what an expression is made of."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from adjudge.errors import InputError
from adjudge.expressions.syntax import (
    MAX_DEPTH,
    Chain,
    ComputedMember,
    FunctionCall,
    ListOf,
    Literal,
    Name,
    Node,
    Step,
    Ternary,
    Unary,
)
from adjudge.records import Json
from adjudge.text import did_you_mean, shorten, visible

QUOTES = "\"'`“"


class UnusableLiteralError(Exception):
    """A number or text that a grammar does not take; with the problem and what to write instead."""


class Level(NamedTuple):
    """Operators that bind alike."""

    operators: tuple[str, ...]
    prefix: bool = False


class Function(NamedTuple):
    least: int
    most: int
    reads_items: bool = False
    """A second argument names a field of the items of the first."""


class Grammar(Struct, frozen=True, kw_only=True):
    """What one language of expressions is made of; what a tokenizer does not know, its parser never meets."""

    token: re.Pattern[str]
    """With the groups space, number, name, text, unclosed (a text that is), operator and end."""
    levels: tuple[Level, ...]
    """Loosest first."""
    constants: Mapping[str, Json]
    aliases: Mapping[str, str] = {}
    """Other ways to write an operator."""
    ignores_case: bool = False
    """Of constants and of operators that are words."""
    functions: Mapping[str, Function] = {}
    read_number: Callable[[str], Json | Fraction]
    read_text: Callable[[str], str]
    max_tokens: int
    end: str
    """What the end is called when it comes too early."""
    unclosed: tuple[str, str] = ("", "")
    """Problem and hint where the text ends before the expression does."""
    hint: str
    """What an expression is made of, in words."""
    call_hint: str
    character_hints: Mapping[str, str] = {}
    error_at: Callable[[str, int, str, str], InputError]
    """The error for a text, an offset in it, a problem and a hint."""


class ExpressionToken(NamedTuple):
    kind: str
    text: str
    """As written."""
    word: str
    """In the one form that operators, constants and keywords are compared in."""
    start: int
    end: int


def tokenize(text: str, grammar: Grammar, start: int = 0) -> list[ExpressionToken]:
    """The tokens of the expression that begins at `start`, with what ends it as the last."""
    tokens: list[ExpressionToken] = []
    position = start
    while (match := grammar.token.match(text, position)) and match.lastgroup != "unclosed":
        kind = match.lastgroup or ""
        if kind != "space":
            word = match[0].lower() if grammar.ignores_case else match[0]
            if kind in {"name", "operator"} and word in grammar.aliases:
                kind, word = "operator", grammar.aliases[word]
            tokens.append(ExpressionToken(kind, match[0], word, match.start(), match.end()))
        if kind == "end":
            return tokens
        if len(tokens) > grammar.max_tokens:
            problem = f"the expression holds more than {grammar.max_tokens} words"
            raise grammar.error_at(text, start, problem, "split it, or close it where it ends")
        position = match.end()
    if position >= len(text):
        raise grammar.error_at(text, start, *grammar.unclosed)
    found = text[position]
    if found in QUOTES:
        problem = f"the text that starts with {found} is never closed"
        raise grammar.error_at(text, position, problem, "close the quotation mark")
    hint = grammar.character_hints.get(found, grammar.hint)
    raise grammar.error_at(text, position, f"`{visible(found)}` is not understood", hint)


def parse(text: str, grammar: Grammar) -> Node:
    """The tree of a text that is one expression."""
    parser = Parser(text, grammar)
    node = parser.expression()
    parser.expect_end()
    return node


class Parser:
    """Reads one expression after another from the tokens of one text or tag."""

    def __init__(self, text: str, grammar: Grammar, start: int = 0) -> None:
        self.text = text
        self.grammar = grammar
        self.tokens = tokenize(text, grammar, start)
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> ExpressionToken:
        return self.tokens[self.at]

    def is_operator(self, *words: str) -> bool:
        return self.token.kind == "operator" and self.token.word in words

    def takes(self, *words: str) -> bool:
        """Step over the next token if it is one of these operators or keywords."""
        if self.token.kind in {"operator", "name"} and self.token.word in words:
            self.at += 1
            return True
        return False

    def expect(self, word: str, opening: ExpressionToken | None = None) -> None:
        if self.takes(word):
            return
        pair = ""
        if opening:
            column = opening.start - self.text.rfind("\n", 0, opening.start)
            pair = f" to close the `{opening.text}` of column {column}"
        raise self.error(f"found {self.found()} where `{word}` was expected{pair}", f"write `{word}`")

    def expect_name(self, what: str) -> str:
        if self.token.kind != "name":
            raise self.error(f"found {self.found()} where {what} was expected", "write a name")
        self.at += 1
        return self.tokens[self.at - 1].text

    def expect_end(self) -> None:
        if self.token.kind != "end":
            raise self.error(f"found {self.found()} after the expression", self.grammar.hint)

    def found(self) -> str:
        return self.grammar.end if self.token.kind == "end" else f"`{shorten(self.token.text, 80)}`"

    def error(self, problem: str, hint: str, token: ExpressionToken | None = None) -> InputError:
        return self.grammar.error_at(self.text, (token or self.token).start, problem, hint)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"the expression nests deeper than {MAX_DEPTH}", "nest it less deeply")

    def expression(self) -> Node:
        self.deeper()
        node = self._operation(0)
        if self.takes("?"):
            then = self.expression()
            self.expect(":")
            node = Ternary(test=node, then=then, otherwise=self.expression())
        self.depth -= 1
        return node

    def _operation(self, level: int) -> Node:
        if level == len(self.grammar.levels):
            return self._member()
        operators, prefix = self.grammar.levels[level]
        if prefix and self.is_operator(*operators):
            operator = self.token.word
            self.at += 1
            self.deeper()
            operand = self._operation(level)
            self.depth -= 1
            return operand if operator == "+" else Unary(operator=operator, operand=operand)
        first = self._operation(level + 1)
        rest: list[tuple[str, Node]] = []
        while not prefix and self.is_operator(*operators):
            operator = self.token.word
            self.at += 1
            rest.append((operator, self._operation(level + 1)))
        return Chain(first=first, rest=tuple(rest)) if rest else first

    def _member(self) -> Node:
        first = self.token
        target = self._primary()
        while True:
            optional = self.takes("?.")
            opening = self.token
            if self.takes("["):
                key = self.expression()
                self.expect("]", opening)
                target = _member_of(target, key, optional=optional)
            elif optional or self.takes("."):
                key = Literal(value=self.expect_name("a member's name"))
                target = _member_of(target, key, optional=optional)
            elif self.is_operator("("):
                target = self._call(target, first)
            else:
                return target

    def _call(self, target: Node, first: ExpressionToken) -> Node:
        opening = self.token
        name = target.dotted if isinstance(target, Name) else ""
        function = self.grammar.functions.get(name)
        if function is None:
            called = shorten(self.text[first.start : opening.start].strip(), 80)
            hint = did_you_mean(name, self.grammar.functions, self.grammar.call_hint)
            raise self.error(f"there is no function `{called}`", hint, first)
        self.at += 1
        arguments = self._list(opening, ")")
        if not function.least <= len(arguments) <= function.most:
            takes = f"{function.least} to {function.most} arguments"
            problem = f"`{name}` takes {takes}, found {len(arguments)}"
            raise self.error(problem, self.grammar.hint, first)
        if function.reads_items and len(arguments) == 2 and not isinstance(arguments[1], Name):
            problem = f"the second argument of `{name}` names a field of the items"
            raise self.error(problem, f"{name}(facts, matched)", first)
        return FunctionCall(function=name, arguments=arguments)

    def _list(self, opening: ExpressionToken, closing: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self.takes(closing):
            items.append(self.expression())
            if not self.takes(","):
                self.expect(closing, opening)
                break
        return tuple(items)

    def _primary(self) -> Node:
        token = self.token
        self.at += 1
        try:
            match token.kind:
                case "number":
                    return Literal(value=self.grammar.read_number(token.text))
                case "text":
                    return Literal(value=self.grammar.read_text(token.text))
                case "name" if token.word in self.grammar.constants and not self.is_operator("("):
                    return Literal(value=self.grammar.constants[token.word])
                case "name":
                    return Name(path=tuple(token.text.split(".")))
                case "operator" if token.word == "(":
                    inner = self.expression()
                    self.expect(")", token)
                    return inner
                case "operator" if token.word == "[":
                    return ListOf(items=self._list(token, "]"))
        except UnusableLiteralError as error:
            problem, hint = error.args
            raise self.error(problem, hint, token) from None
        self.at -= 1
        raise self.error(f"found {self.found()} where a value was expected", self.grammar.hint)


def _member_of(target: Node, key: Node, *, optional: bool) -> Node:
    """A longer path where it is written out; else a member to be computed."""
    if isinstance(target, Name) and isinstance(key, Literal):
        step = key.value
        if isinstance(step, str | int) and not isinstance(step, bool):
            path: tuple[Step, ...] = (*target.path, step)
            return Name(path=path, optional=target.optional or optional)
    return ComputedMember(target=target, key=key)
