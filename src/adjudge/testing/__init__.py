"""The scripted model server and client, and a clock without waiting, for our tests and users'."""

from adjudge.testing.client import ScriptedClient
from adjudge.testing.clock import FakeClock
from adjudge.testing.server import ModelServer, RateLimit, RecordedRequest, ServerReply

__all__ = ["FakeClock", "ModelServer", "RateLimit", "RecordedRequest", "ScriptedClient", "ServerReply"]
