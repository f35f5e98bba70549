"""Requests made up from the server's own description of itself: none breaks it, and all answers are as described."""

import os

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
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


@pytest.fixture(scope="module")
def described(served):
    return schemathesis.openapi.from_dict(httpx.get(f"{served.url}/openapi.json").json())


schema = schemathesis.pytest.from_fixture("described").exclude(path=list(BROKEN))


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_as_described(case, served):
    case.call_and_validate(base_url=served.url, checks=CHECKS, timeout=10)


def test_the_description_has_every_route_of_the_server(served):
    paths = httpx.get(f"{served.url}/openapi.json").json()["paths"]
    from holdfast.server.routes import BUILT_IN

    assert {path.replace(":path", "") for path in BUILT_IN} <= paths.keys()
    assert {"/", "/leaderboard/{product_id}", "/orders"} <= paths.keys()
    assert paths["/leaderboard/{product_id}"]["get"]["parameters"][0]["schema"]["type"] == "integer"
