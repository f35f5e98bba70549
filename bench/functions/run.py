"""One peer on one workload."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench import run
from bench.functions import data
from bench.functions.peers import PEERS, environment, python_of
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

_LONGEST, _QUIET = 900, 6
Progress = list[tuple[float, int]]


@dataclass
class Result(run.Result):
    """Of how many records, and what else the peer printed."""

    records: int
    note: str


def steady_rate(progress: Progress, count: int, progress_from: str) -> float:
    """The rate over the second half; of batches from the last end in the first half, without a small one at the end.

    >>> steady_rate([(0.0, 100), (1.0, 250), (2.0, 500), (3.0, 510)], 510, "batches")
    250.0
    """
    points = progress
    if progress_from == "batches":
        sizes = [now[1] - before[1] for before, now in itertools.pairwise([(0.0, 0), *points])]
        points = points[:-1] if len(points) > 2 and sizes[-1] < max(sizes) / 5 else points
        begin = max([points[0], *(point for point in points[:-1] if point[1] <= count / 2)])
    else:
        begin = next(point for point in points if point[1] >= count / 2)
    (start, first), (stop, last) = begin, points[-1]
    return (last - first) / (stop - start) if stop > start else 0.0


def end_all(process: subprocess.Popen[bytes]) -> None:
    """Stop a peer and whatever it started: some leave that behind."""
    run.end(process)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Bench:
    """A broker with the topics that the peers read."""

    def __init__(self, topics: Topics, broker: Broker, home: Path) -> None:
        self._topics = topics
        self._broker = broker
        self._home = home
        self._inputs: dict[int, tuple[str, data.Expected]] = {}

    def run(self, name: str, workload: str, count: int) -> Result:
        """Start the peer, wait until it has processed everything, stop it and check its results."""
        peer = PEERS[name]
        python, (topic, expected) = python_of(name, peer), self._input(count)
        out = f"functions-{name}-{workload}-{int(time.time())}"
        folder = self._home / out
        folder.mkdir()
        self._topics.create(TopicSpec(out, 4, config={"message.timestamp.type": "LogAppendTime"}))
        own = {"RUN": f"{out}-app", "IN": topic, "OUT": out, "W": workload, "DIR": str(folder / "state")}
        own |= {"BROKERS": self._topics.brokers, **environment(name, peer, count)}
        log, state, began = folder / "log", self._broker.running(), time.time()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                peer.command(python), env={**os.environ, **own}, stdout=sink, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        watch = Watch(process.pid, [state.process.pid] if state else [])
        try:
            progress = self._follow(peer.progress_from, process, log, out, count)
        finally:
            cost = watch.stop()
            end_all(process)
        hits, keys = data.right(workload, expected, data.results(self._topics, out))
        cold, steady = progress[-1][1] / (progress[-1][0] - began), steady_rate(progress, count, peer.progress_from)
        notes = [line[5:] for line in log.read_text(errors="replace").splitlines() if line.startswith("NOTE ")]
        result = Result(
            name, workload, cold, steady, hits, keys, **cost, records=count, note=notes[-1] if notes else ""
        )
        print(f"{workload} {name}: steady {steady:,.0f}/s cold {cold:,.0f}/s {hits}/{keys}", flush=True)
        self._topics.delete([out])
        return result

    def _input(self, count: int) -> tuple[str, data.Expected]:
        if count not in self._inputs:
            print(f"writing {count:,} events", flush=True)
            self._inputs[count] = data.produce(self._topics, count), data.Expected.of(count)
        return self._inputs[count]

    def _follow(
        self, progress_from: str, process: subprocess.Popen[bytes], log: Path, out: str, count: int
    ) -> Progress:
        """Wait until all records are processed, as the peer says, or as its results show once it has been quiet."""
        size, since = 0, time.monotonic()
        deadline = since + _LONGEST
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise RuntimeError(f"it ended by itself:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.5)
            if progress_from == "batches":
                progress = run.progress_of(log)
            else:
                now = self._topics.size(out)
                if now != size or not size or time.monotonic() - since < _QUIET:
                    size, since = now, time.monotonic() if now != size else since
                    continue
                progress, since = self._written(out), time.monotonic()
            if progress and progress[-1][1] >= count:
                return progress
        raise RuntimeError(f"it did not finish in {_LONGEST} s:\n{log.read_text(errors='replace')[-3000:]}")

    def _written(self, out: str) -> Progress:
        """How many records the results came from that had been written at a time, by the broker's clock."""
        last: dict[int, int] = {}
        total, points = 0, []
        for record in sorted(self._topics.read(out), key=lambda each: each.timestamp or 0):
            key, counted = data.counted(record.value)
            total += counted - last.get(key, 0) if key is not None else counted
            last[key or 0] = counted
            points.append(((record.timestamp or 0) / 1000, total))
        return points
