"""Choosing a port that nobody listens on."""

import socket


def is_free(port: int) -> bool:
    """Whether a server could listen on the port here."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a connection that is still fading away does not take the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def choose_port(preferred: int | None = None, avoid: frozenset[int] | set[int] = frozenset()) -> int:
    """Give `preferred` when it is free, else any free port."""
    if preferred is not None and preferred not in avoid and is_free(preferred):
        return preferred
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port not in avoid:
            return port
