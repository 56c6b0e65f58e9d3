"""A judge's inputs: those its prompt and its first call name, as front matter declares them."""

from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.fields import CONVERSATION_INPUTS, RESPONSES, strip_namespace
from adjudge.judges.assembly.attaching import announced_inputs
from adjudge.judges.declared import Declared
from adjudge.judges.reading import PromptReading
from adjudge.judges.reading.inputs import DATE_NAMES, input_source, read_inputs
from adjudge.patterns import lazy_pattern
from adjudge.records import (
    Contract,
    Dialect,
    Input,
    Items,
    PromptMessage,
)
from adjudge.schemas import properties_of
from adjudge.templates import BETWEEN_MESSAGES, messages_inputs, outline
from adjudge.templates import inputs as template_inputs
from adjudge.text import did_you_mean

ITEMS_INPUT = "items"
CRITERIA_INPUT = "criteria"
_PLAIN_NAME = lazy_pattern(r"[^\W\d]\w*(?:\.\w+)*")


def attached_inputs(read: PromptReading, declared: Declared) -> tuple[Input, ...]:
    """What is sent beside a prompt without a placeholder: what front matter names, else what the text announces."""
    if declares_inputs(declared):
        for name, entry in declared.inputs.items():
            if not _PLAIN_NAME.fullmatch(name):
                raise JudgeFileError(
                    f"{declared.where} line {entry.line}",
                    f"`{name}` cannot be sent beside a prompt without placeholders",
                    "use letters, digits and `_` for its name",
                )
        return tuple(
            _declared_input(Input(name=name, required=True, source=input_source(name)), declared)
            for name in declared.inputs
        )
    return announced_inputs(read.outline)


def declares_inputs(declared: Declared) -> bool:
    """Whether front matter says which inputs there are; another tool's `inputs:` does not count."""
    return "inputs" in declared.lines and "inputs" not in declared.ignored


def first_call(declared: Declared, dialect: Dialect) -> Items | None:
    if declared.items is None:
        return None
    references = template_inputs(declared.items.prompt, dialect)
    inputs = read_inputs(references, outline(declared.items.prompt, dialect), frozenset(declared.inputs))
    schema = declared.items.verdict
    needs = tuple(properties_of(schema))
    return Items(
        body=declared.items.prompt,
        inputs=tuple(_declared_input(item, declared) for item in inputs),
        contract=Contract(schema=schema, needs=needs, structured=declared.structured),
    )


def judge_inputs(read: PromptReading, declared: Declared, items: Items | None) -> tuple[Input, ...]:
    found: dict[str, Input] = {item.name: item for item in (items.inputs if items is not None else ())}
    for item in read.inputs:
        if item.name == (ITEMS_INPUT if items is not None else CRITERIA_INPUT if declared.rubric else None):
            continue
        found.setdefault(item.name, _declared_input(item, declared))
    # One that is declared and never used changes nothing; lint says so.
    return _with_expected_answers(tuple(found.values()))


def _with_expected_answers(inputs: tuple[Input, ...]) -> tuple[Input, ...]:
    """Beside `sample.output_text`, which is the response, `item.answer` is what was expected: an answer is never judged
    against itself.
    """
    if not any(item.name.startswith("sample.") and item.source == "response" for item in inputs):
        return inputs
    return tuple(
        replace(item, source="reference")
        if item.name.startswith("item.") and item.source == "response"
        else item
        for item in inputs
    )


def with_conversations(inputs: tuple[Input, ...], messages: tuple[PromptMessage, ...]) -> tuple[Input, ...]:
    """An input that prints a conversation gets it as a person reads it: before the response, where that is asked for too.

    One that goes through the messages, or asks one of them for a part, gets the list.
    """
    if not any(strip_namespace(item.name).lower() in CONVERSATION_INPUTS for item in inputs):
        return inputs
    body = BETWEEN_MESSAGES.join(message.text for message in messages)
    taken_apart = {
        reference.name
        for reference in messages_inputs(messages)
        if not all(_prints(reference.name, body[start:end]) for start, end in reference.spans)
    }
    answered = any(item.source in {"response", "responses", *RESPONSES} for item in inputs)
    return tuple(
        replace(item, source="history" if answered else "transcript")
        if strip_namespace(item.name).lower() in CONVERSATION_INPUTS and item.name not in taken_apart
        else item
        for item in inputs
    )


def _prints(name: str, tag: str) -> bool:
    """Whether a tag writes the whole value and no part of it."""
    written = tag.strip("{}<>[]()%$ \t\r\n~-&").removeprefix("fenced.").removeprefix(".")
    return written == name or tag == "%s"


def _declared_input(item: Input, declared: Declared) -> Input:
    entry = declared.inputs.get(item.name)
    if entry is None:
        return item
    source = "current_date" if strip_namespace(item.name).lower() in DATE_NAMES else input_source(item.name)
    return Input(name=item.name, required=entry.required, source=source, default=entry.default)


def truncated_input(declared: Declared, inputs: tuple[Input, ...]) -> str | None:
    names = [item.name for item in inputs]
    if declared.truncate is not None and declared.truncate not in names:
        raise declared.error(
            "too_long",
            f"`too_long` would cut `{declared.truncate}`, which is not an input of this judge",
            did_you_mean(declared.truncate, names) or f"the inputs are {', '.join(names)}",
        )
    return declared.truncate
