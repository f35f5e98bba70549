import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import timed


def program(tasks=1, within="10 ms"):
    app = hf.App("once", tasks=tasks)
    app.stream("in", "id STRING, n BIGINT", key=str).deduplicate("id", within=within).to("out")
    return app


def run(app, *records):
    """Pipe (key, id, time), one batch each; give the times of what passed, and how many did not."""
    with Driver(app) as d:
        for key, id, at in records:
            d.pipe("in", {"id": id, "n": 1}, key=key, timestamp=at)
        assert d.dead_letters() == []
        return [at for _, _, at in timed(d, "out")], d._kernel.skipped()


def test_the_first_passes_and_those_near_it_do_not():
    assert run(program(), ("k", "a", 100), ("k", "a", 101), ("k", "a", 110)) == ([100], 2)


def test_after_the_time_the_next_passes():
    assert run(program(), ("k", "a", 100), ("k", "a", 110), ("k", "a", 111), ("k", "a", 121)) == ([100, 111], 2)


def test_those_that_are_dropped_do_not_prolong_it():
    assert run(program(), *(("k", "a", at) for at in range(100, 130, 4))) == ([100, 112, 124], 5)


def test_keys_and_likenesses_are_apart():
    assert run(program(), ("k", "a", 100), ("k", "b", 100), ("l", "a", 100), ("l", "a", 100)) == ([100, 100, 100], 1)


def test_a_record_out_of_order_is_compared_with_what_came_after_it():
    assert run(program(), ("k", "a", 100), ("k", "a", 95), ("k", "a", 89), ("k", "a", 92)) == ([100, 89], 2)


def test_the_time_of_other_keys_does_not_hide_a_near_record():
    assert run(program(), ("k", "a", 100), ("l", "b", 119), ("k", "a", 109)) == ([100, 119], 1)


def test_what_is_long_past_cannot_be_compared():
    assert run(program(), ("k", "a", 100), ("l", "b", 500), ("k", "a", 105), ("k", "a", 105)) == (
        [100, 500, 105, 105],
        0,
    )


def test_a_record_without_likeness_passes():
    assert run(program(), ("k", None, 100), ("k", None, 100)) == ([100, 100], 0)
    app = program()
    with Driver(app) as d:
        d.pipe("in", None, key="k", timestamp=5)
        d.pipe("in", None, key="k", timestamp=5)
        assert timed(d, "out") == [("k", None, 5), ("k", None, 5)]


def test_records_without_a_key_are_compared_within_their_partition():
    app = program(tasks=4)
    with Driver(app) as d:
        for partition in (0, 0, 1, 1):
            d.pipe("in", {"id": "a", "n": partition}, partition=partition, timestamp=100)
        assert [value["n"] for _, value, _ in timed(d, "out")] == [0, 1]


def test_by_several_fields():
    app = hf.App("both")
    stream = app.stream("in", "id STRING, n BIGINT", key=str)
    stream.deduplicate(lambda v: dict(id=v.id, n=v.n), within="1 second").to("out")
    with Driver(app) as d:
        for id, n in [("a", 1), ("a", 2), ("a", 1), (None, 1), (None, 1)]:
            d.pipe("in", {"id": id, "n": n}, key="k")
        assert [(v["id"], v["n"]) for _, v, _ in timed(d, "out")] == [("a", 1), ("a", 2), (None, 1)]


def test_a_failing_expression_is_a_dead_letter():
    app = hf.App("failing")
    app.stream("in", "x BIGINT", key=str).deduplicate(lambda v: 6 / v.x, within="1 second").to("out")
    with Driver(app) as d:
        d.pipe("in", {"x": 0}, key="k")
        assert [letter.node for letter in d.dead_letters()] == ["deduplicate-1"]


def test_what_passed_survives_a_crash():
    app = program()
    with Driver(app) as d:
        d.pipe("in", {"id": "a", "n": 1}, key="k", timestamp=100)
        d.crash()
        d.pipe("in", {"id": "a", "n": 1}, key="k", timestamp=101)
        assert len(d.read("out")) == 1


def test_counting_after_it():
    app = hf.App("counted")
    stream = app.stream("in", "id STRING, n BIGINT", key=str).deduplicate("id", within="1 minute")
    stream.group_by("n").count(store="counts")
    with Driver(app) as d:
        for id, n in [("a", 1), ("b", 1), ("a", 1), ("c", 2)]:
            d.pipe("in", {"id": id, "n": n}, key="k")
        assert dict(d.store("counts").all()) == {1: 2, 2: 1}
