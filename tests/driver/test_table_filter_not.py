"""Table.filter_not: the entries that filter leaves out."""

import holdfast as hf
from holdfast.testing import Driver


def test_it_keeps_what_filter_drops():
    app = hf.App("stock", tasks=2)
    stock = app.table("stock", "pieces INT", key=str)
    stock.filter(lambda s: s.pieces < 10).to_stream().to("scarce")
    stock.filter_not(lambda s: s.pieces < 10).to_stream().to("ample")
    with Driver(app) as d:
        for pieces in (5, 50, None, 7):
            d.pipe("stock", {"pieces": pieces}, key="tea")
        assert [r.value and r.value["pieces"] for r in d.read("scarce")] == [5, None, 7]
        assert [r.value and r.value["pieces"] for r in d.read("ample")] == [50, None, None]
        d.pipe("stock", None, key="tea")
        assert [r.value for r in d.read("scarce")] == [None]
        assert d.read("ample") == []
