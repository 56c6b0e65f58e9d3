"""Fill the template: one pass, values fenced where the judge says so."""

from collections.abc import Mapping

from adjudge import templates
from adjudge.prompts.fence import boundary_mark, fenced
from adjudge.records import Dialect, Json, Message, Prompt
from adjudge.text import as_text


def render_prompt(
    body: str, dialect: Dialect, values: Mapping[str, Json], *, format_message: str | None = None
) -> Prompt:
    if "fenced." in body:
        texts = {name: as_text(value) for name, value in values.items()}
        mark = boundary_mark(texts.values())
        values = {**values, **{f"fenced.{name}": fenced(name, text, mark) for name, text in texts.items()}}
    messages = templates.render(body, dialect, values)
    if format_message is not None:
        messages = (*messages, Message(role="user", content=format_message))
    return Prompt(messages=messages)
