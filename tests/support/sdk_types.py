"""Requests held to the request types of the official SDKs, and replies built with their response models.

The SDKs say what the services take and give, so that what we send and read is checked against something that we did not
write. Only their types are used: nothing is sent with them.
"""

from functools import cache

from anthropic.types import ErrorResponse, Message, TextBlock, ToolUseBlock
from anthropic.types import Usage as AnthropicUsage
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.messages.batch_create_params import BatchCreateParams
from google.genai import types as google
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage, ChatCompletionTokenLogprob
from openai.types.chat.chat_completion import Choice, ChoiceLogprobs
from openai.types.chat.chat_completion_token_logprob import TopLogprob
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.completion_usage import PromptTokensDetails
from openai.types.shared import ErrorObject
from pydantic import BaseModel, ConfigDict, TypeAdapter

from adjudge.testing import ServerReply

TYPED_DICTS = {
    "openai": CompletionCreateParamsNonStreaming,
    "azure": CompletionCreateParamsNonStreaming,
    "anthropic": MessageCreateParamsNonStreaming,
    "anthropic batch": BatchCreateParams,
}
OLDER_PARAMETERS = {"anthropic": {"temperature"}}
"""Taken by models that the current types no longer serve; the newer ones refuse it, and it is then left out."""


class GoogleBody(BaseModel):
    """generateContent: the SDK has types for its parts, and writes the whole from its own arguments."""

    model_config = ConfigDict(extra="forbid")
    contents: list[google.Content]
    systemInstruction: google.Content | None = None  # noqa: N815 - the service's name
    generationConfig: google.GenerationConfig | None = None  # noqa: N815
    safetySettings: list[google.SafetySetting] | None = None  # noqa: N815
    tools: list[google.Tool] | None = None


def check_request(wire, body):
    """Raise a `ValidationError` for a body the service has no type for: a field it does not know, or one too few."""
    if wire == "google":
        checked = GoogleBody.model_validate(body)
        assert checked.contents, "contents is not specified"
        assert all(turn.parts and turn.role in {"user", "model"} for turn in checked.contents)
        return
    sent = {name: value for name, value in body.items() if name not in OLDER_PARAMETERS.get(wire, ())}
    if wire == "azure":
        sent.setdefault("model", "named by the address")
    check_typed(wire, sent)
    if wire == "anthropic":
        roles = [message["role"] for message in sent["messages"]]
        assert roles, "messages: at least one message is required"
        assert roles == (["user", "assistant"] * len(roles))[: len(roles)]


def check_typed(name, sent):
    exhaust(_adapter(name).validate_python([sent]))


def check_batch_line(wire, line):
    """One line of a batch file, parsed."""
    if wire == "openai":  # the SDK uploads a file, and has no type for its lines
        assert line.keys() == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        check_request("openai", line["body"])
    else:
        older = OLDER_PARAMETERS[wire]
        params = {name: value for name, value in line["params"].items() if name not in older}
        check_typed(f"{wire} batch", {"requests": [{**line, "params": params}]})
        check_request(wire, line["params"])


def openai_reply(
    text=None, *, finish="stop", refusal=None, logprobs=(), usage=(10, 5, 0), model="gpt-x-1", **more
):
    """`logprobs`: (token, log-probability, {alternative: its}); `usage`: input, output, cached."""
    tokens = [
        ChatCompletionTokenLogprob(
            token=token,
            logprob=value,
            bytes=list(token.encode()),
            top_logprobs=[TopLogprob(token=t, logprob=v, bytes=None) for t, v in others.items()],
        )
        for token, value, others in logprobs
    ]
    choice = Choice(
        index=0,
        finish_reason=finish,
        message=ChatCompletionMessage(role="assistant", content=text, refusal=refusal),
        logprobs=ChoiceLogprobs(content=tokens, refusal=None) if tokens else None,
    )
    read, written, cached = usage
    counted = CompletionUsage(
        prompt_tokens=read,
        completion_tokens=written,
        total_tokens=read + written,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=cached),
    )
    return reply(
        ChatCompletion(
            id="chatcmpl-1",
            created=1,
            object="chat.completion",
            model=model,
            choices=[choice],
            usage=counted,
            **more,
        )
    )


def anthropic_reply(*content, stop="end_turn", usage=(10, 5, 0), model="claude-x-1", **more):
    """A block of text for each string, a tool's input for each dict; `usage`: input, output, read from the cache."""
    blocks = [
        TextBlock(type="text", text=block)
        if isinstance(block, str)
        else ToolUseBlock(type="tool_use", id="toolu_1", name="give_verdict", input=block)
        for block in content
    ]
    read, written, cached = usage
    counted = AnthropicUsage(input_tokens=read, output_tokens=written, cache_read_input_tokens=cached)
    return reply(
        Message(
            id="msg_1",
            type="message",
            role="assistant",
            model=model,
            content=blocks,
            stop_reason=stop,
            usage=counted,
            **more,
        )
    )


def google_reply(text=None, *, finish="STOP", usage=(10, 5, 0), model="gemini-x-1", **more):
    """`usage`: input, output, cached; `more` are fields of the response beside its one candidate."""
    read, written, cached = usage
    parts = [] if text is None else [google.Part(text=text)]
    candidate = google.Candidate(
        content=google.Content(role="model", parts=parts), finish_reason=google.FinishReason(finish)
    )
    counted = google.GenerateContentResponseUsageMetadata(
        prompt_token_count=read, candidates_token_count=written, cached_content_token_count=cached
    )
    fields = {"candidates": [candidate], "model_version": model, "usage_metadata": counted, **more}
    return reply(google.GenerateContentResponse(**fields))


def reply(model, *, status=200, **more):
    """A record of an SDK as the service writes it."""
    written = model.model_dump_json(
        by_alias=True, exclude_none=isinstance(model, google.GenerateContentResponse)
    )
    return ServerReply(body=written.encode(), status=status, **more)


def openai_error(status, message, *, code=None, param=None, kind="invalid_request_error", **more):
    error = ErrorObject(code=code, message=message, param=param, type=kind).model_dump_json()
    return ServerReply(status=status, body=f'{{"error": {error}}}'.encode(), **more)


def anthropic_error(status, message, *, kind="invalid_request_error", details=None, **more):
    error = {"type": kind, "message": message} | ({"details": details} if details else {})
    found = ErrorResponse.model_validate({"type": "error", "request_id": "req_1", "error": error})
    return reply(found, status=status, **more)


RESPONSES = {
    "openai": ChatCompletion,
    "azure": ChatCompletion,
    "anthropic": Message,
    "google": google.GenerateContentResponse,
}
REPLIES = {
    "openai": openai_reply,
    "azure": openai_reply,
    "anthropic": anthropic_reply,
    "google": google_reply,
}


@cache
def _adapter(name):
    # a list carries the setting into the dictionaries, which take none of their own
    return TypeAdapter(list[TYPED_DICTS[name]], config=ConfigDict(extra="forbid"))


def exhaust(found):
    """Walk through all of it: pydantic checks what is declared as an iterable only when somebody takes it."""
    if isinstance(found, dict):
        for value in found.values():
            exhaust(value)
    elif found is not None and not isinstance(found, str | int | float):
        for value in found:
            exhaust(value)
