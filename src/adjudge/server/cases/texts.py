"""A case's values as a person reads them: texts, lists of them, turns of a chat, calls of tools, folded JSON; long ones cut."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from markupsafe import Markup

from adjudge.fields import RESPONSES
from adjudge.server.cases.passages import Wanted, find_passages
from adjudge.server.cases.shapes import CaseDetail, CaseField
from adjudge.server.safe_markdown import looks_like_markdown, render_markdown, render_plain
from adjudge.text import seen, shorten

LONG = 6_000
"""Characters of one text that are shown before somebody asks for the rest."""
MAX_ENTRIES = 12
TITLES: Mapping[str, str] = {
    "question": "Question",
    "response": "Answer",
    **{name: f"Answer {name[-1].upper()}" for name in RESPONSES},
    "reference": "Expected",
    "context": "Context",
    "tool_calls": "Tool calls",
    "expected_tool_calls": "Expected tool calls",
    "messages": "Messages",
    "history": "Conversation before",
    "transcript": "Conversation",
    "focus": "Focus",
    "current_date": "Current date",
}
_TEXT_KEYS = ("text", "content", "page_content", "body", "passage")
_NAME_KEYS = ("title", "name", "source", "url", "id")
_ARGUMENT_KEYS = ("arguments", "args", "input", "parameters")
_RESULT_KEYS = ("result", "output", "response", "content")

Style = Literal["markdown", "plain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TextEntry:
    """One text, or one object."""

    title: str = ""
    html: Markup | None = None
    folded: tuple[tuple[str, Markup], ...] = ()
    """(summary, what is under it)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseText:
    """One field of a case on the page."""

    key: str
    title: str
    column: str | None
    entries: tuple[TextEntry, ...]
    role: Literal["text", "turns", "list"] = "text"
    left: str = ""
    """What is not shown before it is asked for; empty when all is."""
    markdown: bool = False
    """Whether plain text would look different."""

    @property
    def leads(self) -> bool:
        """Whether it is what a person reads first."""
        return self.key in {"question", "response", *RESPONSES, "reference"}


@dataclass(kw_only=True, slots=True)
class TextWriter:
    """Makes entries, and remembers what it had to cut."""

    style: Style
    wanted: Sequence[Wanted]
    whole: bool
    cut: int = 0
    marks_beyond: int = 0
    markdown: bool = False
    _spent: int = field(default=0)

    def text(self, text: str) -> Markup:
        marks = find_passages(text, self.wanted) if self.wanted else []
        beginning = self._room(text)
        if len(beginning) < len(text):
            self.marks_beyond += sum(mark.end > len(beginning) for mark in marks)
            marks = [mark for mark in marks if mark.end <= len(beginning)]
        if looks_like_markdown(beginning):
            self.markdown = True
            if self.style == "markdown":
                return render_markdown(beginning, marks)
        return render_plain(beginning, marks)

    def object(self, value: Any) -> Markup:
        return render_plain(self._room(json.dumps(value, ensure_ascii=False, indent=2)))

    def any(self, value: Any) -> Markup:
        return self.text(value) if isinstance(value, str) else self.object(value)

    def _room(self, text: str) -> str:
        """As much of it as is shown; a part's entries share one allowance."""
        left = max(0, LONG - self._spent)
        self._spent += len(text)
        if self.whole or len(text) <= left:
            return text
        self.cut += len(text) - left
        return text[:left]


def make_parts(detail: CaseDetail, *, style: Style, show: Collection[str]) -> list[CaseText]:
    wanted = find_wanted(detail.row.get("verdict") or {})
    return [
        make_part(each, wanted.get(each.name, ()), style=style, whole=each.name in show or "all" in show)
        for each in detail.fields
    ]


def make_part(each: CaseField, wanted: Sequence[Wanted], *, style: Style, whole: bool) -> CaseText:
    writer = TextWriter(style=style, wanted=wanted, whole=whole)
    value = each.value
    role: Literal["text", "turns", "list"] = "text"
    listed = value if isinstance(value, list) else [value]
    kept = listed if whole else listed[:MAX_ENTRIES]
    match each.name:
        case "messages" if isinstance(value, list):
            role, entries = "turns", [_turn(writer, entry) for entry in kept]
        case "tool_calls" | "expected_tool_calls" if isinstance(value, list):
            role, entries = "list", [_tool_call(writer, entry) for entry in kept]
        case _ if isinstance(value, list) and len(value) != 1:
            role, entries = "list", [_listed(writer, entry, number) for number, entry in enumerate(kept, 1)]
        case _:
            entries = [_alone(writer, entry) for entry in kept]
    if isinstance(value, list) and not value:
        entries = [TextEntry(title="none: an empty list")]
    return CaseText(
        key=each.name,
        title=TITLES.get(each.name, seen(each.name)),
        column=each.column,
        entries=tuple(entries),
        role=role,
        left=_left(writer, len(listed) - len(kept)),
        markdown=writer.markdown,
    )


def _left(writer: TextWriter, entries: int) -> str:
    parts = [f"{writer.cut:,} characters"] if writer.cut else []
    if entries:
        parts.append(f"{entries:,} {'entries' if entries > 1 else 'entry'}")
    if writer.marks_beyond:
        passages = "passages" if writer.marks_beyond > 1 else "passage"
        parts.append(f"{writer.marks_beyond} marked {passages}")
    return ", ".join(parts)


# ---- forms ----


def _alone(writer: TextWriter, value: Any) -> TextEntry:
    if isinstance(value, str):
        read = _as_json(value)
        return TextEntry(html=writer.text(value)) if read is None else TextEntry(html=writer.object(read))
    return _document(writer, value, "")


