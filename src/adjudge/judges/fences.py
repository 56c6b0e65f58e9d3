"""Whether a place in a template is enclosed by something that shows where the value begins and ends."""

import re

from adjudge.patterns import lazy_pattern

_TAG = lazy_pattern(r"<(?P<close>/)?(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>\n]{0,200})?>")
_MESSAGE_TAGS = frozenset({"system", "user", "assistant", "developer"})
_RULER = lazy_pattern(r"(?:[-*=#_~]\s?){3,}")
_BLOCKS = lazy_pattern(r"\{%.{0,200}?%\}|\{\{-?\s*(?:if|else|endif|for|endfor|[#/^])[^{}]{0,200}\}\}")
WINDOW = 20_000


def is_enclosed(body: str, start: int, end: int) -> bool:
    """Tags, code fences, triple quotes, ruled lines, or `[BEGIN …]` and `[END …]` around the place."""
    if "fenced." in body[start:end]:
        return True
    before, after = body[max(0, start - WINDOW) : start], body[end : end + WINDOW]
    return (
        _in_tags(before, after)
        or _in_fence(before, after, "```")
        or _in_fence(before, after, "~~~")
        or _in_fence(before, after, '"""')
        or _in_fence(before, after, "'''")
        or _between_lines(before, after)
    )


def _in_tags(before: str, after: str) -> bool:
    opened: dict[str, int] = {}
    for match in _TAG.finditer(before):
        name = match["name"].lower()
        opened[name] = max(0, opened.get(name, 0) - 1) if match["close"] else opened.get(name, 0) + 1
    return any(
        count > 0
        and name not in _MESSAGE_TAGS
        and re.search(rf"</{re.escape(name)}\s{{0,5}}>", after, re.IGNORECASE)
        for name, count in opened.items()
    )


def _in_fence(before: str, after: str, mark: str) -> bool:
    return before.count(mark) % 2 == 1 and mark in after


def _between_lines(before: str, after: str) -> bool:
    above = _near(before.split("\n")[:-1], last=True)
    below = _near(after.split("\n")[1:], last=False)
    if _RULER.fullmatch(above) and _RULER.fullmatch(below):
        return True
    if _RULER.fullmatch(below) or _RULER.fullmatch(above):
        # `[Question]: …` between rows of stars, and the label on its own line above
        framed = [line.strip() for line in before.split("\n")[-4:-1]]
        if _RULER.fullmatch(below) and any(_RULER.fullmatch(line) for line in framed if line):
            return True
    opened = [
        match.start()
        for match in re.finditer(r"[\[<#=]\s?[^\n\]]{0,40}\b(?:begin|start)\b", before, re.IGNORECASE)
    ]
    closed = [
        match.start() for match in re.finditer(r"[\[<#=]\s?[^\n\]]{0,40}\bend\b", before, re.IGNORECASE)
    ]
    closes = re.search(r"[\[<#=]\s?[^\n\]]{0,40}\bend\b", after, re.IGNORECASE)
    return bool(opened) and (not closed or closed[-1] < opened[-1]) and closes is not None


def _near(lines: list[str], *, last: bool) -> str:
    """The nearest line that holds something other than template blocks."""
    for line in reversed(lines) if last else lines:
        plain = _BLOCKS.sub("", line).strip()
        if plain:
            return plain
    return ""
