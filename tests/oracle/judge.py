"""Kafka Streams as judge: a Java program that runs our topologies on its `TopologyTestDriver`."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

from holdfast.spark import jars
from holdfast.spark.java import find_java, find_javac

SOURCES = Path(__file__).with_name("judge")
DECIMAL = "$decimal"  # Numbers of JSON would be doubles.


class Judge:
    """One JVM for as many cases as come."""

    def __init__(self, work: Path) -> None:
        class_path = os.pathsep.join(map(str, jars.paths("oracle")))
        classes = work / "classes"
        sources = sorted(map(str, SOURCES.glob("*.java")))
        subprocess.run(
            [find_javac(), "--release", "17", "-nowarn", "-cp", class_path, "-d", classes, *sources], check=True
        )
        self._process = subprocess.Popen(
            [
                find_java().path,
                "-XX:+UseSerialGC",
                "-Xmx512m",
                f"-Djava.io.tmpdir={work}",
                "-cp",
                f"{classes}{os.pathsep}{class_path}",
                "io.holdfast.judge.Judge",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(
        self, topology: dict[str, Any], records: list[dict[str, Any]], *, literally: bool = False
    ) -> dict[str, Any]:
        """Outputs per topic, the stores, and how many records were dropped, as Kafka Streams has them."""
        return self._ask({"topology": topology, "records": records, "literally": literally})

    def methods(self) -> dict[str, list[str]]:
        """The public methods of the DSL, by interface."""
        return self._ask({"methods": True})

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question, default=lambda decimal: {DECIMAL: str(decimal)}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the judge ended"
        answer: dict[str, Any] = json.loads(line, object_hook=_decimal)
        assert "error" not in answer, answer["error"]
        return answer

    def close(self) -> None:
        """End the JVM: its input ends."""
        self._process.communicate()


def _decimal(fields: dict[str, Any]) -> Any:
    return Decimal(fields[DECIMAL]) if DECIMAL in fields else fields