def _listed(writer: TextWriter, value: Any, number: int) -> TextEntry:
    if isinstance(value, str):
        return TextEntry(title=str(number), html=writer.text(value))
    return _document(writer, value, str(number))


def _document(writer: TextWriter, value: Any, title: str) -> TextEntry:
    """An object with a text in it, such as a retrieved passage, is that text; the rest of it is folded."""
    if not isinstance(value, dict):
        return TextEntry(title=title, html=writer.any(value))
    key = next((name for name in _TEXT_KEYS if isinstance(value.get(name), str) and value[name]), None)
    if key is None:
        return TextEntry(title=title, folded=((_summary(value), writer.object(value)),))
    named = next((str(value[name]) for name in _NAME_KEYS if isinstance(value.get(name), str | int)), "")
    rest = {name: each for name, each in value.items() if name != key}
    html = writer.text(value[key])
    return TextEntry(
        title=" · ".join(filter(None, (title, seen(shorten(named, 120))))),
        html=html,
        folded=((_summary(rest), writer.object(rest)),) if rest else (),
    )


def _turn(writer: TextWriter, message: Any) -> TextEntry:
    """One message of a chat transcript in the OpenAI shape."""
    if not isinstance(message, dict):
        return _listed(writer, message, 0)
    content = message.get("content")
    texts = [content] if isinstance(content, str) else list(_texts(content))
    html = Markup("").join(writer.text(text) for text in texts) if texts else None
    rest = {
        name: each
        for name, each in message.items()
        if name != "role" and not (name == "content" and (texts or each is None))
    }
    return TextEntry(
        title=seen(shorten(str(message.get("role") or "message"), 60)),
        html=html,
        folded=((_summary(rest), writer.object(rest)),) if rest else (),
    )


def _texts(content: Any) -> Iterator[str]:
    """Of a content that is a list of nothing but texts; an image or a file in it is shown as the JSON that it is."""
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        yield from (part["text"] for part in content)


def _tool_call(writer: TextWriter, call: Any) -> TextEntry:
    if not isinstance(call, dict):
        return _listed(writer, call, 0)
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    name = str(inner.get("name") or call.get("name") or call.get("tool") or "call")
    arguments = _first(inner, _ARGUMENT_KEYS)
    result = _first(call, _RESULT_KEYS)
    folded = []
    if arguments is not None:
        read = _as_json(arguments) if isinstance(arguments, str) else arguments
        folded.append(("arguments", writer.any(arguments if read is None else read)))
    if result is not None:
        folded.append(("result", writer.any(result)))
    known = {"name", "tool", "function", *_ARGUMENT_KEYS, *_RESULT_KEYS}
    rest = {key: each for key, each in call.items() if key not in known}
    if rest:
        folded.append((_summary(rest), writer.object(rest)))
    return TextEntry(title=seen(shorten(name, 120)), folded=tuple(folded))


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _summary(value: Any) -> str:
    if isinstance(value, dict):
        return seen(shorten(", ".join(map(str, value)), 80)) or "empty object"
    return "JSON"


def _as_json(text: str) -> Any:
    """An object or list that the text is; None when it is none."""
    if text.lstrip()[:1] not in {"{", "["} or len(text) > 200_000:
        return None
    try:
        read = orjson.loads(text)  # nests no deeper than what can be written again
    except ValueError:
        return None
    return read if isinstance(read, dict | list) and read else None


# ---- what the verdict quotes ----


def find_wanted(verdict: Mapping[str, Any]) -> dict[str, list[Wanted]]:
    """Field -> the passages to mark in it: evidence in the response, quotations in the reference, numbers in
    both, claims in the response and what shows them in the context.
    """
    found: dict[str, list[Wanted]] = {"response": [], "reference": [], "context": []}
    for name, rows in verdict.items():
        for row in rows if isinstance(rows, list) else ():
            if not isinstance(row, dict):
                continue
            if name == "numbers":
                agrees = bool(row.get("agrees"))
                agreement = "agrees" if agrees else "does not agree"
                _add(
                    found["reference"],
                    row.get("expected"),
                    f"expected number: {agreement}",
                    holds=agrees,
                    number=True,
                )
                _add(
                    found["response"], row.get("response"), f"number: {agreement}", holds=agrees, number=True
                )
                continue
            title = str(row.get("id") or name)
            if name == "claims":
                holds = row.get("verdict") == "supported"
                _add(found["response"], row.get("quote"), title, holds=holds)
                if row.get("verdict") != "not_found":
                    _add(found["context"], row.get("passage"), title, holds=holds)
                continue
            matched = row.get("matched") if isinstance(row.get("matched"), bool) else None
            _add(found["reference"], row.get("quote"), title, holds=matched)
            if matched is not False:
                _add(found["response"], row.get("evidence"), title, holds=matched)
    return found


def _add(
    wanted: list[Wanted], quotation: Any, title: str, *, holds: bool | None, number: bool = False
) -> None:
    if isinstance(quotation, str) and quotation.strip():
        wanted.append(Wanted(quotation, title, number, holds))


# ---- the verdict ----


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictField:
    name: str
    texts: tuple[str, ...] = ()
    """What it says, where that is words or numbers."""
    html: Markup | None = None
    """Where it is more."""


def verdict_parts(verdict: Mapping[str, Any]) -> list[VerdictField]:
    found = []
    for name, value in verdict.items():
        label = seen(shorten(name, 120))
        values = value if isinstance(value, list) else [value]
        if all(not isinstance(each, dict | list) for each in values) and len(values) <= 50:
            texts = tuple(seen(shorten(_word(each), LONG)) for each in values)
            found.append(VerdictField(name=label, texts=texts))
        else:
            writer = TextWriter(style="plain", wanted=(), whole=False)
            found.append(VerdictField(name=label, html=writer.object(value)))
    return found


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
