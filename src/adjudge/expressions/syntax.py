"""The syntax tree of an expression, in score rules and in PromptL's tags alike."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct

from adjudge.records import Json

Step: TypeAlias = str | int

MAX_DEPTH = 32
"""How deep expressions and blocks may nest: far beyond any rule or prompt, well within Python's own stack."""

LOGICAL = frozenset({"&&", "||", "??"})
COMPARISONS = frozenset({"==", "!=", "===", "!==", "<", "<=", ">", ">="})


class Literal(Struct, frozen=True, kw_only=True):
    """A number, text, true, false or null as written; numbers in rules are exact."""

    value: Json | Fraction


class Name(Struct, frozen=True, kw_only=True):
    """A field of the verdict, an input or a local name, with the members asked of it: `a`, `a.b[0]`."""

    path: tuple[Step, ...]
    optional: bool = False
    """Written with `?.`: the author expects it to be absent at times."""

    @property
    def dotted(self) -> str:
        return ".".join(map(str, self.path))


class ListOf(Struct, frozen=True, kw_only=True):
    items: tuple["Node", ...]


class ComputedMember(Struct, frozen=True, kw_only=True):
    """A member that is computed, or asked of something that is not a name."""

    target: "Node"
    key: "Node"


class Unary(Struct, frozen=True, kw_only=True):
    operator: str
    operand: "Node"


class Chain(Struct, frozen=True, kw_only=True):
    """Operators that bind alike, from left to right: `a + b - c`; flat, so that a long one does not nest."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]

    @property
    def operator(self) -> str:
        """The first one, which tells the level of them all."""
        return self.rest[0][0]

    @property
    def operands(self) -> tuple["Node", ...]:
        return (self.first, *(operand for _, operand in self.rest))


class Ternary(Struct, frozen=True, kw_only=True):
    test: "Node"
    then: "Node"
    otherwise: "Node"


class FunctionCall(Struct, frozen=True, kw_only=True):
    function: str
    arguments: tuple["Node", ...]


Node: TypeAlias = Literal | Name | ListOf | ComputedMember | Unary | Chain | Ternary | FunctionCall


def children(node: Node) -> Iterator[Node]:
    """The parts of a node, in the order in which they are written."""
    match node:
        case ListOf(items=parts) | Chain(operands=parts) | FunctionCall(arguments=parts):
            yield from parts
        case ComputedMember(target=target, key=key):
            yield from (target, key)
        case Unary(operand=operand):
            yield operand
        case Ternary(test=test, then=then, otherwise=otherwise):
            yield from (test, then, otherwise)
        case _:
            pass
