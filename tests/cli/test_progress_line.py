"""The line that tells how an app goes."""

from typing import Any

import pytest

from holdfast.cli.progress_line import ProgressLine


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def progress(
    epoch: int | None = 1,
    batch_ms: int = 500,
    dead_letters: int = 0,
    late: dict[str, int] | None = None,
    **topics: tuple[int, int, int],
) -> Any:
    """A report; per topic the records of the batch, the offset and the lag."""
    read = {name: {"records": n, "offset": at, "lag": lag, "rate": 0.0} for name, (n, at, lag) in topics.items()}
    return {"epoch": epoch, "batch_ms": batch_ms, "dead_letters": dead_letters, "late": late or {}, "topics": read}


def test_before_the_first_epoch(clock: Clock) -> None:
    line = ProgressLine(clock)
    assert line.text(progress(None), busy=False) == "waiting for records"
    assert line.text(progress(None), busy=True) == "working on the first batch"


def test_rates_are_smoothed_over_some_seconds(clock: Clock) -> None:
    line = ProgressLine(clock)
    line.text(progress(0, lines=(0, 0, 0), tx=(0, 0, 0)), busy=False)
    for second in range(1, 11):
        clock.now += 1
        shown = line.text(progress(second, lines=(1200, 1200 * second, 40), tx=(1, second // 2, 0)), busy=True)
    assert shown.startswith("epoch 10  lines 1,200/s, 40 behind  tx 0.")
    assert shown.endswith("batch 500 ms")


def test_topics_without_records_are_not_named(clock: Clock) -> None:
    line = ProgressLine(clock)
    assert line.text(progress(3, lines=(50, 50, 0), tx=(0, 7, 0)), busy=False) == "epoch 3  lines 50/s  batch 500 ms"


def test_idle_is_said_plainly(clock: Clock) -> None:
    line = ProgressLine(clock)
    line.text(progress(3, lines=(50, 50, 0)), busy=False)
    for _ in range(40):
        clock.now += 0.25
        shown = line.text(progress(3, batch_ms=0, lines=(0, 50, 0)), busy=False)
    assert shown == "epoch 3  idle for 10 s"
    clock.now += 3590
    assert line.text(progress(3, batch_ms=0, lines=(0, 50, 0)), busy=False) == "epoch 3  idle for 1 h 0 min"


def test_a_long_batch_is_not_idleness(clock: Clock) -> None:
    line = ProgressLine(clock)
    line.text(progress(3, batch_ms=100, lines=(50, 50, 0)), busy=False)
    clock.now += 20
    line.text(progress(3, batch_ms=100, lines=(50, 50, 0)), busy=True)
    clock.now += 20
    assert line.text(progress(3, batch_ms=100, lines=(50, 50, 0)), busy=True) == "epoch 3  working"


def test_dead_letters_only_where_there_are_some(clock: Clock) -> None:
    assert ProgressLine(clock).text(progress(dead_letters=1, a=(1, 1, 0)), busy=False).endswith("  1 dead letter")
    assert (
        ProgressLine(clock).text(progress(dead_letters=1200, a=(1, 1, 0)), busy=False).endswith("  1,200 dead letters")
    )


def test_where_only_dataframes_are_read_their_rate_is_told(clock: Clock) -> None:
    line = ProgressLine(clock)
    assert line.text({**progress(None), "records": 0, "rate": 0.0}, busy=True) == "working on the first batch"
    seen = {**progress(3), "records": 20, "rate": 40.0}
    assert line.text(seen, busy=False) == "epoch 3  DataFrames 40/s  batch 500 ms"
    clock.now += 12
    assert line.text(seen, busy=False) == "epoch 3  idle for 12 s"
    assert line.text({**seen, "epoch": 4}, busy=False) == "epoch 4  DataFrames 40/s  batch 500 ms"


def test_late_records_are_counted_over_all_nodes(clock: Clock) -> None:
    found = progress(3, dead_letters=2, late={"count:a": 1200, "join-1": 1}, lines=(50, 50, 0))
    assert (
        ProgressLine(clock).text(found, busy=False) == "epoch 3  lines 50/s  batch 500 ms  2 dead letters  1,201 late"
    )
