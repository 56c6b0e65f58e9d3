"""The expressions inside PromptL's tags: text -> expression, by recursive descent, no calls."""

import math
import re
from typing import NamedTuple

from adjudge.errors import TemplateError
from adjudge.records import Json
from adjudge.templates.syntax import (
    MAX_DEPTH,
    Binary,
    Expression,
    Index,
    ListOf,
    Literal,
    Name,
    Ternary,
    Unary,
    error_at,
)

TOKEN = re.compile(
    r"(?P<space>\s++)"
    r"|(?P<end>\}\})"
    r"|(?P<number>(?:\d++(?:\.\d++)?|\.\d++)(?:[eE][+-]?\d++)?)"
    r"|(?P<name>[^\W\d][\w$]*+)"
    r"|(?P<string>(?P<quote>[\"'`])(?:\\.|(?!(?P=quote))[^\\])*+(?P<closed>(?P=quote))?)"
    r"|(?P<operator>===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%<>!?:.,()\[\]=])",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None, "undefined": None}
PRECEDENCE = (
    ("??",),
    ("||",),
    ("&&",),
    ("==", "!=", "===", "!=="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
MAX_TOKENS = 300
MAX_DIGITS = 300


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str, start: int) -> list[Token]:
    """The tokens of the tag whose content begins at `start`, with its closing `}}` as the last."""
    tokens: list[Token] = []
    position = start
    while match := TOKEN.match(text, position):
        kind = match.lastgroup or ""
        if kind == "string" and match["closed"] is None:
            break
        if kind != "space":
            tokens.append(Token(kind, match[0], match.start(), match.end()))
        if kind == "end":
            return tokens
        if len(tokens) > MAX_TOKENS:
            raise error_at(
                text, start, f"the tag holds more than {MAX_TOKENS} words", "split it, or close it with `}}`"
            )
        position = match.end()
    found = text[position : position + 1]
    if not found:
        raise error_at(text, start, "the tag `{{` is never closed", "end it with `}}`")
    what = "a string that is never closed" if found in "\"'`" else f"`{found}`"
    raise error_at(text, position, f"found {what} in a tag", "write names, literals and operators")


class Parser:
    """Reads one expression after another from the tokens of one tag."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def takes(self, *texts: str) -> bool:
        """Step over the next token if it is one of these operators or keywords."""
        if self.token.kind in {"operator", "name"} and self.token.text in texts:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.takes(text):
            raise self.error(f"found {self.found()} where `{text}` was wanted", f"write `{text}`")

    def expect_name(self, what: str) -> str:
        if self.token.kind != "name":
            raise self.error(f"found {self.found()} where {what} was wanted", "write a name")
        self.at += 1
        return self.tokens[self.at - 1].text

    def expect_end(self) -> None:
        if self.token.kind != "end":
            hint = "a tag holds one expression, made of names, literals and operators"
            raise self.error(f"found {self.found()} after the expression", hint)

    def found(self) -> str:
        return "the end of the tag" if self.token.kind == "end" else f"`{self.token.text}`"

    def error(self, problem: str, hint: str) -> TemplateError:
        return error_at(self.text, self.token.start, problem, hint)

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"the expression nests deeper than {MAX_DEPTH}", "take parts of it out")
        test = self._binary(0)
        if self.takes("?"):
            then = self.expression()
            self.expect(":")
            test = Ternary(test=test, then=then, otherwise=self.expression())
        self.depth -= 1
        return test

    def _binary(self, level: int) -> Expression:
        if level == len(PRECEDENCE):
            return self._unary()
        left = self._binary(level + 1)
        while self.token.kind == "operator" and self.token.text in PRECEDENCE[level]:
            operator = self.token.text
            self.at += 1
            left = Binary(operator=operator, left=left, right=self._binary(level + 1))
        return left

    def _unary(self) -> Expression:
        operators = []
        while self.token.kind == "operator" and self.token.text in {"!", "-"}:
            operators.append(self.token.text)
            self.at += 1
        operand = self._member()
        for operator in reversed(operators):
            operand = Unary(operator=operator, operand=operand)
        return operand

    def _member(self) -> Expression:
        target = self._primary()
        while True:
            start = self.token.start
            if self.takes("."):
                target = _step(target, self.expect_name("a member's name"), optional=False)
            elif self.takes("?."):
                if self.takes("["):
                    target = self._index(target, optional=True)
                else:
                    target = _step(target, self.expect_name("a member's name"), optional=True)
            elif self.takes("["):
                target = self._index(target, optional=False)
            elif self.token.text == "(" and self.token.kind == "operator":
                called = self.text[self.tokens[0].start : start].split()
                raise self.error(
                    f"found the call `{called[-1] if called else ''}(…)`",
                    "calls are not supported: `.length`, comparisons, `? :`, `??`, `&&`, `||` and `!` are",
                )
            else:
                return target

    def _index(self, target: Expression, *, optional: bool) -> Expression:
        key = self.expression()
        self.expect("]")
        if isinstance(key, Literal) and isinstance(key.value, str | int) and not isinstance(key.value, bool):
            return _step(target, key.value, optional=optional)
        return Index(target=target, key=key)

    def _primary(self) -> Expression:
        token = self.token
        if token.kind == "number":
            self.at += 1
            number = float(token.text)
            if not math.isfinite(number) or len(token.text) > MAX_DIGITS:
                raise error_at(
                    self.text, token.start, "found a number that is too long", "write a shorter one"
                )
            return Literal(value=int(token.text) if token.text.isdigit() else number)
        if token.kind == "string":
            self.at += 1
            if token.text[0] == "`" and "${" in token.text:
                raise error_at(
                    self.text,
                    token.start,
                    "found a string with `${…}`",
                    "join the parts with `+`, or write two tags",
                )
            return Literal(value=ESCAPE.sub(_unescape, token.text[1:-1]))
        if token.kind == "name":
            self.at += 1
            return (
                Literal(value=CONSTANTS[token.text]) if token.text in CONSTANTS else Name(path=(token.text,))
            )
        if self.takes("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.takes("["):
            items: list[Expression] = []
            while not self.takes("]"):
                items.append(self.expression())
                if self.token.text != "]":
                    self.expect(",")
            return ListOf(items=tuple(items))
        raise self.error(
            f"found {self.found()} where a value was wanted", "write a name, a literal or `( … )`"
        )


def _step(target: Expression, key: str | int, *, optional: bool) -> Expression:
    if isinstance(target, Name):
        return Name(path=(*target.path, key), optional=target.optional or optional)
    return Index(target=target, key=Literal(value=key))


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else ESCAPES.get(code, code)
