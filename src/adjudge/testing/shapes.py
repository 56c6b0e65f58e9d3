"""How each model service writes its replies and errors; the server's half of the wire formats."""

import json
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from adjudge.records import Finish, Usage

TOKEN_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


ServerLogprob: TypeAlias = tuple[str, float] | tuple[str, float, Mapping[str, float]]
"""A token, its log-probability, and those of likely tokens in its place."""


class Words(Protocol):
    """What a shape needs of a `ServerReply`."""

    @property
    def text(self) -> str: ...
    @property
    def finish(self) -> Finish: ...
    @property
    def usage(self) -> Usage | None: ...
    @property
    def model(self) -> str: ...
    @property
    def fingerprint(self) -> str | None: ...
    @property
    def logprobs(self) -> tuple[ServerLogprob, ...]: ...


class ReplyShape(Protocol):
    def speaks(self, path: str) -> bool: ...
    def prompt(self, body: Mapping[str, Any]) -> str: ...
    def parameters(self, body: Mapping[str, Any]) -> Mapping[str, Any]: ...
    def response_format(self, body: Mapping[str, Any]) -> str: ...
    def refused_format(self, used: str) -> dict[str, Any]: ...
    def reply(self, words: Words, body: Any) -> dict[str, Any]: ...
    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]: ...


def refused_parameter(name: str, value: Any) -> dict[str, Any]:
    """The words of a provider that does not take a parameter."""
    if name in TOKEN_LIMITS:
        message = f"Unsupported parameter: '{name}' is not supported with this model. Use '{TOKEN_LIMITS[name]}' instead."
        return {"message": message, "param": name, "code": "unsupported_parameter"}
    message = f"Unsupported value: '{name}' does not support {json.dumps(value)[:40]} with this model."
    return {"message": message, "param": name, "code": "unsupported_value"}


class OpenAIShape:
    """Chat completions."""

    def speaks(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def prompt(self, body: Mapping[str, Any]) -> str:
        return "\n".join(_content(message.get("content")) for message in _objects(body.get("messages")))

    def parameters(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: value for name, value in body.items() if name not in {"model", "messages"}}

    def response_format(self, body: Mapping[str, Any]) -> str:
        return str(_object(body.get("response_format")).get("type", "none"))

    def refused_format(self, used: str) -> dict[str, Any]:
        message = f"Invalid parameter: 'response_format' of type '{used}' is not supported with this model."
        return {"message": message, "param": "response_format"}

    def reply(self, words: Words, body: Any) -> dict[str, Any]:
        refused = words.finish == "refusal"
        choice: dict[str, Any] = {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None if refused else words.text,
                "refusal": (words.text or "I can't help with that.") if refused else None,
            },
            "finish_reason": "length" if words.finish in {"length", "context"} else "stop",
            "logprobs": None,
        }
        if words.logprobs and _object(body).get("logprobs"):
            most = _object(body).get("top_logprobs") or 0
            tokens = [
                {
                    "token": token,
                    "logprob": value,
                    "top_logprobs": [
                        {"token": other, "logprob": each} for found in more for other, each in found.items()
                    ][:most],
                }
                for token, value, *more in words.logprobs
            ]
            choice["logprobs"] = {"content": tokens, "refusal": None}
        found: dict[str, Any] = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 0,
            "model": words.model,
            "choices": [choice],
        }
        if words.fingerprint is not None:
            found["system_fingerprint"] = words.fingerprint
        if words.usage is not None:
            found["usage"] = {
                "prompt_tokens": words.usage.input,
                "completion_tokens": words.usage.output,
                "total_tokens": (words.usage.input or 0) + (words.usage.output or 0),
                "prompt_tokens_details": {"cached_tokens": words.usage.cached},
            }
        return found

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class AzureShape(OpenAIShape):
    """The same at a deployment's address."""

    def speaks(self, path: str) -> bool:
        return "/openai/deployments/" in path and super().speaks(path)


