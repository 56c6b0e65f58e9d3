"""The YAML at the head of a judge file, read so that every value knows its line.

Read as YAML 1.2 does: `yes`, `no`, `on` and dates stay the text they are, so that labels keep their spelling.
Aliases and tags are refused: a judge file is data from anywhere.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from adjudge.errors import JudgeFileError
from adjudge.patterns import lazy_pattern
from adjudge.records import Json

MAX_CHARS = 256 * 1024
MAX_DEPTH = 32
KEYS = (
    "adjudge",
    "name",
    "description",
    "inputs",
    "verdict",
    "score",
    "scale",
    "better",
    "passes",
    "dialect",
    "when_missing",
    "when_empty",
    "too_long",
    "temperature",
    "max_output_tokens",
    "items",
    "anchors",
    "structured",
    "abstain",
    "rubric",
    "ratings",
    "check",
    "combine",
    "contract",
    "embedded",
)
"""What a judge file may say at its head."""
_FRONT_MATTER = "front matter"

_RULE = lazy_pattern(r"^---[ \t]*$", re.MULTILINE)
_KEY_LINE = lazy_pattern(r"^[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|$)", re.MULTILINE)
_INTEGER = lazy_pattern(r"[-+]?[0-9]{1,300}")
_FLOAT = lazy_pattern(r"\A[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: Mapping[str, Json] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "value")
}


class Located(Struct, frozen=True, kw_only=True):
    """A YAML value and the line of the file it stands on."""

    value: Json
    line: int
    written: str = ""
    """A scalar as the file spells it."""
    entries: Mapping[str, "Located"] = {}
    """A mapping's values by key; keys as the file spells them."""
    key_lines: Mapping[str, int] = {}
    elements: tuple["Located", ...] = ()


class SplitFile(NamedTuple):
    front_matter: Located | None
    body: str
    body_line: int
    """The file's line on which the body begins."""


def normalize_text(text: str) -> str:
    """Drop a BOM and make every line end a line feed: neither changes what a judge is."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split_front_matter(text: str, *, where: str) -> SplitFile:
    """Split the YAML between the first two `---` lines from the prompt; a file with none is all prompt."""
    head, body = _cut(text, where)
    if head is None:
        return SplitFile(None, text, 1)
    return SplitFile(
        read_yaml(head, where=where, first_line=2), body, text[: len(text) - len(body)].count("\n") + 1
    )


def body_of(text: str, *, where: str) -> str:
    """The prompt below front matter, which is not read."""
    return _cut(text, where)[1]


def _cut(text: str, where: str) -> tuple[str | None, str]:
    """The text of the front matter, and what stands below it."""
    first = _RULE.match(text)
    if first is None:
        return None, text
    second = _RULE.search(text, first.end() + 1)
    if second is None:
        if re.search(r"^adjudge[ \t]*:", text, re.MULTILINE):
            raise JudgeFileError(
                f"{where} line 1",
                "the front matter that begins here is never closed",
                "put a line `---` between the front matter and the prompt",
            )
        return None, text
    head = text[first.end() + 1 : second.start()]
    if head.strip() and not _KEY_LINE.search(head):
        return None, text  # two thematic breaks around prose
    return head, text[second.end() + 1 :]


def read_yaml(text: str, *, where: str, first_line: int = 1) -> Located:
    """Read a YAML mapping; the first duplicate key, alias, tag or depth too many is an error with its line."""
    located = _read_located(text, where, first_line, _FRONT_MATTER)
    if located is None:
        return Located(value={}, line=first_line)
    if not isinstance(located.value, dict):
        raise JudgeFileError(
            f"{where} line {located.line}",
            "the front matter is not a list of `key: value` lines",
            "write `name: my-judge` and so on, one key a line",
        )
    return located


def read_yaml_value(text: str, *, where: str) -> Json:
    """The value of a file that is YAML, read with the same care as front matter."""
    located = _read_located(text, where, 1, "YAML")
    return None if located is None else located.value


def _read_located(text: str, where: str, first_line: int, what: str) -> Located | None:
    import yaml  # noqa: PLC0415 - slow, and not needed for bare prompts

    if len(text) > MAX_CHARS:
        raise JudgeFileError(
            where,
            f"the {what} has {len(text)} characters; {MAX_CHARS} at most are read",
            "move text into the body, or close the front matter with a line `---`"
            if what == _FRONT_MATTER
            else "divide the file, or save it as JSON",
        )
    try:
        node = yaml.compose(text, Loader=_careful_loader(yaml, where, first_line))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        last = text.rstrip("\n").count("\n")
        line = first_line + min(mark.line if mark is not None else 0, last)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        raise JudgeFileError(
            f"{where} line {line}",
            f"the {what} cannot be read: {problem}"
            if what != _FRONT_MATTER
            else f"the front matter is not YAML: {problem}",
            "check the indentation, and quote text that holds `: `, `#`, `{` or `[`",
        ) from None
    return None if node is None else _locate(node, where, first_line)


def _careful_loader(yaml: Any, where: str, first_line: int) -> Any:
    """Refuses aliases and depth as it comes to them, so that the text is read once."""

    class CarefulLoader(yaml.SafeLoader):  # type: ignore[misc]  # known when it is imported
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            line = first_line + event.start_mark.line
            if isinstance(event, yaml.AliasEvent):
                raise JudgeFileError(
                    f"{where} line {line}",
                    f"`*{event.anchor}` is a YAML alias, which is not supported",
                    "write the value out where it is used",
                )
            self.depth += 1
            if self.depth > MAX_DEPTH and isinstance(event, yaml.CollectionStartEvent):
                raise JudgeFileError(
                    f"{where} line {line}",
                    f"the YAML is nested more than {MAX_DEPTH} deep",
                    "flatten it",
                )
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return CarefulLoader


def _locate(node: Any, where: str, first_line: int) -> Located:
    line = first_line + node.start_mark.line
    if node.tag not in _PLAIN_TAGS:
        raise JudgeFileError(
            f"{where} line {line}", f"the YAML tag `{node.tag}` is not supported", "write a plain value"
        )
    if node.id == "scalar":
        value = _scalar(node.value) if node.style is None else node.value
        return Located(value=value, line=line, written=node.value)
    if node.id == "sequence":
        elements = tuple(_locate(element, where, first_line) for element in node.value)
        return Located(value=[element.value for element in elements], line=line, elements=elements)
    entries: dict[str, Located] = {}
    key_lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        key_line = first_line + key_node.start_mark.line
        if key_node.id != "scalar":
            raise JudgeFileError(
                f"{where} line {key_line}",
                "a key is a list or a mapping",
                "use a word as the key; quote a template's `{{x}}` in YAML",
            )
        key = str(key_node.value)
        if key in entries:
            raise JudgeFileError(
                f"{where} line {key_line}",
                f"`{key}` is given a second time (first on line {key_lines[key]})",
                "keep one of the two",
            )
        entries[key] = _locate(value_node, where, first_line)
        key_lines[key] = key_line
    return Located(
        value={key: entry.value for key, entry in entries.items()},
        line=line,
        entries=entries,
        key_lines=key_lines,
    )


def _scalar(written: str) -> Json:
    if written in _WORDS:
        return _WORDS[written]
    if _INTEGER.fullmatch(written):
        return int(written)
    if _FLOAT.fullmatch(written):
        number = float(written)
        return number if math.isfinite(number) else written
    return written
