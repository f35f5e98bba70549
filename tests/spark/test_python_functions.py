"""Functions in Python on Spark and Kafka: in processes of their own, with the classes of the program."""

import json
import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import holdfast as hf
from holdfast.spark import kernel
from holdfast.topics.records import Record, TopicSpec


@dataclass
class Order:
    id: int
    tags: list[str]
    price: float | None = None


@dataclass
class Priced:
    id: int
    total: float


def priced(order: Order) -> Priced:
    assert isinstance(order, Order)
    if order.price is None:
        raise ValueError("no price")
    return Priced(order.id, order.price * len(order.tags))


def test_functions_run_in_workers(topics, suffix, run):
    source, count = f"orders{suffix}", 500
    topics.create(TopicSpec(source, 4))
    topics.produce(
        Record(source, str(n).encode(), json.dumps({"id": n, "tags": ["a"] * (n % 3), "price": n or None}).encode())
        for n in range(count)
    )
    app = hf.App(f"functions{suffix}", tasks=4)
    orders = app.stream(source, Order, key=str)
    orders.map_values(hf.python(priced, returns=Priced)).to(f"priced{suffix}")
    parity = hf.python(lambda order: "odd" if order.id % 2 else "even", returns=str)
    counts = orders.group_by(parity).count(store="parity")
    counts.to_stream().map_values(hf.python(lambda k, n: f"{k}: {n}", returns=str)).to(f"said{suffix}")
    running = run(app, mode="drain")
    assert running.wait("3 minutes")
    spent = running.progress()["python_seconds"]
    assert {*spent} == {"arrow", "call", "python read", "python call", "python write"}
    assert spent["call"] > spent["python read"] + spent["python call"] + spent["python write"] > 0

    results = {json.loads(r.value)["id"]: json.loads(r.value)["total"] for r in topics.read(f"priced{suffix}")}
    assert results == {n: float(n * (n % 3)) for n in range(1, count)}
    [dead] = topics.read(f"functions{suffix}-dead-letters")
    assert "ValueError: no price" in dict(dead.headers)["hf-reason"].decode()
    assert json.loads(dead.value)["id"] == 0
    assert {r.value.decode() for r in topics.read(f"said{suffix}")} >= {"even: 250", "odd: 250"}


def chatty(text: str) -> str:
    print(f"printed {text}")
    print("to standard error", file=sys.stderr)
    logging.getLogger("shop").error("logged %s", text)
    os.write(1, b"written past Python\n")
    return text


def test_what_they_print_and_log_is_in_the_log_with_their_name(topics, suffix, run):
    source = f"words{suffix}"
    topics.create(TopicSpec(source, 1))
    topics.produce([Record(source, b"k", b"7")])
    app = hf.App(f"chatty{suffix}")
    app.stream(source, str, key=str).map_values(hf.python(chatty, returns=str)).to(f"heard{suffix}")
    running = run(app, mode="drain")
    assert running.wait("3 minutes")
    configuration = kernel.gateway().jvm.java.lang.System.getProperty("log4j2.configurationFile")
    log = Path(str(configuration).removesuffix(".log4j2.properties") + ".log")
    line = chatty.__code__.co_firstlineno
    written = [each[25:] for each in log.read_text().splitlines() if " holdfast.python: chatty (" in each]
    prefix = f"holdfast.python: chatty ({Path(__file__).name}:{line}): "
    assert sorted(each.replace(prefix, "") for each in written) == [
        "ERROR shop: logged 7",
        "INFO  printed 7",
        "WARN  to standard error",
        "WARN  written past Python",
    ]
