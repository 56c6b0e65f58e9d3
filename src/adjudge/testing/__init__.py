"""The scripted model server and client, for our tests and users'."""

from adjudge.testing.client import ScriptedClient
from adjudge.testing.server import ModelServer, RecordedRequest, ServerReply

__all__ = ["ModelServer", "RecordedRequest", "ScriptedClient", "ServerReply"]
