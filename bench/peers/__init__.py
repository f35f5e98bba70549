"""How each peer is started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from holdfast.spark import jars
from holdfast.spark.java import find_java, find_javac

HERE = Path(__file__).parent
PATHWAY = "pathway==0.33.0"
LOGGING = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"


@dataclass(frozen=True)
class Peer:
    """A peer: its command, what it can do, and how one knows how far it is (`steps`: it progress_from of every 20,000th record)."""

    command: Callable[[Path], list[str]]
    workloads: tuple[str, ...] = ("w1", "w2", "w3")
    has_progress: bool = True
    commits_at_end: bool = False
    steps: int = 0
    # Its second half is the draining of a queue between its own parts: the whole run counts, from the first record.
    queues: bool = False


def _python(module: str) -> Callable[[Path], list[str]]:
    return lambda home: [sys.executable, "-m", f"bench.peers.{module}"]


def _kafka_streams(home: Path) -> list[str]:
    classes = home / "kafka-streams"
    jars.ensure(["oracle"])
    path = ":".join(map(str, jars.paths("oracle")))
    if not classes.exists():
        compiled = [str(find_javac()), "-cp", path, "-d", str(classes), str(HERE / "KafkaStreamsPeer.java")]
        subprocess.run(compiled, check=True)
    return [str(find_java().path), "-Xmx3g", LOGGING, "-cp", f"{path}:{classes}", "KafkaStreamsPeer"]


def _pathway(home: Path) -> list[str]:
    """Pathway in an environment of its own: its dependencies are not ours."""
    venv = HERE.parent / ".venv-pathway"
    if not (venv / "done").exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--allow-existing", str(venv)], check=True)
        subprocess.run([*uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python"), PATHWAY], check=True)
        (venv / "done").touch()
    return [str(venv / "bin/python"), str(HERE / "pathway_peer.py")]


COMMANDS = {
    "ours": Peer(_python("ours")),
    "spark": Peer(_python("plain_spark")),
    "kafka-streams": Peer(_kafka_streams, commits_at_end=True, steps=1, queues=True),
    "pathway": Peer(_pathway, workloads=("w1", "w3"), has_progress=False),
}
