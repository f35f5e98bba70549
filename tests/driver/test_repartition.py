import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, pairs


def test_the_records_and_their_order_stay():
    app = hf.App("apart")
    app.stream("in", int, key=str).select_key(lambda v: v % 2).repartition(tasks=2).to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", *[("k", n) for n in range(6)], ("k", None))
        out = pairs(d, "out")
        assert [v for k, v in out if k == 0] == [0, 2, 4]
        assert [v for k, v in out if k == 1] == [1, 3, 5]
        assert [v for k, v in out if k is None] == [None]
