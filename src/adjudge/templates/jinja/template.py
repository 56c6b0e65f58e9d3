"""A Jinja prompt: parsed, surveyed and compiled once, then rendered within bounds."""

import json
import math
import traceback
from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateSyntaxError, nodes
from jinja2.environment import Template
from jinja2.exceptions import SecurityError
from jinja2.visitor import NodeTransformer

from adjudge.errors import TemplateError
from adjudge.records import Json, Message
from adjudge.templates.jinja.budget import BUDGET, MAX_BITS, Bound, RenderingBudget
from adjudge.templates.jinja.sandbox import CONCAT, METHOD, SIZED, STEPPED, TICK, WEIGHED, environment
from adjudge.templates.jinja.survey import Translation, plain, tags, with_spans
from adjudge.templates.outlining import outline_of
from adjudge.templates.survey import find_mentions, gather
from adjudge.templates.syntax import FENCED
from adjudge.templates.values import ABSENT, lookup

SOURCE = "<prompt>"
STAND_INS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
"""White space that prompts do not use: one of them stands for a carriage return, which jinja2 would drop."""
MAX_CODE = 100_000
"""Characters inside tags: jinja2 takes long to compile them."""
SHORT_LITERAL = 100
PACKED = frozenset({"varargs", "kwargs"})
"""What a macro knows the arguments by that it does not name."""


class JinjaTemplate:
    """A parsed Jinja prompt: always one user message."""

    def __init__(self, text: str) -> None:
        try:
            self._read(text)
        except RecursionError as error:
            raise TemplateError("line 1", "the template nests too deep", "take parts of it out") from error

    def _read(self, text: str) -> None:
        tree = _parse(text)
        self.unread = tuple(
            f"filter `{name}` is not known here: its input is written as it is"
            for name in unknown_filters(tree)
        )
        shared = Translation(text, tree)
        mentions = find_mentions(text, shared.nodes, shared.locals)
        self.references = with_spans(text, gather(mentions), mentions)
        self._outline = outline_of(shared.nodes, shared.locals)
        self._canonical = json.dumps(["jinja", plain(tree)], ensure_ascii=False, separators=(",", ":"))
        self._fenced = [
            reference.name
            for reference in self.references
            if any(mention.path == f"{FENCED}.{reference.name}" for mention in mentions)
        ]
        self._template = _compile(tree)

    def outline(self) -> str:
        return self._outline

    def canonical(self) -> str:
        return self._canonical

    def render(self, values: Mapping[str, Json]) -> tuple[Message, ...]:
        token = BUDGET.set(RenderingBudget())
        try:
            content = self._template.render(self._context(values))
        except Bound as error:
            raise TemplateError(
                _line(error), f"the template cannot be rendered: {error}", "loop over less"
            ) from error
        except SecurityError as error:
            raise TemplateError(
                _line(error), str(error), "use what prompts need: names, filters, conditions"
            ) from error
        except RecursionError as error:
            raise TemplateError(
                _line(error), "the template calls itself without end", "end the recursion"
            ) from error
        except (
            JinjaError,
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            AssertionError,
            MemoryError,
        ) as error:
            raise TemplateError(
                _line(error),
                f"the template cannot be rendered with these values: {error}",
                "check what the expression there is given",
            ) from error
        finally:
            BUDGET.reset(token)
        return (Message(role="user", content=content),)

    def _context(self, values: Mapping[str, Json]) -> dict[str, Json]:
        """The inputs as jinja2 wants them: nested, with a dotted key laid over its root object."""
        context: dict[str, Json] = {key: value for key, value in values.items() if "." not in key}
        for reference in self.references:
            root, _, rest = reference.name.partition(".")
            if rest and reference.name in values:
                _lay(context, root, rest, values[reference.name])
            elif not rest:
                prefix = f"{root}."
                for key in values:
                    if key.startswith(prefix):
                        _lay(context, root, key[len(prefix) :], values[key])
        fenced: dict[str, Json] = {}
        for name in self._fenced:
            value = lookup(values, (FENCED, *name.split(".")))
            if value is not ABSENT:
                root, _, rest = name.partition(".")
                if rest:
                    _lay(fenced, root, rest, value)
                else:
                    fenced[root] = value
        if self._fenced:
            context[FENCED] = fenced
        return context


def _lay(context: dict[str, Json], root: str, rest: str, value: Json) -> None:
    below = context.get(root)
    merged = dict(below) if isinstance(below, dict) else {}
    head, dot, tail = rest.partition(".")
    if dot:
        _lay(merged, head, tail, value)
    else:
        merged[head] = value
    context[root] = merged


