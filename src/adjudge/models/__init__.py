"""Prompt -> Completion: one HTTP client, small wire formats on it, and clients that wrap a client."""

from adjudge.models.clients.circuit import Circuit, CircuitOpenError
from adjudge.models.clients.clock import Clock, SystemClock
from adjudge.models.clients.first import FirstCallClient
from adjudge.models.clients.limit import Governor, Slot
from adjudge.models.clients.retry import CallDeadlineError, RetryingClient, RetryPolicy
from adjudge.models.clients.share import SharedClient
from adjudge.models.clients.wrap import WrappingClient
from adjudge.models.context import context_tokens, estimate_request_tokens, estimate_tokens
from adjudge.models.keys import request_key
from adjudge.models.names import ModelName, Provider, known_providers, open_model, parse_model_name

__all__ = [
    "CallDeadlineError",
    "Circuit",
    "CircuitOpenError",
    "Clock",
    "FirstCallClient",
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
