"""Template text -> its pieces in order: literal text and tags, as Handlebars divides it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import MAX_DEPTH
from adjudge.records import Json
from adjudge.templates.syntax import JS_SPACE, Span, error_at
from adjudge.text import shorten

OPENING = re.compile(
    r"\{\{(?P<left>~)?(?:(?P<partial>#?>)|(?P<sigil>[#/&{*]|\^|!--|!)|\s*+(?P<otherwise>else)\b)?+(?P<decorator>\*)?+"
)
ELSE_END = re.compile(r"(?<!\s)\s*+(~)?\}\}")
AFTER_NAME = frozenset("=~}/.)|" + JS_SPACE)
TOKEN = re.compile(
    r"(?P<space>\s++)"
    r"|(?P<raw>\}\}\}\})"
    r"|(?P<end>\}?~?\}\})"
    r"|(?P<text>\"(?:\\\"|[^\"])*?\"|'(?:\\'|[^'])*?')"
    r"|(?P<number>-?[0-9]{1,300}+(?:\.[0-9]{1,300}+)?(?=[~}\s)]))"
    r"|(?P<word>(?:true|false|undefined|null)(?=[~}\s)]))"
    r"|(?P<names>as\s++\|)"
    r"|(?P<id>\.\.|\.(?=[=~}\s/.)|])|\[(?:\\\]|[^\]]){0,200}+\])"
    r"|(?P<name>[^\s!\"#%-,./;->@\[-^`{-~]++)"
    r"|(?P<mark>[=/.@|()])"
)
WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "undefined": None}
LITERAL_STEP = re.compile(r"\\([\\\]])")
MAX_ARGUMENTS = 300
Kind: TypeAlias = Literal["write", "open", "open_inverse", "else", "else_chain", "close", "comment"]


@dataclass(slots=True)
class Content:
    """Literal text; what white space the tags around it take away changes `text`."""

    text: str
    original: str
    left_stripped: bool = False
    right_stripped: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    written: str
    steps: tuple[str, ...]
    up: int = 0
    data: bool = False
    """Written with `@`."""
    scoped: bool = False
    """Begins with `this`, `.` or `..`: never a helper nor a local name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Constant:
    value: Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Invocation:
    """`helper argument key=value`, or a path alone."""

    head: "Path | Constant"
    arguments: "tuple[Argument, ...]" = ()
    options: "tuple[tuple[str, Argument], ...]" = ()


Argument: TypeAlias = "Path | Constant | Invocation"


@dataclass(frozen=True, kw_only=True, slots=True)
class BraceTag:
    kind: Kind
    span: Span
    left: bool
    """`{{~`: takes away the white space before it."""
    right: bool
    expression: Invocation | None = None
    names: tuple[str, ...] = ()


def read_pieces(text: str) -> Iterator[Content | BraceTag]:
    position = 0
    while True:
        start = text.find("{{", position)
        literal = text[position:] if start < 0 else text[position:start]
        escaped = literal.endswith("\\") and not literal.endswith("\\\\")
        if start >= 0 and literal.endswith("\\"):
            # Two backslashes are one, before a tag; one makes text of the tag.
            literal = literal[:-1]
        if literal:
            yield Content(literal, literal)
        if start < 0:
            return
        if escaped:
            position = _escape_end(text, start)
            yield Content(text[start:position], text[start:position])
        else:
            tag = _read_tag(text, start)
            yield tag
            position = tag.span[1]


def _escape_end(text: str, start: int) -> int:
    """Where the text of an escaped tag ends: before the next tag and the backslashes that belong to it."""
    end = text.find("{{", start + 2)
    if end < 0:
        return len(text)
    for _ in range(2):
        if end > start + 2 and text[end - 1] == "\\":
            end -= 1
    return end


def _read_tag(text: str, start: int) -> BraceTag:
    opening = OPENING.match(text, start)
    assert opening is not None
    left = opening["left"] is not None
    sigil = opening["sigil"] or ""
    if sigil.startswith("!"):
        return _read_comment(text, start, sigil, left=left)
    _refuse_unsupported(text, opening)
    divides = opening["otherwise"] or sigil == "^"
    if divides and (end := ELSE_END.match(text, opening.end())):
        return BraceTag(kind="else", span=(start, end.end()), left=left, right=end[1] is not None)
    reader = _TagReader(text, start, opening.end())
    if divides:
        kind: Kind = "open_inverse" if sigil == "^" else "else_chain"
        return reader.finish(kind, left=left, takes_names=True)
    if sigil == "#":
        return reader.finish("open", left=left, takes_names=True)
    if sigil == "/":
        return reader.finish("close", left=left)
    return reader.finish("write", left=left, braces=sigil == "{")


def _read_comment(text: str, start: int, sigil: str, *, left: bool) -> BraceTag:
    mark = "}}" if sigil == "!" else "--}}"
    search = start + 2 + left + len(sigil)
    end = text.find(mark, search)
    if sigil == "!--":
        stripped = text.find("--~}}", search)
        if stripped >= 0 and (end < 0 or stripped < end):
            end, mark = stripped, "--~}}"
    if end < 0:
        raise error_at(text, start, f"the comment `{{{{{sigil}` is never closed", f"end it with `{mark}`")
    end += len(mark)
    return BraceTag(kind="comment", span=(start, end), left=left, right=text[end - 3] == "~")


