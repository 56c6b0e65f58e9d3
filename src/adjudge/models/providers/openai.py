"""The OpenAI chat-completions wire format, spoken by OpenAI, Azure, vLLM, llama.cpp, Ollama, LM Studio, OpenRouter and others."""

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote, unquote

from adjudge.errors import ModelNameError
from adjudge.models.names import first_set
from adjudge.models.providers.parameters import Adjustments, ProviderError, names_parameter, says_unsupported
from adjudge.models.providers.schemas import strict_schema
from adjudge.models.providers.wire import (
    Body,
    Connection,
    Endpoint,
    ErrorInReplyError,
    Reply,
    SchemaCache,
    UnreadableReplyError,
    as_object,
    count,
    is_json_object,
    text_or_none,
)
from adjudge.options import option
from adjudge.records import Finish, Request, TokenLogprob, Usage

FORMATS = ("json_schema", "json_object", "none")
FORMAT_NAMES = (
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "structured output",
    "structured outputs",
    "json mode",
    "guided_json",
    "grammar",
)
LOGPROBS = ("logprobs", "top_logprobs")
ALTERNATIVES = ("top_logprobs", "top_n_tokens")
"""How OpenAI and TGI call the number of alternatives to a token."""
MIN_ALTERNATIVES, MAX_ALTERNATIVES = 5, 20
"""To a token: at least as many as older deployments give, at most what the API allows."""
REFUSAL_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "ResponsibleAIPolicyViolation",
        "invalid_prompt",
        "bio_policy",
        "cyber_policy",
        "misalignment_policy_violation",
    }
)
NATIVE_REFUSALS = frozenset({"MODEL_ARMOR", "ESCALATION"})
"""Gemini's, which LiteLLM passes on beside its own `stop`."""
TokenLimit = Literal["max_tokens", "max_completion_tokens"]
OTHER_LIMIT: dict[TokenLimit, TokenLimit] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
AZURE_API_VERSION = "2024-10-21"  # the stable version that has JSON-schema output
AZURE_API_VERSION_VARIABLES = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")


