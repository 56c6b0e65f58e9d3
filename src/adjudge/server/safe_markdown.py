"""Text of cases -> HTML that cannot run, fetch or pretend: judged text is hostile.

Two gates, one behind the other: the renderer knows no HTML and no images, and what it makes goes through an allow-list
of tags. Links stay links, to be followed on purpose, with their address in sight. The one module that makes Markup.
"""

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

from adjudge.text import seen

MAX_CHARS = 20_000
"""Characters; a longer text is shown as it stands, which costs nothing to lay out. A hostile one of this length takes
a fraction of a second, and that grows with the square."""
MAX_DEPTH = 40
"""Quotations and lists inside each other; the renderer leaves out what is deeper, so such a text is shown as it stands."""
MAX_MARKS = 0xFFF
TAGS = frozenset(
    ["p", "br", "hr", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span",
     "table", "thead", "tbody", "tr", "th", "td", "mark"]
)  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "mark": {"title"}}
CLASSES = {"span": {"image", "address"}, "mark": {"found", "missed", "quoted"}}
SCHEMES = frozenset({"http", "https", "mailto"})

_LOOKS_LIKE_MARKDOWN = re.compile(
    r"^ {0,3}(?:#{1,6} |[-*+] |[0-9]{1,3}[.)] |> ?|```|~~~|\|.*\|)|\*\*\S|__\S|`[^`\n]+`|\]\([^)\n]+\)",
    re.MULTILINE,
)


class Mark(NamedTuple):
    """A passage to be marked, by its offsets in the text, and what it is marked for."""

    start: int
    end: int
    title: str
    holds: bool | None = None
    """Whether it was found, or missed; None where it is neither."""

    @property
    def tag(self) -> Markup:
        kind = {True: "found", False: "missed", None: "quoted"}[self.holds]
        return Markup('<mark class="{}" title="{}">').format(kind, seen(self.title))


def looks_like_markdown(text: str) -> bool:
    """Whether anything in it would look different; what would not is better shown as it stands."""
    return _LOOKS_LIKE_MARKDOWN.search(text[:MAX_CHARS]) is not None


def render_markdown(text: str, marks: Sequence[Mark] = ()) -> Markup:
    """Anything that fails to be Markdown is shown as text."""
    if len(text) > MAX_CHARS:
        return render_plain(text, marks)
    env: dict[str, Any] = {"tags": [str(mark.tag) for mark in marks]}
    tokens = _renderer().parse(_with_signs(text, marks), env)
    if any(token.level >= MAX_DEPTH - 2 for token in tokens):
        return render_plain(text, marks)
    made = nh3.clean(
        _renderer().renderer.render(tokens, _renderer().options, env),
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow",
        allowed_classes={name: set(kinds) for name, kinds in CLASSES.items()},
    )
    return Markup(made)  # noqa: S704 - has just been through the allow-list


def render_plain(text: str, marks: Sequence[Mark] = ()) -> Markup:
    """The text as it stands, every line and space of it, in a `pre`."""
    parts = [Markup('<pre class="plain">\n')]  # a line feed right after the tag is not shown
    at = 0
    for mark in _apart(marks, len(text)):
        parts.append(escape(seen(text[at : mark.start])))
        parts += [mark.tag, escape(seen(text[mark.start : mark.end])), Markup("</mark>")]
        at = mark.end
    parts.append(escape(seen(text[at:])))
    return Markup("").join([*parts, Markup("</pre>")])


def _by_place(mark: Mark) -> tuple[int, int, str]:
    return mark.start, mark.end, mark.title


def _apart(marks: Sequence[Mark], length: int) -> list[Mark]:
    """In order, none beyond the text, and none that begins inside another."""
    found: list[Mark] = []
    for mark in sorted(marks, key=_by_place)[:MAX_MARKS]:
        start = max(mark.start, found[-1].end if found else 0)
        end = min(mark.end, length)
        if start < end:
            found.append(mark._replace(start=start, end=end))
    return found


# ---- marks in Markdown: signs that nobody writes travel through the renderer, and only text turns them into tags ----

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_DIGITS = "".join(chr(0xFDD2 + digit) for digit in range(16))
_SIGNS = re.compile(f"{_OPEN}([{_DIGITS}]{{3}})|{_CLOSE}")
_ANY_SIGN = re.compile("[\ufdd0-\ufdef]")
_ENCODED_SIGN = re.compile("%EF%B7%(?:9[0-9A-F]|A[0-9A-F])", re.IGNORECASE)


def _bare(text: str) -> str:
    """Without signs of its own: a text cannot make marks."""
    return _ANY_SIGN.sub("\ufffd", seen(text))


