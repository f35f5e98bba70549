"""The server of the server's tests, to be fuzzed."""

from tests.server.conftest import published, served

__all__ = ["published", "served"]
