"""The canonical fields of a case and the other names people give them; imports nothing of ours."""

from collections.abc import Mapping

RESPONSES = tuple(f"response_{letter}" for letter in "abcdefgh")
"""The answers of a case that has several, in their order."""
ANSWERS = RESPONSES[:2]
"""The two that a judge compares, called A and B."""


def _names_of_response(letter: str, number: int) -> tuple[str, ...]:
    stems = ("response", "answer", "output", "completion")
    names = [f"{stem}_{end}" for stem in stems for end in (letter, letter.upper(), number)]
    return tuple(names[1:])


ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("case_id",),
    "question": ("input", "query", "user_input", "user_question", "prompt", "instruction"),
    "response": (
        "answer",
        "output",
        "actual_output",
        "actualOutput",
        "ai_response",
        "model_output",
        "output_text",
        "system_answer",
        "completion",
    ),
    "responses": (),
    **{name: _names_of_response(name[-1], number) for number, name in enumerate(RESPONSES, 1)},
    "reference": ("expected", "expected_output", "ideal", "ground_truth", "target", "reference_answer"),
    "context": ("contexts", "retrieval_context", "retrieved_contexts", "documents"),
    "tool_calls": ("toolCalls", "tools_called"),
    "expected_tool_calls": ("expected_tools",),
    "messages": (),
    "history": (),
    "transcript": (),
    "focus": (),
    "current_date": (),
    "metadata": (),
    "cluster": (),
    "label": (),
    "annotators": (),
}
"""`parameters` also stands for `context`, but only when no other name does: see `adjudge.dataset.columns`."""

CANONICAL: Mapping[str, str] = {
    name: field for field, aliases in ALIASES.items() for name in (field, *aliases)
}

JSON_FIELDS = frozenset(
    {"tool_calls", "expected_tool_calls", "messages", "context", "metadata", "annotators", "responses"}
)
"""Fields whose CSV cells are read as JSON when they are JSON; so is a column named `parameters`."""

CONVERSATION_INPUTS = frozenset({"conversation", "messages", "transcript", "history", "turns"})
"""Inputs that a conversation fills, as a person reads it."""

NO_TURN = "no_assistant_turn"
"""The note of a conversation in which the assistant says nothing."""

NEVER_IN_PROMPT = frozenset({"label", "annotators"})
"""Reach a prompt only when the judge names them: they give the answer away."""

NAMESPACES = ("item", "sample")
"""`{{ item.x }}` means column `x` when the case has no object called `item`."""


def strip_namespace(name: str) -> str:
    """`item.input` -> `input`; every other name is returned as it is."""
    head, dot, rest = name.partition(".")
    return rest if dot and head in NAMESPACES else name


def canonical_field(name: str) -> str | None:
    """The canonical field a judge's input name or a column stands for; None when it stands for itself alone."""
    return CANONICAL.get(strip_namespace(name))
