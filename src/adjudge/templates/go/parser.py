"""Go's text/template -> the shared tree: `{{.Field}}`, variables, `if`, `with`, `range`, pipelines and calls.

Fields are resolved while the text is read: `.A` is the input `A`, or a member of what the innermost `with` or `range` is
about, which is a local name of the tree. So are variables, with one name each however often a text declares `$x`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import (
    MAX_DEPTH,
    Chain,
    ComputedMember,
    FunctionCall,
    Literal,
    Name,
    Step,
    Unary,
)
from adjudge.expressions.syntax import Node as Operation
from adjudge.templates.go.printing import validate_format
from adjudge.templates.go.tokens import SPACES, GoToken, read_character, read_number, read_text, tokenize
from adjudge.templates.syntax import (
    Arm,
    Assign,
    For,
    If,
    Node,
    Output,
    Span,
    add_text,
    error_at,
    joined,
    line_of,
)
from adjudge.text import did_you_mean, shorten

ROOT = "$"
"""The local name of all inputs together."""
WHOLE_INPUT = "value"
"""The input that a template is about when it has no fields: `{{.}}`, `{{range .}}`."""

TRIM_AFTER = re.compile(r"-(?=[ \t\r\n])")
COMMENT = re.compile(r"[ \t\r\n]?/\*")
BLOCKS = frozenset({"if", "with", "range"})
KEYWORDS = BLOCKS | {"else", "end", "define", "block", "template", "break", "continue"}
CONSTANTS: Mapping[str, bool | None] = {"true": True, "false": False, "nil": None}
COMPARISONS = {"eq": "===", "ne": "!==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
MANY = 100


class Arity(NamedTuple):
    least: int
    most: int = MANY


FUNCTIONS: Mapping[str, Arity] = {
    **dict.fromkeys(COMPARISONS, Arity(2, 2)),
    "eq": Arity(2),
    "and": Arity(1),
    "or": Arity(1),
    "not": Arity(1, 1),
    "len": Arity(1, 1),
    "index": Arity(1),
    "slice": Arity(1, 4),
    "print": Arity(0),
    "println": Arity(0),
    "printf": Arity(1),
    "html": Arity(0),
    "urlquery": Arity(0),
}
HINT = 'a tag holds fields, variables, literals and calls such as `printf "%s" .Name`'
NO_FUNCTION = f"there are {', '.join(f'`{name}`' for name in FUNCTIONS)}; put what it makes into a column, and name that"


@dataclass(kw_only=True, slots=True)
class OpenAction:
    """A block that is open while its body is read."""

    kind: str
    """`root`, `if`, `with` or `range`."""
    span: Span = (0, 0)
    nodes: list[Node] = field(default_factory=list)
    """Of the branch being read."""
    first: tuple[Node, ...] = ()
    """What a branch begins with: the variable that the block declares."""
    test: Operation = field(default_factory=lambda: Literal(value=True))
    dot: tuple[Step, ...] = ()
    """The path of `.` in the body; empty for the inputs themselves."""
    outer_dot: tuple[Step, ...] = ()
    index: str | None = None
    arms: list[Arm] = field(default_factory=list)
    body: tuple[Node, ...] = ()
    has_else: bool = False
    chained: bool = False
    """The `else if` of another block, which ends with it."""
    variables: dict[str, str] = field(default_factory=dict)
    """Declared for the whole block, with their names in the tree."""
    branch: dict[str, str] = field(default_factory=dict)
    """Declared in the branch being read."""


class Pipeline(NamedTuple):
    value: Operation
    declared: tuple[str, ...] = ()
    assigns: bool = False
    """Written with `=`: the variables are there already."""


def parse_template(text: str) -> tuple[Node, ...]:
    reader = _GoReader(text)
    nodes = reader.read()
    if reader.names_root and not reader.names_field:
        return _GoReader(text, (WHOLE_INPUT,)).read()
    return nodes


class _GoReader:
    def __init__(self, text: str, root: tuple[Step, ...] = (ROOT,)) -> None:
        self.text = text
        self.root = root
        self.frames = [OpenAction(kind="root")]
        self.names_root = self.names_field = False
        self.tokens: list[GoToken] = []
        self.at = 0
        self.depth = 0

    # ---- text and tags ---------------------------------------------------------------------------------

    def read(self) -> tuple[Node, ...]:
        position = 0
        trims = False
        while (start := self.text.find("{{", position)) >= 0:
            content = start + 2
            trim = TRIM_AFTER.match(self.text, content)
            self._add_text(position, start, trims_start=trims, trims_end=bool(trim))
            content = trim.end() if trim else content
            comment = COMMENT.match(self.text, content)
            if comment and (trim or not comment[0][0].isspace()):
                position, trims = self._skip_comment(start, comment.end())
                continue
            self.tokens, self.at, self.depth = tokenize(self.text, content), 0, 0
            position, trims = self.tokens[-1].end, len(self.tokens[-1].text) > 2
            self._read_tag((start, position))
        self._add_text(position, len(self.text), trims_start=trims, trims_end=False)
        if len(self.frames) > 1:
            frame = self.frames[-1]
            raise error_at(
                self.text,
                frame.span[0],
                f"`{{{{{frame.kind}}}}}` is never closed",
                "add `{{end}}` where it ends",
            )
        return joined(self.frames[0].nodes)

    def _add_text(self, start: int, end: int, *, trims_start: bool, trims_end: bool) -> None:
        text = self.text[start:end]
        text = text.lstrip(SPACES) if trims_start else text
        add_text(self.frames[-1].nodes, text.rstrip(SPACES) if trims_end else text)

    def _skip_comment(self, start: int, content: int) -> tuple[int, bool]:
        end = self.text.find("*/", content)
        if end < 0:
            raise error_at(self.text, start, "the comment `{{/*` is never closed", "end it with `*/}}`")
        if self.text.startswith("}}", end + 2):
            return end + 4, False
        if self.text[end + 2 : end + 3] in SPACES and self.text.startswith("-}}", end + 3):
            return end + 6, True
        raise error_at(self.text, end, "a comment's `*/` does not end its tag", "write `*/}}`")

    def _read_tag(self, span: Span) -> None:
        first = self.tokens[0]
        keyword = first.text if first.kind == "name" else ""
        nodes = self.frames[-1].nodes
        if keyword not in KEYWORDS:
            pipeline = self._pipeline("a tag")
            self._expect_end()
            if pipeline.declared:
                nodes.append(self._assign(pipeline, span))
            else:
                nodes.append(Output(expression=pipeline.value, span=span))
            return
        self.at = 1
        if keyword in BLOCKS:
            self._open_block(keyword, span)
        elif keyword == "else":
            self._branch(span)
        elif keyword == "end":
            self._close_block(span)
        else:
            raise self._error(
                f"`{{{{{keyword}}}}}` is not supported", "write the text where it belongs, without it", first
            )
        self._expect_end()

    def _expect_end(self) -> None:
        if self.token.kind != "end":
            raise self._error(f"found {self._found()} where the tag should end", "end it with `}}`")

    # ---- blocks ----------------------------------------------------------------------------------------

    def _open_block(self, kind: str, span: Span, *, chained: bool = False) -> None:
        if len(self.frames) > MAX_DEPTH:
            raise error_at(self.text, span[0], f"blocks nest deeper than {MAX_DEPTH}", "close some first")
        outer = self._dot
        frame = OpenAction(kind=kind, span=span, dot=outer, outer_dot=outer, chained=chained)
        pipeline = self._pipeline(f"`{{{{{kind}}}}}`", pair=kind == "range")
        frame.test = pipeline.value
        if kind != "if":
            about_root = kind == "with" and pipeline.value == Name(path=(ROOT,))
            frame.dot = () if about_root else (f".{len(self.frames)}",)
        if kind == "range":
            self._bind_loop(frame, pipeline)
            self.frames.append(frame)
            return
        self.frames.append(frame)
        firsts: list[Node] = []
        if pipeline.declared:
            # Inside of the branches, so that a variable's input is one that the condition asks about.
            firsts.append(self._assign(pipeline, span, frame.variables))
        frame.first = tuple(firsts)
        frame.nodes.extend(firsts)
        if kind == "with" and frame.dot:
            frame.nodes.append(Assign(name=str(frame.dot[0]), value=pipeline.value, span=span))

    def _bind_loop(self, frame: OpenAction, pipeline: Pipeline) -> None:
        item = Name(path=frame.dot)
        *indexes, variable = pipeline.declared or ("",)
        for name in indexes:
            frame.index = self._declare(name, frame.variables, assigns=pipeline.assigns)
        if variable:
            name = self._declare(variable, frame.variables, assigns=pipeline.assigns)
            frame.nodes.append(Assign(name=name, value=item, span=frame.span))

    def _branch(self, span: Span) -> None:
        frame = self.frames[-1]
        chained = self.token.kind == "name" and self.token.text == "if"
        if frame.kind == "root" or (chained and frame.kind != "if"):
            raise error_at(
                self.text,
                span[0],
                f"found `{{{{{'else if' if chained else 'else'}}}}}` {self._inside(frame)}",
                "remove it, or open the block it belongs to",
            )
        if frame.has_else:
            raise error_at(
                self.text, span[0], "found a branch after `{{else}}`", "make `{{else}}` the last branch"
            )
        self._end_branch(frame)
        frame.branch = {}
        frame.dot = frame.outer_dot
        if chained and not frame.variables:
            self.at += 1
            pipeline = self._pipeline("`{{else if}}`")
            if not pipeline.declared:
                frame.test, frame.span = pipeline.value, span
                return
            self.at = 1
        frame.has_else = True
        if frame.kind == "range":
            frame.variables = {}
        else:
            frame.nodes = list(frame.first)
        if chained:
            self.at += 1
            self._open_block("if", span, chained=True)

    def _end_branch(self, frame: OpenAction) -> None:
        body = joined(frame.nodes)
        if frame.kind == "range":
            frame.body = body
        else:
            frame.arms.append(Arm(test=frame.test, body=body, span=frame.span))
        frame.nodes = []

    def _close_block(self, span: Span) -> None:
        frame = self.frames[-1]
        if frame.kind == "root":
            raise error_at(self.text, span[0], "found `{{end}}` outside of any block", "remove it")
        self.frames.pop()
        otherwise: tuple[Node, ...] = ()
        if frame.has_else:
            otherwise = joined(frame.nodes)
        else:
            self._end_branch(frame)
        block: Node
        if frame.kind == "range":
            block = For(
                item=f".{len(self.frames)}",
                index=frame.index,
                source=frame.test,
                body=frame.body,
                otherwise=otherwise,
                span=frame.span,
            )
        else:
            block = If(arms=tuple(frame.arms), otherwise=otherwise)
        self.frames[-1].nodes.append(block)
        if frame.chained:
            self._close_block(span)

    def _inside(self, frame: OpenAction) -> str:
        if frame.kind == "root":
            return "outside of any block"
        return f"inside `{{{{{frame.kind}}}}}` of line {line_of(self.text, frame.span[0])}"

    # ---- variables -------------------------------------------------------------------------------------

    @property
    def _dot(self) -> tuple[Step, ...]:
        return self.frames[-1].dot

    def _assign(self, pipeline: Pipeline, span: Span, scope: dict[str, str] | None = None) -> Assign:
        if scope is None:
            scope = self.frames[-1].branch
        name = self._declare(pipeline.declared[0], scope, assigns=pipeline.assigns)
        return Assign(name=name, value=pipeline.value, span=span)

    def _declare(self, variable: str, scope: dict[str, str], *, assigns: bool) -> str:
        if assigns:
            return self._variable(variable)
        if variable == ROOT:
            raise self._error(
                "`$` cannot be declared", "give the variable a name, such as `$x`", self.tokens[0]
            )
        if variable not in scope:
            others = sum(
                variable in names
                for frame in self.frames
                for names in (frame.variables, frame.branch)
                if names is not scope
            )
            scope[variable] = f"{variable}'{others + 1}" if others else variable
        return scope[variable]

    def _variable(self, variable: str) -> str:
        for frame in reversed(self.frames):
            for names in (frame.branch, frame.variables):
                if variable in names:
                    return names[variable]
        raise self._error(
            f"the variable `{variable}` is not declared here", f"declare it with `{{{{{variable} := …}}}}`"
        )

    # ---- pipelines -------------------------------------------------------------------------------------

    @property
    def token(self) -> GoToken:
        return self.tokens[self.at]

    def _found(self) -> str:
        return "the end of the tag" if self.token.kind == "end" else f"`{shorten(self.token.text, 80)}`"

    def _error(self, problem: str, hint: str, token: GoToken | None = None) -> TemplateError:
        return error_at(self.text, (token or self.token).start, problem, hint)

    def _takes(self, operator: str) -> bool:
        if self.token.kind == "operator" and self.token.text == operator:
            self.at += 1
            return True
        return False

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"the tag nests deeper than {MAX_DEPTH}", "nest it less deeply")

    def _pipeline(self, where: str, *, pair: bool = False) -> Pipeline:
        declared, assigns = self._declarations(pair=pair)
        return Pipeline(self._stages(where), declared, assigns)

    def _declarations(self, *, pair: bool) -> tuple[tuple[str, ...], bool]:
        """The variables before `:=` or `=`, and whether it was `=`."""
        start = self.at
        declared: list[str] = []
        while self.token.kind == "variable":
            declared.append(self.token.text)
            self.at += 1
            if self._takes(":="):
                return tuple(declared), False
            if self._takes("="):
                return tuple(declared), True
            if not (self.token.kind == "operator" and self.token.text == ","):
                break
            if not pair or len(declared) > 1:
                raise self._error("more variables are declared than there are values", "declare one")
            self.at += 1
        if len(declared) > 1 or (declared and self.tokens[self.at - 1].text == ","):
            raise self._error(
                f"found {self._found()} where `:=` was expected", "write `range $i, $x := .Items`"
            )
        self.at = start
        return (), False

    def _stages(self, where: str) -> Operation:
        """Commands with `|` between them: what one gives is the last argument of the next."""
        value: Operation | None = None
        depth = self.depth
        while True:
            first = self.token
            if first.kind == "end" or (first.kind == "operator" and first.text != "("):
                if value is None or first.kind != "end":
                    raise self._error(f"found {self._found()} where {where} needs a value", HINT)
                break
            value = self._command(value)
            if not self._takes("|"):
                break
            self._deeper()
        self.depth = depth
        return value

    def _command(self, piped: Operation | None) -> Operation:
        first = self.token
        called = first.text if first.kind == "name" and first.text not in CONSTANTS else ""
        if called:
            self._validate_function(first)
            self.at += 1
        operands: list[Operation] = []
        while not called or self._is_apart():
            operands.append(self._operand())
            if not self._is_apart():
                break
            if not called:
                raise self._error(
                    f"`{shorten(first.text, 80)}` is given {self._found()}, and only functions take values",
                    "remove it, or put a function first",
                )
        if not (self.token.kind == "end" or (self.token.kind == "operator" and self.token.text in ")|")):
            raise self._error(f"found {self._found()} after a value", "put a space or `|` between values")
        if not called:
            if piped is not None:
                raise self._error(
                    f"found `{shorten(first.text, 80)}` after `|`", "a function follows `|`", first
                )
            return operands[0]
        return self._call(first, [*operands, piped] if piped is not None else operands)

    def _is_apart(self) -> bool:
        """Does another value follow, after white space?"""
        token = self.token
        return token.apart and token.kind != "end" and not (token.kind == "operator" and token.text in ")|")

    def _validate_function(self, token: GoToken) -> None:
        if token.text in KEYWORDS:
            raise self._error(f"found `{token.text}` where a value was expected", HINT, token)
        if token.text not in FUNCTIONS:
            raise self._error(
                f"the function `{token.text}` is not known here",
                did_you_mean(token.text, FUNCTIONS, NO_FUNCTION),
                token,
            )

    def _operand(self) -> Operation:
        token = self.token
        self.at += 1
        value: Operation
        match token.kind:
            case "field":
                value = self._field(token)
            case "dot":
                return self._plain_term(self._named(self._dot))
            case "variable":
                path: tuple[Step, ...] = () if token.text == ROOT else (self._variable(token.text),)
                value = self._member_of_path(path)
            case "number" | "text" | "character":
                return self._plain_term(Literal(value=self._literal(token)))
            case "name" if token.text in CONSTANTS:
                return self._plain_term(Literal(value=CONSTANTS[token.text]))
            case "name":
                self._validate_function(token)
                value = self._call(token, [])
            case "operator" if token.text == "(":
                self._deeper()
                value = self._stages("`( … )`")
                self.depth -= 1
                if not self._takes(")"):
                    raise self._error(f"found {self._found()} where `)` was expected", "close the `(`")
            case _:
                raise self._error(f"found `{token.text}` where a value was expected", HINT, token)
        while self.token.kind == "field" and not self.token.apart:
            value = _member(value, Literal(value=self.token.text[1:]))
            self.at += 1
        return value

    def _plain_term(self, value: Operation) -> Operation:
        if self.token.kind in {"field", "dot"} and not self.token.apart:
            raise self._error(f"found {self._found()} after a value that has no fields", "remove it")
        return value

    def _field(self, token: GoToken) -> Operation:
        return self._member_of_path(self._dot, token.text[1:])

    def _member_of_path(self, path: tuple[Step, ...], *steps: str) -> Name:
        found: list[Step] = [*path, *steps]
        while self.token.kind == "field" and not self.token.apart:
            found.append(self.token.text[1:])
            self.at += 1
        return self._named(tuple(found))

    def _named(self, path: tuple[Step, ...]) -> Name:
        if not path:
            self.names_root = True
            return Name(path=self.root)
        self.names_field = self.names_field or str(path[0])[0] not in ".$"
        return Name(path=path)

    def _literal(self, token: GoToken) -> str | int | float:
        value: str | int | float | None
        if token.kind == "number":
            value = read_number(token.text)
        elif token.kind == "text":
            value = read_text(token.text)
        else:
            value = read_character(token.text)
        if value is None:
            raise self._error(
                f"`{shorten(token.text, 80)}` is not a {token.kind} in Go", "write it another way", token
            )
        return value

    def _call(self, token: GoToken, arguments: list[Operation]) -> Operation:
        name, arity = token.text, FUNCTIONS[token.text]
        if not arity.least <= len(arguments) <= arity.most:
            wanted = f"{arity.least}" if arity.least == arity.most else f"at least {arity.least}"
            raise self._error(f"`{name}` takes {wanted} values, found {len(arguments)}", HINT, token)
        first, *rest = arguments or [Literal(value="")]
        match name:
            case "and" | "or":
                operator = "&&" if name == "and" else "||"
                return Chain(first=first, rest=tuple((operator, other) for other in rest)) if rest else first
            case "not":
                return Unary(operator="!", operand=first)
            case "eq" if len(rest) > 1:
                tests = [Chain(first=first, rest=(("===", other),)) for other in rest]
                return Chain(first=tests[0], rest=tuple(("||", test) for test in tests[1:]))
            case _ if name in COMPARISONS:
                return Chain(first=first, rest=((COMPARISONS[name], rest[0]),))
            case "index" if first == Name(path=(ROOT,)) and rest and all(map(_is_text, rest)):
                self.names_field = True
                return Name(path=tuple(str(key.value) for key in rest if isinstance(key, Literal)))
            case "printf":
                # A format that is a value would make that value part of the template.
                if not isinstance(first, Literal) or not isinstance(first.value, str):
                    raise self._error(
                        "the format of `printf` is not written out", 'write `printf "%s" …`', token
                    )
                if problem := validate_format(first.value):
                    raise self._error(problem, "use `%s`, `%d`, `%v`, `%q` or `%.2f`", token)
        return FunctionCall(function=name, arguments=tuple(arguments))


def _is_text(node: Operation) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, str)


def _member(target: Operation, key: Literal) -> Operation:
    if isinstance(target, Name) and isinstance(key.value, str):
        return Name(path=(*target.path, key.value))
    return ComputedMember(target=target, key=key)
