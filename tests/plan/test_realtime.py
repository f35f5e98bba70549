import pytest

import holdfast as hf
from holdfast.errors import NotAvailable
from holdfast.plan import realtime
from holdfast.plan.planner import plan


def test_dataframes_are_refused_by_name():
    app = hf.App("frames")
    app.source(lambda spark: spark.readStream.format("rate").load()).to("out")
    with pytest.raises(NotAvailable, match=r"real-time mode reads topics only.*dataframe-1 \(test_realtime.py:\d+\)"):
        realtime.refuse(plan(app.topology.json()))


def test_a_program_of_topics_is_taken():
    app = hf.App("topics")
    app.stream("in", str).to("out")
    realtime.refuse(plan(app.topology.json()))
