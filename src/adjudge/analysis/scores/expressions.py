"""An expression with its values in it: `round(5 × 1 ÷ 2 + 1)`."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from adjudge.analysis.scores.numbers import exact_text
from adjudge.expressions import EvaluationError
from adjudge.expressions.evaluate import evaluate
from adjudge.expressions.syntax import Apply, Chain, Compare, Junction, Name, Negative, Node, Not
from adjudge.records import Json
from adjudge.scoring.text import clipped

SIGNS = {"*": "×", "/": "÷", "-": "−"}


def operand_values(node: Node, values: Mapping[str, Json]) -> dict[str, str]:
    """Each name and each count over a list, with what it is."""
    return {name: value_text(part, values) for name, part in _operands(node)}


def _operands(node: Node) -> Iterator[tuple[str, Node]]:
    match node:
        case Name(path=path):
            yield path, node
        case Apply(function="count" | "sum" as function, arguments=(Name(path=path), *rest)):
            more = "".join(f", {each.path}" for each in rest if isinstance(each, Name))
            yield f"{function}({path}{more})", node
        case Negative(operand=operand) | Not(operand=operand):
            yield from _operands(operand)
        case Chain(first=first, rest=others) | Compare(first=first, rest=others):
            for each in (first, *(operand for _, operand in others)):
                yield from _operands(each)
        case Junction(operands=operands) | Apply(arguments=operands):
            for each in operands:
                yield from _operands(each)
        case _:
            pass


def with_values(node: Node, values: Mapping[str, Json]) -> str:
    def inside(each: Node) -> str:
        text = with_values(each, values)
        return f"({text})" if _needs_parentheses(node, each) else text

    match node:
        case Chain(first=first, rest=others) | Compare(first=first, rest=others):
            return inside(first) + "".join(
                f" {SIGNS.get(sign, sign)} {inside(each)}" for sign, each in others
            )
        case Junction(word=word, operands=operands):
            return f" {word} ".join(inside(each) for each in operands)
        case Negative(operand=operand):
            return f"−{inside(operand)}"
        case Not(operand=operand):
            return f"not {inside(operand)}"
        case Apply(function="round" | "min" | "max" as function, arguments=arguments):
            return f"{function}({', '.join(with_values(each, values) for each in arguments)})"
        case _:
            return value_text(node, values)


def _needs_parentheses(outer: Node, inner: Node) -> bool:
    """Where it is more than one value, and not everybody knows what binds closer."""
    match outer, inner:
        case (Junction(), Compare()) | (Compare(), Chain()):
            return False
        case (Chain(rest=around), Chain(rest=within)) if _adds(around) and not _adds(within):
            return False
        case _:
            return isinstance(inner, Chain | Compare | Junction)


def _adds(rest: tuple[tuple[str, Node], ...]) -> bool:
    return any(sign in "+-" for sign, _ in rest)


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