class AnthropicShape:
    """Messages."""

    def speaks(self, path: str) -> bool:
        return path.endswith("/v1/messages")

    def prompt(self, body: Mapping[str, Any]) -> str:
        messages = [_content(message.get("content")) for message in _objects(body.get("messages"))]
        return "\n".join([_content(body.get("system")), *messages])

    def parameters(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        required = {"model", "messages", "system", "max_tokens"}
        return {name: value for name, value in body.items() if name not in required}

    def response_format(self, body: Mapping[str, Any]) -> str:
        if "format" in _object(body.get("output_config")):
            return "json_schema"
        return "tool" if "tool_choice" in body else "none"

    def refused_format(self, used: str) -> dict[str, Any]:
        if used == "json_schema":
            return {"message": "output_config.format: structured outputs are not supported for this model."}
        return {"message": 'tool_choice: type "tool" and "any" are not supported for this model.'}

    def reply(self, words: Words, body: Any) -> dict[str, Any]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": words.text}]
        reason = {
            "stop": "end_turn",
            "length": "max_tokens",
            "context": "model_context_window_exceeded",
            "refusal": "refusal",
        }[words.finish]
        forced = _object(_object(body).get("tool_choice")).get("name")
        if forced and words.finish == "stop":
            try:
                parsed = json.loads(words.text)
            except ValueError:
                parsed = None
            if isinstance(parsed, dict):
                blocks = [{"type": "tool_use", "id": "toolu_1", "name": forced, "input": parsed}]
                reason = "tool_use"
        found: dict[str, Any] = {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": words.model,
            "content": blocks,
            "stop_reason": reason,
        }
        if words.usage is not None:
            cached = words.usage.cached or 0
            fresh = None if words.usage.input is None else words.usage.input - cached
            found["usage"] = {
                "input_tokens": fresh,
                "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0,
                "output_tokens": words.usage.output,
            }
        return found

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:  # noqa: ARG002 - this service gives neither
        kind = "invalid_request_error" if status < 500 else "api_error"
        return {"type": "error", "error": {"type": kind, "message": message}}


class GoogleShape:
    """generateContent."""

    def speaks(self, path: str) -> bool:
        return path.endswith(":generateContent")

    def prompt(self, body: Mapping[str, Any]) -> str:
        turns = [_object(body.get("systemInstruction")), *_objects(body.get("contents"))]
        return "\n".join(str(part.get("text", "")) for turn in turns for part in _objects(turn.get("parts")))

    def parameters(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return _object(body.get("generationConfig"))

    def response_format(self, body: Mapping[str, Any]) -> str:
        config = _object(body.get("generationConfig"))
        if "responseJsonSchema" in config or "responseSchema" in config:
            return "json_schema"
        return "json_object" if config.get("responseMimeType") == "application/json" else "none"

    def refused_format(self, used: str) -> dict[str, Any]:
        if used == "json_schema":
            message = (
                "Invalid JSON payload received. Unknown name \"response_schema\" at 'generation_config'."
            )
            return {"message": message}
        return {"message": "JSON mode is not enabled for this model (response_mime_type)."}

    def reply(self, words: Words, body: Any) -> dict[str, Any]:  # noqa: ARG002 - the reply does not depend on it
        found: dict[str, Any] = {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": words.text}]},
                    "finishReason": {
                        "stop": "STOP",
                        "length": "MAX_TOKENS",
                        "context": "MAX_TOKENS",
                        "refusal": "SAFETY",
                    }[words.finish],
                }
            ],
            "modelVersion": words.model,
        }
        if words.usage is not None:
            found["usageMetadata"] = {
                "promptTokenCount": words.usage.input,
                "candidatesTokenCount": words.usage.output,
                "cachedContentTokenCount": words.usage.cached,
            }
        return found

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:  # noqa: ARG002 - this service gives no param
        return {"error": {"code": status, "message": message, "status": code or "INVALID_ARGUMENT"}}


SHAPES: Mapping[str, ReplyShape] = {
    "azure": AzureShape(),
    "openai": OpenAIShape(),
    "anthropic": AnthropicShape(),
    "google": GoogleShape(),
}


def _object(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _objects(found: Any) -> list[Mapping[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _content(found: Any) -> str:
    if isinstance(found, str):
        return found
    return "\n".join(str(part.get("text", "")) for part in _objects(found))
