"""What every test runs under: no network but loopback."""

import pytest
from pytest_socket import disable_socket, socket_allow_hosts


@pytest.fixture(autouse=True)
def _only_loopback():
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
    yield
    disable_socket(allow_unix_socket=True)
