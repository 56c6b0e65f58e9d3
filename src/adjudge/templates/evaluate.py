"""Expression -> value: JavaScript's rules as far as prompts use them, over JSON values only.

Nothing here raises for what a value is: a sum of things that are not numbers is absent, not an error.
"""

import math
from collections.abc import Mapping
from typing import assert_never

from adjudge.errors import TemplateError
from adjudge.records import Json
from adjudge.templates.syntax import (
    FENCED,
    Binary,
    Expression,
    Formatted,
    Here,
    Index,
    ListOf,
    Literal,
    Name,
    Ternary,
    Unary,
)
from adjudge.templates.values import ABSENT, Absent, Value, descend, is_true, lookup, member, to_text, weigh

MAX_ITERATIONS = 1_000_000
MAX_LOOP_OUTPUT = 10_000_000
"""Characters written by loops; what is written once is as long as its value and needs no bound."""
ELEMENT = 20
"""What an element of a new list costs, in characters."""
MAX_WORK = 50_000_000
"""Characters and elements that expressions may make and compare: each tag can double what the one before it made."""
EXACT_INTEGER = 2**53
COMPARISONS = frozenset({"==", "!=", "===", "!==", "<", "<=", ">", ">="})


class Scope:
    """What names stand for at one point of a rendering, and what its loops may still do."""

    __slots__ = ("contexts", "iterations", "loops", "names", "room", "values", "work")

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = values
        self.names: dict[str, Value] = {}
        self.contexts: list[Value] = []
        self.loops = 0
        self.iterations = MAX_ITERATIONS
        self.room = MAX_LOOP_OUTPUT
        self.work = MAX_WORK

    def iterate(self, where: str) -> None:
        self.iterations -= 1
        if self.iterations < 0:
            raise TemplateError(
                where,
                f"loops run more than {MAX_ITERATIONS} times",
                "loop over less, or do not nest the loops",
            )

    def write(self, text: str) -> None:
        """Account for text written inside a loop."""
        self.room -= len(text)
        if self.room < 0:
            raise TemplateError(
                "in a loop", f"more than {MAX_LOOP_OUTPUT} characters are written", "loop over less"
            )

    def spend(self, count: int) -> None:
        self.work -= count
        if self.work < 0:
            raise TemplateError(
                "in an expression",
                f"expressions make or compare more than {MAX_WORK} characters and elements",
                "join and compare less",
            )

    def read(self, value: Value) -> Value:
        """Account for a value that is read to its end."""
        if isinstance(value, list | dict):
            weight = weigh(value, self.work)
            self.spend(weight.elements + weight.characters)
        elif isinstance(value, str):
            self.spend(len(value))
        return value

    def text_of(self, value: Value) -> str:
        return value if isinstance(value, str) else to_text(self.read(value))


