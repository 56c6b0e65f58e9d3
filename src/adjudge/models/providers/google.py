"""The Gemini generateContent wire format, with a response schema."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from adjudge.models.providers.parameters import Adjustments, ProviderError
from adjudge.models.providers.schemas import gemini_schema, openapi_schema
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
from adjudge.records import Finish, Request, Usage

FORMATS = ("responseJsonSchema", "responseSchema", "json_object", "none")
OWN_FORMAT_KEYS = frozenset({"responseJsonSchema", "responseSchema", "responseMimeType", "responseFormat"})
OUTSIDE_CONFIG = frozenset(
    {"safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"}
)
"""Parameters that stand beside `generationConfig` rather than in it."""
FORMAT_WORDS = (
    *("responsejsonschema", "responseschema", "responsemimetype", "jsonmode", "responseformat"),
    "specifiedschema",  # "… produces a constraint that has too many states for serving"
)
NO_REASON = "requestcontainsaninvalidargument"
"""All that Gemini says of some schemas, and of other faults."""
FINISHES: dict[str, Finish] = {
    "MAX_TOKENS": "length",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "LANGUAGE": "refusal",
    "IMAGE_SAFETY": "refusal",
    "MODEL_ARMOR": "refusal",
    "ESCALATION": "refusal",
}
ROLES = {"user": "user", "assistant": "model"}
NOT_LETTERS = re.compile(r"[^a-z]+")


class GoogleWire(NoExtras):
    __slots__ = ("_json_schema", "_openapi_schema", "endpoint", "provider")

    def __init__(self, *, endpoint: Endpoint) -> None:
        self.provider = "google"
        self.endpoint = endpoint
        self._json_schema = SchemaCache(gemini_schema)
        self._openapi_schema = SchemaCache(openapi_schema)

    def body(self, request: Request, adjustments: Adjustments) -> Body:
        system, turns = split_system(request.prompt.messages)
        contents: list[dict[str, Any]] = []
        for message in turns:
            role, part = ROLES[message.role], {"text": message.content}
            if contents and contents[-1]["role"] == role:
                contents[-1]["parts"].append(part)
            else:
                contents.append({"role": role, "parts": [part]})
        config: Body = {}
        if request.temperature is not None and "temperature" not in adjustments.left_out:
            config["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            config["maxOutputTokens"] = request.max_output_tokens
        used = self._format(request, adjustments)
        if used != "none":
            assert request.schema is not None
            config["responseMimeType"] = "application/json"
            if used == "responseJsonSchema":
                config["responseJsonSchema"] = self._json_schema(request.schema)
            elif used == "responseSchema":
                config["responseSchema"] = self._openapi_schema(request.schema)
        body: Body = {"contents": contents}
        if system:
            body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
        for name, value in request.parameters.items():
            (body if name in OUTSIDE_CONFIG else config)[name] = value
        if config:
            body["generationConfig"] = config
        return body

    def read(self, found: Any, request: Request, adjustments: Adjustments) -> Reply:
        if not isinstance(found, dict):
            raise UnreadableReplyError("not an object")
        usage = as_object(found.get("usageMetadata"))
        counted = Usage(
            input=total(count(usage.get("promptTokenCount")), count(usage.get("toolUsePromptTokenCount"))),
            output=total(count(usage.get("candidatesTokenCount")), count(usage.get("thoughtsTokenCount"))),
            cached=count(usage.get("cachedContentTokenCount")),
        )
        model = text_or_none(found.get("modelVersion"))
        candidates = found.get("candidates")
        if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], dict):
            feedback = as_object(found.get("promptFeedback"))
            if feedback.get("blockReason"):
                why = text_or_none(feedback.get("blockReasonMessage")) or str(feedback["blockReason"])
                return Reply(text=why, finish="refusal", model=model, usage=counted)
            raise UnreadableReplyError("no `candidates`")
        candidate = candidates[0]
        parts = as_object(candidate.get("content")).get("parts")
        text = "".join(
            part["text"]
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict) and isinstance(part.get("text"), str) and not part.get("thought")
        )
        reason = str(candidate.get("finishReason") or "STOP")
        finish = FINISHES.get(reason, "stop")
        if not text and finish == "stop" and reason != "STOP":
            raise UnreadableReplyError(f"it stopped with {reason[:40]}")
        constrained = self._format(request, adjustments) in {"responseJsonSchema", "responseSchema"}
        if finish == "refusal":
            text = refusal_text(candidate.get("finishMessage") or ("" if text else reason), text)
        return Reply(
            text=text,
            finish=finish,
            structured=constrained and is_json_object(text),
            model=model,
            usage=counted,
        )

    def adjust(self, request: Request, adjustments: Adjustments, error: ProviderError) -> Adjustments | None:
        if error.status == 403:
            return None
        words = NOT_LETTERS.sub(" ", error.message.lower())
        if (
            request.temperature is not None
            and "temperature" not in request.parameters
            and "temperature" in words.split()
        ):
            return adjustments.leaving_out("temperature")
        flat = words.replace(" ", "")
        used = self._format(request, adjustments)
        if used != "none" and any(name in flat for name in FORMAT_WORDS):
            return adjustments.stepping_down(len(FORMATS))
        if used in {"responseJsonSchema", "responseSchema"} and flat == NO_REASON:
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
        if (
            request.schema is not None
            and adjustments.format_step
            and OWN_FORMAT_KEYS.isdisjoint(request.parameters)
        ):
            notes.append(f"response_format:{FORMATS[adjustments.format_step]}")
        return tuple(notes)

    def refusal(self, error: ProviderError) -> bool:  # noqa: ARG002 - the protocol's name; Gemini refuses in a 200
        return False

    def _format(self, request: Request, adjustments: Adjustments) -> str:
        if request.schema is None or not OWN_FORMAT_KEYS.isdisjoint(request.parameters):
            return "none"
        return FORMATS[adjustments.format_step]


def google_wire(connection: Connection, _environ: Mapping[str, str]) -> GoogleWire:
    """The key goes into a header: a URL ends up in logs."""
    return GoogleWire(
        endpoint=connection.endpoint(
            connection.base.join(
                f"/v1beta/models/{quote(connection.model, safe='')}:generateContent",
                drop=("/models", "/v1beta"),
            ),
            connection.auth("x-goog-api-key"),
        )
    )
