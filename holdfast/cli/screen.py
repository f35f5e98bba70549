"""What a running app shows: a live display on a terminal, log lines elsewhere; and how it is stopped."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from rich.console import Console
from rich.live import Live
from rich.text import Text

from holdfast.cli.hints import Hints
from holdfast.cli.live_view import LiveView
from holdfast.cli.log_lines import object_line, text_line
from holdfast.cli.output import readable
from holdfast.cli.progress_line import ProgressLine
from holdfast.ops.host import Host
from holdfast.ops.memory import memory_of_tree
from holdfast.runtime.progress import Progress

_LOOK = "250 ms"
_LOG_EVERY = 5.0
LOGGER = "holdfast.cli"


class EverySecond:
    """Asks at most once a second for what changes slowly."""

    def __init__(self, ask: Callable[[], int | None]) -> None:
        self._ask = ask
        self._asked = -1.0
        self._answer: int | None = None

    def __call__(self) -> int | None:
        if time.monotonic() - self._asked >= 1:
            self._asked, self._answer = time.monotonic(), self._ask()
        return self._answer


class Stop:
    """Ctrl-C and SIGTERM: the first finishes the epoch, the second ends the process at once."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def __enter__(self) -> Stop:
        self._before = {each: signal.signal(each, self._heard) for each in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _heard(self, *_: object) -> None:
        if self.asked.is_set():
            # The JVM and the broker end when this process does.
            os._exit(0)
        self.asked.set()
        raise Stopped


class Stopped(BaseException):
    """Somebody asked to stop; leaves every `with` on its way."""


class Screen:
    """Messages and progress for a terminal, or as log lines."""

    def __init__(self, stop: Stop, machine: bool) -> None:
        self._stop = stop
        self._machine = machine
        self._console = Console(stderr=True)
        self._progress_line = ProgressLine()
        self._logged: tuple[float, int | None] = (0.0, None)

    def say(self, text: str, /, **fields: object) -> None:
        """Show a message; the fields are for those who read JSON."""
        self.log(text, fields)

    def log(self, text: str, fields: Mapping[str, object], level: int = logging.INFO, logger: str = LOGGER) -> None:
        """Show what was logged somewhere."""
        if self._console.is_terminal and not self._machine:
            self._console.print(Text(readable(text, lines=True), style="dim"), highlight=False, soft_wrap=True)
        else:
            self._write(text, fields, level, logger)

    def _write(self, text: str, fields: Mapping[str, object], level: int = logging.INFO, logger: str = LOGGER) -> None:
        said = time.time(), level, logger, text
        print(object_line(*said, fields) if self._machine else text_line(*said), file=sys.stderr, flush=True)

    def follow(self, host: Host, ready: Callable[[Host], str] | None = None) -> None:
        """Run the host and show its progress until it ends or is stopped; and what `ready` says when it answers."""
        try:
            with host:
                self._watch(host, ready)
        except Stopped:
            pass
        if self._stop.asked.is_set():
            self.say("stopped")

    def _watch(self, host: Host, ready: Callable[[Host], str] | None) -> None:
        assert host.running is not None
        try:
            with self._line() as show:
                hints = Hints(host.app, host.brokers)
                while not host.look(_LOOK):
                    progress = host.running.progress()
                    if ready and progress["epoch"] is not None and host.ready:
                        self.say(ready(host))
                        ready = None
                    for hint in hints.new(progress):
                        self.say(hint)
                    show(progress, host.running.busy)
        except Stopped:
            self.say("finishing the epoch (Ctrl-C again stops at once)")

    @contextlib.contextmanager
    def _line(self) -> Iterator[Callable[[Progress, bool], None]]:
        if not self._console.is_terminal or self._machine:
            yield self._log_progress
            return
        view, memory = LiveView(), EverySecond(memory_of_tree)
        with Live(view, console=self._console, refresh_per_second=4, transient=True):
            yield lambda progress, busy: view.update(progress, busy, memory())

    def _log_progress(self, progress: Progress, busy: bool) -> None:
        line = self._progress_line.text(progress, busy)
        last, epoch = self._logged
        if progress["epoch"] != epoch and time.monotonic() - last >= _LOG_EVERY:
            self._logged = (time.monotonic(), progress["epoch"])
            self._write("progress" if self._machine else line, progress)


@contextlib.contextmanager
def watch(machine: bool = False) -> Iterator[Screen]:
    """Give a screen; signals are ours until the end."""
    with Stop() as stop:
        screen = Screen(stop, machine)
        _hear(screen)
        with contextlib.suppress(Stopped):
            yield screen


def _hear(screen: Screen) -> None:
    """Show our own warnings; what libraries log (py4j: every error that it also raises) is not for the user."""
    logging.getLogger().addHandler(logging.NullHandler())
    shown = _Shown(screen)
    shown.setLevel(logging.WARNING)
    logging.getLogger("holdfast").addHandler(shown)


class _Shown(logging.Handler):
    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        """Say it on the screen."""
        self._screen.log(record.getMessage(), {}, record.levelno, record.name)
