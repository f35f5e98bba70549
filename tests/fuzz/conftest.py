"""The server of the server's tests, to be fuzzed, and a broker with Kafka's own limits."""

from collections.abc import Iterator

import pytest

from holdfast.ops.broker import Broker
from tests.ports import lasting_port
from tests.server.conftest import published, served

__all__ = ["broker", "published", "served"]


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker that refuses what Kafka refuses by default; the one of the other tests takes any time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
        local = Broker(tmp_path_factory.mktemp("broker"), port=lasting_port()).start()
    yield local
    local.stop()
