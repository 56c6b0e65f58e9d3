"""Fill the template: one pass, values fenced where the judge says so."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudge import templates
from adjudge.prompts.fence import boundary_mark, fenced
from adjudge.records import Json, Message, Prompt, PromptMessage
from adjudge.text import as_text


def render_prompt(
    template: tuple[PromptMessage, ...], values: Mapping[str, Json], *, format_message: str | None = None
) -> Prompt:
    if any("fenced." in message.text for message in template):
        texts = {name: as_text(value) for name, value in values.items()}
        mark = boundary_mark(texts.values())
        values = {**values, **{f"fenced.{name}": fenced(name, text, mark) for name, text in texts.items()}}
    messages = tuple(rendered for message in template for rendered in _render(message, values))
    if format_message is not None:
        messages = (*messages, Message(role="user", content=format_message))
    return Prompt(messages=messages)


def _render(message: PromptMessage, values: Mapping[str, Json]) -> tuple[Message, ...]:
    """What one message becomes: a text that divides itself by tags has roles of its own."""
    rendered = templates.render(message.text, message.dialect, values)
    if message.role == "user" or len(rendered) != 1:
        return rendered
    return (replace(rendered[0], role=message.role),)
