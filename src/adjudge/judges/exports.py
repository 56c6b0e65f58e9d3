"""What a value of JSON or YAML holds: chat prompts, and the exports of other tools, known by their keys."""

import json
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.judges.front_matter import read_yaml_value
from adjudge.patterns import lazy_pattern
from adjudge.records import Dialect, Json, Role

MAX_DEPTH = 64

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
}
_TEMPLATE_FORMATS: Mapping[str, Dialect] = {
    "f-string": "python",
    "mustache": "mustache",
    "jinja2": "jinja",
    "jinja": "jinja",
}
_PLACEHOLDERS: Mapping[Dialect | None, str] = {"python": "{%s}", None: "{{%s}}"}
_LANGCHAIN_ROLES: Mapping[str, Role] = {
    "System": "system",
    "Human": "user",
    "AI": "assistant",
    "Chat": "user",
}

_PROMPT_KEYS = ("messages", "prompt", "template", "raw", "rubricPrompt")
"""Where a tool keeps the prompt: OpenAI and Opik, Langfuse, MLflow and Opik, promptfoo's prompts, promptfoo's graders."""
_NAME_KEYS = ("name", "label", "id", "prompt_name", "title", "metric")
_LIST_KEYS = ("prompts", "data", "items", "evaluators", "judges")
_CHOICE_KEYS = ("choice_scores", "choices", "choice_strings")
_NESTED_KEYS = ("version", "latest_version", "manifest", "object", "prompt_version")
"""Opik's and LangSmith's answers keep the prompt one level down."""

_ROLE_LINE = lazy_pattern(
    r"^(?P<role>system|developer|user|assistant|System|User|Assistant|SYSTEM|USER|ASSISTANT)[ \t]*:[ \t]*$",
    re.MULTILINE,
)
YAML_LIST = lazy_pattern(
    r"\A(?:[ \t]*(?:#[^\n]*)?\n)*+-[ \t]+(?:\{[ \t]*)?[\"']?(?:role|content|name|id|label|prompt)[\"']?[ \t]*:"
)
"""A text that begins as a list of messages, or of prompts, in YAML."""


class WrittenMessage(Struct, frozen=True, kw_only=True):
    role: Role
    text: str


class WrittenPrompt(Struct, frozen=True, kw_only=True):
    """A prompt as its file has it."""

    messages: tuple[WrittenMessage, ...]
    name: str | None = None
    """What its file calls it."""
    dialect: Dialect | None = None
    """Where the export says it."""
    source: str | None = None
    """The prompt alone, as JSON that is read as the same prompt; None for a text that is not data."""
    choices: Mapping[str, float | None] = {}
    """Labels that the file keeps beside the prompt, with their points."""
    ignored: Mapping[str, Json] = {}


def role_blocks(text: str) -> tuple[WrittenMessage, ...]:
    """A text divided by lines that are only a role and a colon: two roles at least, or `system:` first."""
    lines = list(_ROLE_LINE.finditer(text))
    if not lines or text[: lines[0].start()].strip():
        return ()
    roles = [ROLES[line["role"].lower()] for line in lines]
    if roles[0] != "system" and len(set(roles)) < 2:
        return ()
    ends = [*(line.start() for line in lines[1:]), len(text)]
    return tuple(
        WrittenMessage(role=role, text=content)
        for role, line, end in zip(roles, lines, ends, strict=True)
        if (content := text[line.end() : end].strip("\n"))
    )


# ---- what a value holds --------------------------------------------------------------------------------


def prompts_in(value: Json, name: str | None, depth: int = 0) -> list[WrittenPrompt]:
    """The prompts of a JSON value, in its order; `name` is the key it stands under."""
    if depth > MAX_DEPTH:
        return []
    messages = _messages(value)
    if messages:
        return [written_prompt(messages, name, value)]
    if isinstance(value, list):
        return [prompt for entry in value for prompt in prompts_in(entry, None, depth + 1)]
    if not isinstance(value, dict):
        return []
    if "lc" in value and "kwargs" in value:
        return _from_langchain(value, name)
    own = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    own = str(own) if own is not None else name
    return _single(value, own) or list(_several(value, own, depth))


def _single(value: dict[str, Json], name: str | None) -> list[WrittenPrompt]:
    """An object that is one prompt, with its name and settings beside it."""
    if "prompts" in value:
        return []
    dialect = _stated_dialect(value)
    for key in _PROMPT_KEYS:
        held = value.get(key)
        messages = _messages(held) or text_message(held)
        if messages:
            ignored = {
                other: entry if isinstance(entry, str | int | float) else "…"
                for other, entry in value.items()
                if other not in {key, *_NAME_KEYS, *_CHOICE_KEYS} and entry
            }
            found = written_prompt(messages, name, value)
            return [replace(found, dialect=dialect, choices=_choices(value), ignored=ignored)]
    return []


