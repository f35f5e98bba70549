"""How far a restore is, and how long it still takes."""

from holdfast.stores.restore_meter import RestoreMeter, Restoring, together


def test_the_rate_of_the_last_seconds_says_how_long_the_rest_takes():
    now = 0.0
    meter = RestoreMeter(lambda: now)
    assert meter.now is None
    meter.look(100, 1000)
    assert str(meter.now) == "100 of 1,000 records have been read (10 %)"
    now = 2.0
    meter.look(300, 1000)
    assert meter.now == Restoring(300, 1000, 100.0)
    assert str(meter.now).endswith("(30 %), 100 in a second; the rest takes about 7 s")
    meter.look(1000, 1000)
    assert meter.now is None


def test_one_that_begins_again_is_measured_from_there():
    now = 0.0
    meter = RestoreMeter(lambda: now)
    meter.look(900, 1000)
    now = 1.0
    meter.look(50, 1000)
    now = 2.0
    meter.look(60, 1000)
    assert meter.now == Restoring(60, 1000, 10.0)


def test_several_at_once_are_one():
    assert together([Restoring(1, 4, 1.0), None, Restoring(2, 6, 2.0)]) == Restoring(3, 10, 3.0)
    assert together([None]) is None
