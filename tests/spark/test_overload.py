"""A producer that is far faster than the app: batches stay small, the lag is reported, nothing is missing."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.topics.records import Record
from tests.eventually import eventually

SHORT, AT_ONCE = 20_000, 2_000
LONG = int(os.environ.get("OVERLOAD_RECORDS", "0"))
HEAP_MB, STATE_MB = 512, 64
# What a JVM with Spark, RocksDB and Kafka's clients takes beside its heap: code, classes, stacks, buffers.
OTHER_MB = 900
VALUE = b'{"n": %d, "padding": "' + b"x" * 1_950 + b'"}'


def records(topic, count, value=b'{"n": %d}'):
    return (Record(topic, b"%d" % (n % 1000), value % n, timestamp=1_000 + n) for n in range(count))


def test_batches_stay_small_and_the_lag_is_told(topics, run, stores, new_topic, suffix):
    source = new_topic("overload", partitions=2)
    app = hf.App(f"overload{suffix}", tasks=4, max_records=AT_ONCE, trigger="10 ms")
    app.stream(source, "n BIGINT NOT NULL", key=str).group_by_key().agg(
        n=F.count("*"), total=F.sum("n"), store="totals"
    )
    running = run(app)
    meter = running.meter()
    try:
        topics.produce(records(source, SHORT))
        eventually(lambda: meter.document()["lag"].get(source, 0), lambda lag: lag > AT_ONCE, seconds=180)
        assert running.progress()["topics"][source]["lag"] > 0
        eventually(lambda: meter.document()["records"].get(source), lambda taken: taken == SHORT, seconds=180)
        eventually(lambda: meter.document()["lag"][source], lambda lag: lag == 0, seconds=180)
        assert max(report["numInputRows"] for report in running._query.reports(-1)) <= AT_ONCE
    finally:
        meter.stop()
    found = stores(app)["totals"]
    assert sum(each["n"] for each in found.values()) == SHORT
    assert sum(each["total"] for each in found.values()) == sum(range(SHORT))


PROGRAM = """
import json, re, sys, time
from dataclasses import replace
from pathlib import Path
import holdfast as hf
from holdfast import functions as F
from holdfast.runtime import start
from holdfast.spark import kernel

name, source, brokers, home, heap, state = sys.argv[1:]
app = hf.App(name, state_memory=state, trigger="10 ms", spark={"spark.driver.memory": heap})
app.stream(source, "n BIGINT NOT NULL", key=str).group_by_key().agg(n=F.count("*"), total=F.sum("n"), store="totals")
app.settings = replace(app.settings, state_dir=Path(home))
running = start(app, brokers=brokers)
meter = running.meter()
while running.active:
    time.sleep(0.5)
    seen = meter.document()
    status = Path(f"/proc/{kernel.gateway().proc.pid}/status").read_text()
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024
    report = {"records": seen["records"].get(source, 0), "lag": seen["lag"].get(source, 0), "peak": peak}
    print(json.dumps(report), flush=True)
"""


@pytest.mark.skipif(
    LONG == 0, reason="OVERLOAD_RECORDS says how many records of 2 KB; the test above is the short form"
)
@pytest.mark.timeout(1200)
def test_memory_stays_within_its_settings(topics, stores, new_topic, suffix, tmp_path):
    source, name = new_topic("flood", partitions=4), f"flood{suffix}"
    program, log = tmp_path / "program.py", tmp_path / "log"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), name, source, topics.brokers, str(tmp_path / "state")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    producer = threading.Thread(target=lambda: topics.produce(records(source, LONG, VALUE)))
    with log.open("w") as sink:
        limits = [f"{HEAP_MB}m", f"{STATE_MB}MB"]
        process = subprocess.Popen([*command, *limits], stdout=sink, stderr=subprocess.STDOUT, env=environment)
    try:
        producer.start()
        eventually(lambda: ended(log) or process.poll() is not None, seconds=1000)
        producer.join()
        eventually(lambda: ended(log, LONG) or process.poll() is not None, seconds=1000)
    finally:
        process.terminate()
        process.wait()
    reports = lines(log)
    assert reports, log.read_text()[-3000:]
    assert reports[-1]["records"] == LONG
    assert max(each["lag"] for each in reports) > LONG // 20
    assert reports[-1]["peak"] < HEAP_MB + STATE_MB + OTHER_MB
    print(
        f"{LONG:,} records of 2 KB: peak {reports[-1]['peak']} MB, largest lag {max(each['lag'] for each in reports):,}"
    )
    found = stores(hf.App(name))["totals"]
    assert sum(each["total"] for each in found.values()) == sum(range(LONG))


def lines(log: Path) -> list[dict[str, int]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{") and line.endswith("}")]


def ended(log: Path, count: int = 1) -> bool:
    reports = lines(log)
    return bool(reports) and reports[-1]["records"] >= count
