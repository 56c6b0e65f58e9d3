"""Reply -> the part of it that may hold a verdict: no reasoning blocks, no terminal escapes, no invisible marks."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Container, Sequence

from adjudge.patterns import lazy_pattern

ANSI = lazy_pattern(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-_])")
INVISIBLE = lazy_pattern("[\ufeff\u200b\u2060\u00ad\ud800-\udfff]")
"""Marks that models and copies leave inside words. Joiners (U+200C, U+200D) stay: they are spelling in some scripts."""

THINK = lazy_pattern(
    r"<(?P<shut>/?)(?P<name>think|thinking|thought|reasoning)>|\[(?P<shut2>/?)(?P<name2>THINK)\]",
    re.IGNORECASE,
)
ENDS_THOUGHT = lazy_pattern(r"[ \t]{0,40}(?:\n|\r|\Z|[{\[`<#*])")
"""What follows a closing tag that is not merely mentioned in a sentence."""

FENCE_WORD = r"json5?|jsonc|jsonl|javascript|js|python|py|text|txt|plaintext|markdown|md|xml|html|yaml|output"
WRAPPING = lazy_pattern(
    rf"(?:\s|`|~|\[|\]|</?[\w:-]{{1,40}}>|<\|[\w ]{{1,40}}\|>|\b(?:{FENCE_WORD})\b)*", re.IGNORECASE
)
"""What may stand around a verdict that is nevertheless the whole reply: fences, a list's brackets, lone tags."""

ENTITY = lazy_pattern(r"&(?:quot|lt|gt|#34|#x22|#39|amp);", re.IGNORECASE)
ESCAPED_OBJECT = lazy_pattern(r'\{\s*(?:\\[nrt]\s*)*\\+"')


def tidy(text: str) -> str:
    """Drop terminal escapes and invisible marks; surrogates too, since they cannot be stored as UTF-8."""
    if text.isascii() and "\x1b" not in text and "\x00" not in text:
        return text
    return INVISIBLE.sub("", ANSI.sub("", text)).replace("\x00", "")


def thought_tags(text: str) -> frozenset[str]:
    """The names of the reasoning tags that a text holds."""
    return frozenset(map(_name, THINK.finditer(text)))


def blank_thoughts(
    text: str,
    objects: Sequence[tuple[int, int]] = (),
    *,
    in_case: Container[str] = (),
    concluded: Callable[[str], bool] | None = None,
) -> str:
    """Replace reasoning by as many spaces, so that positions keep their meaning.

    Tags that are quoted, or stand inside one of `objects` (spans in order), are text like any other, and so are
    those `in_case`, which the model may have copied, unless they open the reply. An unclosed opening tag at
    the start of a line makes everything after it reasoning. A closing tag whose opening tag stood in the prompt
    ends the reasoning that began the reply, unless a verdict was given before it (`concluded`).
    """
    starts = [start for start, _ in objects]
    pieces: list[str] = []
    done = 0  # everything before is settled
    first = len(text) - len(text.lstrip())
    given = False
    opened: re.Match[str] | None = None
    for mark in THINK.finditer(text):
        if opened is None and (_quoted(text, mark) or _inside(mark.start(), objects, starts)):
            continue
        if opened is None and mark.start() > first and _name(mark) in in_case:
            continue
        shut = bool(mark["shut"] or mark["shut2"])
        if opened is None and not shut:
            opened = mark
        elif opened is not None and shut and _name(mark) == _name(opened):
            pieces += [text[done : opened.start()], " " * (mark.end() - opened.start())]
            done, opened = mark.end(), None
        elif (
            opened is None
            and not pieces
            and (_starts_line(text, mark) or ENDS_THOUGHT.match(text, mark.end()))
            and not given
        ):
            given = concluded is not None and concluded(text[: mark.start()])
            if not given:
                pieces.append(" " * mark.end())
                done = mark.end()
    if opened is not None and _starts_line(text, opened):
        pieces += [text[done : opened.start()], " " * (len(text) - opened.start())]
        done = len(text)
    return "".join([*pieces, text[done:]]) if pieces else text


def _name(mark: re.Match[str]) -> str:
    return (mark["name"] or mark["name2"]).lower()


def _quoted(text: str, mark: re.Match[str]) -> bool:
    return mark.start() > 0 and text[mark.start() - 1] in "\"'`“‘«"


def _starts_line(text: str, mark: re.Match[str]) -> bool:
    before = text[max(0, mark.start() - 80) : mark.start()].rstrip(" \t`")
    return before.endswith("\n") or (not before and mark.start() < 80)


def _inside(position: int, objects: Sequence[tuple[int, int]], starts: list[int]) -> bool:
    index = bisect_right(starts, position) - 1
    return index >= 0 and position < objects[index][1]


def is_wrapping(text: str) -> bool:
    """Whether text around a verdict says nothing itself."""
    stripped = text.strip()
    return len(stripped) <= 400 and WRAPPING.fullmatch(stripped) is not None


def decoded(text: str) -> str | None:
    """The text with one level of HTML or backslash escaping taken off; None when it shows no such escaping."""
    if ENTITY.search(text):
        return html.unescape(text)
    if ESCAPED_OBJECT.search(text):
        return re.sub(r'\\(["\\nrt/])', lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), text)
    return None
