"""Syntax tree -> value: one walk over the tree; what values are and how they compare is each language's own."""

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar, cast

from adjudge.expressions.syntax import (
    COMPARISONS,
    LOGICAL,
    Chain,
    ComputedMember,
    FunctionCall,
    ListOf,
    Literal,
    Name,
    Node,
    Ternary,
    Unary,
)

V = TypeVar("V")


class Operand(NamedTuple, Generic[V]):
    value: V
    node: Node
    """Where it came from, for messages."""


class Evaluator(ABC, Generic[V]):
    """Computes a tree; what a logical operator or a condition leaves out is not computed."""

    __slots__ = ()

    compares_in_pairs = False
    """`a < b < c` asks for `a < b` and `b < c`; else it compares what `a < b` gave with `c`."""
    logic_gives_truth = False
    """`a or b` is true or false; else it is the operand that decided."""

    @abstractmethod
    def look_up(self, name: Name) -> V: ...

    @abstractmethod
    def is_true(self, operand: Operand[V]) -> bool: ...

    @abstractmethod
    def operate(self, operator: str, left: Operand[V], right: Operand[V]) -> V:
        """The result of one arithmetic operator or comparison."""

    @abstractmethod
    def evaluate_own(self, node: ListOf | ComputedMember | FunctionCall) -> V:
        """What only one of the languages can write."""

    def is_nothing(self, value: V) -> bool:
        return value is None

    def evaluate(self, node: Node) -> V:
        match node:
            case Name():
                return self.look_up(node)
            case Literal(value=value):
                return cast("V", value)  # a grammar reads no literal that its evaluator does not know
            case Chain():
                return self._decide(node) if node.operator in LOGICAL else self._fold(node)
            case Unary(operator="!", operand=operand):
                return cast("V", not self.is_true(self.operand(operand)))
            case Unary(operand=operand):
                zero = Operand(cast("V", False), node)  # which counts as 0 in both languages
                return self.operate("-", zero, self.operand(operand))
            case Ternary(test=test, then=then, otherwise=otherwise):
                return self.evaluate(then if self.is_true(self.operand(test)) else otherwise)
            case _:
                return self.evaluate_own(node)

    def operand(self, node: Node) -> Operand[V]:
        return Operand(self.evaluate(node), node)

    def _decide(self, chain: Chain) -> V:
        for node in chain.operands:
            operand = self.operand(node)
            holds = self.is_true(operand)
            result = cast("V", holds) if self.logic_gives_truth else operand.value
            if chain.operator == "??":
                decided = not self.is_nothing(operand.value)
            else:
                decided = holds == (chain.operator == "||")
            if decided:
                break
        return result

    def _fold(self, chain: Chain) -> V:
        left = self.operand(chain.first)
        for operator, node in chain.rest:
            right = self.operand(node)
            result = self.operate(operator, left, right)
            if not (self.compares_in_pairs and operator in COMPARISONS):
                left = Operand(result, chain)
            elif not result:
                break
            else:
                left = right
        return result
