"""Prompt -> Completion: one HTTP client, small wire formats on it, and clients that wrap a client."""

from adjudge.models.client import ModelName, Provider, known_providers, open_model, parse_model_name
from adjudge.models.share import SharedClient

__all__ = ["ModelName", "Provider", "SharedClient", "known_providers", "open_model", "parse_model_name"]
