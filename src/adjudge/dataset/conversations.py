"""A chat transcript -> what a person reads: who said what, which tools were called, and what they gave back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from adjudge.json_values import UnusableError, describe_json, json_in_text, short_repr
from adjudge.records import Json
from adjudge.text import as_text, one_line, utf8_size

Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]
ROLES: Mapping[str, Speaker] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "tool": "tool",
    "function": "tool",
}
TITLES: Mapping[Speaker, str] = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}
TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
MAX_NAME_CHARS = 80
INDENT = "  "
MIN_SHOWN = 200
"""Bytes of a message that stay, at its beginning and at its end, where it is shortened."""


class ToolCall(NamedTuple):
    name: str
    arguments: Json
    call_id: str = ""


@dataclass(frozen=True)  # without slots: what is shown of it is kept, for every turn shows all before it
class Said:
    """One message, or the part of one that a person would take for a message of its own."""

    speaker: Speaker
    text: str
    calls: tuple[ToolCall, ...] = ()
    name: str = ""
    """Of the tool whose result it is."""
    call_id: str = ""
    position: int = 0
    """Of the message it is from."""

    @cached_property
    def shown(self) -> str:
        """With its calls."""
        if self.speaker == "tool":
            title = f"Tool {_named(self.name)} returns" if self.name else "Tool returns"
            return _block(title, json_in_text(self.text))
        own = [_block(TITLES[self.speaker], self.text)] if self.text.strip() or not self.calls else []
        return "\n\n".join([*own, *map(_call_block, self.calls)])


class Turn(NamedTuple):
    """What the assistant did between two messages of the user, by positions in the conversation."""

    answer: int
    """The last message with words, or the last one at all: the response begins here, and what is before it is history."""
    end: int
    start: int


class Transcript(NamedTuple):
    text: str
    note: str | None = None
    """What was left out."""


# ---- reading -------------------------------------------------------------------------------------------


def read_conversation(value: Json) -> tuple[Said, ...]:
    """The messages in order, in the shape of OpenAI, Anthropic or ShareGPT; an `UnusableError` says what is none."""
    if not isinstance(value, list):
        raise UnusableError(f"`messages` that is {describe_json(value)}", "a list of messages")
    said: list[Said] = []
    names: dict[str, str] = {}
    for index, message in enumerate(value):
        for each in _read_message(message, index):
            names |= {call.call_id: call.name for call in each.calls if call.call_id}
            known = each.name or names.get(each.call_id, "")
            said.append(replace(each, name=known) if each.speaker == "tool" else each)
    return tuple(said)


def speaker_of(message: Json) -> Speaker | None:
    """Who says a message, under any name for the role; None for what is no message."""
    role = _role(message) if isinstance(message, dict) else None
    return ROLES.get(role.lower()) if isinstance(role, str) else None


def _role(message: Mapping[str, Json]) -> Json:
    return message.get("role", message.get("from"))


def _read_message(message: Json, index: int) -> Iterator[Said]:
    where = f"message {index + 1} of `messages`"
    if not isinstance(message, dict):
        raise UnusableError(
            f"{where} that is {describe_json(message)}", "an object with `role` and `content`"
        )
    speaker = speaker_of(message)
    if speaker is None:
        known = "system, user, assistant or tool"
        raise UnusableError(
            f"{where} with the role {short_repr(_role(message))}", f"a `role` that is {known}"
        )
    content = message.get("content", message.get("value"))
    calls = [*_read_calls(message, where)]
    texts: list[str] = []
    results: list[Said] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") == "tool_use":
            calls.append(ToolCall(_text(part.get("name")), part.get("input"), _text(part.get("id"))))
        elif isinstance(part, dict) and part.get("type") == "tool_result":
            result = _content_text(part.get("content"), where)
            results.append(Said("tool", result, call_id=_text(part.get("tool_use_id")), position=index))
        elif isinstance(part, dict):
            texts.append(_part_text(part, where))
        elif part is not None:
            raise UnusableError(
                f"{where} with content that is {describe_json(part)}", "text or a list of parts"
            )
    yield from results
    text = "\n\n".join(texts)
    if text or calls or not results:
        name, call_id = _text(message.get("name")), _text(message.get("tool_call_id"))
        yield Said(speaker, text, tuple(calls), name, call_id, index)


def _read_calls(message: Mapping[str, Json], where: str) -> Iterator[ToolCall]:
    listed = message.get("tool_calls")
    legacy = message.get("function_call")
    for call in [*(listed if isinstance(listed, list) else [listed]), legacy]:
        if call is None:
            continue
        if not isinstance(call, dict):
            raise UnusableError(
                f"{where} with a tool call that is {describe_json(call)}", "an object with `function`"
            )
        inner = call.get("function")
        function = inner if isinstance(inner, dict) else call
        name = function.get("name")
        if not isinstance(name, str):
            raise UnusableError(
                f"{where} with a tool call without a name", "`function.name` and its `arguments`"
            )
        arguments = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
        if isinstance(arguments, str):
            arguments = json_in_text(arguments)
        yield ToolCall(name, arguments, _text(call.get("id")))


def _part_text(part: Mapping[str, Json], where: str) -> str:
    """The words of a part; a picture or a file is named and not shown."""
    kind, text = part.get("type", "text"), part.get("text")
    if isinstance(kind, str) and kind in TEXT_PARTS and isinstance(text, str):
        return text
    refusal = part.get("refusal")
    if isinstance(refusal, str):
        return refusal
    if not isinstance(kind, str):
        raise UnusableError(
            f"{where} with a part that is {describe_json(dict(part))}", "a part with a `type`"
        )
    return f"[{one_line(kind, MAX_NAME_CHARS)}]"


def _content_text(content: Json, where: str) -> str:
    if isinstance(content, list):
        return "\n\n".join(
            _part_text(part, where) if isinstance(part, dict) else as_text(part) for part in content
        )
    return "" if content is None else as_text(content)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


# ---- turns ---------------------------------------------------------------------------------------------


def find_turns(said: Sequence[Said]) -> list[Turn]:
    """Each run of the assistant's messages and its tools' results, up to the user's next message."""
    turns: list[Turn] = []
    start: int | None = None
    for at, each in enumerate((*said, Said("user", ""))):
        if each.speaker in {"assistant", "tool"}:
            start = at if start is None else start
        elif each.speaker == "user" and start is not None:
            own = [place for place in range(start, at) if said[place].speaker == "assistant"]
            worded = [place for place in own if said[place].text.strip()]
            if own:
                turns.append(Turn((worded or own)[-1], at, start))
            start = None
    return turns


