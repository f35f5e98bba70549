import holdfast as hf
from holdfast.testing import Driver
from tests.driver.windows import emitted, moments, pipe, stored, texts, through


def test_a_record_is_in_every_window_that_covers_it():
    records = [("A", "1", 0), ("B", "2", 1), ("A", "1", 4), ("A", "1", 5), ("B", "2", 6), ("A", "1", 10), ("B", "3", 3)]
    assert through(hf.hopping("10 ms", advance="5 ms", grace="100 ms"), *records) == [
        ("A", 0, 10, "0+1", 0),
        ("B", 0, 10, "0+2", 1),
        ("A", 0, 10, "0+1+1", 4),
        ("A", 0, 10, "0+1+1+1", 5),
        ("A", 5, 15, "0+1", 5),
        ("B", 0, 10, "0+2+2", 6),
        ("B", 5, 15, "0+2", 6),
        ("A", 5, 15, "0+1+1", 10),
        ("A", 10, 20, "0+1", 10),
        ("B", 0, 10, "0+2+2+3", 6),
    ]


def test_a_record_can_be_late_for_one_window_and_in_time_for_the_next():
    app = texts(hf.hopping("10 ms", advance="5 ms", grace="90 ms"), late="late")
    with Driver(app) as driver:
        pipe(driver, ("k", "100", 100), ("k", "0", 0), ("k", "4", 4), ("k", "5", 5), ("k", "6", 6), ("k", "105", 105))
        assert emitted(driver) == [
            ("k", 95, 105, "0+100", 100),
            ("k", 100, 110, "0+100", 100),
            ("k", 5, 15, "0+5", 5),
            ("k", 5, 15, "0+5+6", 6),
            ("k", 100, 110, "0+100+105", 105),
            ("k", 105, 115, "0+105", 105),
        ]
        late = driver.late()
        assert [(r.record.value, moments(hf.Windowed("k", r.start, r.end))) for r in late] == [
            ("0", ("k", 0, 10)),
            ("4", ("k", 0, 10)),
            ("5", ("k", 0, 10)),
            ("6", ("k", 0, 10)),
        ]


def test_windows_need_not_fit_into_each_other():
    assert [r[1] for r in through(hf.hopping("10 ms", advance="4 ms"), ("a", "1", 11))] == [4, 8]


def test_each_window_is_forgotten_by_itself():
    with Driver(texts(hf.hopping("10 ms", advance="5 ms"))) as driver:
        pipe(driver, ("a", "1", 7), ("b", "2", 12))
        assert stored(driver) == {("a", 5): "0+1", ("b", 5): "0+2", ("b", 10): "0+2"}


def test_batches_give_the_same_tables():
    records = [("a", str(n), (n * 37) % 60) for n in range(60)]
    window = hf.hopping("20 ms", advance="7 ms", grace="15 ms", retention="1 s")
    tables = []
    for together in (False, True):
        with Driver(texts(window)) as driver:
            pipe(driver, *records, together=together)
            tables.append(stored(driver))
    assert tables[0] == tables[1]
