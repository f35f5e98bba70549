"""What a run costs: memory and CPU of its processes, and what others took meanwhile."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Samples the tree of processes under `pid` until stopped."""

    def __init__(self, pid: int, beside: list[int]) -> None:
        self._pid = pid
        self._beside = beside
        self._cpu: dict[int, float] = {}
        self._stop = threading.Event()
        self.peak = 0
        self._start = (time.monotonic(), _machine(), {p: _cpu(p) for p in beside})
        self._watching = time.process_time()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.3):
            tree = _tree(self._pid)
            self.peak = max(self.peak, sum(_memory(p) for p in tree))
            for p in tree:
                self._cpu[p] = max(self._cpu.get(p, 0), _cpu(p))

    def stop(self) -> dict[str, float]:
        """Give peak memory in MB, CPU seconds, and the share of the machine that others had."""
        self._stop.set()
        self._thread.join()
        began, machine, beside = self._start
        own = sum(self._cpu.values())
        broker = sum(_cpu(p) - beside[p] for p in self._beside)
        seconds = time.monotonic() - began
        busy, steal = (now - then for now, then in zip(_machine(), machine, strict=True))
        watching = time.process_time() - self._watching
        others = max(0.0, busy - own - broker - watching) + steal
        cores = len(os.sched_getaffinity(0))
        return {
            "peak_mb": round(self.peak / 2**20), "cpu_s": round(own, 1), "broker_cpu_s": round(broker, 1),
            "others": round(others / (seconds * cores), 3),
        }  # fmt: skip


def _machine() -> tuple[float, float]:
    user, nice, system, _, _, irq, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft) / _TICK, steal / _TICK


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK
    except OSError:
        return 0.0


def _memory(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def by_program(pid: int) -> dict[str, float]:
    """The CPU seconds of a process and all below it, by the name of the program."""
    used: dict[str, float] = {}
    for each in _tree(pid):
        try:
            program = Path(f"/proc/{each}/comm").read_text().strip()
        except OSError:
            continue
        used[program] = used.get(program, 0.0) + _cpu(each)
    return used
