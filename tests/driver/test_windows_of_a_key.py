import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.windows import moments, pipe, texts

TEN = hf.tumbling("10 ms", grace="1 s")


def test_windows_of_a_key_between_two_times():
    with Driver(texts(TEN)) as driver:
        pipe(driver, *(("a", str(t), t) for t in (5, 15, 25, 35)), ("b", "x", 15))
        store = driver.store("store")
        assert [(moments(key)[1], value) for key, value in store.windows("a", 10, 20)] == [(10, "0+15"), (20, "0+25")]
        assert [moments(key) for key, _ in store.windows("b")] == [("b", 10, 20)]
        assert [moments(key)[1] for key, _ in store.windows("a", start="1970-01-01T00:00:00.025Z")] == [30]
        assert list(store.windows("nobody")) == []


def test_a_store_of_windows_is_a_mapping():
    app = texts(TEN)
    handle = app.store("store")
    with Driver(app) as driver:
        pipe(driver, ("b", "1", 15), ("a", "2", 15), ("a", "3", 5))
        assert [moments(key)[:2] for key in handle] == [("a", 0), ("a", 10), ("b", 10)]
        assert handle[hf.Windowed("a", 10, 20)] == "0+2"
        assert hf.Windowed("a", 20, 30) not in handle
        assert len(handle) == 3
        assert handle.to_arrow().to_pylist()[0]["key"]["key"] == "a"
        assert [moments(key)[1] for key, _ in handle.windows("a")] == [0, 10]


def test_other_stores_have_no_windows():
    app = hf.App("plain")
    app.stream("in", str, key=str).group_by_key().count(store="store")
    with Driver(app) as driver, pytest.raises(hf.HoldfastError, match="the keys have no windows, they are string"):
        driver.store("store").windows("a")
