"""Scans of a processor's store: in the order of the keys, over what is kept and what has changed."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, values


class Scanning(hf.Processor[str, str]):
    """Does what the record says: put, delete, range, prefix, fail."""

    returns = str
    kept = hf.StateStore("kept", key=str, value=int)

    def process(self, record: hf.Record[str, str]) -> None:
        what, *arguments = json.loads(record.value)
        if what == "put":
            self.kept[arguments[0]] = arguments[1]
        elif what == "delete":
            self.kept.delete(arguments[0])
        elif what == "fail":
            self.kept[arguments[0]] = -1
            self.kept.delete(arguments[1])
            raise ValueError("taken back")
        elif what == "range":
            start, end, reverse = arguments
            self.emit(record, self.kept.range(start, end, reverse=reverse))
        else:
            prefix, reverse = arguments
            self.emit(record, self.kept.range(prefix=prefix, reverse=reverse))

    def emit(self, record: hf.Record[str, str], found: object) -> None:
        self.context.forward(record.replace(value=json.dumps(list(found))))  # type: ignore[call-overload]


keys = st.text("aböﬀ😀", max_size=3).filter(bool)
commands = st.one_of(
    st.tuples(st.just("put"), keys, st.integers(0, 9)),
    st.tuples(st.just("delete"), keys),
    st.tuples(st.just("fail"), keys, keys),
    st.tuples(st.just("range"), st.none() | keys, st.none() | keys, st.booleans()),
    st.tuples(st.just("prefix"), keys, st.booleans()),
)


def expected(batches):
    kept, out = {}, []
    for what, *arguments in (command for batch in batches for command in batch):
        if what == "put":
            kept[arguments[0]] = arguments[1]
        elif what == "delete":
            kept.pop(arguments[0], None)
        elif what != "fail":
            out.append(sorted(((k, v) for k, v in kept.items() if holds(what, arguments, k)), reverse=arguments[-1]))
    return kept, [[list(each) for each in found] for found in out]


def holds(what, arguments, key):
    if what == "prefix":
        return key.startswith(arguments[0])
    start, end, _ = arguments
    return (start is None or start <= key) and (end is None or key <= end)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(commands, min_size=1, max_size=6), min_size=1, max_size=4))
def test_scans_find_what_a_sorted_dict_has(batches):
    app = hf.App("scans", tasks=1)
    app.stream("in", str, key=str).process(Scanning).to("out")
    with Driver(app) as d:
        for batch in batches:
            with d.batch():
                for command in batch:
                    d.pipe("in", json.dumps(command), key="k")
        kept, out = expected(batches)
        assert [json.loads(v) for v in values(d, "out")] == out
        assert dict(d.store("kept").all()) == kept


class Filling(hf.Processor[str, int]):
    returns = list[int]
    kept = hf.StateStore(key=int, value=int)

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value:
            for n in range(record.value):
                self.kept[n - 100] = n
            return
        self.kept[5000] = 1
        back = [key for key, _ in self.kept.range(0, 2300, reverse=True)]
        self.context.forward(record.replace(value=[len(back), back[0], back[-1]]))
        found = []
        for key, _ in self.kept.all():
            found.append(key)
            self.kept.delete(key + 1)
        left = [key for key, _ in self.kept.all()]
        self.context.forward(record.replace(value=[len(found), found[0], found[-1], *left]))


def test_what_is_written_meanwhile_does_not_change_what_comes():
    app = hf.App("scans", tasks=1)
    app.stream("in", int, key=str).process(Filling).to("out")
    with Driver(app) as d:
        d.pipe("in", 2500, key="a")
        d.pipe("in", 0, key="a")
        assert letters(d) == []
        assert values(d, "out") == [[2301, 2300, 0], [2501, -100, 5000, -100, 5000]]
