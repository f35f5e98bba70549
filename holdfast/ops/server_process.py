"""Starts the query server of an app in a process of its own, so that a failure of the server does not harm the app."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import IO, Protocol
from urllib.parse import urlsplit

import orjson

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.server.access import Access

_EVERY = 1.0
_GRACE = 15.0
_BACKOFF = (1.0, 30.0)

log = logging.getLogger("holdfast.server")


class Watched(Protocol):
    """An app that runs in this process."""

    def problem(self) -> str | None:
        """Why it does not move, or None."""

    def document(self) -> Document:
        """Everything that it measures."""


class ServerProcess:
    """Starts the process, reports to it how the app is, and starts it again if it ends before the app."""

    def __init__(
        self, app: str, brokers: str, state_dir: str, host: str, port: int, health_port: int | None, access: Access
    ) -> None:
        where = {"host": host, "port": port, "health_port": health_port}
        self._wanted: Document = {
            "app": app, "brokers": brokers, "state_dir": state_dir, **where, "access": asdict(access),
        }  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: Watched | None = None
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self.url = ""
        self.ready = False

    def start(self) -> ServerProcess:
        """Start to serve; a failure of the start is raised."""
        self._spawn()
        for work in (self._report, self._listen):
            thread = threading.Thread(target=work, name="holdfast-server-process", daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def watch(self, app: Watched | None) -> None:
        """Show the app in /health and in /metrics."""
        self._watched = app

    def stop(self) -> None:
        """Let it finish the requests in hand, and end it."""
        self._stopping.set()
        if self._process is None:
            return
        reporting, listening = self._threads
        reporting.join(_EVERY * 2)
        if reporting.is_alive():  # it does not read the reports
            self._process.kill()
        _end(self._process)
        listening.join()
        _end(self._process)  # another one, if it was just being started again

    def _spawn(self) -> None:
        """Start the process and wait until it serves."""
        command = [sys.executable, "-P", "-m", "holdfast.ops.server_main"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env)
        with contextlib.suppress(OSError):
            _pipe(process.stdin).write(orjson.dumps(self._wanted, default=str) + b"\n")
        while said := _answer(process):
            if "url" in said:
                self._process, self.url = process, said["url"]
                # Started again it answers where it did, also if any free port would have done.
                self._wanted["port"] = urlsplit(self.url).port
                return
            self._take(said)
            if "failed" in said:
                process.wait()
                raise HoldfastError(said["failed"])
        raise HoldfastError(f"the query server's process ended with status {process.wait()} before it served anything")

    def _report(self) -> None:
        """Say every second how the app is."""
        while not self._stopping.wait(_EVERY):
            watched = self._watched
            said = None if watched is None else {"problem": watched.problem(), "document": watched.document()}
            with contextlib.suppress(OSError, ValueError):  # it has ended, and is being started again
                assert self._process is not None
                _pipe(self._process.stdin).write(orjson.dumps(said, option=orjson.OPT_NON_STR_KEYS) + b"\n")

    def _listen(self) -> None:
        """Take what it says; when it ends, start it again."""
        pause = _BACKOFF[0]
        while not self._stopping.is_set():
            assert self._process is not None
            while said := _answer(self._process):
                self._take(said)
                pause = _BACKOFF[0] if self.ready else pause
            if self._stopping.is_set():
                return
            self.ready = False
            log.warning(
                "the query server's process has ended with status %s; it is started again", self._process.wait()
            )
            while not self._stopping.wait(pause):
                pause = min(pause * 2, _BACKOFF[1])
                try:
                    self._spawn()
                    break
                except HoldfastError as problem:
                    log.warning("the query server cannot be started again: %s", problem)

    def _take(self, said: Document) -> None:
        if "ready" in said:
            self.ready = said["ready"]
        elif "message" in said:
            logging.getLogger(said["logger"]).log(said["level"], "%s", said["message"])


def _answer(process: subprocess.Popen[bytes]) -> Document | None:
    """The next line of its standard output, None at the end."""
    line = _pipe(process.stdout).readline()
    found: Document | None = orjson.loads(line) if line.endswith(b"\n") else None
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close its standard input, which ends it; kill it if it does not."""
    with contextlib.suppress(OSError):
        _pipe(process.stdin).close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
