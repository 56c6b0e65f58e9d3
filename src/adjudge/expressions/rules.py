"""The `score:` and `passes:` rules of judge files: parsed once, computed in exact fractions for every verdict."""

import operator as operators
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from adjudge.errors import ExpressionError
from adjudge.expressions.evaluate import Evaluator, Operand
from adjudge.expressions.numbers import exact_number, is_usable, round_half_up
from adjudge.expressions.parse import Function, Grammar, Level, UnusableLiteralError, parse
from adjudge.expressions.syntax import (
    COMPARISONS,
    ComputedMember,
    FunctionCall,
    ListOf,
    Literal,
    Name,
    Node,
    children,
)
from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.text import shorten

Value = Fraction | bool | str | None | list[Json] | dict[str, Json]

MAX_CHARS = 2000
"""Characters."""
MAX_EXPONENT = 400
TOKEN = lazy_pattern(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*(?:\.\w+)*)
      | (?P<text>"[^"]*"|'[^']*'|“[^”]*”)
      | (?P<unclosed>["'“](?s:.*+))
      | (?P<operator>[<>=!]=|[-+*/()<>=,−–×·÷≤≥≠])
      | (?P<end>\Z)""",
    re.VERBOSE,
)
FUNCTIONS = {
    "min": Function(1, 100),
    "max": Function(1, 100),
    "sum": Function(1, 100),
    "count": Function(1, 2, reads_items=True),
    "round": Function(1, 2),
}
OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction | bool]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "/": operators.truediv,
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


class EvaluationError(Exception):
    """The values do not allow the computation; the message says which one, so that it can be asked for again."""


def _error_at(text: str, offset: int, problem: str, hint: str) -> ExpressionError:
    return ExpressionError(f"`{shorten(text, 80)}`", f"column {offset + 1}: {problem}", hint)


def _read_number(text: str) -> Fraction:
    exponent = re.search(r"[eE]([+-]?[0-9]+)$", text)
    if exponent and abs(int(exponent[1])) > MAX_EXPONENT:
        raise UnusableLiteralError(
            f"`{shorten(text, 80)}` is too large or too small", "scores are small numbers"
        )
    return Fraction(text.removesuffix("."))


RULES = Grammar(
    token=TOKEN,
    levels=(
        Level(("||",)),
        Level(("&&",)),
        Level(("!",), prefix=True),
        Level(("==", "!=", "<", "<=", ">", ">=")),
        Level(("+", "-")),
        Level(("*", "/")),
        Level(("-", "+"), prefix=True),
    ),
    constants={"true": True, "false": False, "null": None},
    aliases={
        "and": "&&", "or": "||", "not": "!",
        "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "=": "==",
    },
    ignores_case=True,
    functions=FUNCTIONS,
    read_number=_read_number,
    read_text=lambda text: text[1:-1],
    max_tokens=MAX_CHARS,
    end="the end",
    hint='an expression is made of fields, numbers, "text", true, false, null, + - * /, comparisons, and, or, not, '
    f"parentheses, {', '.join(FUNCTIONS)}",
    call_hint=f"there are {', '.join(FUNCTIONS)}",
    character_hints={
        "&": "write `and`",
        "|": "write `or`",
        "!": "write `not`, or `!=`",
        "^": "write the product out",
        "%": "write the percentage as a number: 4 % is 0.04",
        "[": "use count, sum, min or max on a list",
    },
    error_at=_error_at,
)  # fmt: skip


class Expression(Struct, frozen=True, kw_only=True):
    """A rule over the fields of a verdict."""

    text: str
    names: frozenset[str]
    """The fields it reads, dotted as written."""
    item_fields: frozenset[str]
    """Names that are read from the items of a list (`matched` in `count(facts, matched)`).

    For `sum(a, b)` they are read from the verdict itself when `a` turns out to be a number.
    """
    tree: Node

    def evaluate(self, values: Mapping[str, Json]) -> Fraction | bool | str | None:
        """The result for these values; an EvaluationError says what stood in the way."""
        found = evaluate(self.tree, values)
        if isinstance(found, list | dict):
            raise EvaluationError(f"`{self.text}` is {_kind(found)}, not a number or a label")
        return found

    def before_rounding(self) -> "Expression | None":
        """What stands inside an expression that is one `round(…)`; None for every other."""
        match self.tree:
            case FunctionCall(function="round", arguments=(inside, *_)):
                return replace(self, text=f"inside {self.text}", tree=inside)
            case _:
                return None


@lru_cache(maxsize=512)
def parse_expression(text: str) -> Expression:
    """Read a rule; an ExpressionError names the column, what was found and what to write."""
    if len(text) > MAX_CHARS:
        raise ExpressionError(
            f"`{shorten(text, 80)}`",
            f"the expression has {len(text)} characters; at most {MAX_CHARS} are read",
            "compute part of it in the verdict, or use a named scorer",
        )
    if not text.strip():
        raise _error_at(text, 0, "the expression is empty", "name a field of the verdict, such as `score`")
    tree = parse(text, RULES)
    found = list(_names_in(tree))
    return Expression(
        text=text,
        names=frozenset(name for name, of_items in found if not of_items),
        item_fields=frozenset(name for name, of_items in found if of_items),
        tree=tree,
    )


def _names_in(node: Node) -> Iterator[tuple[str, bool]]:
    """Each name, with whether it belongs to the items of a list."""
    match node:
        case Name(dotted=name):
            yield name, False
        case FunctionCall(function="count" | "sum", arguments=(Name(dotted=items), Name(dotted=item_field))):
            yield items, False
            yield item_field, True
        case _:
            for part in children(node):
                yield from _names_in(part)


def evaluate(node: Node, values: Mapping[str, Json]) -> Value:
    return _RuleEvaluator(values).evaluate(node)


class _RuleEvaluator(Evaluator[Value]):
    __slots__ = ("values",)
    compares_in_pairs = True
    logic_gives_truth = True

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = values

    def look_up(self, name: Name) -> Value:
        if name.dotted in self.values:
            return _as_value(self.values[name.dotted], name.dotted)
        found: Json = None
        inside: Json | Mapping[str, Json] = self.values
        reached = ""
        for part in map(str, name.path):
            if isinstance(inside, list):
                raise EvaluationError(
                    f"`{reached}` is a list: use count({reached}, {part}) or sum({reached}, {part}) to reach into its "
                    "items"
                )
            if not isinstance(inside, Mapping) or part not in inside:
                raise EvaluationError(f"`{name.dotted}` is missing")
            found = inside[part]
            inside = found
            reached = f"{reached}.{part}" if reached else part
        return _as_value(found, name.dotted)

    def is_true(self, operand: Operand[Value]) -> bool:
        if isinstance(operand.value, list | dict):
            raise EvaluationError(
                f"{_described(operand.node)} has to be true or false, but is {_kind(operand.value)}: use count(…) for "
                "a list"
            )
        return bool(operand.value)

    def operate(self, operator: str, left: Operand[Value], right: Operand[Value]) -> Value:
        a, b = left.value, right.value
        if operator in {"==", "!="} and (
            a is None or b is None or (isinstance(a, str) and isinstance(b, str))
        ):
            return (a == b) == (operator == "==")
        if operator in COMPARISONS and isinstance(a, str) != isinstance(b, str):
            raise EvaluationError(
                f"{_described(left.node)} is {_kind(a)} and {_described(right.node)} is {_kind(b)}: they cannot be "
                "compared"
            )
        first, second = _as_number(a, _described(left.node)), _as_number(b, _described(right.node))
        if operator == "/" and second == 0:
            raise EvaluationError(f"division by zero: {_described(right.node)} is 0")
        result: bool | Fraction = OPERATIONS[operator](first, second)
        if isinstance(result, Fraction) and not is_usable(result):
            raise EvaluationError("a sum or product grows beyond any score")
        return result

    def evaluate_own(self, node: ListOf | ComputedMember | FunctionCall) -> Value:
        assert isinstance(node, FunctionCall), "rules have neither lists nor members"
        argument, *rest = node.arguments
        first, name = self.evaluate(argument), _described(argument)
        match node.function, rest:
            case "round", _:
                return round_half_up(_as_number(first, name), self._places(rest))
            case "count", _:
                if not isinstance(first, list):
                    raise EvaluationError(f"{name} has to be a list, but is {_kind(first)}")
                return Fraction(
                    sum(bool(value) for field in rest for value in _values_of(field, first, name))
                    if rest
                    else len(first)
                )
            case "sum", [Name(dotted=path) as field] if isinstance(first, list):
                found = [
                    _as_number(_as_value(value, path), f"`{path}` of item {index} of {name}")
                    for index, value in enumerate(_values_of(field, first, name), 1)
                ]
            case _, [] if isinstance(first, list):
                found = [
                    _as_number(_as_value(item, name), f"item {index} of {name}")
                    for index, item in enumerate(first, 1)
                ]
            case _:
                found = [_as_number(first, name), *map(self._number, rest)]
        if node.function == "sum":
            return sum(found, Fraction(0))
        if not found:
            raise EvaluationError(f"{name} is empty, so it has no {node.function}")
        return min(found) if node.function == "min" else max(found)

    def _number(self, node: Node) -> Fraction:
        return _as_number(self.evaluate(node), _described(node))

    def _places(self, rest: Sequence[Node]) -> int:
        digits = self._number(rest[0]) if rest else Fraction(0)
        if digits.denominator != 1 or not 0 <= digits <= 12:
            raise EvaluationError("the second argument of round has to be a whole number from 0 to 12")
        return int(digits)


def _values_of(field: Node, items: list[Json], name: str) -> Iterator[Json]:
    """What the items of a list hold under one name."""
    assert isinstance(field, Name), "the parser lets nothing else through"
    for index, item in enumerate(items, 1):
        inside = item
        for part in map(str, field.path):
            if not isinstance(inside, dict) or part not in inside:
                raise EvaluationError(f"item {index} of {name} has no `{field.dotted}`")
            inside = inside[part]
        yield inside


def _as_value(found: Json, name: str) -> Value:
    if isinstance(found, int | float) and not isinstance(found, bool):
        exact = exact_number(found)
        if exact is None:
            raise EvaluationError(f"`{name}` is not a finite number of a usable size")
        return exact
    return found


def _as_number(value: Value, name: str) -> Fraction:
    """A number, with true and false as 1 and 0; text is never read as one."""
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    raise EvaluationError(f"{name} has to be a number, but is {_kind(value)}")


def _described(node: Node) -> str:
    match node:
        case Name(dotted=name):
            return f"`{name}`"
        case Literal(value=str(text)):
            return f'"{text[:40]}"'
        case FunctionCall(function=function):
            return f"{function}(…)"
        case _:
            return "a part of the expression"


def _kind(value: Value) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case Fraction():
            return "a number"
        case str():
            return f"the text {value[:40]!r}"
        case list():
            return "a list"
        case _:
            return "an object"
