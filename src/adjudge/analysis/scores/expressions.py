"""An expression with its values in it: `round(5 × 1 ÷ 2 + 1)`."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from adjudge.analysis.scores.numbers import exact_text
from adjudge.expressions import EvaluationError
from adjudge.expressions.rules import evaluate
from adjudge.expressions.syntax import COMPARISONS, LOGICAL, Chain, FunctionCall, Name, Node, Unary, children
from adjudge.records import Json
from adjudge.scoring.text import clipped

SIGNS = {"*": "×", "/": "÷", "-": "−", "&&": "and", "||": "or"}
PLAIN_INSIDE = {
    ("logic", "comparison"), ("comparison", "sum"), ("comparison", "product"), ("sum", "product"),
}  # fmt: skip
"""Levels of operators that need no parentheses inside another level."""


def operand_values(node: Node, values: Mapping[str, Json]) -> dict[str, str]:
    """Each name and each count over a list, with what it is."""
    return {name: value_text(part, values) for name, part in _operands(node)}


def _operands(node: Node) -> Iterator[tuple[str, Node]]:
    match node:
        case Name(dotted=name):
            yield name, node
        case FunctionCall(function="count" | "sum" as function, arguments=(Name(dotted=name), *rest)):
            more = "".join(f", {each.dotted}" for each in rest if isinstance(each, Name))
            yield f"{function}({name}{more})", node
        case _:
            for each in children(node):
                yield from _operands(each)


def with_values(node: Node, values: Mapping[str, Json]) -> str:
    def inside(each: Node) -> str:
        text = with_values(each, values)
        return f"({text})" if _needs_parentheses(node, each) else text

    match node:
        case Chain(first=first, rest=others):
            return inside(first) + "".join(
                f" {SIGNS.get(sign, sign)} {inside(each)}" for sign, each in others
            )
        case Unary(operator=operator, operand=operand):
            return f"{'not ' if operator == '!' else '−'}{inside(operand)}"
        case FunctionCall(function="round" | "min" | "max" as function, arguments=arguments):
            return f"{function}({', '.join(with_values(each, values) for each in arguments)})"
        case _:
            return value_text(node, values)


def _needs_parentheses(outer: Node, inner: Node) -> bool:
    """Where it is more than one value, and not everybody knows what binds closer."""
    if not isinstance(inner, Chain):
        return False
    if not isinstance(outer, Chain):
        return True
    return (_level(outer), _level(inner)) not in PLAIN_INSIDE


def _level(chain: Chain) -> str:
    if chain.operator in LOGICAL:
        return "logic"
    if chain.operator in COMPARISONS:
        return "comparison"
    return "sum" if chain.operator in "+-" else "product"


def value_text(node: Node, values: Mapping[str, Json]) -> str:
    try:
        found = evaluate(node, values)
    except EvaluationError:
        return "missing"
    match found:
        case bool():
            return "true" if found else "false"
        case Fraction():
            return exact_text(found)
        case None:
            return "null"
        case str():
            return f'"{clipped(found, 60)}"'
        case list():
            return f"a list of {len(found)}"
        case _:
            return "an object"
