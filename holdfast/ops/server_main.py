"""The process of an app's query server: it ends with the app, whose figures it gets line by line.

Standard input has one JSON document per line, first what to serve, then how the app is. Standard output has the
answers: where it serves or why it cannot, whether the replica is complete, and what it logs. What routes print goes to
standard error.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

import orjson

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.dsl.loader import load_app
from holdfast.errors import HoldfastError
from holdfast.ops.broker import password_of
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.stores.backend import Stores

_REPORT_TIMEOUT = 15.0


class AppReport:
    """The report of the app's process on the app."""

    def __init__(self) -> None:
        self._problem: str | None = None
        self._document: Document = {}
        self._heard = time.monotonic()

    def update(self, said: Document) -> None:
        """Take what it says now."""
        self._problem, self._document, self._heard = said["problem"], said["document"], time.monotonic()

    def problem(self) -> str | None:
        """Why the app does not move, or None."""
        silence = time.monotonic() - self._heard
        return f"the app's process has said nothing for {silence:.0f} s" if silence > _REPORT_TIMEOUT else self._problem

    def document(self) -> Document:
        """Everything that the app measures."""
        return {**self._document, "up": self.problem() is None}


class Answers(logging.Handler):
    """Lines to the process of the app."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._file = os.fdopen(os.dup(1), "wb", buffering=0)
        self._writing = threading.Lock()
        os.dup2(2, 1)

    def send(self, **fields: object) -> None:
        """Say something; nobody listens any more when the app's process is gone."""
        with self._writing, contextlib.suppress(OSError):
            self._file.write(orjson.dumps(fields) + b"\n")

    def emit(self, record: logging.LogRecord) -> None:
        """Say what was logged, with the traceback if there is one."""
        self.send(logger=record.name, level=record.levelno, message=self.format(record))


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the app, which ends this process in turn
    answers = Answers()
    logging.getLogger().addHandler(logging.NullHandler())
    logging.getLogger("holdfast").addHandler(answers)
    wanted = orjson.loads(sys.stdin.buffer.readline())
    try:
        app = _load(wanted["app"])
        directory = Path(wanted["state_dir"])
        kafka = {**password_of(wanted["brokers"], directory), **app.settings.kafka_client()}
        stores = Stores(app.name, wanted["brokers"], directory, kafka)
        try:
            _serve(app, stores, wanted, answers)
        finally:
            stores.stop()
    except HoldfastError as problem:
        answers.send(failed=str(problem))
        sys.exit(1)


def _load(where: str) -> App:
    """The app; what its file prints was printed by the process of the app already."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        return load_app(where)


def _serve(app: App, stores: Stores, wanted: Document, answers: Answers) -> None:
    fields = wanted["access"]
    paths = {name: Path(fields[name]) if fields[name] else None for name in ("certificate", "key", "rights")}
    access = Access(
        fields["token"], public=fields["public"], hosts=tuple(fields["hosts"]), sql=fields["sql"],
        produce=fields["produce"], **paths,
    )  # fmt: skip
    where = {name: wanted[name] for name in ("host", "port", "health_port")}
    with Server(app, stores, access=access, **where) as server:
        answers.send(url=server.url)
        report = AppReport()
        for line in sys.stdin.buffer:
            said = orjson.loads(line)
            if said is not None:
                report.update(said)
                server.watch(report)
            answers.send(ready=stores.status().ready)


if __name__ == "__main__":
    main()