def _parse(text: str) -> nodes.Template:
    code = sum(tag.span[1] - tag.span[0] for tag in tags(text))
    if code > MAX_CODE:
        raise TemplateError(
            "line 1",
            f"the template has {code} characters inside tags; at most {MAX_CODE} are read",
            "write text outside of tags, and take parts of it out",
        )
    stand_in = next((char for char in STAND_INS if char not in text), "") if "\r" in text else ""
    try:
        tree = environment().parse(text.replace("\r", stand_in) if stand_in else text)
    except TemplateSyntaxError as error:
        raise TemplateError(
            f"line {error.lineno}",
            f"not well-formed Jinja: {error.message}",
            "correct it, or set another `dialect:`",
        ) from error
    except ValueError as error:  # Python reads no more than a few thousand digits
        raise TemplateError("line 1", f"a number is too long: {error}", "write a shorter one") from error
    for const in tree.find_all(nodes.Const):
        _validate_number(const)
    if stand_in:
        for data in tree.find_all(nodes.TemplateData):
            data.data = data.data.replace(stand_in, "\r")
        for const in tree.find_all(nodes.Const):
            if isinstance(const.value, str):
                const.value = const.value.replace(stand_in, "\r")
    return tree


def _validate_number(const: nodes.Const) -> None:
    value = const.value
    if (isinstance(value, int) and value.bit_length() > MAX_BITS) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise TemplateError(f"line {const.lineno}", "a number is too large", "write a smaller one")


def _through(name: str, node: Any, *arguments: nodes.Expr) -> nodes.Filter:
    """The value of an expression, by way of one of our own filters."""
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


def unknown_filters(tree: nodes.Template) -> list[str]:
    """The names of the filters that a framework of the prompt's own brings, in the order of the prompt."""
    known = environment().filters
    return list(
        dict.fromkeys(
            name for node in tree.find_all(nodes.Filter) for name in _filters(node) if name not in known
        )
    )


def _filters(node: nodes.Filter) -> list[str]:
    """The filters that a filter stands for: itself, and for `map("x")` also `x`."""
    first = node.args[0] if node.args else None
    mapped = node.name == "map" and isinstance(first, nodes.Const) and isinstance(first.value, str)
    return [node.name, first.value] if mapped and isinstance(first, nodes.Const) else [node.name]


class _Bounded(NodeTransformer):
    """Make every part of a template that can be run again and again pay for what it does."""

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:  # noqa: N802 - jinja2 finds visitors by these names
        self.generic_visit(node)
        known = environment().filters
        if all(name in known for name in _filters(node)):
            return node
        return nodes.Filter(node.node, "safe", [], [], None, None, lineno=node.lineno)

    def _counted(self, node: Any) -> Any:
        self.generic_visit(node)
        cost = sum(len(data.data) for part in node.body for data in _own_text(part))
        count = _through(TICK, nodes.Const(cost))
        node.body.insert(0, nodes.ExprStmt(count).set_lineno(node.lineno, override=True))
        return node

    visit_Macro = visit_CallBlock = visit_Block = visit_AssignBlock = _counted  # noqa: N815 - jinja2 finds visitors by these names

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - as above
        if node.test is not None:
            node.test = _through(STEPPED, node.test)
        counted: nodes.For = self._counted(node)
        return counted

    def visit_Assign(self, node: nodes.Assign) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        node.node = _through(STEPPED, node.node)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        sides: list[Any] = [node, *node.ops]
        for side in sides:
            if not isinstance(side.expr, nodes.Const):
                side.expr = _through(SIZED, side.expr)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        return _through(SIZED, node) if isinstance(node.arg, nodes.Slice) else node

    def _literal(self, node: Any) -> nodes.Node:
        self.generic_visit(node)
        items = list(node.iter_child_nodes())
        short = len(items) <= SHORT_LITERAL and all(isinstance(item, nodes.Const) for item in items)
        return node if short or getattr(node, "ctx", "load") != "load" else _through(WEIGHED, node)

    visit_List = visit_Tuple = visit_Dict = _literal  # noqa: N815 - as above

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802 - as above
        return _through(WEIGHED, node) if node.ctx == "load" and node.name in PACKED else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        return _through(CONCAT, nodes.List(node.nodes, lineno=node.lineno))

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        if isinstance(node.node, nodes.Getattr):
            node.node = _through(METHOD, node.node.node, nodes.Const(node.node.attr))
        return node


def _own_text(node: nodes.Node) -> list[nodes.TemplateData]:
    """The literal text of one turn; what is counted by itself counts its own."""
    if isinstance(node, nodes.TemplateData):
        return [node]
    if isinstance(node, nodes.For | nodes.Macro | nodes.CallBlock | nodes.Block | nodes.AssignBlock):
        return []
    return [data for child in node.iter_child_nodes() for data in _own_text(child)]


def _compile(tree: nodes.Template) -> Template:
    made = environment()
    try:
        bounded = _Bounded().visit(tree)
        bounded.set_environment(made)
        code = made.compile(bounded, filename=SOURCE)
    except JinjaError as error:
        line = getattr(error, "lineno", None) or 1
        raise TemplateError(
            f"line {line}", f"not usable as Jinja here: {error.message}", "remove it, or write it another way"
        ) from error
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise TemplateError("line 1", "the template nests too deep", "take parts of it out") from error
    return Template.from_code(made, code, made.globals)


def _line(error: BaseException) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == SOURCE]
    return f"line {lines[-1]}" if lines and lines[-1] else "line 1"