def answer_text(said: Sequence[Said], turn: Turn) -> str:
    """What the assistant says in a turn, with the calls that go with it or follow it."""
    first, *rest = said[turn.answer : turn.end]
    own = [first.text] if first.text.strip() else []
    return "\n\n".join([*own, *map(_call_block, first.calls), *(each.shown for each in rest)])


def turn_calls(said: Sequence[Said]) -> list[Json]:
    """The tool calls in these messages as `tool_calls` has them, each with its result where there is one."""
    results = {each.call_id: each.text for each in said if each.speaker == "tool" and each.call_id}
    return [
        {
            "name": call.name,
            "arguments": call.arguments,
            **({"result": results[call.call_id]} if call.call_id in results else {}),
        }
        for each in said
        for call in each.calls
    ]


# ---- showing -------------------------------------------------------------------------------------------


def transcript(said: Sequence[Said], most_bytes: int) -> Transcript:
    """The messages as a person reads them. A single one of the user is its text.

    Names stand where lines begin and all that was said is indented, so that no message can pretend to be another one.
    Where it is too long, the system's messages, the user's first and the latest that fit are shown, and it says so; a
    message that would take more than a quarter of the room is shortened in its middle.
    """
    if len(said) == 1 and said[0].speaker == "user" and utf8_size(said[0].text) <= most_bytes:
        return Transcript(said[0].text)
    blocks = [each.shown for each in said]
    if sum(utf8_size(block) + 2 for block in blocks) <= most_bytes:
        return Transcript("\n\n".join(blocks))
    most_each = max(2 * MIN_SHOWN, most_bytes // 4)
    first_user = next((place for place, each in enumerate(said) if each.speaker == "user"), -1)
    leading = [place for place, each in enumerate(said) if each.speaker == "system" or place == first_user]
    chosen: dict[int, str] = {}
    room = most_bytes - 100  # for the line that says what is left out
    for place in (*leading[:8], *reversed(range(len(said)))):
        if place in chosen:
            continue
        block = _shortened(blocks[place], most_each)
        size = utf8_size(block) + 2
        if size > room:
            if place in leading:
                continue
            break
        chosen[place] = block
        room -= size
    shown: list[str] = []
    for place in range(len(said)):
        if place in chosen:
            shown.append(chosen[place])
        elif place == 0 or place - 1 in chosen:
            until = next((each for each in range(place, len(said)) if each in chosen), len(said))
            shown.append(f"({until - place} messages are left out here)")
    cut = sum(block != blocks[place] for place, block in chosen.items())
    shortened = f", {cut} of them shortened" if cut else ""
    return Transcript(
        "\n\n".join(shown), f"transcript_windowed:{len(chosen)} of {len(said)} messages{shortened}"
    )


def _call_block(call: ToolCall) -> str:
    return _block(f"Assistant calls {_named(call.name)}", call.arguments)


def _named(name: str) -> str:
    return one_line(name, MAX_NAME_CHARS) or "(no name)"


def _block(title: str, value: Json) -> str:
    """A title, and below it, indented, the text or the values by their names."""
    if value is None or value in ({}, []):
        return title
    if isinstance(value, dict):
        lines = [f"{one_line(str(name), MAX_NAME_CHARS)}: {as_text(each)}" for name, each in value.items()]
    elif isinstance(value, list):
        lines = [f"- {as_text(each)}" for each in value]
    else:
        lines = [as_text(value) if as_text(value).strip() else "(nothing)"]
    indented = [
        f"{INDENT}{line}" if line.strip() else "" for text in lines for line in text.splitlines() or [""]
    ]
    return "\n".join([f"{title}:", *indented])


def _shortened(block: str, most_bytes: int) -> str:
    size = utf8_size(block)
    if size <= most_bytes:
        return block
    data = block.encode("utf-8", "surrogatepass")
    half = (most_bytes - 60) // 2
    head, tail = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    left = len(block) - len(head) - len(tail)
    return f"{head}\n{INDENT}[… {left:,} characters left out …]\n{INDENT}{tail.lstrip()}"
