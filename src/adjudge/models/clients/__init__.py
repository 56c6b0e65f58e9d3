"""Clients that wrap a client: retries, limits, a circuit, sharing, secrets kept back."""
