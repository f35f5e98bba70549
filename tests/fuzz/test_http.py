"""Requests made up from the server's own description of itself: none breaks it, and all answers are as described."""

import os

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

pytestmark = pytest.mark.broker
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = int(os.environ.get("FUZZ_REQUESTS", "12"))
BROKEN = ("/broken", "/unserialisable", "/values")  # routes of the tests that fail on purpose, or answer what they like


def fuzz(operation, url):
    """Some requests of one operation, valid and not."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def check(data):
        mode = data.draw(st.sampled_from(GenerationMode))
        case = data.draw(operation.as_strategy(generation_mode=mode))
        case.call_and_validate(base_url=url, checks=CHECKS, timeout=10)

    check()


def test_every_answer_is_as_described(served):
    described = schemathesis.openapi.from_dict(httpx.get(f"{served.url}/openapi.json").json())
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 15
    for operation in operations:
        if operation.path not in BROKEN:
            fuzz(operation, served.url)


def test_the_description_has_every_route_of_the_server(served):
    paths = httpx.get(f"{served.url}/openapi.json").json()["paths"]
    from holdfast.server.routes import BUILT_IN, POSTED

    assert {path.replace(":path", "") for path in (*BUILT_IN, *POSTED)} <= paths.keys()
    assert {"/", "/leaderboard/{product_id}", "/orders"} <= paths.keys()
    assert paths["/leaderboard/{product_id}"]["get"]["parameters"][0]["schema"]["type"] == "integer"