def _refuse_unsupported(text: str, opening: re.Match[str]) -> None:
    start = opening.start()
    what, hint = "", ""
    if opening["partial"]:
        what, hint = "a partial", "write its text in its place"
    elif opening["decorator"] or opening["sigil"] == "*":
        what, hint = "a decorator", "remove it"
    elif text.startswith("{{{{", start):
        what, hint = "a raw block", "write `\\{{` before each tag that is meant as text"
    if what:
        shown = shorten(text[start : start + 60].split("\n", maxsplit=1)[0], 40)
        raise error_at(text, start, f"`{shown}` is {what}, which is not supported", hint)


class _TagReader:
    """Reads what stands between the braces of one tag."""

    def __init__(self, text: str, start: int, position: int) -> None:
        self.text = text
        self.start = start
        self.position = position
        self.depth = 0
        self.count = 0
        self.kind = ""
        self.word = ""
        self.advance()

    def advance(self) -> None:
        """Go to the next word that is not white space."""
        while True:
            match = TOKEN.match(self.text, self.position)
            if match is None or match.lastgroup == "raw":
                raise self.unexpected(self.text[self.position : self.position + 1])
            self.position = match.end()
            if match.lastgroup != "space":
                break
        self.kind, self.word = str(match.lastgroup), match[0]
        if self.kind == "name":
            self.kind = "id"
            if self.text[match.end() : match.end() + 1] not in AFTER_NAME:
                raise self.unexpected(self.text[match.end() : match.end() + 1])
        self.count += 1
        if self.count > MAX_ARGUMENTS:
            raise error_at(
                self.text,
                self.start,
                f"the tag has more than {MAX_ARGUMENTS} parts",
                "divide it into several",
            )

    def unexpected(self, found: str) -> TemplateError:
        shown = shorten(self.text[self.start : self.start + 60].split("\n")[0], 40)
        if not found or (self.text.find("}}", self.start) < 0):
            return error_at(self.text, self.start, f"the tag `{shown}` is never closed", "end it with `}}`")
        return error_at(
            self.text,
            self.start,
            f"`{found}` has no place in the tag `{shown}`",
            "a tag holds a name, or a helper and its values; write `\\{{` for braces that are text",
        )

    def finish(self, kind: Kind, *, left: bool, takes_names: bool = False, braces: bool = False) -> BraceTag:
        expression = self.expression()
        names: tuple[str, ...] = ()
        if takes_names and self.kind == "names":
            names = self.local_names()
        if self.word.replace("~", "") != ("}}}" if braces else "}}"):
            raise self.unexpected(self.word)
        if kind == "close" and (expression.arguments or expression.options):
            raise self.unexpected(self.word)
        return BraceTag(
            kind=kind,
            span=(self.start, self.position),
            left=left,
            right="~" in self.word,
            expression=expression,
            names=names,
        )

    def local_names(self) -> tuple[str, ...]:
        names = []
        self.advance()
        while self.kind == "id":
            names.append(_bare(self.word))
            self.advance()
        if self.word != "|" or not names:
            raise self.unexpected(self.word)
        self.advance()
        return tuple(names)

    def expression(self) -> Invocation:
        head = self.value()
        arguments: list[Argument] = []
        options: list[tuple[str, Argument]] = []
        while self.kind in {"id", "text", "number", "word"} or self.word in {"(", "@"}:
            if self.kind == "id" and self._is_key():
                key = _bare(self.word)
                self.advance()
                self.advance()
                options.append((key, self.argument()))
            elif options:
                raise self.unexpected(self.word)
            else:
                arguments.append(self.argument())
        return Invocation(head=head, arguments=tuple(arguments), options=tuple(options))

    def _is_key(self) -> bool:
        position = self.position
        while self.text[position : position + 1] and self.text[position] in JS_SPACE:
            position += 1
        return self.text.startswith("=", position)

    def argument(self) -> Argument:
        if self.word != "(" or self.kind != "mark":
            return self.value()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise error_at(self.text, self.start, f"`(` nests deeper than {MAX_DEPTH}", "nest less")
        self.advance()
        inner = self.expression()
        if self.word != ")" or self.kind != "mark":
            raise self.unexpected(self.word)
        self.depth -= 1
        self.advance()
        return inner

    def value(self) -> Path | Constant:
        if self.kind == "text":
            quote = self.word[0]
            value: Json = self.word[1:-1].replace(f"\\{quote}", quote)
        elif self.kind == "number":
            value = float(self.word) if "." in self.word else int(self.word[:300])
        elif self.kind == "word":
            value = WORDS[self.word]
        else:
            return self.path()
        self.advance()
        return Constant(value=value)

    def path(self) -> Path:
        data = self.word == "@" and self.kind == "mark"
        if data:
            self.advance()
        written = "@" * data
        steps: list[str] = []
        up = 0
        scoped = False
        while True:
            if self.kind != "id":
                raise self.unexpected(self.word)
            word = self.word
            written += word
            if word in {"..", ".", "this"}:
                if steps:
                    raise error_at(
                        self.text,
                        self.start,
                        f"`{shorten(written, 40)}` is not a path",
                        "`../`, `./` and `this` stand at its beginning",
                    )
                scoped = True
                up += word == ".."
            else:
                steps.append(_bare(word))
            self.advance()
            if self.kind != "mark" or self.word not in {"/", "."}:
                break
            written += self.word
            self.advance()
        return Path(written=written, steps=tuple(steps), up=up, data=data, scoped=scoped)


def _bare(word: str) -> str:
    """A name without the brackets that let it hold anything: `[odd name]`."""
    return LITERAL_STEP.sub(r"\1", word)[1:-1] if word.startswith("[") else word
