"""Prompt -> Completion: one HTTP client, small wire formats on it, and clients that wrap a client."""

from adjudge.models.circuit import Circuit, CircuitOpenError
from adjudge.models.client import ModelName, Provider, known_providers, open_model, parse_model_name
from adjudge.models.clock import Clock, SystemClock
from adjudge.models.context import context_tokens, estimate_request_tokens, estimate_tokens
from adjudge.models.keys import request_key
from adjudge.models.limit import Governor, Slot
from adjudge.models.retry import CallDeadlineError, RetryingClient, RetryPolicy
from adjudge.models.share import SharedClient
from adjudge.models.wrap import WrappingClient

__all__ = [
    "CallDeadlineError",
    "Circuit",
    "CircuitOpenError",
    "Clock",
    "Governor",
    "ModelName",
    "Provider",
    "RetryPolicy",
    "RetryingClient",
    "SharedClient",
    "Slot",
    "SystemClock",
    "WrappingClient",
    "context_tokens",
    "estimate_request_tokens",
    "estimate_tokens",
    "known_providers",
    "open_model",
    "parse_model_name",
    "request_key",
]
