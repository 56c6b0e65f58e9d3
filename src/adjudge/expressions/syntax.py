"""The syntax tree of an expression, and the bounds that keep a hostile one cheap."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

LONGEST = 2000
"""Characters."""
DEEPEST = 30
"""Parentheses, calls, `not` and signs inside each other."""

Comparison = Literal["==", "!=", "<", "<=", ">", ">="]
Function = Literal["min", "max", "sum", "count", "round"]
FUNCTIONS: tuple[Function, ...] = ("min", "max", "sum", "count", "round")


@dataclass(frozen=True, kw_only=True, slots=True)
class Literally:
    """A number, text, true, false or null as written."""

    value: Fraction | bool | str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """A field of the verdict; dots reach into objects."""

    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Negative:
    operand: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Not:
    operand: "Node"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """`a + b - c` or `a * b / c`, flat, so that a long one does not nest."""

    first: "Node"
    rest: tuple[tuple[Literal["+", "-", "*", "/"], "Node"], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compare:
    """`a < b <= c` holds when each neighbouring pair does."""

    first: "Node"
    rest: tuple[tuple[Comparison, "Node"], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Junction:
    word: Literal["and", "or"]
    operands: tuple["Node", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Apply:
    function: Function
    arguments: tuple["Node", ...]


Node: TypeAlias = Literally | Name | Negative | Not | Chain | Compare | Junction | Apply
