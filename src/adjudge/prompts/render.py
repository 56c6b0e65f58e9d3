"""Fill the template: one pass, values fenced where the judge says so."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec.structs import replace

from adjudge import templates
from adjudge.prompts.fence import boundary_mark, fenced
from adjudge.records import Json, Message, Prompt, PromptMessage
from adjudge.text import as_text


def render_prompt(
    template: tuple[PromptMessage, ...], values: Mapping[str, Json], *, format_message: str | None = None
) -> Prompt:
    for message in template:
        if _has_fence(message.text):
            values = _with_fences(values)
            break
    messages: list[Message] = []
    for message in template:
        messages += _render(message, values)
    if format_message is not None:
        messages.append(Message(role="user", content=format_message))
    return Prompt(messages=tuple(messages))


@lru_cache(maxsize=256)
def _has_fence(text: str) -> bool:
    """Kept, because a judge's texts are the same for every case, and long."""
    return "fenced." in text


def _with_fences(values: Mapping[str, Json]) -> dict[str, Json]:
    """The values, and each again inside its boundary."""
    texts = [value if type(value) is str else as_text(value) for value in values.values()]
    mark = boundary_mark(texts)
    found = dict(values)
    for name, text in zip(values, texts, strict=True):
        found[f"fenced.{name}"] = fenced(name, text, mark)
    return found


def _render(message: PromptMessage, values: Mapping[str, Json]) -> tuple[Message, ...]:
    """What one message becomes: a text that divides itself by tags has roles of its own."""
    rendered = templates.render(message.text, message.dialect, values)
    if message.role == "user" or len(rendered) != 1:
        return rendered
    return (replace(rendered[0], role=message.role),)
