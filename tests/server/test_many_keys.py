"""`POST /stores/{store}/keys`: as many values as fit, in the order of the keys, from one snapshot."""

import httpx
import pytest

from holdfast.server.limits import Limits
from tests.server.conftest import NAMES
from tests.server.test_point_reads import Both

pytestmark = pytest.mark.broker


def test_ten_thousand_keys(http):
    keys = [n % 3000 - 1500 for n in range(10_000)]
    wanted = [n * 10 if -1250 <= n < 1250 else None for n in keys]
    assert http.post("/stores/numbers/keys", json={"keys": keys}).json() == {"values": wanted, "next": None}


def test_keys_of_every_length_and_a_wrong_one_behind_many(http):
    found = http.post("/stores/names/keys", json={"keys": [*NAMES, "nobody"] * 100}).json()
    assert found == {"values": [*range(len(NAMES)), None] * 100, "next": None}
    refused = http.post("/stores/numbers/keys", json={"keys": [*range(2000), 2**63]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "wrong_type")


@pytest.mark.parametrize("room", [0, 1, 4, 5, 2002, 5000])
def test_values_that_do_not_fit_are_asked_for_again(served, room):
    keys = [1] * 1000 + [2] * 9000
    with Both(served._stores, limits=Limits(page=room)) as both:
        found = httpx.post(both.fast.url + "/stores/numbers/keys", json={"keys": keys}).json()
    assert len(found["values"]) == found["next"] == max(1, room // 2)
