import pytest

import holdfast as hf
from holdfast.errors import NotAvailable
from holdfast.plan import real_time_limits
from holdfast.plan.planner import plan


def test_dataframes_are_refused_by_name():
    app = hf.App("frames")
    app.source(lambda spark: spark.readStream.format("rate").load()).to("out")
    with pytest.raises(NotAvailable, match=r"reads topics only.*dataframe-1 \(test_real_time_limits.py:\d+\)"):
        real_time_limits.refuse(plan(app.topology))


def test_a_program_of_topics_is_taken():
    app = hf.App("topics")
    app.stream("in", str).to("out")
    assert real_time_limits.refuse(plan(app.topology)) is None
