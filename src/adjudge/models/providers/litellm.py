"""The long tail of providers through LiteLLM, an optional extra, imported when a model of it is opened."""

import importlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from adjudge.errors import (
    MissingExtraError,
    ModelCallError,
    ParameterRefusedError,
    TooLongError,
    UnavailableError,
)
from adjudge.models.addresses import parse_base_url
from adjudge.models.keys import semantic_key
from adjudge.models.prices import Prices
from adjudge.models.providers.failures import (
    BAD_REQUEST,
    MAY_NAME_A_PARAMETER,
    error_codes,
    error_for_status,
    is_flagged,
    is_too_long,
    retry_after_seconds,
)
from adjudge.models.providers.openai import OpenAIWire
from adjudge.models.providers.parameters import (
    NOTHING_REFUSED,
    Adjustments,
    ProviderError,
    refused_parameter,
)
from adjudge.models.providers.room import ContextRoom
from adjudge.models.providers.wire import Endpoint, ErrorInReplyError, Reply, UnreadableReplyError
from adjudge.models.secrets import Scrubber
from adjudge.options import option
from adjudge.records import LOWERED_NOTE, Completion, ModelClient, Request

KEY_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_SECRET_ACCESS_KEY", "_ACCESS_KEY_ID", "_PASSWORD")
BASE_ENDINGS = ("_API_BASE", "_BASE_URL")
WHILE_IMPORTED: Mapping[str, str] = {
    "LITELLM_MODE": "PRODUCTION",  # in its other mode it loads the first `.env` above its own files: a clone's, often
    "PYTHON_DOTENV_DISABLED": "1",
}
NO_DOWNLOADS: Mapping[str, str] = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # prices: ours are used
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",  # looked at with the first call, long after the import
    "LITELLM_LOCAL_BLOG_POSTS": "True",
}
"""Files that it would fetch from GitHub otherwise; set for as long as the process runs."""


