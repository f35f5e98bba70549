"""One peer on one workload."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.events import Expected
from bench.results import final, right
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

_LONGEST = 600
_SETTLED = 12


@dataclass
class Result:
    """Rates in records per second: from the start of the process, and over the second half."""

    peer: str
    workload: str
    cold: float
    steady: float
    right: int
    keys: int
    peak_mb: float
    cpu_s: float
    broker_cpu_s: float
    others: float


def run(peer: str, workload: str, topics: Topics, expected: Expected, count: int, home: Path, broker: Broker) -> Result:
    """Start the peer, wait until it has processed everything, stop it and check its results."""
    name = f"bench-{peer}-{workload}-{int(time.time())}"
    folder = home / name
    folder.mkdir()
    topics.create(TopicSpec(name, 4, config={"message.timestamp.type": "LogAppendTime"}))
    own = {"RUN": f"{name}-app", "IN": "score-events", "OUT": name, "W": workload, "DIR": str(folder / "state")}
    log = folder / "log"
    state = broker.running()
    beside = [state.process.pid] if state else []
    began = time.time()
    with log.open("wb") as sink:
        process = subprocess.Popen(
            peers.COMMANDS[peer].command(home), env={**os.environ, **own, "BROKERS": topics.brokers},
            stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    watch = Watch(process.pid, beside)
    try:
        progress = _follow(peer, process, log, topics, name, count)
    finally:
        cost = watch.stop()
        end(process)
    if peers.COMMANDS[peer].commits_at_end:
        time.sleep(2)
    found, from_output = final(topics, name)
    progress = progress or from_output
    hits, keys = right(workload, expected, found)
    cold, steady = rates(began, progress, 0 if peers.COMMANDS[peer].queues else count / 2)
    result = Result(peer, workload, cold, steady, hits, keys, **cost)
    print(f"{workload} {peer}: steady {result.steady:,.0f}/s cold {result.cold:,.0f}/s {hits}/{keys}", flush=True)
    topics.delete([name])
    return result


def _follow(
    peer: str, process: subprocess.Popen[bytes], log: Path, topics: Topics, out: str, count: int
) -> list[tuple[float, int]]:
    """Wait for the end of the input: by the peer's own progress, or when its output has been quiet for a while."""
    deadline = time.monotonic() + _LONGEST
    size, quiet = 0, time.monotonic()
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{peer} ended by itself:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.1 if peers.COMMANDS[peer].has_progress else 1.0)
        progress = progress_of(log)
        if peers.COMMANDS[peer].has_progress:
            # A peer that progress_from of every 20,000th record is done when no further one can come.
            if progress and progress[-1][1] >= count - count % 20_000 * peers.COMMANDS[peer].steps:
                return progress
            continue
        now = topics.size(out)
        if now != size:
            size, quiet = now, time.monotonic()
        if size and time.monotonic() - quiet > _SETTLED:
            return []
    raise RuntimeError(f"{peer} did not finish in {_LONGEST} s:\n{log.read_text(errors='replace')[-3000:]}")


def progress_of(log: Path) -> list[tuple[float, int]]:
    """What the peer said of its progress: time and records."""
    lines = (line.split() for line in log.read_text(errors="replace").splitlines() if line.startswith("PROGRESS "))
    return [(float(line[1]), int(line[2])) for line in lines if len(line) == 3]


def rates(began: float, progress: list[tuple[float, int]], warm: float) -> tuple[float, float]:
    """Records per second from the start of the process, and from the moment that `warm` records were done."""
    last, done = progress[-1]
    half, at_half = next(point for point in progress if point[1] >= warm)
    cold = done / (last - began)
    return cold, (done - at_half) / (last - half) if last > half else 0.0


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a peer."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