def evaluate(expression: Expression, scope: Scope) -> Value:
    match expression:
        case Name(path=path):
            return (
                _resolve(expression, scope) if scope.names or scope.contexts else lookup(scope.values, path)
            )
        case Here(path=path):
            return descend(scope.contexts[-1], path) if scope.contexts else ABSENT
        case Literal(value=value):
            return value
        case ListOf(items=items):
            found = [evaluate(item, scope) for item in items]
            made: Value = [None if isinstance(item, Absent) else item for item in found]
            # With all it holds: a list that holds another twice can be too long to write after sixty tags.
            scope.spend(weigh(made, scope.work // ELEMENT).elements * ELEMENT)
            return made
        case Index(target=target, key=key):
            return member(evaluate(target, scope), evaluate(key, scope))
        case Unary(operator=operator, operand=operand):
            result = evaluate(operand, scope)
            return not is_true(result) if operator == "!" else _arithmetic("-", 0, result)
        case Ternary(test=test, then=then, otherwise=otherwise):
            return evaluate(then if is_true(evaluate(test, scope)) else otherwise, scope)
        case Binary():
            return _binary(expression, scope)
        case Formatted():
            return _format(expression, evaluate(expression.value, scope))
        case _:
            assert_never(expression)


def _resolve(name: Name, scope: Scope) -> Value:
    root = name.path[0]
    # `fenced` is never taken from a section's own data: that would let a document forge its boundary.
    if root != FENCED and isinstance(root, str):
        for context in reversed(scope.contexts):
            if isinstance(context, dict) and root in context:
                return descend(context[root], name.path[1:])
        if root in scope.names:
            return descend(scope.names[root], name.path[1:])
    return lookup(scope.values, name.path)


def _binary(expression: Binary, scope: Scope) -> Value:
    operator = expression.operator
    left = evaluate(expression.left, scope)
    match operator:
        case "&&":
            return evaluate(expression.right, scope) if is_true(left) else left
        case "||":
            return left if is_true(left) else evaluate(expression.right, scope)
        case "??":
            return evaluate(expression.right, scope) if _is_nothing(left) else left
    right = evaluate(expression.right, scope)
    if operator in COMPARISONS and not (_is_nothing(left) or _is_nothing(right)):
        scope.read(left)
        scope.read(right)
    match operator:
        case "==":
            return _loosely_equal(left, right)
        case "!=":
            return not _loosely_equal(left, right)
        case "===":
            return _strictly_equal(left, right)
        case "!==":
            return not _strictly_equal(left, right)
        case "<" | "<=" | ">" | ">=":
            return _compare(operator, left, right)
        case "+" if isinstance(left, str) or isinstance(right, str):
            parts = scope.text_of(left), scope.text_of(right)
            scope.spend(len(parts[0]) + len(parts[1]))
            return "".join(parts)
        case _:
            return _arithmetic(operator, left, right)


def _strictly_equal(left: Value, right: Value) -> bool:
    """Like `===`, but null and absent are one: a case that says null says that it has none."""
    if _is_nothing(left) or _is_nothing(right):
        return _is_nothing(left) and _is_nothing(right)
    if _is_number(left) and _is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def _loosely_equal(left: Value, right: Value) -> bool:
    if _is_nothing(left) or _is_nothing(right):
        return _is_nothing(left) and _is_nothing(right)
    if isinstance(left, list | dict) or isinstance(right, list | dict) or type(left) is type(right):
        return left == right
    first, second = _number(left), _number(right)
    return first is not None and first == second


def _compare(operator: str, left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        order = (left > right) - (left < right)
    else:
        first, second = _number(left), _number(right)
        if first is None or second is None:
            return False
        order = (first > second) - (first < second)
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


def _is_nothing(value: Value) -> bool:
    return value is None or value is ABSENT


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Value) -> int | float | None:
    """A value as JavaScript would compute with it; None for what is not a number."""
    if value is None or isinstance(value, int | float):
        return value or 0
    if isinstance(value, str):
        text = value.strip()[:40]
        try:
            number = float(text) if text else 0.0
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return None


def _arithmetic(operator: str, left: Value, right: Value) -> Value:
    first, second = _number(left), _number(right)
    if first is None or second is None or isinstance(left, str) or isinstance(right, str):
        return ABSENT
    try:
        match operator:
            case "+":
                result = first + second
            case "-":
                result = first - second
            case "*":
                result = first * second
            case "/":
                result = first / second
                if isinstance(first, int) and isinstance(second, int) and result == int(result):
                    result = int(result)
            case _:
                result = math.fmod(first, second)
                if isinstance(first, int) and isinstance(second, int):
                    result = int(result)
        if isinstance(result, int) and abs(result) > EXACT_INTEGER:
            result = float(result)
    except (ArithmeticError, ValueError):
        return ABSENT
    return result if math.isfinite(result) else ABSENT


def _format(expression: Formatted, value: Value) -> str:
    if expression.conversion in {"r", "a"} and not isinstance(value, Absent):
        value = repr(value) if expression.conversion == "r" else ascii(value)
    if isinstance(value, bool | list | dict) or value is None:
        value = to_text(value)
    if isinstance(value, Absent):
        return ""
    try:
        if expression.style == "printf":
            return expression.spec % (value,)
        return format(value, expression.spec)
    except (ValueError, TypeError, OverflowError):
        return to_text(value)  # words where the prompt wanted a number are sent as they are
