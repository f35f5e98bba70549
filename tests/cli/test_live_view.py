"""What `holdfast run` draws on a terminal, line by line."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console

from holdfast.cli.live_view import LiveView
from holdfast.ops.memory import memory_of_tree
from tests.cli.test_progress_line import Clock, progress


@pytest.fixture
def clock() -> Clock:
    return Clock()


def drawn(view: LiveView, width: int = 80, height: int = 24) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    console.print(view)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_before_the_first_epoch(clock: Clock) -> None:
    view = LiveView(clock)
    assert drawn(view)[0] == "waiting for records"
    view.update(progress(None), busy=True, memory=1_400_000_000)
    assert drawn(view)[0] == "working on the first batch   memory 1.4 GB"


def test_a_row_per_topic_with_rate_and_lag_and_what_was_lost(clock: Clock) -> None:
    view = LiveView(clock)
    late = {"count:n": 1200, "count:m": 3}
    for second in range(11):
        view.update(
            progress(second, dead_letters=2, late=late, orders=(1200, 1200 * second, 40), users=(0, 7, 0)), True
        )
        clock.now += 1
    clock.now -= 1
    assert drawn(view) == [
        "epoch 10   batch 500 ms",
        "topic      rate  behind",
        "orders  1,200/s      40",
        "users       0/s       -",
        "2 dead letters   1,203 late (count:n 1,200, count:m 3)",
    ]


def test_a_bar_and_an_estimate_while_catching_up(clock: Clock) -> None:
    view = LiveView(clock)
    for second in range(6):  # 1,000/s are read and 500/s come
        view.update(progress(second, lines=(1000, 1000 * second + 1000, 9000 - 500 * second)), True)
        clock.now += 1
    head, row = drawn(view)[1:3]
    assert head.split() == ["topic", "rate", "behind"]
    assert row.startswith("lines  1,000/s   6,500  ━━━━━━━")
    assert row.endswith("43%, 13 s left")
    assert "━" not in drawn(view, width=50)[2]
    view.update(progress(7, lines=(1000, 20_000, 0)), True)
    assert "left" not in drawn(view)[2]


def test_more_topics_than_lines(clock: Clock) -> None:
    view = LiveView(clock)
    view.update(progress(0, **{f"topic{n}": (1, 1, 0) for n in range(30)}), True)
    lines = drawn(view, height=12)
    assert len(lines) <= 12
    assert "and 24 more topics" in lines


def test_terminals_obey_nothing_that_topics_say(clock: Clock) -> None:
    view = LiveView(clock)
    view.update(progress(0, late={"a\x1b[2J": 1}, **{"b\x1b[2J": (1, 1, 0)}), True)
    assert "\x1b" not in "".join(drawn(view))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="memory is read from /proc")
def test_memory_is_that_of_the_process_and_its_children() -> None:
    before = memory_of_tree()
    hold = "data = bytearray(b'x' * 200_000_000); print('ready', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        during = memory_of_tree()
        child.communicate(b"\n")
    assert before is not None
    assert during is not None
    assert during - before > 150_000_000
    assert memory_of_tree(child.pid) is None
