"""What strikes does strike: files that were not synced are lost and others are not, and a slow broker is slow."""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdfast.ops.ports import choose_port
from tests.faults.bank.copies import Copies
from tests.faults.bank.disk import NotPossible
from tests.faults.bank.power import Power
from tests.faults.bank.proxy import Proxy

WRITES = """
import os, sys
from pathlib import Path

def synced(path):
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)

app = Path(sys.argv[1])
for name in ("whole", "nameless"):
    folder = app / name
    folder.mkdir()
    draft = folder / "draft"
    draft.write_text("0123456789")
    synced(draft)
    draft.rename(folder / "file")
    if name == "whole":
        synced(folder)
synced(app)
(app / "whole" / "loose").write_text("0123456789")
(app / "old").write_text("new")
"""


def after_power_loss(tmp_path: Path, seed: int) -> dict[str, str]:
    home = tmp_path / str(seed)
    app = home / "app"
    app.mkdir(parents=True)
    (app / "old").write_text("old")
    power = Power(home, app)
    power.on()
    subprocess.run([sys.executable, "-c", WRITES, app], env={**os.environ, **power.environment()}, check=True)
    try:
        power.off(random.Random(seed))
    except NotPossible as problem:
        pytest.skip(str(problem))
    return {str(each.relative_to(app)): each.read_text() for each in app.rglob("*") if each.is_file()}


def test_what_was_not_synced_is_lost_with_the_power(tmp_path):
    found = [after_power_loss(tmp_path, seed) for seed in range(12)]
    assert {each["whole/file"] for each in found} == {"0123456789"}
    assert {each.get("nameless/file") for each in found} == {"0123456789", None}
    assert {each.get("whole/loose") for each in found} == {"0123456789", "01234", "", None}
    assert {each["old"] for each in found} == {"new", "n", ""}


def test_a_copy_is_put_back(tmp_path):
    app = tmp_path / "app"
    (app / "checkpoint").mkdir(parents=True)
    copies = Copies(tmp_path / "copies", app)
    for number in range(5):
        for file in (app / "plan.json", app / "checkpoint" / "offsets"):
            file.write_text(str(number))
        copies.take()
    seen = set()
    for seed in range(200):
        (app / "plan.json").write_text("now")
        copies.put_back(random.Random(seed))
        seen.add(((app / "plan.json").read_text(), (app / "checkpoint" / "offsets").read_text()))
    assert seen == {(plan, str(number)) for number in (2, 3, 4) for plan in ("now", str(number))}


def test_a_proxy_holds_answers_back():
    port = choose_port()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=echo, args=[server], daemon=True).start()
        proxy = Proxy(port, server.getsockname()[1], seed=1)
        try:
            with socket.create_connection(("127.0.0.1", port)) as client:
                assert seconds_for_an_answer(client) < 0.2
                proxy.delay = 0.5
                assert seconds_for_an_answer(client) >= 0.25
        finally:
            proxy.close()


def echo(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        while piece := connection.recv(100):
            connection.sendall(piece)


def seconds_for_an_answer(client: socket.socket) -> float:
    began = time.monotonic()
    client.sendall(b"hello")
    assert client.recv(100) == b"hello"
    return time.monotonic() - began
