"""printf: `%s`, `%d`, `%.2f` in order, named from the label before them; `%(name)s`; `%%` for a percent sign.

A `%` that begins no conversion is text: "50% of", "%Y-%m-%d", "%20", "100%sure".
"""

import re
from typing import NamedTuple

from adjudge.expressions.syntax import Name
from adjudge.patterns import lazy_pattern
from adjudge.templates.syntax import Expression, Formatted, Node, Output, Span, add_text, joined

TAG = lazy_pattern(
    r"%(?:(?P<escape>%)"
    r"|(?:\((?P<name>[^\W\d][\w.\- ]{0,80})\))?(?P<spec>[-+#0]{0,3}\d{0,3}(?:\.\d{0,2})?)(?P<conversion>[sdifgerv]))"
)
RUN = lazy_pattern(r"\S++")
ENCODED = lazy_pattern(r"%[0-9A-Fa-f]{2}.*%[0-9A-Fa-f]{2}|://")
STRFTIME = lazy_pattern(r"%[-#]?[YmyHMSbBjpAaIZzT]")

FENCE = lazy_pattern(r"\s*(?:`{3,}\w*|\"{3,}|'{3,}|-{3,}|={3,}|\*{3,}|~{3,}|#{3,}|<{3,}|>{3,})?\s*")
"""A line that only sets text apart: the label is above it."""
ELEMENT = lazy_pattern(r"<([A-Za-z][\w\-]{0,60})(?:\s[^<>]{0,200})?>\s*[\"'`]?\s*\Z")
BRACKETED = lazy_pattern(
    r"\[(?:the\s+)?(?:(?:start|begin|beginning)\s+(?:of\s+)?)?(?:the\s+)?([^\[\]]{1,60})\]:?\s*\Z",
    re.IGNORECASE,
)
LEAD_IN = lazy_pattern(
    r"(?:(?:here(?:'s| is| are)|this is|these are|below (?:is|are)|given|consider|following|(?:the )?following|now)\s+)*"
    r"(?:(?:the|a|an|your|following|given)\s+)*",
    re.IGNORECASE,
)
MAX_LABEL_WORDS = 5


def parse(text: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    taken: dict[str, int] = {}
    position = arguments = 0
    runs = _runs(text)
    for match in TAG.finditer(text):
        if not match["escape"] and not _is_conversion(text, match, runs):
            continue
        add_text(nodes, text[position : match.start()])
        position_before, position = position, match.end()
        if match["escape"]:
            add_text(nodes, "%")
            continue
        if match["name"]:
            name = match["name"].strip()
        else:
            arguments += 1
            line_start = max(text.rfind("\n", position_before, match.start()) + 1, position_before)
            name = _distinct(label_before(text, line_start, match.start()) or f"arg{arguments}", taken)
        nodes.append(Output(expression=_expression(name, match), span=match.span()))
    add_text(nodes, text[position:])
    return joined(nodes)


def _expression(name: str, match: re.Match[str]) -> Expression:
    value = Name(path=tuple(name.split(".")) if match["name"] else (name,))
    conversion = "s" if match["conversion"] == "v" else match["conversion"]
    if conversion == "s" and not match["spec"]:
        return value
    return Formatted(value=value, style="printf", spec=f"%{match['spec']}{conversion}")


def _distinct(name: str, taken: dict[str, int]) -> str:
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}_{taken[name]}"


class Runs(NamedTuple):
    """Words, as spans, in which per cent signs mean something else."""

    dates: list[Span]
    """`%Y-%m-%d`: there `%d` is a day."""
    addresses: list[Span]
    """`a%20b%9f`: there only a bare `%s` is a conversion."""


def _runs(text: str) -> Runs:
    runs = Runs([], [])
    for run in RUN.finditer(text):
        if "%" in run[0]:
            if STRFTIME.search(run[0]):
                runs.dates.append(run.span())
            elif ENCODED.search(run[0]):
                runs.addresses.append(run.span())
    return runs


def _is_conversion(text: str, match: re.Match[str], runs: Runs) -> bool:
    if match["name"]:
        return True
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    bare = match["conversion"] == "s" and not match["spec"]
    if match["conversion"] != "s" and (after.isalnum() or after == "_"):
        return False  # `%different`: a word
    if bare and after.isalpha() and before.isdigit():
        return False  # `100%sure`
    others = runs.dates if bare else runs.dates + runs.addresses
    return not any(start <= match.start() < end for start, end in others)


def label_before(text: str, line_start: int, start: int) -> str:
    """The name that the text before a conversion gives it; empty when it gives none."""
    if label := _label(text[line_start:start]):
        return label
    if text[line_start:start].strip(" \t\"'`>|*_-[(“") or text[line_start - 1 : line_start] not in {"", "\n"}:
        return ""  # words, but no label, or another conversion
    # Only a quote, a bullet or nothing stands before it: the label may be the line above.
    end = line_start - 1
    for _ in range(6):
        if end < 0:
            return ""
        above = text.rfind("\n", 0, end) + 1
        line = text[above:end]
        if not FENCE.fullmatch(line):
            return _label(line, whole_line=True)
        end = above - 1
    return ""


def _label(line: str, *, whole_line: bool = False) -> str:
    line = line.rstrip().rstrip("\"'`“«([").rstrip()
    if element := ELEMENT.search(line):
        return _identifier(element[1])
    if bracketed := BRACKETED.search(line):
        return _identifier(bracketed[1])
    heading = whole_line and bool(re.match(r"\A\s*(?:#{1,6}\s|\*\*[^*]+\*\*\s*\Z|__[^_]+__\s*\Z)", line))
    plain = line.rstrip().rstrip("*_").rstrip()
    if not (plain.endswith((":", "=", "：", "->", "=>")) or heading):
        return ""
    plain = plain.rstrip(":=：>- ")
    plain = re.split(r"[.!?;,(\[{|\"“]\s|[.!?;]\Z|\t|  |\s[-–—]\s", plain)[-1]  # the last clause of the line
    plain = re.sub(r"^[\s#>*_`\-+•\d.)(]+", "", plain)
    words = LEAD_IN.sub("", re.sub(r"[*_`]+(?=\W|\Z)|(?<!\w)[*_`]+", "", plain), count=1)
    return _identifier(words) if 0 < len(words.split()) <= MAX_LABEL_WORDS else ""


def _identifier(words: str) -> str:
    name = re.sub(r"\W+", "_", re.sub(r"['’]", "", words.strip().lower())).strip("_")
    return name if name and not name[0].isdigit() else ""
