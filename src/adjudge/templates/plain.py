"""A template of nothing but text, names and conditions, as most are -> its parts, with all that no value changes made once."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from adjudge.expressions.syntax import Name, Step
from adjudge.records import Json
from adjudge.templates.expressions import Scope
from adjudge.templates.syntax import Expression, If, Node, Output, Text
from adjudge.templates.values import Value, lookup


class NameSlot(NamedTuple):
    """The place of a name among the parts of a run."""

    position: int
    key: str | None
    """The key of `values` that is looked at before any other; None where that is not the whole name."""
    path: tuple[Step, ...]


class PlainRun(NamedTuple):
    """Texts and names that follow one another."""

    parts: list[str]
    """A name's is empty until it is filled."""
    literal: list[bool]
    """Beside each part: is it the template's own text?"""
    slots: list[NameSlot]

    def fill(self, values: Mapping[str, Json], text_of: Callable[[Value], str]) -> list[str]:
        parts = self.parts.copy()
        for position, key, path in self.slots:
            value = None if key is None else values.get(key)
            parts[position] = value if type(value) is str else text_of(lookup(values, path))
        return parts


class Fork(NamedTuple):
    arms: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps"


Steps: TypeAlias = tuple[PlainRun | Fork, ...]


def prepare(nodes: tuple[Node, ...], known: Mapping[str, str]) -> Steps | None:
    """The steps that write these nodes; None where one of them is more than a text, a name or a condition."""
    steps: list[PlainRun | Fork] = []
    run = PlainRun([], [], [])
    for node in nodes:
        if isinstance(node, If):
            bodies = [prepare(body, known) for body in (*(arm.body for arm in node.arms), node.otherwise)]
            plain = [body for body in bodies if body is not None]
            if len(plain) < len(bodies):
                return None
            *arms, otherwise = plain
            tests = [arm.test for arm in node.arms]
            steps += [run, Fork(tuple(zip(tests, arms, strict=True)), otherwise)]
            run = PlainRun([], [], [])
        elif isinstance(node, Text):
            run.parts.append(node.text)
            run.literal.append(True)
        elif (
            isinstance(node, Output)
            and isinstance(node.expression, Name)
            and node.expression.path[0] not in known
        ):
            path = node.expression.path
            run.slots.append(NameSlot(len(run.parts), _key(path), path))
            run.parts.append("")
            run.literal.append(False)
        else:
            return None
    return tuple(step for step in (*steps, run) if isinstance(step, Fork) or step.parts)


def _key(path: tuple[Step, ...]) -> str | None:
    steps = [str(path[0]), *(step for step in path[1:] if isinstance(step, str))]
    return ".".join(steps) if len(steps) == len(path) else None


def write_steps(steps: Steps, scope: Scope, parts: list[str], literal: list[bool]) -> None:
    """Write the parts, and beside each whether it is the template's own text."""
    for step in steps:
        if isinstance(step, PlainRun):
            parts += step.fill(scope.values, scope.text_of)
            literal += step.literal
            continue
        chosen = step.otherwise
        for test, body in step.arms:
            if scope.holds(scope.value_of(test)):
                chosen = body
                break
        write_steps(chosen, scope, parts, literal)
