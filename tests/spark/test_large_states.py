"""States that Python makes and that their changelogs do not take, with worker processes and a broker."""

from collections import Counter
from dataclasses import dataclass, field

import holdfast as hf
from holdfast.topics.records import Record, TopicSpec
from tests.driver.large_states import text

STORES = ("stateful", "processor", "fold")


@dataclass
class Pages:
    texts: list[str] = field(default_factory=list)


def program(source: str, suffix: str) -> hf.App:
    @hf.stateful(state=Pages, returns=str)
    def collect(key, page, state, timers):
        state.texts = [*state.texts, page] if page != "cut" else []

    class Collect(hf.Processor[str, str]):
        returns = str
        pages = hf.StateStore("processor", key=str, value=Pages)

        def process(self, record: hf.Record[str, str]) -> None:
            before = self.pages.get(record.key) or Pages()
            self.pages[record.key] = Pages([] if record.value == "cut" else [*before.texts, record.value])

    def add(state: Pages, page: str) -> Pages:
        return Pages([*state.texts, page] if page != "cut" else [])

    app = hf.App(f"pages{suffix}", tasks=2)
    pages = app.stream(source, str, key=str)
    pages.process(collect, store="stateful").to(f"{source}-1")
    pages.process(Collect).to(f"{source}-2")
    pages.group_by_key().aggregate(Pages(), hf.python(add, returns=Pages), store="fold")
    return app


def test_the_records_that_would_make_a_state_too_large_are_dead_letters(topics, drain, stores, new_topic, suffix):
    """Changelogs of 100,000 bytes and pages of 30,000; those of one key become small by compression."""
    source = new_topic("pages", partitions=1)
    app = program(source, suffix)
    topics.ensure([TopicSpec(f"{source}-{n}", 1) for n in (1, 2)])
    limit = {"max.message.bytes": "100000"}
    topics.ensure([TopicSpec(f"{app.name}-{store}-changelog", 2, True, limit) for store in STORES])
    parts = [text(30_000, n) for n in range(6)]
    many = [Record(source, b"b", b"small")] * 200
    alike = ["x" * 30_000] * 12
    topics.produce([Record(source, key, part.encode()) for key, of in ((b"a", parts), (b"c", alike)) for part in of])
    topics.produce(many)
    drain(app)
    topics.produce([Record(source, b"a", b"cut"), Record(source, b"a", parts[5].encode())])
    drain(app)
    found = stores(app)
    for store in STORES:
        kept = {key: value["texts"] for key, value in found[store].items()}
        assert kept == {"a": parts[5:], "b": ["small"] * 200, "c": alike}
    reasons = [dict(each.headers)["hf-reason"].decode() for each in topics.read(f"{app.name}-dead-letters")]
    wanted = [f"the state of key a in store '{store}' would take 120" for store in STORES]
    assert Counter(each for each in wanted for reason in reasons if each in reason) == dict.fromkeys(wanted, 3)
    assert all("takes 100000 at most (its max.message.bytes); keep less in it" in reason for reason in reasons)
