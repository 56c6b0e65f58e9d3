"""Whether a prompt fits the model's context, and what is done when it does not: nothing is ever cut silently."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from adjudge.records import Json, Prompt
from adjudge.text import as_text, utf8_size

MIN_BYTES = 3
LIKELY_BYTES = 4
MAX_BYTES = 6
"""Bytes a token stands for, from text that takes many tokens to text that takes few."""


class Fitted(NamedTuple):
    prompt: Prompt
    note: str | None = None


class DoesNotFitError(Exception):
    """The prompt is too long for the model, and the judge does not say what to cut."""


def surely_fits(prompt: Prompt, context_tokens: int | None, reply_tokens: int) -> bool:
    """Whether a prompt is so far from its bound that its bytes need not be counted, as nearly all are.

    A character has four bytes at most, so that it is no more than one likely token.
    """
    if context_tokens is None:
        return True
    characters = 0
    for message in prompt.messages:
        characters += len(message.content)
    return characters + max(0, reply_tokens) <= context_tokens


def fit_prompt(
    render: Callable[[Mapping[str, Json]], Prompt],
    values: Mapping[str, Json],
    *,
    context_tokens: int | None,
    reply_tokens: int,
    cut: str | None,
) -> Fitted:
    """The prompt as it is, or with the input `cut` shortened until it fits, which is noted.

    Tokens are guessed from bytes. Without `cut` only a prompt that cannot fit however its tokens are counted is refused
    here; the provider refuses the rest.
    """
    prompt = render(values)
    if context_tokens is None:
        return Fitted(prompt=prompt)
    size = prompt_bytes(prompt)
    if cut is None or cut not in values:
        if size / MAX_BYTES > context_tokens:
            raise DoesNotFitError(
                f"the prompt has {size:,} bytes, and the model takes {context_tokens:,} tokens; "
                "`too_long: {truncate: INPUT}` in the judge file allows an input to be cut"
            )
        return Fitted(prompt=prompt)
    if size / LIKELY_BYTES + reply_tokens <= context_tokens:
        return Fitted(prompt=prompt)
    text = as_text(values[cut])
    data = text.encode("utf-8", "surrogatepass")
    keep = len(data) - (size - max(0, context_tokens - reply_tokens) * MIN_BYTES)
    if keep <= 0:
        raise DoesNotFitError(
            f"the prompt has {size:,} bytes, too many for {context_tokens:,} tokens even without `{cut}`"
        )
    kept = data[:keep].decode("utf-8", "ignore")
    return Fitted(
        prompt=render({**values, cut: kept}),
        note=f"input_truncated:{cut}:{len(kept)} of {len(text)} characters",
    )


def prompt_bytes(prompt: Prompt) -> int:
    return sum(utf8_size(message.content) for message in prompt.messages)