def open_litellm(
    model: str, *, base_url: str | None, environ: Mapping[str, str], timeout_seconds: float
) -> "LiteLLMClient":
    os.environ.update(NO_DOWNLOADS)
    try:
        with _variables(WHILE_IMPORTED):
            module: Any = importlib.import_module("litellm")
    except ImportError:
        raise MissingExtraError(f"litellm:{model}", "litellm") from None
    module.suppress_debug_info = True  # it prints advice to stdout otherwise
    module.telemetry = False
    secrets = [value for name, value in environ.items() if name.upper().endswith(KEY_ENDINGS)]
    if base_url is not None:
        secrets += parse_base_url(base_url, where=option("--base-url")).secrets
    elsewhere = base_url is not None or any(environ.get(n) for n in environ if n.endswith(BASE_ENDINGS))
    return LiteLLMClient(
        model=model,
        module=module,
        base_url=base_url,
        timeout_seconds=timeout_seconds,
        scrubber=Scrubber(secrets),
        prices=Prices(None if elsewhere or "/" not in model else "litellm"),
    )


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class LiteLLMClient(ModelClient):
    """LiteLLM takes and gives the OpenAI shape, so that wire format reads and writes for it."""

    learns = True

    def __init__(
        self,
        *,
        model: str,
        module: Any,
        base_url: str | None,
        timeout_seconds: float,
        scrubber: Scrubber,
        prices: Prices,
    ) -> None:
        self.name = f"litellm:{model}"
        self._model = model
        self._module = module
        self.base_url = parse_base_url(base_url, where=option("--base-url")).public if base_url else None
        self._fixed: dict[str, Any] = {"timeout": timeout_seconds, "num_retries": 0, "max_retries": 0}
        if base_url is not None:
            self._fixed["api_base"] = base_url
        self._scrubber = scrubber
        self._prices = prices
        self._refused = NOTHING_REFUSED
        self._room = ContextRoom()
        self._wire = OpenAIWire(
            provider="litellm", model=model, endpoint=Endpoint(url=""), limit_name="max_tokens"
        )

    def __repr__(self) -> str:
        return f"<LiteLLMClient {self.name}>"

    def request_key(self, request: Request) -> str:
        return semantic_key(self.name, self.base_url or "", request)

    async def complete(self, request: Request) -> Completion:
        started = time.perf_counter()
        adjustments = self._refused
        asked, request = request, self._room.fit(request)
        body = self._wire.body(request, adjustments) | self._wire.extras(request, adjustments)
        try:
            found = await self._module.acompletion(**body, **self._fixed)
        except Exception as error:  # noqa: BLE001 - its errors share no base class of their own
            read = self._read_failure(error, request, adjustments)
        else:
            try:
                read = self._wire.read(found.model_dump(), request, adjustments)
            except (UnreadableReplyError, ErrorInReplyError) as error:
                message = self._scrubber.message(str(error))
                raise UnavailableError(
                    f"{self.name} answered without a reply ({message})", maybe_billed=True
                ) from None
        self._room.saw(request, read.usage.input)
        notes = self._wire.notes(request, adjustments)
        return Completion(
            text=self._scrubber.reply(read.text),
            finish=read.finish,
            structured=read.structured,
            model_snapshot=read.model,
            usage=read.usage,
            cost=self._prices.cost(
                self._model,
                read.usage,
                cache_written=read.cache_written,
                cache_written_1h=read.cache_written_1h,
                service_tier=read.service_tier,
            ),
            latency_ms=(time.perf_counter() - started) * 1000,
            notes=notes if request is asked else (*notes, LOWERED_NOTE),
            logprobs=self._scrubber.logprobs(read.text, read.logprobs),
        )

    async def close(self) -> None:
        close = getattr(self._module, "close_litellm_async_clients", None)
        if close is not None:
            await close()

    def _read_failure(self, error: Exception, request: Request, adjustments: Adjustments) -> Reply:
        """A refusal to answer this prompt is a reply; anything else is raised."""
        read = self._read_error(error)
        if self._wire.refusal(read) or is_flagged(read):
            return Reply(text=read.message, finish="refusal")
        failure = self._error(error, read)
        lowered = self._room.lower(request, read) if read.status in BAD_REQUEST else None
        if lowered is not None:
            raise ParameterRefusedError(
                failure.message, status=read.status, max_output_tokens=lowered.max_output_tokens
            ) from None
        learned = None
        if read.status in MAY_NAME_A_PARAMETER and not is_too_long(read):
            learned = self._wire.adjust(request, adjustments, read)
        if learned is None:
            raise failure from None
        self._refused = self._refused.joined(learned)
        raise refused_parameter(adjustments, learned, failure) from None

    def _read_error(self, error: Exception) -> ProviderError:
        kind = type(error).__name__
        status = getattr(error, "status_code", None)
        message = str(getattr(error, "message", "") or error)
        if kind == "UnsupportedParamsError":
            status = 400
        body = getattr(error, "body", None)
        return ProviderError(
            status=status if isinstance(status, int) and 400 <= status <= 599 else 503,
            message=message,
            code="content_policy_violation" if kind == "ContentPolicyViolationError" else "",
            codes=error_codes(body) if isinstance(body, Mapping) else frozenset(),
        )

    def _error(self, error: Exception, read: ProviderError) -> ModelCallError:
        message = f"{self.name} failed with {read.status}: {self._scrubber.message(read.message)}"
        if type(error).__name__ == "ContextWindowExceededError":
            return TooLongError(message, status=read.status)
        return error_for_status(
            read,
            message,
            retry_after_seconds=retry_after_seconds(_headers(error)),
            key_hint="; check the provider's key variable, as LiteLLM names it",
        )


def _headers(error: Exception) -> Mapping[str, str]:
    """The provider's, by names in lower case; LiteLLM keeps them in one of three places."""
    response = getattr(error, "response", None)
    for place in (error, response):
        for name in ("litellm_response_headers", "headers"):
            found = getattr(place, name, None)
            if isinstance(found, Mapping) and found:
                return {str(key).lower(): str(value) for key, value in found.items()}
    return {}
