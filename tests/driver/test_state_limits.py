"""A record after which a state would not fit into its changelog is a dead letter; its key stays as it was."""

import random

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

LIMIT = 20_000
LARGE = 8_000


def text(n: int, size: int = LARGE) -> str:
    """Letters that say which record they are of."""
    return f"{n}" + chr(ord("a") + n % 26) * (size - len(str(n)))


def grouped(app: hf.App) -> hf.Grouped:
    return app.stream("in", "text STRING NOT NULL", key=str).group_by_key()


FOLDS = {
    "collect_list": lambda group: group.agg(all=F.collect_list("text"), store="state"),
    "collect_set": lambda group: group.agg(all=F.collect_set("text"), n=F.count("text"), store="state"),
    "two functions": lambda group: group.agg(all=F.collect_list("text"), last=F.max("text"), store="state"),
    "an inflating result": lambda group: group.agg(all=F.repeat(F.max("text"), F.count("text")), store="state"),
    "an inflating input": lambda group: group.agg(all=F.collect_list(F.repeat("text", 3)), store="state"),
    "aggregate": lambda group: group.aggregate("", lambda s, v: F.concat(s, v.text), store="state"),
    "doubling": lambda group: group.aggregate("x", lambda s, v: F.concat(s, s, v.text), store="state"),
    "reduce": lambda group: group.reduce(lambda a, b: dict(text=F.concat(a.text, b.text)), store="state"),
    "top": lambda group: group.top(10, by="text", store="state"),
    "escapes": lambda group: group.aggregate(
        "", lambda s, v: F.concat(s, F.repeat(F.lit("\u0001"), 1000)), store="state"
    ),
}
WINDOWS = {
    "none": lambda group: group,
    "tumbling": lambda group: group.windowed_by(hf.tumbling("1 hour")),
    "hopping": lambda group: group.windowed_by(hf.hopping("1 hour", advance="30 minutes")),
    "sliding": lambda group: group.windowed_by(hf.sliding("1 hour")),
}


def program(window: str, fold: str) -> hf.App:
    app = hf.App("limits", tasks=1)
    FOLDS[fold](WINDOWS[window](grouped(app)))
    return app


def outcome(app: hf.App, records: list[tuple[str, str]], limit: int, batch: bool) -> tuple[dict, list[int]]:
    """What is in the store in the end, and which records were refused."""
    with Driver(app, max_message_bytes=limit) as d:
        if batch:
            with d.batch():
                for at, (key, value) in enumerate(records):
                    d.pipe("in", {"text": value}, key=key, timestamp=at)
        else:
            for at, (key, value) in enumerate(records):
                d.pipe("in", {"text": value}, key=key, timestamp=at)
        letters = d.dead_letters()
        assert all("in store 'state' would take" in each.reason for each in letters), letters[:1]
        return dict(d.store("state").all()), [int(each.record.headers["hf-offset"]) for each in letters]


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("window", WINDOWS)
def test_what_is_refused_was_never_there(window, fold):
    """The store has what it would have without the refused records, and those alone are refused that do not fit."""
    records = [("k", text(n)) for n in range(8)] + [("other", "small"), ("k", "tiny")]
    state, refused = outcome(program(window, fold), records, LIMIT, batch=False)
    assert 0 < len(refused) < len(records)
    assert len(records) - 2 not in refused
    without = [each for n, each in enumerate(records) if n not in refused]
    times = {n: at for at, n in enumerate(n for n in range(len(records)) if n not in refused)}
    with Driver(program(window, fold)) as d:
        for n in times:
            d.pipe("in", {"text": records[n][1]}, key=records[n][0], timestamp=n)
        assert dict(d.store("state").all()) == state, without


# Of top, only those records of a batch come that may be among the highest: fewer, so that others are refused.
@pytest.mark.parametrize("fold", sorted(FOLDS.keys() - {"top"}))
@pytest.mark.parametrize("window", WINDOWS)
def test_batches_make_no_difference(window, fold):
    chosen = random.Random(7)
    records = [(chosen.choice("ab"), text(n, chosen.choice((10, 3_000, 9_000, 30_000)))) for n in range(30)]
    assert outcome(program(window, fold), records, LIMIT, batch=True) == outcome(
        program(window, fold), records, LIMIT, batch=False
    )


