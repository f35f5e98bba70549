"""Ports for what is killed and started again while other tests run beside it."""

import random

from holdfast.ops.ports import is_free

# Below the ports from which a system takes one for every outgoing connection; 9092 is what every local broker wants.
LASTING = range(15_000, 32_000)


def lasting_port() -> int:
    """A free port that nobody takes meanwhile, also when nobody listens on it for some time."""
    return next(port for port in random.sample(LASTING, len(LASTING)) if is_free(port))
