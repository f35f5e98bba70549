"""Clients of the server that the server's tests have."""

import socket

import pytest

import holdfast as hf
from tests.server.conftest import published, served  # noqa: F401  (fixtures)


@pytest.fixture
def client(served):  # noqa: F811
    with hf.connect(served.url) as client:
        yield client


@pytest.fixture
def unused_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