def _with_signs(text: str, marks: Sequence[Mark]) -> str:
    parts: list[str] = []
    at = 0
    titles = {mark: number for number, mark in enumerate(marks[: MAX_MARKS + 1])}
    for mark in sorted(titles, key=_by_place):
        start, end = max(mark.start, at), min(mark.end, len(text))
        # signs before `- ` or `#`, or between the stars of `**`, would change what they mean
        while start < end and not text[start].isalnum():
            start += 1
        while end > start and not text[end - 1].isalnum():
            end -= 1
        if start >= end:
            continue
        number = "".join(_DIGITS[int(digit, 16)] for digit in f"{titles[mark]:03x}")
        parts += [
            _bare(text[at:start]), _OPEN, number, _bare(text[start:end]), _CLOSE,
        ]  # fmt: skip
        at = end
    return "".join([*parts, _bare(text[at:])])


def _marked(text: str, env: MutableMapping[str, Any]) -> str:
    """Text with its signs made into tags; a mark that goes on over a tag is closed before it and opened after it."""
    opened: str | None = env.get("opened")
    parts = [] if opened is None else [opened]
    at = 0
    for sign in _SIGNS.finditer(text):
        parts.append(escape(text[at : sign.start()]))
        if opened is not None:
            parts.append("</mark>")
        opened = None
        if sign[1]:
            number = int("".join(f"{_DIGITS.index(digit):x}" for digit in sign[1]), 16)
            tags: list[str] = env["tags"]
            opened = tags[number] if number < len(tags) else "<mark>"
            parts.append(opened)
        at = sign.end()
    parts.append(escape(text[at:]))
    if opened is not None:
        parts.append("</mark>")
    env["opened"] = opened
    return "".join(parts)


# ---- the renderer ----


@cache
def _renderer() -> MarkdownIt:
    made = MarkdownIt(
        "js-default", {"html": False, "linkify": False, "breaks": True, "maxNesting": MAX_DEPTH}
    )
    made.disable("reference")  # a definition would not be shown
    made.core.ruler.push("no_signs_in_addresses", _clean_addresses)
    for kind, rule in {
        "text": _text,
        "code_inline": _code_inline,
        "code_block": _code_block,
        "fence": _fence,
        "image": _image,
        "link_close": _link_close,
        "heading_open": _heading,
        "heading_close": _heading,
    }.items():
        made.add_render_rule(kind, rule)
    return made


def _clean_addresses(state: StateCore) -> None:
    """Addresses and titles are no place for marks."""
    for token in (child for block in state.tokens for child in (block, *(block.children or ()))):
        for name, value in token.attrs.items():
            if isinstance(value, str):
                token.attrs[name] = _ENCODED_SIGN.sub("", _ANY_SIGN.sub("", value))


def _text(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: MutableMapping[str, Any]
) -> str:
    return _marked(tokens[at].content, env)


def _code_inline(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: MutableMapping[str, Any]
) -> str:
    return f"<code>{_marked(tokens[at].content, env)}</code>"


def _code_block(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: MutableMapping[str, Any]
) -> str:
    return f"<pre><code>{_marked(tokens[at].content, env)}</code></pre>\n"


def _fence(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: MutableMapping[str, Any]
) -> str:
    """With what stands behind its first ticks: somebody may have written more than a language there."""
    info = _marked(tokens[at].info.strip(), env)
    named = f'<span class="address">{info}</span>\n' if info else ""
    return f"<pre><code>{named}{_marked(tokens[at].content, env)}</code></pre>\n"


def _image(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: MutableMapping[str, Any]
) -> str:
    """An image would be fetched: its text and address are shown instead."""
    token = tokens[at]
    source = " ".join(str(token.attrGet(name) or "") for name in ("src", "title")).strip()
    return f'<span class="image">[image: {_marked(token.content, env)} {escape(source)}]</span>'


def _link_close(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    """The address after the text, unless it is the text: nobody is led where they did not want to go."""
    depth, words = 0, ""
    for token in reversed(tokens[:at]):
        if token.type == "link_close":
            depth += 1
        elif token.type == "link_open" and depth:
            depth -= 1
        elif token.type == "link_open":
            href = str(token.attrGet("href") or "")
            title = str(token.attrGet("title") or "")
            if not title and href.removeprefix("mailto:") == _ANY_SIGN.sub("", words):
                break
            return f'</a> <span class="address">({escape(f"{href} {title}".strip())})</span>'
        else:
            words = token.content + words
    return "</a>"


def _heading(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    """Below the page's own headings, so that an answer cannot outrank them."""
    token = tokens[at]
    level = min(6, int(token.tag[1:]) + 2)
    return f"<{'/' if token.nesting < 0 else ''}h{level}>"
