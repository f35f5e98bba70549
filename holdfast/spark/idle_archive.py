"""Makes a missing class archive while an app is idle: beside an app that works it would take processors from it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable

from holdfast.spark import archive

_LOOK = 1.0
_IDLE_SECONDS = 10.0
_TRIES = 5

_missing = threading.Event()


def want() -> None:
    """Remember that a JVM of this process has started without an archive that it could have had."""
    _missing.set()


class IdleTraining:
    """Starts the training when the app was not busy for some time, and ends it when the app is busy again."""

    def __init__(
        self, busy: Callable[[], bool], train: Callable[[], subprocess.Popen[bytes]] = archive.start_training,
        look: float = _LOOK, idle: float = _IDLE_SECONDS,
    ) -> None:  # fmt: skip
        self._busy = busy
        self._train = train
        self._look = look
        self._idle = idle
        self._stopping = threading.Event()

    def start(self) -> IdleTraining:
        """Begin to look, in a thread, if there is an archive to be made."""
        if _missing.is_set():
            threading.Thread(target=self._run, name="holdfast-archive", daemon=True).start()
        return self

    def stop(self) -> None:
        """Look no more; a training that runs ends."""
        self._stopping.set()

    def _run(self) -> None:
        for _ in range(_TRIES):
            if not self._wait_until_idle():
                return
            process = self._train()
            try:
                if self._wait_for(process):
                    _missing.clear()
                    return
            finally:
                archive.stop_training(process)

    def _wait_until_idle(self) -> bool:
        """Whether it came to that before the app ended."""
        idle = 0.0
        while idle < self._idle:
            if self._stopping.wait(self._look):
                return False
            idle = 0.0 if self._busy() else idle + self._look
        return True

    def _wait_for(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether it has ended by itself; false when the app is busy again, or ends."""
        while process.poll() is None:
            if self._stopping.wait(self._look) or self._busy():
                return False
        return True