def _choices(value: Mapping[str, Json]) -> dict[str, float | None]:
    """Labels with points as autoevals, OpenAI's evals and Phoenix write them; in the last two they may stand alone."""
    for key in _CHOICE_KEYS:
        held = value.get(key)
        if isinstance(held, dict):
            numbers = [points for points in held.values() if isinstance(points, int | float)]
            scored = len(numbers) == len(held)
            return {str(label): float(str(points)) if scored else None for label, points in held.items()}
        if key == "choice_strings" and isinstance(held, str) and held.isalnum():
            counted = value.get("choice_scores") == "from_strings" and held.isdigit()
            return {label: float(label) if counted else None for label in held}
        if isinstance(held, list) and held and all(isinstance(label, str) for label in held):
            return {str(label): None for label in held}
    return {}


def _several(value: dict[str, Json], name: str | None, depth: int) -> Iterator[WrittenPrompt]:
    """An object that holds prompts further down: in a list of them, by name, or as a test's grader."""
    for key, entry in value.items():
        if key in _LIST_KEYS and isinstance(entry, list):
            for element in entry:
                if isinstance(element, str):
                    if not element.startswith(("file://", "exec:")):
                        messages = _messages(element) or text_message(element)
                        yield written_prompt(messages, None, {"prompt": element})
                else:
                    yield from prompts_in(element, None, depth + 1)
        elif key in _LIST_KEYS and isinstance(entry, dict):
            for own, element in entry.items():
                messages = text_message(element)
                if messages:
                    yield written_prompt(messages, own, {"name": own, "prompt": element})
                else:
                    yield from prompts_in(element, own, depth + 1)
        elif key in {"defaultTest", "tests", "options", "assert"}:
            yield from _graders(entry, name, depth + 1)
        elif key in _NESTED_KEYS or (isinstance(entry, list | dict) and depth == 0 and _holds_prompt(entry)):
            yield from prompts_in(entry, name if key in _NESTED_KEYS else key, depth + 1)


def _graders(value: Json, name: str | None, depth: int) -> Iterator[WrittenPrompt]:
    """promptfoo: the `rubricPrompt` of each test, of its options and of its assertions."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _graders(entry, name, depth + 1)
    elif isinstance(value, dict):
        own = next((value[key] for key in ("metric", "description") if isinstance(value.get(key), str)), name)
        if "rubricPrompt" in value:
            held = value["rubricPrompt"]
            messages = _messages(held) or text_message(held)
            if messages and not (isinstance(held, str) and held.startswith("file://")):
                label = str(own) if own is not None else "rubricPrompt"
                yield written_prompt(messages, label, {"name": label, "prompt": held})
        for key in ("options", "assert"):
            yield from _graders(value.get(key), str(own) if own is not None else None, depth + 1)


def _holds_prompt(value: Json) -> bool:
    if isinstance(value, list):
        return bool(_messages(value))
    return isinstance(value, dict) and any(
        _messages(value.get(key)) or text_message(value.get(key)) for key in _PROMPT_KEYS
    )


def written_prompt(messages: list[WrittenMessage], name: str | None, source: Json) -> WrittenPrompt:
    return WrittenPrompt(
        messages=tuple(messages), name=name, source=json.dumps(source, ensure_ascii=False, indent=1)
    )


def _stated_dialect(value: Mapping[str, Json]) -> Dialect | None:
    """LangChain's `template_format` and Opik's `type`; Langfuse's `type` is `chat` or `text`."""
    for key in ("template_format", "type", "format"):
        stated = value.get(key)
        if isinstance(stated, str) and stated.lower() in _TEMPLATE_FORMATS:
            return _TEMPLATE_FORMATS[stated.lower()]
    return None


def text_message(value: Json) -> list[WrittenMessage]:
    if not isinstance(value, str) or not value.strip():
        return []
    return list(role_blocks(value)) or [WrittenMessage(role="user", text=value)]


def _messages(value: Json) -> list[WrittenMessage]:
    """A list of messages, or a text that holds one as JSON or YAML; empty for anything else."""
    if isinstance(value, str):
        value = _list_in_text(value)
    if not isinstance(value, list) or not value:
        return []
    found = []
    for entry in value:
        message = _message(entry)
        if message is None:
            return []
        found.append(message)
    return [message for message in found if message.text]


def _list_in_text(text: str) -> Json:
    """Opik stores a chat prompt as JSON in a string, promptfoo takes one as JSON or YAML in a string."""
    head = text.lstrip()
    if head[:1] == "[" and '"role"' in head[:2000]:
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return value
    if YAML_LIST.match(text):
        try:
            return read_yaml_value(text, where="")
        except JudgeFileError:
            return None
    return None


