"""An expression that is parsed once and evaluated for every verdict."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from adjudge.expressions.evaluate import EvaluationError, evaluate
from adjudge.expressions.parse import parse
from adjudge.expressions.syntax import Apply, Chain, Compare, Junction, Name, Negative, Node, Not
from adjudge.records import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Expression:
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
            shape = "a list" if isinstance(found, list) else "an object"
            raise EvaluationError(f"`{self.text}` is {shape}, not a number or a label")
        return found

    def before_rounding(self) -> "Expression | None":
        """What stands inside an expression that is one `round(…)`; None for every other."""
        match self.tree:
            case Apply(function="round", arguments=(inside, *_)):
                return replace(self, text=f"inside {self.text}", tree=inside)
            case _:
                return None


@lru_cache(maxsize=512)
def parse_expression(text: str) -> Expression:
    """Read a rule; an ExpressionError names the column, what was found and what to write."""
    tree = parse(text)
    found = list(names_in(tree))
    return Expression(
        text=text,
        names=frozenset(name for name, of_items in found if not of_items),
        item_fields=frozenset(name for name, of_items in found if of_items),
        tree=tree,
    )


def names_in(node: Node) -> Iterator[tuple[str, bool]]:
    """Each name, with whether it belongs to the items of a list."""
    match node:
        case Name(path=path):
            yield path, False
        case Negative(operand=operand) | Not(operand=operand):
            yield from names_in(operand)
        case Chain(first=first, rest=rest) | Compare(first=first, rest=rest):
            yield from names_in(first)
            for _, operand in rest:
                yield from names_in(operand)
        case Junction(operands=operands):
            for operand in operands:
                yield from names_in(operand)
        case Apply(function="count" | "sum", arguments=(Name() as first, Name(path=path))):
            yield from names_in(first)
            yield path, True
        case Apply(arguments=arguments):
            for argument in arguments:
                yield from names_in(argument)
        case _:
            pass
