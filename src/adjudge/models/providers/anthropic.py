"""The Anthropic messages wire format, with the verdict's schema as its output format, or as a tool that has to be used."""

import json
from collections.abc import Mapping
from typing import Any

from adjudge.models.providers.parameters import Adjustments, ProviderError, names_parameter
from adjudge.models.providers.schemas import strict_schema
from adjudge.models.providers.wire import (
    Body,
    Connection,
    Endpoint,
    NoExtras,
    Reply,
    SchemaCache,
    UnreadableReplyError,
    as_object,
    count,
    is_json_object,
    refusal_text,
    split_system,
    text_or_none,
    total,
)
from adjudge.records import Finish, Message, Request, Usage

API_VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 4096  # the API wants a limit with every request
TOOL = "give_verdict"
FORMATS = ("output_config", "tool", "none")
"""Models before 4.5 have no output format; newer ones that always think refuse a forced tool."""
FORMAT_NAMES = {
    "output_config": ("output_config", "output_format", "output format", "structured outputs"),
    "tool": ("tool_choice", "tools", "tool use", "input_schema", "tools.0.custom.input_schema"),
}
FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "context",
    "refusal": "refusal",
}


class AnthropicWire(NoExtras):
    __slots__ = ("_model", "_schema", "endpoint", "provider")

    def __init__(self, *, model: str, endpoint: Endpoint) -> None:
        self.provider = "anthropic"
        self.endpoint = endpoint
        self._model = model
        self._schema = SchemaCache(strict_schema)

    def body(self, request: Request, adjustments: Adjustments) -> Body:
        system, turns = split_system(request.prompt.messages)
        body: Body = {
            "model": self._model,
            "max_tokens": request.max_output_tokens or DEFAULT_MAX_TOKENS,
            "messages": merge_turns(turns),
        }
        if system:
            body["system"] = "\n\n".join(system)
        if request.temperature is not None and "temperature" not in adjustments.left_out:
            body["temperature"] = request.temperature
        match self._format(request, adjustments):
            case "tool":
                assert request.schema is not None
                body["tools"] = [
                    {
                        "name": TOOL,
                        "description": "Give the verdict that was asked for.",
                        "input_schema": self._schema(request.schema),
                    }
                ]
                body["tool_choice"] = {"type": "tool", "name": TOOL}
            case "output_config":
                assert request.schema is not None
                schema = self._schema(request.schema)
                body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        if request.parameters:
            asked = {**body.get("output_config", {}), **self._own_output(request)}
            body.update(request.parameters)
            if asked:
                body["output_config"] = asked
        return body

    def read(self, found: Any, request: Request, adjustments: Adjustments) -> Reply:
        content = found.get("content") if isinstance(found, dict) else None
        if not isinstance(content, list):
            raise UnreadableReplyError("no `content`")
        blocks = [block for block in content if isinstance(block, dict)]
        text = "".join(
            b["text"] for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str)
        )
        structured = self._format(request, adjustments) == "output_config" and is_json_object(text)
        if self._format(request, adjustments) == "tool":
            verdict = next((b.get("input") for b in blocks if b.get("type") == "tool_use"), None)
            if isinstance(verdict, dict):
                text, structured = json.dumps(verdict, ensure_ascii=False, separators=(",", ":")), True
        finish = FINISHES.get(str(found.get("stop_reason")), "stop")
        if finish == "refusal":
            text = refusal_text(as_object(found.get("stop_details")).get("explanation"), text)
        usage = as_object(found.get("usage"))
        written, cached = (
            count(usage.get("cache_creation_input_tokens")),
            count(usage.get("cache_read_input_tokens")),
        )
        return Reply(
            text=text,
            finish=finish,
            structured=structured and finish == "stop",  # a tool's input is cut off by the token limit too
            model=text_or_none(found.get("model")),
            usage=Usage(
                input=total(count(usage.get("input_tokens")), cached, written),
                output=count(usage.get("output_tokens")),
                cached=cached,
            ),
            cache_written=written or 0,
            cache_written_1h=count(as_object(usage.get("cache_creation")).get("ephemeral_1h_input_tokens"))
            or 0,
            speed=text_or_none(usage.get("speed")),
            inference_geo=text_or_none(usage.get("inference_geo")),
            service_tier=text_or_none(usage.get("service_tier")),
        )

    def adjust(self, request: Request, adjustments: Adjustments, error: ProviderError) -> Adjustments | None:
        if error.status == 403:
            return None
        if (
            request.temperature is not None
            and "temperature" not in request.parameters
            and names_parameter(error, "temperature")
        ):
            return adjustments.leaving_out("temperature")
        if any(f"output_config.{name}" in error.message for name in self._own_output(request)):
            return None  # what the person asked for is not dropped
        used = self._format(request, adjustments)
        if used != "none" and names_parameter(error, *FORMAT_NAMES[used]):
            return adjustments.stepping_down(len(FORMATS))
        return None

    def notes(self, request: Request, adjustments: Adjustments) -> tuple[str, ...]:
        notes = []
        if (
            "temperature" in adjustments.left_out
            and request.temperature is not None
            and "temperature" not in request.parameters
        ):
            notes.append("left_out:temperature")
        if request.schema is not None and adjustments.format_step and not self._overridden(request):
            notes.append(f"response_format:{FORMATS[adjustments.format_step]}")
        return tuple(notes)

    def refusal(self, error: ProviderError) -> bool:
        return error.status == 400 and "content filtering policy" in error.message.lower()

    def _format(self, request: Request, adjustments: Adjustments) -> str:
        if request.schema is None or self._overridden(request):
            return "none"
        return FORMATS[adjustments.format_step]

    def _overridden(self, request: Request) -> bool:
        return not request.parameters.keys().isdisjoint({"tools", "tool_choice"}) or "format" in (
            self._own_output(request)
        )

    @staticmethod
    def _own_output(request: Request) -> Mapping[str, Any]:
        """What the person set of the output's settings, such as the effort."""
        return as_object(request.parameters.get("output_config"))


def anthropic_wire(connection: Connection, _environ: Mapping[str, str]) -> AnthropicWire:
    return AnthropicWire(
        model=connection.model,
        endpoint=connection.endpoint(
            connection.base.join("/v1/messages", drop=("/messages", "/v1")),
            connection.auth("x-api-key"),
            headers={"anthropic-version": API_VERSION},
        ),
    )


def merge_turns(messages: list[Message]) -> list[dict[str, str]]:
    """Messages with neighbours of one role made one: the API wants the two sides to take turns, the user first."""
    turns: list[dict[str, str]] = []
    for message in messages:
        if turns and turns[-1]["role"] == message.role:
            turns[-1]["content"] += f"\n\n{message.content}"
        else:
            turns.append({"role": message.role, "content": message.content})
    return turns
