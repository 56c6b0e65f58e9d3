"""A client that stops in the middle of a request does not keep its connection."""

import socket
import threading

import pytest

from adjudge.server.serve import Server
from adjudge.server.service import open_service


@pytest.fixture
def connect(tmp_path):
    """Connections to a server that waits a moment for requests: what is sent, and all that comes back until it closes."""
    with open_service(str(tmp_path / "store"), models=[], judges=[]) as service:
        server = Server(service, port=0, request_seconds=0.01)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        assert server.ready.wait(60)

        def send(data):
            with socket.create_connection(("127.0.0.1", server.address.door.port), timeout=60) as connection:
                connection.sendall(data.replace(b"HOST", f"127.0.0.1:{server.address.door.port}".encode()))
                received = b""
                while part := connection.recv(65_536):
                    received += part
                return received

        try:
            yield send
        finally:
            server.stop()
            thread.join(60)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: HOST\r\nX-Slow: a",
        b"POST /api/judge HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\nhalf",
    ],
)
def test_an_unfinished_request_is_closed(connect, data):
    received = connect(data)
    assert received == b"" or received.startswith(b"HTTP/1.1 4")


def test_a_whole_request_is_answered(connect):
    received = connect(b"GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 401")
