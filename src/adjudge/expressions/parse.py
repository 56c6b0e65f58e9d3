"""Text -> syntax tree, by recursive descent over a flat list of tokens."""

import difflib
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NoReturn

from adjudge.errors import ExpressionError
from adjudge.expressions.syntax import (
    DEEPEST,
    FUNCTIONS,
    LONGEST,
    Apply,
    Chain,
    Compare,
    Comparison,
    Function,
    Junction,
    Literally,
    Name,
    Negative,
    Node,
    Not,
)

LARGEST_EXPONENT = 400
WHAT_IS_UNDERSTOOD = (
    'fields, numbers, "text", true, false, null, + - * /, comparisons, and, or, not, parentheses, '
    "min, max, sum, count, round"
)
TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*(?:\.\w+)*)
      | (?P<text>"[^"]*"|'[^']*'|“[^”]*”)
      | (?P<sign>[<>=!]=|[-+*/()<>=,−–×·÷≤≥≠])""",
    re.VERBOSE,
)
SAME_SIGN = {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "=": "=="}
COMPARISONS: dict[str, Comparison] = {"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
WORDS = frozenset({"and", "or", "not"})
CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
ARGUMENTS: dict[Function, tuple[int, int]] = {
    "min": (1, 100),
    "max": (1, 100),
    "sum": (1, 100),
    "count": (1, 2),
    "round": (1, 2),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    kind: Literal["number", "name", "text", "sign", "word", "end"]
    text: str
    column: int


def shown(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def parse(text: str) -> Node:
    """The tree of a whole expression; an ExpressionError names the column."""
    if len(text) > LONGEST:
        raise ExpressionError(
            f"`{shown(text)}`",
            f"the expression has {len(text)} characters; at most {LONGEST} are read",
            "compute part of it in the verdict, or use a named scorer",
        )
    return Parser(text).whole()


class Parser:
    """One method per level of binding, loosest first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self.tokenize()
        self.at = 0
        self.depth = 0

    def fail(
        self, column: int, problem: str, hint: str = f"an expression is made of {WHAT_IS_UNDERSTOOD}"
    ) -> NoReturn:
        raise ExpressionError(f"`{shown(self.text)}`", f"column {column}: {problem}", hint)

    def tokenize(self) -> list[Token]:
        tokens: list[Token] = []
        at = 0
        while at < len(self.text):
            match = TOKEN.match(self.text, at)
            if match is None:
                self.unknown_character(at)
            found = match.group()
            match match.lastgroup:
                case "number":
                    tokens.append(Token(kind="number", text=found, column=at + 1))
                case "name" if found.lower() in WORDS:
                    tokens.append(Token(kind="word", text=found.lower(), column=at + 1))
                case "name":
                    tokens.append(Token(kind="name", text=found, column=at + 1))
                case "text":
                    tokens.append(Token(kind="text", text=found[1:-1], column=at + 1))
                case "sign":
                    tokens.append(Token(kind="sign", text=SAME_SIGN.get(found, found), column=at + 1))
                case _:
                    pass
            at = match.end()
        return [*tokens, Token(kind="end", text="the end", column=len(self.text) + 1)]

    def unknown_character(self, at: int) -> NoReturn:
        character = self.text[at]
        if character in "\"'“":
            self.fail(
                at + 1, f"the text that starts with {character} does not end", "close the quotation mark"
            )
        hints = {
            "&": "write `and`",
            "|": "write `or`",
            "!": "write `not`, or `!=`",
            "^": "write the product out",
        }
        hints |= {
            "%": "write the percentage as a number: 4 % is 0.04",
            "[": "use count, sum, min or max on a list",
        }
        if character in hints:
            self.fail(at + 1, f"`{character}` is not understood", hints[character])
        self.fail(at + 1, f"{character!r} is not understood")

    def peek(self) -> Token:
        return self.tokens[self.at]

    def take(self, *signs: str) -> str | None:
        """Step over one of these signs or words; None when another token stands here."""
        if self.peek().kind in {"sign", "word"} and self.peek().text in signs:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(self.peek().column, f"nested more than {DEEPEST} deep", "write it flatter")

    def whole(self) -> Node:
        if self.peek().kind == "end":
            self.fail(1, "the expression is empty", "name a field of the verdict, such as `score`")
        node = self.either()
        if self.peek().kind != "end":
            self.fail(
                self.peek().column,
                f"`{self.peek().text}` was not expected here; wanted an operator or the end",
            )
        return node

    def either(self) -> Node:
        operands = [self.both()]
        while self.take("or"):
            operands.append(self.both())
        return operands[0] if len(operands) == 1 else Junction(word="or", operands=tuple(operands))

    def both(self) -> Node:
        operands = [self.negation()]
        while self.take("and"):
            operands.append(self.negation())
        return operands[0] if len(operands) == 1 else Junction(word="and", operands=tuple(operands))

    def negation(self) -> Node:
        if not self.take("not"):
            return self.comparison()
        self.deeper()
        node = Not(operand=self.negation())
        self.depth -= 1
        return node

    def comparison(self) -> Node:
        first = self.sum()
        rest: list[tuple[Comparison, Node]] = []
        while sign := self.take(*COMPARISONS):
            rest.append((COMPARISONS[sign], self.sum()))
        return Compare(first=first, rest=tuple(rest)) if rest else first

    def sum(self) -> Node:
        first = self.product()
        rest: list[tuple[Literal["+", "-", "*", "/"], Node]] = []
        while sign := self.take("+", "-"):
            rest.append(("+" if sign == "+" else "-", self.product()))
        return Chain(first=first, rest=tuple(rest)) if rest else first

    def product(self) -> Node:
        first = self.signed()
        rest: list[tuple[Literal["+", "-", "*", "/"], Node]] = []
        while sign := self.take("*", "/"):
            rest.append(("*" if sign == "*" else "/", self.signed()))
        return Chain(first=first, rest=tuple(rest)) if rest else first

    def signed(self) -> Node:
        sign = self.take("-", "+")
        if sign is None:
            return self.atom()
        self.deeper()
        node = self.signed()
        self.depth -= 1
        return Negative(operand=node) if sign == "-" else node

    def atom(self) -> Node:
        token = self.peek()
        if self.take("("):
            self.deeper()
            node = self.either()
            self.close(token)
            self.depth -= 1
            return node
        if token.kind == "number":
            self.at += 1
            return Literally(value=self.number(token))
        if token.kind == "text":
            self.at += 1
            return Literally(value=token.text)
        if token.kind == "name":
            self.at += 1
            if self.peek().kind == "sign" and self.peek().text == "(":
                return self.call(token)
            if token.text.lower() in CONSTANTS:
                return Literally(value=CONSTANTS[token.text.lower()])
            return Name(path=token.text)
        found = "the expression ends" if token.kind == "end" else f"found `{token.text}`"
        return self.fail(token.column, f"{found} where a value was expected")

    def number(self, token: Token) -> Fraction:
        exponent = re.search(r"[eE]([+-]?[0-9]+)$", token.text)
        if exponent and abs(int(exponent.group(1))) > LARGEST_EXPONENT:
            self.fail(
                token.column, f"`{shown(token.text)}` is too large or too small", "scores are small numbers"
            )
        return Fraction(token.text.removesuffix("."))

    def call(self, name: Token) -> Node:
        function = next((known for known in FUNCTIONS if known == name.text), None)
        if function is None:
            near = difflib.get_close_matches(name.text, FUNCTIONS, n=1)
            meant = f"did you mean `{near[0]}`? " if near else ""
            self.fail(
                name.column,
                f"there is no function `{shown(name.text)}`",
                f"{meant}there are {', '.join(FUNCTIONS)}",
            )
        opening = self.peek()
        self.at += 1
        self.deeper()
        arguments: list[Node] = []
        if not self.take(")"):
            arguments.append(self.either())
            while self.take(","):
                arguments.append(self.either())
            self.close(opening)
        self.depth -= 1
        least, most = ARGUMENTS[function]
        if not least <= len(arguments) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            self.fail(name.column, f"`{function}` takes {wanted} arguments, found {len(arguments)}")
        if function == "count" and len(arguments) == 2 and not isinstance(arguments[1], Name):
            self.fail(
                name.column,
                "the second argument of `count` names a field of the items",
                "count(facts, matched)",
            )
        return Apply(function=function, arguments=tuple(arguments))

    def close(self, opening: Token) -> None:
        if not self.take(")"):
            found = "the end" if self.peek().kind == "end" else f"`{self.peek().text}`"
            self.fail(
                self.peek().column, f"found {found} where the `(` of column {opening.column} should be closed"
            )
