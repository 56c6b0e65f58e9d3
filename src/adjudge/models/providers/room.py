"""Lower a request's token limit where prompt and reply together do not fit the model's context."""

import re

from msgspec.structs import replace

from adjudge.models.providers.parameters import ProviderError
from adjudge.records import Request
from adjudge.text import utf8_size

MIN_OUTPUT_TOKENS = 128
"""A verdict with its reason hardly fits into less: such a prompt is too long."""
MARGIN = 1.1
LIMIT_PARAMETERS = frozenset({"max_tokens", "max_completion_tokens", "maxOutputTokens"})
CONTEXT_AND_INPUT = tuple(
    re.compile(pattern)
    for pattern in (
        # vLLM, in three wordings
        r"context length is (?P<context>\d{1,9}) tokens.{0,200}?(?P<input>\d{1,9}) (?:input tokens|in the messages)",
        r"passed (?P<input>\d{1,9}) input tokens.{0,200}?context length is only (?P<context>\d{1,9}) tokens",
        # SGLang, TGI, Anthropic
        r"context length of (?P<context>\d{1,9}) tokens.{0,200}?(?P<input>\d{1,9}) tokens from the input",
        r"must be <= (?P<context>\d{1,9})\. Given: (?P<input>\d{1,9}) `inputs` tokens",
        r"context limit: (?P<input>\d{1,9}) \+ \d{1,9} > (?P<context>\d{1,9})",
    )
)
CONTEXT_ALONE = re.compile(r"cannot be greater than (?:\w{1,40}=)+(?P<context>\d{1,9})")
"""vLLM, of a limit that is larger than the context: the prompt was not counted."""


class ContextRoom:
    """What one server said of its context, and how many tokens it counts for a byte of a prompt.

    The room for a reply differs from prompt to prompt, so that no limit is learned once for all of them.
    """

    __slots__ = ("_context", "_tokens_per_byte")

    def __init__(self) -> None:
        self._context: int | None = None
        self._tokens_per_byte = 0.0

    def fit(self, request: Request) -> Request:
        """The request with a limit that will do, as far as is known."""
        if self._context is None or not self._tokens_per_byte or not _is_ours(request):
            return request
        room = self._context - int(_prompt_bytes(request) * self._tokens_per_byte * MARGIN)
        return _lowered(request, room) or request

    def lower(self, request: Request, error: ProviderError) -> Request | None:
        """The request with a limit that fits, by what the server said; None when the prompt itself is too long."""
        limit = request.max_output_tokens
        if limit is None or not _is_ours(request):
            return None
        numbers = next(filter(None, (pattern.search(error.message) for pattern in CONTEXT_AND_INPUT)), None)
        if numbers is None:
            alone = CONTEXT_ALONE.search(error.message)
            if alone is None:
                return None
            self._context = int(alone["context"])
            return _lowered(request, self._context // 2)
        context, read = int(numbers["context"]), int(numbers["input"])
        self._context = context
        if read >= context - limit + 2:
            self._count(request, read)
            return _lowered(request, context - read)
        return _lowered(request, limit // 2)  # it stopped counting where the prompt no longer fitted

    def saw(self, request: Request, input_tokens: int | None) -> None:
        """What the server counted for a prompt that it answered."""
        if self._context is not None and input_tokens:
            self._count(request, input_tokens)

    def _count(self, request: Request, input_tokens: int) -> None:
        size = _prompt_bytes(request)
        if size:
            self._tokens_per_byte = max(self._tokens_per_byte, input_tokens / size)


def _is_ours(request: Request) -> bool:
    """Whether the limit is the judge's: one that the person set with a parameter is not changed."""
    return request.max_output_tokens is not None and LIMIT_PARAMETERS.isdisjoint(request.parameters)


def _lowered(request: Request, room: int) -> Request | None:
    assert request.max_output_tokens is not None
    if not MIN_OUTPUT_TOKENS <= room < request.max_output_tokens:
        return None
    return replace(request, max_output_tokens=room)


def _prompt_bytes(request: Request) -> int:
    return sum(utf8_size(message.content) for message in request.prompt.messages)
