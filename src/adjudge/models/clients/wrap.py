"""What clients that wrap a client have in common: they offer what the one inside does."""

from adjudge.models.keys import request_key
from adjudge.records import ModelClient, Request


class WrappingClient(ModelClient):
    """Retries, limits, budgets and stores are clients that wrap a client; each adds a `complete` of its own."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self.name = client.name
        self.base_url = client.base_url
        self.within_run = client.within_run
        self.answers_by_case = client.answers_by_case
        self.reads_fields = client.reads_fields
        self.is_free = client.is_free
        self.learns = client.learns

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._client!r})"

    def request_key(self, request: Request) -> str:
        return request_key(self._client, request)

    async def close(self) -> None:
        await self._client.close()
