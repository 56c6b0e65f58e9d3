"""Syntax tree + values -> result, in exact fractions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from adjudge.expressions.numbers import exact_number, is_usable, round_half_up
from adjudge.expressions.syntax import (
    Apply,
    Chain,
    Compare,
    Comparison,
    Junction,
    Literally,
    Name,
    Negative,
    Node,
    Not,
)
from adjudge.records import Json

Value = Fraction | bool | str | None | list[Json] | dict[str, Json]


class EvaluationError(Exception):
    """The values do not allow the computation; the message says which one, so that it can be asked for again."""


def evaluate(node: Node, values: Mapping[str, Json]) -> Value:
    match node:
        case Literally(value=value):
            return value
        case Name(path=path):
            return look_up(path, values)
        case Negative(operand=operand):
            return -number(operand, values)
        case Not(operand=operand):
            return not truth(evaluate(operand, values), described(operand))
        case Junction(word=word, operands=operands):
            held = (truth(evaluate(operand, values), described(operand)) for operand in operands)
            return all(held) if word == "and" else any(held)
        case Chain():
            return calculate(node, values)
        case Compare(first=first, rest=rest):
            left, left_name = evaluate(first, values), described(first)
            for sign, operand in rest:
                right, right_name = evaluate(operand, values), described(operand)
                if not compare(sign, left, right, left_name, right_name):
                    return False
                left, left_name = right, right_name
            return True
        case Apply():
            return apply(node, values)
        case _:
            assert_never(node)


def look_up(path: str, values: Mapping[str, Json]) -> Value:
    if path in values:
        return as_value(values[path], path)
    found: Json = None
    inside: Json | Mapping[str, Json] = values
    reached = ""
    for part in path.split("."):
        if isinstance(inside, list):
            raise EvaluationError(
                f"`{reached}` is a list: use count({reached}, {part}) or sum({reached}, {part}) to reach into its items"
            )
        if not isinstance(inside, Mapping) or part not in inside:
            raise EvaluationError(f"`{path}` is missing")
        found = inside[part]
        inside = found
        reached = f"{reached}.{part}" if reached else part
    return as_value(found, path)


def as_value(found: Json, name: str) -> Value:
    if isinstance(found, int | float) and not isinstance(found, bool):
        exact = exact_number(found)
        if exact is None:
            raise EvaluationError(f"`{name}` is not a finite number of a usable size")
        return exact
    return found


def described(node: Node) -> str:
    match node:
        case Name(path=path):
            return f"`{path}`"
        case Literally(value=str(text)):
            return f'"{text[:40]}"'
        case Apply(function=function):
            return f"{function}(…)"
        case _:
            return "a part of the expression"


def kind(value: Value) -> str:
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


def as_number(value: Value, name: str) -> Fraction:
    """A number, with true and false as 1 and 0; text is never read as one."""
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    raise EvaluationError(f"{name} has to be a number, but is {kind(value)}")


def number(node: Node, values: Mapping[str, Json]) -> Fraction:
    return as_number(evaluate(node, values), described(node))


def truth(value: Value, name: str) -> bool:
    if isinstance(value, list | dict):
        raise EvaluationError(
            f"{name} has to be true or false, but is {kind(value)}: use count(…) for a list"
        )
    return bool(value)


def calculate(chain: Chain, values: Mapping[str, Json]) -> Fraction:
    total = number(chain.first, values)
    for sign, node in chain.rest:
        operand = number(node, values)
        match sign:
            case "+":
                total += operand
            case "-":
                total -= operand
            case "*":
                total *= operand
            case "/":
                if operand == 0:
                    raise EvaluationError(f"division by zero: {described(node)} is 0")
                total /= operand
        if not is_usable(total):
            raise EvaluationError("a sum or product grows beyond any score")
    return total


def compare(sign: Comparison, left: Value, right: Value, left_name: str, right_name: str) -> bool:
    if sign in {"==", "!="} and (
        left is None or right is None or (isinstance(left, str) and isinstance(right, str))
    ):
        return (left == right) == (sign == "==")
    if isinstance(left, str) != isinstance(right, str):
        raise EvaluationError(
            f"{left_name} is {kind(left)} and {right_name} is {kind(right)}: they cannot be compared"
        )
    a, b = as_number(left, left_name), as_number(right, right_name)
    match sign:
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b


def apply(call: Apply, values: Mapping[str, Json]) -> Fraction:
    first = evaluate(call.arguments[0], values)
    name = described(call.arguments[0])
    match call.function:
        case "round":
            digits = 0 if len(call.arguments) == 1 else places(call.arguments[1], values)
            return round_half_up(as_number(first, name), digits)
        case "count":
            return count(first, name, call.arguments[1:])
        case "sum" if (
            isinstance(first, list) and len(call.arguments) == 2 and isinstance(call.arguments[1], Name)
        ):
            return sum(numbers_in(first, name, call.arguments[1].path), Fraction(0))
        case "sum":
            return sum(all_numbers(call, first, values), Fraction(0))
        case "min" | "max":
            found = all_numbers(call, first, values)
            if not found:
                raise EvaluationError(f"{name} is empty, so it has no {call.function}")
            return min(found) if call.function == "min" else max(found)


def places(node: Node, values: Mapping[str, Json]) -> int:
    digits = number(node, values)
    if digits.denominator != 1 or not 0 <= digits <= 12:
        raise EvaluationError("the second argument of round has to be a whole number from 0 to 12")
    return int(digits)


def count(first: Value, name: str, rest: Sequence[Node]) -> Fraction:
    if not isinstance(first, list):
        raise EvaluationError(f"{name} has to be a list, but is {kind(first)}")
    if not rest:
        return Fraction(len(first))
    wanted = rest[0]
    assert isinstance(wanted, Name), "the parser lets nothing else through"
    return Fraction(
        sum(bool(item_field(item, name, index, wanted.path)) for index, item in enumerate(first, 1))
    )


def numbers_in(items: list[Json], name: str, path: str) -> list[Fraction]:
    return [
        as_number(as_value(item_field(item, name, index, path), path), f"`{path}` of item {index} of {name}")
        for index, item in enumerate(items, 1)
    ]


def item_field(item: Json, name: str, index: int, path: str) -> Json:
    inside = item
    for part in path.split("."):
        if not isinstance(inside, dict) or part not in inside:
            raise EvaluationError(f"item {index} of {name} has no `{path}`")
        inside = inside[part]
    return inside


def all_numbers(call: Apply, first: Value, values: Mapping[str, Json]) -> list[Fraction]:
    """The numbers of a lone list, or the arguments themselves."""
    name = described(call.arguments[0])
    if isinstance(first, list) and len(call.arguments) == 1:
        return [
            as_number(as_value(item, name), f"item {index} of {name}") for index, item in enumerate(first, 1)
        ]
    return [as_number(first, name), *(number(node, values) for node in call.arguments[1:])]
