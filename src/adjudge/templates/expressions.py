"""What expressions mean: PromptL's grammar, and JavaScript's rules over JSON values as far as prompts use them.

Nothing here raises for what a value is: a sum of things that are not numbers is absent, not an error.
"""

import json
import math
import operator as operators
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from adjudge.errors import TemplateError
from adjudge.expressions.evaluate import Evaluator, Operand
from adjudge.expressions.parse import Grammar, Level, UnusableLiteralError
from adjudge.expressions.syntax import COMPARISONS, ComputedMember, FunctionCall, ListOf, Name, Step
from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.templates.syntax import (
    FENCED,
    Expression,
    Formatted,
    HelperCall,
    Here,
    LoopFact,
    Outer,
    Root,
    error_at,
)
from adjudge.templates.values import (
    ABSENT,
    Absent,
    Value,
    descend,
    is_filled,
    is_true,
    lookup,
    member,
    to_text,
    weigh,
)

TOKEN = lazy_pattern(
    r"(?P<space>\s++)"
    r"|(?P<end>\}\})"
    r"|(?P<number>(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
    r"|(?P<name>[^\W\d][\w$]*+)"
    r"|(?P<text>\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|`(?:\\.|[^`\\])*+`)"
    r"|(?P<unclosed>[\"'`].*+)"
    r"|(?P<operator>===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%<>!?:.,()\[\]=])",
    re.DOTALL,
)
ESCAPE = lazy_pattern(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
MAX_DIGITS = 300

MAX_ITERATIONS = 500_000
MAX_LOOP_OUTPUT = 10_000_000
"""Characters written by loops; what is written once is as long as its value and needs no bound."""
ELEMENT = 20
"""What an element of a new list costs, in characters."""
MAX_WORK = 20_000_000
"""Characters and elements that expressions may make and compare: each tag can double what the one before it made."""
EXACT_INTEGER = 2**53


def _read_number(text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number) or len(text) > MAX_DIGITS:
        raise UnusableLiteralError("found a number that is too long", "write a shorter one")
    return int(number) if number.is_integer() and abs(number) < EXACT_INTEGER else number


def _read_text(text: str) -> str:
    if text[0] == "`" and "${" in text:
        raise UnusableLiteralError("found a string with `${…}`", "join the parts with `+`, or write two tags")
    return ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else ESCAPES.get(code, code)


PROMPTL = Grammar(
    token=TOKEN,
    levels=(
        Level(("??",)),
        Level(("||",)),
        Level(("&&",)),
        Level(("==", "!=", "===", "!==")),
        Level(("<", "<=", ">", ">=")),
        Level(("+", "-")),
        Level(("*", "/", "%")),
        Level(("!", "-"), prefix=True),
    ),
    constants={"true": True, "false": False, "null": None, "undefined": None},
    read_number=_read_number,
    read_text=_read_text,
    max_tokens=300,
    end="the end of the tag",
    unclosed=("the tag `{{` is never closed", "end it with `}}`"),
    hint="a tag holds one expression, made of names, literals, operators and `( … )`",
    call_hint="calls are not supported: `.length`, comparisons, `? :`, `??`, `&&`, `||` and `!` are",
    error_at=error_at,
)


class Scope(Evaluator[Value]):
    """What names stand for at one point of a rendering, and what its loops may still do."""

    __slots__ = ("contexts", "frames", "iterations", "loops", "names", "room", "values", "work")

    known: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Local names that are bound from the start, with the input that each stands for, or none."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        self.values = values
        self.names: dict[str, Value] = {}
        self.contexts: list[Value] = []
        self.frames: list[dict[str, Value]] = []
        """Of the Handlebars loops around here: `index`, `key`, `first`, `last`."""
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

    def value_of(self, expression: Expression) -> Value:
        if type(expression) is Name:  # nearly all are
            return self.look_up(expression)
        match expression:
            case Here(path=path):
                return self._at(path, 0)
            case Outer(path=path, up=up):
                return self._at(path, up)
            case Root(path=path):
                return lookup(self.values, path)
            case LoopFact(name=name, up=up):
                return self.frames[-1 - up][name] if up < len(self.frames) else ABSENT
            case HelperCall():
                return self._call(expression)
            case Formatted():
                return _format(expression, self.look_up(expression.value))
            case _:
                return self.evaluate(expression)

    def look_up(self, name: Name) -> Value:
        root = name.path[0]
        # `fenced` is never taken from a section's own data: that would let a document forge its boundary.
        if (self.names or self.contexts) and root != FENCED and isinstance(root, str):
            if root in self.names:
                return descend(self.names[root], name.path[1:])
            for context in reversed(self.contexts):
                if isinstance(context, dict) and root in context:
                    return descend(context[root], name.path[1:])
        return lookup(self.values, name.path)

    def _at(self, path: tuple[Step, ...], up: int) -> Value:
        """A member of what a block around here is about; of the inputs where there is no block."""
        level = len(self.contexts) - up
        if level > 0:
            return descend(self.contexts[level - 1], path)
        return lookup(self.values, path) if level == 0 and path else ABSENT

    def enter(self, context: Value) -> bool:
        """Look names up in `context`, and say whether that is new.

        `../` does not count a block that is about the same as the one around it.
        """
        if self.contexts and _is_same(context, self.contexts[-1]):
            return False
        self.contexts.append(context)
        return True

    def _call(self, call: HelperCall) -> Value:
        first, *others = (self.value_of(argument) for argument in call.arguments)
        match call.function:
            case "filled" | "filled_or_zero":
                return is_filled(first, zero=call.function == "filled_or_zero")
            case "equal":
                return self._compare("===", first, others[0])
            case "lookup":
                key = others[0]
                return (
                    member(first, key if isinstance(key, int) else to_text(key)) if is_true(first) else first
                )
            case "json":
                value = None if isinstance(first, Absent) else self.read(first)
                separators = (",", ": " if call.indent else ":")
                text = json.dumps(value, ensure_ascii=False, indent=call.indent, separators=separators)
                self.spend(len(text))
                return text

    def holds(self, value: Value) -> bool:
        return is_true(value)

    def is_true(self, operand: Operand[Value]) -> bool:
        return self.holds(operand.value)

    def entries(self, value: Value) -> Iterable[tuple[str | int, Json]]:
        """What a loop over a value goes through, with the place of each."""
        return enumerate(value) if isinstance(value, list) else ()

    def is_nothing(self, value: Value) -> bool:
        return value is None or value is ABSENT

    def evaluate_own(self, node: ListOf | ComputedMember | FunctionCall) -> Value:
        match node:
            case ListOf(items=items):
                found = [self.evaluate(item) for item in items]
                made: Value = [None if isinstance(item, Absent) else item for item in found]
                # With all it holds: a list that holds another twice can be too long to write after sixty tags.
                self.spend(weigh(made, self.work // ELEMENT).elements * ELEMENT)
                return made
            case ComputedMember(target=target, key=key):
                return member(self.evaluate(target), self.evaluate(key))
            case FunctionCall():
                raise AssertionError("PromptL has no calls")

    def operate(self, operator: str, left: Operand[Value], right: Operand[Value]) -> Value:
        a, b = left.value, right.value
        if operator in COMPARISONS:
            return self._compare(operator, a, b)
        if operator == "+" and (isinstance(a, str) or isinstance(b, str)):
            parts = self.text_of(a), self.text_of(b)
            self.spend(len(parts[0]) + len(parts[1]))
            return "".join(parts)
        return _calculate(operator, a, b)

    def _compare(self, operator: str, left: Value, right: Value) -> bool:
        if self.is_nothing(left) or self.is_nothing(right):
            if operator[0] in "=!":
                # Null and absent are one: a case that says null says that it has none.
                return (self.is_nothing(left) and self.is_nothing(right)) == (operator[0] == "=")
        else:
            self.read(left)
            self.read(right)
        match operator:
            case "==" | "!=":
                return _loosely_equal(left, right) == (operator == "==")
            case "===" | "!==":
                return _strictly_equal(left, right) == (operator == "===")
        if isinstance(left, str) and isinstance(right, str):
            return ORDER[operator](left, right)
        first, second = _number(left), _number(right)
        return first is not None and second is not None and ORDER[operator](first, second)


class PromptlScope(Scope):
    """PromptL writes numbers as JavaScript does."""

    __slots__ = ()

    def text_of(self, value: Value) -> str:
        return javascript_number(value) if isinstance(value, float) else super().text_of(value)


def javascript_number(value: float) -> str:
    """The fewest digits that mean this number; with an exponent below 0.000001 and from 10²¹ on."""
    number = Decimal(repr(value)) if value else Decimal(0)  # without the sign of -0.0
    exponent = number.adjusted()
    if not value or -7 < exponent < 21:
        text = format(number, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, digits, _ = number.as_tuple()
    whole = "".join(map(str, digits)).rstrip("0")
    fraction = f".{whole[1:]}" if whole[1:] else ""
    return f"{'-' * sign}{whole[0]}{fraction}e{exponent:+d}"


ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


def _is_same(left: Value, right: Value) -> bool:
    """JavaScript's `==`, where a list or an object equals itself alone."""
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    if left in (None, ABSENT) or right in (None, ABSENT):
        return left in (None, ABSENT) and right in (None, ABSENT)
    return _loosely_equal(left, right)


def _strictly_equal(left: Value, right: Value) -> bool:
    if _is_number(left) and _is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def _loosely_equal(left: Value, right: Value) -> bool:
    if isinstance(left, list | dict) or isinstance(right, list | dict) or type(left) is type(right):
        return left == right
    first, second = _number(left), _number(right)
    return first is not None and first == second


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


def _calculate(operator: str, left: Value, right: Value) -> Value:
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
    spec = expression.spec
    if isinstance(value, bool | list | dict) or value is None:
        value = to_text(value)
        spec = spec.replace("r", "s") if expression.style == "printf" else spec
    if isinstance(value, Absent):
        return ""
    try:
        if expression.style == "printf":
            return spec % (value,)
        return format(value, spec)
    except (ValueError, TypeError, OverflowError):
        return to_text(value)  # words where the prompt wanted a number are sent as they are
