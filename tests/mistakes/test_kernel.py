"""What only the kernel can tell: a type error of Spark's analyser, and state that the changed program does not fit."""

import pytest

from holdfast.dsl.loader import load_app
from holdfast.plan import recorded_plan
from holdfast.plan.planner import plan

pytestmark = [pytest.mark.spark, pytest.mark.broker]


def test_an_expression_that_the_analyser_refuses(holdfast, broker, program, line):
    file = program('events.map_values(lambda e: dict(x=F.array_contains(e.name, "a"))).to("out")')
    refused = holdfast("run", file, "--brokers", broker.address)
    refused.means(f"first.py:{line}: map_values-1: ", "array_contains", "STRING")


def test_a_changed_program(holdfast, broker, program, tmp_path):
    old = program('events.group_by_key().agg(n=F.count("*"), store="counts")', "old.py")
    recorded_plan.record(plan(load_app(tmp_path / old).topology), tmp_path / ".holdfast" / "first" / "plan.json")
    refused = holdfast("run", program('events.group_by_key().agg(total=F.sum("score"), store="counts")'), "--brokers",
                       broker.address)  # fmt: skip
    refused.means("does not fit the state that app 'first' has", "store 'counts'", "give the app a new name, or remove")
