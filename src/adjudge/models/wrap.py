"""What clients that wrap a client have in common: they are the one inside by name, address and key."""

from adjudge.models.keys import request_key
from adjudge.records import ModelClient, Request


class WrappingClient:
    """Retries, limits, budgets and stores are clients that wrap a client; each adds a `complete` of its own."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._client!r})"

    @property
    def name(self) -> str:
        return self._client.name

    @property
    def base_url(self) -> str | None:
        return getattr(self._client, "base_url", None)

    def request_key(self, request: Request) -> str:
        return request_key(self._client, request)

    async def close(self) -> None:
        await self._client.close()