class OpenAIWire:
    """Chat completions. `model` is None where the URL names it (Azure)."""

    __slots__ = ("_limit", "_model", "_schema", "endpoint", "provider")

    def __init__(
        self, *, provider: str, model: str | None, endpoint: Endpoint, limit_name: TokenLimit
    ) -> None:
        self.provider = provider
        self.endpoint = endpoint
        self._model = model
        self._limit: TokenLimit = limit_name
        self._schema = SchemaCache(_response_format)

    def body(self, request: Request, adjustments: Adjustments) -> Body:
        left_out, parameters = adjustments.left_out, request.parameters
        body: Body = {} if self._model is None else {"model": self._model}
        body["messages"] = [{"role": m.role, "content": m.content} for m in request.prompt.messages]
        if request.temperature is not None and "temperature" not in left_out:
            body["temperature"] = request.temperature
        limit = self._limit_name(request, adjustments)
        if limit is not None:
            body[limit] = request.max_output_tokens
        if "logprobs" not in left_out:
            body["logprobs"] = True
        match self._format(request, adjustments):
            case "json_schema":
                assert request.schema is not None
                body["response_format"] = self._schema(request.schema)
            case "json_object":
                body["response_format"] = {"type": "json_object"}
        if parameters:
            body.update(parameters)
        return body

    def extras(self, request: Request, adjustments: Adjustments) -> Body:
        asked = request.parameters.get("logprobs", "logprobs" not in adjustments.left_out)
        if not request.values or not asked or request.parameters.keys() & {"top_logprobs"}:
            return {}
        if "top_logprobs" in adjustments.left_out:
            return {}
        most = MIN_ALTERNATIVES if "top_logprobs" in adjustments.renamed else MAX_ALTERNATIVES
        return {"top_logprobs": max(MIN_ALTERNATIVES, min(most, len(request.values) + 2))}

    def read(self, found: Any, request: Request, adjustments: Adjustments) -> Reply:
        choices = found.get("choices") if isinstance(found, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            if isinstance(found, dict) and found.get("error"):
                raise ErrorInReplyError(_error_in_reply(found["error"]))
            raise UnreadableReplyError("no `choices`")
        choice = choices[0]
        text, refused = _words(as_object(choice.get("message")))
        native = choice.get("native_finish_reason") or as_object(choice.get("provider_specific_fields")).get(
            "native_finish_reason"
        )
        finish: Finish = "stop"
        if choice.get("finish_reason") == "length":
            finish = "length"
        elif refused or choice.get("finish_reason") == "content_filter" or native in NATIVE_REFUSALS:
            finish = "refusal"
            text = text or text_or_none(native) or ""
        usage = as_object(found.get("usage"))
        details = as_object(usage.get("prompt_tokens_details"))
        return Reply(
            text=text,
            finish=finish,
            structured=self._format(request, adjustments) == "json_schema" and is_json_object(text),
            model=text_or_none(found.get("model")),
            fingerprint=text_or_none(found.get("system_fingerprint")),
            usage=Usage(
                input=count(usage.get("prompt_tokens")),
                output=count(usage.get("completion_tokens")),
                cached=count(details.get("cached_tokens")),
            ),
            cache_written=count(details.get("cache_write_tokens")) or 0,
            cache_written_1h=count(
                as_object(details.get("cache_creation_token_details")).get("ephemeral_1h_input_tokens")
            )
            or 0,  # LiteLLM's, of Anthropic's models
            service_tier=text_or_none(found.get("service_tier")),
            logprobs=_logprobs(choice.get("logprobs"), request.values),
        )

    def adjust(self, request: Request, adjustments: Adjustments, error: ProviderError) -> Adjustments | None:
        parameters = request.parameters
        if error.status == 403 and not (names_parameter(error, *LOGPROBS) and "logprobs" not in parameters):
            return None  # some models answer 403 to a request for logprobs; every other 403 is about the key
        limit = self._limit_name(request, adjustments)
        if limit is not None and names_parameter(error, limit) and says_unsupported(error):
            return adjustments.renaming("max_tokens") or adjustments.leaving_out("max_tokens")
        if (
            request.temperature is not None
            and "temperature" not in parameters
            and names_parameter(error, "temperature")
        ):
            return adjustments.leaving_out("temperature")
        extras = self.extras(request, adjustments)
        if extras and names_parameter(error, *ALTERNATIVES):
            if extras["top_logprobs"] > MIN_ALTERNATIVES and not says_unsupported(error):
                return adjustments.renaming("top_logprobs")  # fewer of them
            return adjustments.leaving_out("top_logprobs")
        if "logprobs" not in parameters and names_parameter(error, *LOGPROBS):
            return adjustments.leaving_out("logprobs")
        if self._format(request, adjustments) != "none" and names_parameter(error, *FORMAT_NAMES):
            return adjustments.stepping_down(len(FORMATS))
        return None

    def notes(self, request: Request, adjustments: Adjustments) -> tuple[str, ...]:
        notes = []
        parameters, left_out = request.parameters, adjustments.left_out
        if "temperature" in left_out and request.temperature is not None and "temperature" not in parameters:
            notes.append("left_out:temperature")
        if "logprobs" in left_out and "logprobs" not in parameters:
            notes.append("left_out:logprobs")
        elif "top_logprobs" in left_out and request.values and not parameters.keys() & set(LOGPROBS):
            notes.append("left_out:top_logprobs")
        elif "top_logprobs" in adjustments.renamed and len(request.values) + 2 > MIN_ALTERNATIVES:
            notes.append("lowered:top_logprobs")
        if request.max_output_tokens is not None and not parameters.keys() & OTHER_LIMIT.keys():
            if "max_tokens" in left_out:
                notes.append("left_out:max_tokens")
            elif "max_tokens" in adjustments.renamed:
                notes.append(f"renamed:{self._limit}")
        if request.schema is not None and "response_format" not in parameters:
            used = self._format(request, adjustments)
            if used != "json_schema":
                notes.append(f"response_format:{used}")
        return tuple(notes)

    def refusal(self, error: ProviderError) -> bool:
        return error.status in {400, 403} and not REFUSAL_CODES.isdisjoint({error.code, *error.codes})

    def _limit_name(self, request: Request, adjustments: Adjustments) -> TokenLimit | None:
        """The name under which our token limit is sent; None when none of ours is."""
        if request.max_output_tokens is None or "max_tokens" in adjustments.left_out:
            return None
        if request.parameters.keys() & OTHER_LIMIT.keys():
            return None
        return OTHER_LIMIT[self._limit] if "max_tokens" in adjustments.renamed else self._limit

    def _format(self, request: Request, adjustments: Adjustments) -> str:
        if request.schema is None or "response_format" in request.parameters:
            return "none"
        used = FORMATS[adjustments.format_step]
        if used == "json_object" and not any("json" in m.content.lower() for m in request.prompt.messages):
            return "none"  # OpenAI refuses JSON mode for a prompt that does not say JSON
        return used


def openai_wire(connection: Connection, _environ: Mapping[str, str]) -> OpenAIWire:
    hint = ""
    if not connection.own_host:
        hint = "; check the model's name" + (
            "" if connection.base.path else ", and whether the base URL should end in /v1"
        )
    return OpenAIWire(
        provider="openai",
        model=connection.model,
        endpoint=connection.endpoint(
            connection.base.join("/chat/completions", drop=("/chat/completions",)),
            connection.auth(),
            hint_404=hint,
        ),
        limit_name="max_completion_tokens" if connection.own_host else "max_tokens",
    )


def azure_wire(connection: Connection, environ: Mapping[str, str]) -> OpenAIWire:
    """Azure OpenAI: the same format at a deployment's address, or at `/openai/v1` with the deployment as the model.

    The portal gives the resource's address, that of the v1 API, a deployment's with its version, or for newer models that of
    their responses: each is taken.
    """
    base, deployment = connection.base, connection.model
    version = first_set(environ, AZURE_API_VERSION_VARIABLES)[1] or AZURE_API_VERSION
    path = base.path.removesuffix("/chat/completions").removesuffix("/responses")
    resource, _, named = path.partition("/openai/deployments/")
    if named and unquote(named) != deployment:
        raise ModelNameError(
            option("--model", f"azure:{deployment}"),
            f"the address names another deployment, {unquote(named)[:80]!r}",
            f"write azure:{unquote(named)[:80]}, or leave `/openai/deployments/…` out of the address",
        )
    is_v1 = path.endswith("/openai/v1") or "/api/projects/" in path
    if is_v1:
        url = base._replace(path=path.removesuffix("/openai/v1")).join("/openai/v1/chat/completions")
    else:
        url = base._replace(path=resource.removesuffix("/openai")).join(
            f"/openai/deployments/{quote(deployment, safe='')}/chat/completions",
            query="" if "api-version=" in base.query else f"api-version={quote(version, safe='')}",
        )
    return OpenAIWire(
        provider="azure",
        model=deployment if is_v1 else None,
        endpoint=connection.endpoint(
            url,
            connection.auth("api-key"),
            hint_404="; check the deployment's name" + ("" if is_v1 else " and AZURE_OPENAI_API_VERSION"),
        ),
        limit_name="max_tokens",
    )


def _response_format(schema: Any) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": strict_schema(schema)},
    }


