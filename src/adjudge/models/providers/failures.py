"""Turn a provider's refusals into our errors: who can act, how long to wait, in words without secrets."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from adjudge.errors import (
    AccountExhaustedError,
    ModelCallError,
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
    UnavailableError,
)
from adjudge.models.providers.parameters import ProviderError

TOO_LONG_CODES = frozenset({"context_length_exceeded", "string_above_max_length", "request_too_large"})
TOO_LONG_WORDS = (
    "context length",
    "context window",
    "context size",
    "context limit",
    "maximum context",
    "context_length",
    "prompt is too long",
    "input is too long",
    "request too large",
    "too many input tokens",
    "reduce the length",
    "input token count",
    "exceeds the maximum number of tokens",
    "longer than the model",
    "`inputs` tokens + `max_new_tokens`",
)
EXHAUSTED_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "billing_error",
        "enforced_spend_limit_reached",
        "contract_spend_limit_reached",
        "linked_organization_spend_limit_reached",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "blocked_api_access",  # Groq: a spend limit
        "budget_exceeded",  # the LiteLLM proxy, of its own keys
    }
)
EXHAUSTED_WORDS = (
    *("credit balance is too low", "api usage limits", "hard limit has been reached"),
    *("account is not active", "prepayment credits are depleted", "monthly spending cap"),
    *("budget has been exceeded", "key limit exceeded", "used all available credits", "have any credits"),
    *EXHAUSTED_CODES,  # a gateway may put the provider's whole reply into its message
)
QUOTA_WORDS = "check your plan and billing"
RATE_WORDS = ("retry in", "resource_exhausted", "quota exceeded for metric")
"""Google says "check your plan and billing" of what goes a minute too, and then how long to wait."""
FLAGGED = "flagged_input"
"""Routers with a moderation layer (OpenRouter) answer 403 with this, and why, in `metadata`."""
BAD_REQUEST = frozenset({400, 413, 422})
MAY_NAME_A_PARAMETER = BAD_REQUEST | {403}
TRY_AGAIN = frozenset({408, 409, 425})
MAX_WAIT_SECONDS = 86_400.0


def read_provider_error(status: int, body: bytes) -> ProviderError:
    """The message inside any provider's error body; the body itself where it is not one of theirs."""
    try:
        found: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ProviderError(status=status, message=body[:8_192].decode("utf-8", "replace"))
    if isinstance(found, list) and found:
        found = found[0]  # Google wraps the error object in a list when it streams
    if not isinstance(found, dict):
        return ProviderError(status=status, message=str(found))
    inner = found.get("error", found)
    if not isinstance(inner, dict):
        return ProviderError(status=status, message=str(inner))
    message = inner.get("message") or inner.get("detail") or found.get("message") or found.get("detail")
    return ProviderError(
        status=status,
        message=_text(message) if message else f"HTTP {status}",
        param=inner["param"] if isinstance(inner.get("param"), str) else "",
        code=next(
            (str(inner[key]) for key in ("code", "status", "type") if isinstance(inner.get(key), str)), ""
        ),
        codes=error_codes(inner),
        generated=inner["failed_generation"] if isinstance(inner.get("failed_generation"), str) else "",
    )


def error_codes(inner: Mapping[str, Any]) -> frozenset[str]:
    """All that an error's body says in place of a code."""
    details = inner.get("details")
    places = [inner, *(details if isinstance(details, list) else [details])]
    names = ("code", "status", "type", "error_code")
    found = {
        place.get(name)
        for place in places
        if isinstance(place, dict)
        for name in names
        if _is_text(place, name)
    }
    metadata = inner.get("metadata")
    if isinstance(metadata, dict) and (FLAGGED in metadata or metadata.get("reasons")):
        found.add(FLAGGED)
    return frozenset(str(code) for code in found)


def _is_text(place: Mapping[str, Any], name: str) -> bool:
    return isinstance(place.get(name), str)


def is_exhausted(error: ProviderError) -> bool:
    """Whether the account, rather than this request or this minute, is used up."""
    if error.status == 402 or (
        error.status in {400, 403, 429} and EXHAUSTED_CODES & {error.code, *error.codes}
    ):
        return True
    message = error.message.lower()
    return error.status in {400, 403, 429} and (
        any(words in message for words in EXHAUSTED_WORDS)
        or (QUOTA_WORDS in message and not any(words in message for words in RATE_WORDS))
    )


def is_flagged(error: ProviderError) -> bool:
    """Whether a moderation layer before the model declined this prompt; any other 403 is about the key."""
    message = error.message.lower()
    return error.status == 403 and (FLAGGED in error.codes or "flagged" in message or "moderation" in message)


def _text(message: Any) -> str:
    return message if isinstance(message, str) else orjson.dumps(message, default=str).decode()


def is_too_long(error: ProviderError) -> bool:
    if error.code in TOO_LONG_CODES:
        return True
    message = error.message.lower()
    return any(words in message for words in TOO_LONG_WORDS)


def error_for_status(
    error: ProviderError, message: str, *, retry_after_seconds: float | None = None, key_hint: str = ""
) -> ModelCallError:
    """The error to raise; `message` is what a person reads, already scrubbed."""
    status = error.status
    if is_exhausted(error):
        return AccountExhaustedError(message, status=status)
    if status in (401, 403) or "api key not valid" in error.message.lower():
        return UnauthorizedError(f"{message}{key_hint}", status=status)
    if status == 429:
        if "request too large" in error.message.lower():  # for the account's tokens a minute, at any moment
            return TooLongError(message, status=status)
        return RateLimitedError(message, status=status, retry_after_seconds=retry_after_seconds)
    if status in BAD_REQUEST and is_too_long(error):
        return TooLongError(message, status=status)
    if status == 413:
        return TooLongError(message, status=status)
    if status in TRY_AGAIN or status >= 500:
        return UnavailableError(message, status=status, retry_after_seconds=retry_after_seconds)
    return RejectedError(message, status=status)


def retry_after_seconds(
    headers: Mapping[str, str], body: bytes = b"", *, now: datetime | None = None
) -> float | None:
    """How long the provider asks us to wait: `retry-after-ms`, `Retry-After` as seconds or a date, Google's `retryDelay`."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    stated = headers.get("retry-after")
    if stated is None:
        return _google_delay(body)
    seconds = _number(stated)
    if seconds is not None:
        return _bounded(seconds)
    try:
        until = parsedate_to_datetime(stated)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return _bounded((until - (now or datetime.now(UTC))).total_seconds())


def _google_delay(body: bytes) -> float | None:
    if b"retryDelay" not in body:
        return None
    try:
        details = orjson.loads(body)["error"]["details"]
        delay = next(detail["retryDelay"] for detail in details if "retryDelay" in detail)
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError, StopIteration):
        return None
    return _bounded(seconds) if (seconds := _number(str(delay).removesuffix("s"))) is not None else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_WAIT_SECONDS)