def _message(entry: Json) -> WrittenMessage | None:
    if not isinstance(entry, dict):
        return None
    placeholder = entry.get("name")
    if entry.get("type") == "placeholder" and isinstance(placeholder, str):  # Langfuse
        return WrittenMessage(role="user", text=_PLACEHOLDERS[None] % placeholder)
    role, content = entry.get("role"), entry.get("content")
    if not isinstance(role, str) or role.lower() not in ROLES:
        return None
    text = _content(content)
    return None if text is None else WrittenMessage(role=ROLES[role.lower()], text=text)


def _content(content: Json) -> str | None:
    """A message's text; its parts one below the other, an image as its address."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return None
    texts = [_part(part) for part in content]
    return None if any(text is None for text in texts) else "\n".join(text for text in texts if text)


def _part(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    for key in (
        "text",
        "image_url",
        "input_image",
        "image",
        "url",
        "source",
        "data",
        "video_url",
        "input_audio",
    ):
        held = part.get(key)
        if isinstance(held, dict):
            held = held.get("url") or held.get("data")
        if isinstance(held, str):
            return held
    return None


# ---- LangSmith -----------------------------------------------------------------------------------------


def _from_langchain(value: dict[str, Json], name: str | None) -> list[WrittenPrompt]:
    """A prompt template as LangChain's `dumps` writes it, alone or as the first step of a chain."""
    node: Json = value
    for _ in range(MAX_DEPTH):
        if not isinstance(node, dict) or not isinstance(node.get("kwargs"), dict):
            return []
        kwargs = node["kwargs"]
        assert isinstance(kwargs, dict)
        if isinstance(kwargs.get("messages"), list) or isinstance(kwargs.get("template"), str):
            return _langchain_prompt(kwargs, _own_name(value, node, name), value)
        node = kwargs.get("first") or kwargs.get("bound") or kwargs.get("prompt")
    return []


def _own_name(value: dict[str, Json], node: dict[str, Json], name: str | None) -> str | None:
    for holder in (value, node):
        metadata = holder.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("lc_hub_repo"), str):
            return str(metadata["lc_hub_repo"])
    return name


def _langchain_prompt(kwargs: dict[str, Json], name: str | None, source: Json) -> list[WrittenPrompt]:
    dialects: list[Dialect] = []
    if isinstance(kwargs.get("template"), str):
        messages = [WrittenMessage(role="user", text=str(kwargs["template"]))]
        dialects += [dialect] if (dialect := _stated_dialect(kwargs)) else []
    else:
        entries = kwargs["messages"]
        assert isinstance(entries, list)
        for entry in entries:
            _langchain_message(entry, dialects)  # what any of them says of the dialect holds for all
        messages = [message for entry in entries if (message := _langchain_message(entry, dialects))]
    if not messages:
        return []
    if len(set(dialects)) > 1:
        dialects = []
    return [replace(written_prompt(messages, name, source), dialect=dialects[0] if dialects else None)]


def _langchain_message(entry: Json, dialects: list[Dialect]) -> WrittenMessage | None:
    """One of LangChain's message templates; what it says of its dialect is added to `dialects`."""
    if not isinstance(entry, dict):
        return None
    kwargs, kind = entry.get("kwargs"), entry.get("id")
    if not isinstance(kwargs, dict) or not isinstance(kind, list) or not kind:
        return _message(entry)
    if isinstance(kwargs.get("variable_name"), str):  # MessagesPlaceholder
        style = _PLACEHOLDERS["python" if "python" in dialects else None]
        return WrittenMessage(role="user", text=style % kwargs["variable_name"])
    role: Role = next(
        (role for start, role in _LANGCHAIN_ROLES.items() if str(kind[-1]).startswith(start)), "user"
    )
    stated = kwargs.get("role")
    if isinstance(stated, str) and stated.lower() in ROLES:
        role = ROLES[stated.lower()]
    held = kwargs.get("prompt")
    if held is None:
        text = _content(kwargs.get("content"))
        return None if text is None else WrittenMessage(role=role, text=text)
    texts = []
    for part in held if isinstance(held, list) else [held]:
        inner = part.get("kwargs") if isinstance(part, dict) else None
        if not isinstance(inner, dict):
            continue
        dialect = _stated_dialect(inner)
        if dialect is not None:
            dialects.append(dialect)
        template = inner.get("template")
        texts.append(template if isinstance(template, str) else _part(template) or "")
    text = "\n".join(text for text in texts if text)
    return WrittenMessage(role=role, text=text) if text else None