def _words(message: Any) -> tuple[str, bool]:
    """What the model said, and whether it was a refusal. Reasoning stands in fields of its own and is not its answer."""
    # LiteLLM moves it there
    refusal = message.get("refusal") or as_object(message.get("provider_specific_fields")).get("refusal")
    content = message.get("content")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        refusal = refusal or next((part["refusal"] for part in parts if part.get("refusal")), None)
        content = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    text = content if isinstance(content, str) else ""
    if isinstance(refusal, str) and refusal:
        return text or refusal, True
    return text, False


def _logprobs(found: Any, values: tuple[str, ...]) -> tuple[TokenLogprob, ...]:
    content = found.get("content") if isinstance(found, dict) else None
    if not isinstance(content, list):
        return ()
    try:
        read = [(*_token(part), part.get("top_logprobs") or ()) for part in content]
        kept = _kept_alternatives([token for token, *_ in read], values)
        return tuple(
            TokenLogprob(
                token=token,
                logprob=logprob,
                alternatives=tuple(map(_token, others)) if position in kept else (),
            )
            for position, (token, logprob, others) in enumerate(read)
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return ()  # a server with a shape of its own: no logprobs rather than wrong ones


def _token(part: Any) -> tuple[str, float]:
    token, logprob = part["token"], float(part["logprob"])
    if not isinstance(token, str):
        raise TypeError
    return token, logprob


def _kept_alternatives(tokens: list[str], values: tuple[str, ...]) -> set[int]:
    """The tokens that may be part of the score, and those after them; the rest of a long reply is not worth its room."""
    parts = {token for token in set(tokens) if values and _may_be_part(token, values)}
    places = [place for place, token in enumerate(tokens) if token in parts]
    return {each for place in places for each in (place, place + 1)}


def _may_be_part(token: str, values: tuple[str, ...]) -> bool:
    text = token.strip(" \t\n\"'`*_([{<:").casefold()
    return bool(text) and any(text in value or value in text for value in values)


def _error_in_reply(error: Any) -> ProviderError:
    inner = as_object(error)
    status, message = inner.get("code"), str(inner.get("message") or error)
    if "unexpected endpoint" in message.lower():  # LM Studio answers 200 at any address
        status = 404
    return ProviderError(
        status=status if isinstance(status, int) and 400 <= status <= 599 else 502, message=message
    )
