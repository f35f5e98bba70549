"""Where we differ from Kafka Streams on purpose; docs/parity.md gives the reasons."""

from holdfast.testing import Driver
from tests.oracle.helpers import app_of, both, record

NULL_KEY = [record("in", None, 1), record("in", "a", 2)]


def test_repartition_keeps_records_without_a_key(judge):
    mine, theirs = both(judge, "app.stream('in', int, key=str).repartition().to('out')", *NULL_KEY)
    assert theirs == [("a", 2, 0)]
    assert mine == [(None, 1, 0), ("a", 2, 0)]


def test_a_record_without_a_key_is_a_dead_letter_instead_of_a_metric(judge):
    program = "app.stream('in', int, key=str).group_by_key().count(store='n').to('out')"
    mine, theirs = both(judge, program, *NULL_KEY)
    assert mine == theirs == [("a", 1, 0)]
    with Driver(app_of(program)) as driver:
        driver.pipe("in", 1)
        assert [letter.node for letter in driver.dead_letters()] == ["count:n"]


def test_an_initial_value_was_never_shown(judge):
    program = "app.stream('in', int, key=str).group_by_key().count(store='n').filter(lambda n: n < 1).to('out')"
    mine, theirs = both(judge, program, record("in", "a", 5), literally=True)
    assert theirs == [("a", None, 0)]
    assert mine == []


def test_a_batch_tells_of_a_key_that_came_and_went_nothing(judge):
    program = "app.table('in', int, key=str).to('out')"
    records = [record("in", "a", 5), record("in", "a", None)]
    assert both(judge, program, *records)[1] == [("a", 5, 0), ("a", None, 0)]
    with Driver(app_of(program)) as driver:
        with driver.batch():
            for r in records:
                driver.pipe("in", r["value"], key="a", timestamp=0)
        assert driver.read("out") == []