def test_sessions_that_become_one_too_large_one():
    app = hf.App("limits", tasks=1)
    grouped(app).windowed_by(hf.session("15 ms", grace="1 minute")).agg(all=F.collect_list("text"), store="state")
    with Driver(app, max_message_bytes=LIMIT) as d:
        for at, value in ((0, text(1)), (5, "a"), (30, text(2)), (35, text(3, 4_000)), (18, "joins both")):
            d.pipe("in", {"text": value}, key="k", timestamp=at)
        (letter,) = d.dead_letters()
        assert letter.record.value == b'{"text":"joins both"}'
        assert [len(each["all"]) for _, each in d.store("state").all()] == [2, 2]
        d.pipe("in", {"text": "goes on"}, key="k", timestamp=36)
        assert [len(each["all"]) for _, each in d.store("state").all()] == [2, 3]


def test_a_row_of_a_table_that_does_not_fit_leaves_the_row_before():
    app = hf.App("limits", tasks=1)
    table = app.table("rows", "text STRING", key=str, store="rows")
    table.map_values(lambda r: dict(text=F.concat(r.text, r.text)), store="doubled")
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("rows", {"text": "small"}, key="a")
        d.pipe("rows", {"text": text(1, 15_000)}, key="a")
        assert [each.node for each in d.dead_letters()] == ["table_map_values:doubled"]
        assert d.store("doubled")["a"] == {"text": "smallsmall"}
        d.pipe("rows", {"text": text(1, 30_000)}, key="a")
        assert len(d.dead_letters()) == 1
        assert len(d.store("rows")["a"]["text"]) == 15_000
        d.pipe("rows", None, key="a")
        assert not dict(d.store("rows").all())


def test_a_row_of_a_global_table_is_refused_once():
    app = hf.App("limits", tasks=4)
    rows = app.global_table("rows", "text STRING", key=str, store="rows")
    app.stream("in", "of STRING", key=str).join(rows, on=lambda v: v.of).to("out")
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("rows", {"text": "small"}, key="a")
        d.pipe("rows", {"text": text(1, 30_000)}, key="a")
        assert len(d.dead_letters()) == 1
        for n in range(8):
            d.pipe("in", {"of": "a"}, key=str(n))
        assert {each.value["text"] for each in d.read("out")} == {"small"}


def test_a_version_that_does_not_fit():
    app = hf.App("limits", tasks=1)
    app.table("rows", "text STRING", key=str, store=hf.Materialized("rows", versioned="1 day"))
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("rows", {"text": "small"}, key="a", timestamp=1)
        d.pipe("rows", {"text": text(1, 30_000)}, key="a", timestamp=2)
        assert len(d.dead_letters()) == 1
        assert d.store("rows")["a"] == {"text": "small"}


@pytest.mark.parametrize("window", WINDOWS)
def test_a_key_that_does_not_fit(window):
    app = hf.App("limits", tasks=1)
    WINDOWS[window](grouped(app)).count(store="state")
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("in", {"text": "x"}, key="k" * 30_000)
        d.pipe("in", {"text": "x"}, key="k")
        (letter,) = d.dead_letters()
        assert letter.reason.startswith("the state of a key of 30000 bytes in store 'state' would take")
        assert len(dict(d.store("state").all())) == 1


def test_a_store_without_a_name_has_no_changelog_and_no_limit():
    app = hf.App("limits", tasks=1)
    grouped(app).aggregate("", lambda s, v: F.concat(s, v.text)).to_stream().map_values(lambda v: F.length(v)).to("out")
    with Driver(app, max_message_bytes=LIMIT) as d:
        for n in range(5):
            d.pipe("in", {"text": text(n)}, key="k")
        assert [each.value for each in d.read("out")] == [LARGE * n for n in range(1, 6)]


def test_a_record_that_its_topic_does_not_take():
    app = hf.App("limits")
    app.stream("in", "text STRING", key=str).map_values(lambda v: dict(text=F.repeat(v.text, 10))).to("out")
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("in", {"text": text(1)}, key="k")
        d.pipe("in", {"text": "small"}, key="k")
        (letter,) = d.dead_letters()
        assert letter.reason.startswith("the record takes 80")
        assert "the topic 'out' takes 20000 at most (its max.message.bytes)" in letter.reason
        assert [each.value for each in d.read("out")] == [{"text": "small" * 10}]


def test_a_late_record_that_its_topic_does_not_take():
    app = hf.App("limits", tasks=1)
    grouped(app).windowed_by(hf.tumbling("1 s"), late="late").count(store="state")
    with Driver(app, max_message_bytes=LIMIT) as d:
        d.pipe("in", {"text": "x"}, key="k", timestamp=100_000)
        d.pipe("in", {"text": text(1, 30_000)}, key="k", timestamp=0)
        (letter,) = d.dead_letters()
        assert letter.reason.startswith("it is late, and the record takes 30")
        assert d.read("late") == []
