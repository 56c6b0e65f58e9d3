"""No text can stop the clock: every pattern of the package takes time in proportion to what it reads.

A pattern that is only matched from the start of a text begins with `\\A`, so that looking for it elsewhere is cheap too.
"""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from hostile_shapes import HOSTILE, cpu_seconds, find_all, seconds

import adjudge
from adjudge.patterns import LazyPattern
from adjudge.prompts.fill import boundary_notes
from adjudge.records import Contract, PromptMessage
from adjudge.verdicts.read import read_verdict

CALLS = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
NAME = "score"
"""Stands for the names that judges and contracts bring into a pattern."""
SCREENED, SMALL, LARGE = 1_000, 12_500, 50_000
MAX_COUNT = 6
"""Four times the text may take six times as long; what grows with the square takes sixteen times as long."""
QUICK = 0.25
"""What grows with the square takes a billion steps at 50 kB, seconds: what takes less processor time than this
needs no look at 12.5 kB."""
LOOKS = 3
"""A busy machine can make one look longer than it is."""


class Place(NamedTuple):
    module: str
    line: int


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        yield importlib.import_module(info.name)


def in_values(value: object) -> Iterator[re.Pattern[str]]:
    """The patterns that a module keeps under a name, alone or in a collection."""
    if isinstance(value, LazyPattern):
        yield value.compiled()
    elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple | list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from in_values(each)


def texts(node: ast.expr, function: ast.AST, names: dict[str, object]) -> Iterator[str]:
    """What an expression that gives a pattern can be."""
    try:
        found = eval(compile(ast.Expression(node), "<pattern>", "eval"), {"re": re}, names)
    except NameError:
        found = None
    if isinstance(found, str):
        yield found
        return
    match node:
        case ast.JoinedStr(values=parts):
            filled = [
                next(texts(p.value, function, names), NAME) if isinstance(p, ast.FormattedValue) else p.value
                for p in parts
            ]
            yield "".join(filled)
        case ast.BinOp(left=left, right=right):
            yield "".join(next(texts(side, function, names), NAME) for side in (left, right))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from texts(element, function, names)
        case ast.Name(id=name):
            for each in ast.walk(function):
                if isinstance(each, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == name for t in each.targets
                ):
                    yield from texts(each.value, function, names)
                if isinstance(each, ast.For) and isinstance(each.target, ast.Name) and each.target.id == name:
                    yield from texts(each.iter, function, names)
                if (
                    isinstance(each, ast.comprehension)
                    and isinstance(each.target, ast.Name)
                    and each.target.id == name
                ):
                    yield from texts(each.iter, function, names)


def flags(call: ast.Call) -> int:
    named = [ast.unparse(node) for each in (*call.args[1:], *call.keywords) for node in ast.walk(each)]
    return sum(
        {
            re.RegexFlag[name.removeprefix("re.")]
            for name in named
            if name.removeprefix("re.") in re.RegexFlag.__members__
        }
    )


def uses_re(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(value=ast.Name(id="re"), attr=name):
            return name in CALLS
    return False


def in_calls(module: ModuleType) -> Iterator[tuple[re.Pattern[str], Place]]:
    """The patterns written where they are used."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    lines = {number for number, line in enumerate(source.splitlines(), start=1) if "re." in line}
    if not lines:
        return
    tree = ast.parse(source)
    names = dict(vars(module))
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not lines.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    ]
    for scope in (tree, *functions):
        for call in ast.walk(scope):
            if not isinstance(call, ast.Call) or not uses_re(call.func):
                continue
            for text in texts(call.args[0], scope, names):
                yield re.compile(text, flags(call)), Place(module.__name__, call.lineno)


@pytest.fixture(scope="module")
def patterns() -> dict[re.Pattern[str], str]:
    found: dict[re.Pattern[str], str] = {}
    for module in modules():
        for name, value in vars(module).items():
            for pattern in in_values(value):
                found.setdefault(pattern, f"{module.__name__}.{name}")
        for pattern, place in in_calls(module):
            found.setdefault(pattern, f"{place.module} line {place.line}")
    return found


def grows_too_fast(work: Callable[[str], Callable[[], object]], small: str, large: str) -> bool:
    for _ in range(LOOKS):
        took = cpu_seconds(work(large), at_most=20)
        if took < QUICK or took <= MAX_COUNT * cpu_seconds(work(small)):
            return False
    return True


@pytest.mark.parametrize("part", range(8))
def test_every_pattern_takes_time_in_proportion_to_the_text(patterns, part):
    """On all texts at 1 kB, where what is quadratic shows already, then on the dearest at 50 and 12.5 kB."""
    assert len(patterns) > 400
    screened = [(hostile, hostile.text(SCREENED)) for hostile in HOSTILE]
    slow = []
    for pattern, place in list(patterns.items())[part::8]:
        _, dearest = max((seconds(find_all(pattern, text)), hostile) for hostile, text in screened)
        if grows_too_fast(
            lambda text, pattern=pattern: find_all(pattern, text), dearest.text(SMALL), dearest.text(LARGE)
        ):
            slow.append(f"{place}: {pattern.pattern[:80]!r} on {dearest}")
    assert not slow, "\n".join(slow)


JSON = {"type": "object", "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": 1, "maximum": 5}}, "required": ["score"]}  # fmt: skip


@pytest.mark.parametrize("form", ["json", "sections", "line", "tags", "brackets", "bare"])
def test_no_reply_takes_more_than_its_length_to_read(form):
    contract = Contract(
        schema=JSON, needs=("score",), form=form, labels={"score": ("score",), "reason": ("reason",)}
    )

    def read(text: str) -> Callable[[], object]:
        return lambda: read_verdict(text, contract, whole=False, case_texts=["score: 4"])

    replies = {
        "blanks in a section": ("Score: 4\nReason: ", " ", ""),
        "blanks before a rule": ("Reason: good\n", "\n \n", "---\nx\nScore: 4"),
        "a key of many words": ("{score: ", "a ", "}"),
        "unclosed objects": ("", '{"score": ', ""),
        "unclosed strings": ('{"score": "', '\\"', ""),
        "labels": ("", "score: ", ""),
        "brackets": ("", "[[ ", ""),
        "tags": ("", "<score> ", ""),
    }
    slow = [
        name
        for name, (start, run, end) in replies.items()
        if grows_too_fast(
            read, start + run * (SMALL // len(run)) + end, start + run * (LARGE // len(run)) + end
        )
    ]
    assert not slow


def test_looking_for_a_closing_tag_takes_no_longer_than_the_value_is():
    messages = (PromptMessage(role="user", text="<answer>{{answer}}</answer>", dialect="mustache"),)

    def look(text: str) -> Callable[[], object]:
        return lambda: boundary_notes(messages, {"answer": text})

    assert not grows_too_fast(look, " " * SMALL + "x", " " * LARGE + "x")
