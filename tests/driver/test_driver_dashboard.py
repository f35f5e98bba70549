"""`Driver.show()`: the dashboard of a test, which follows each batch."""

import httpx

import holdfast as hf
from holdfast.testing import Driver


def program():
    app = hf.App("shown", tasks=1)
    lines = app.stream("lines", "n BIGINT", key=str).require(lambda v: v.n > 0, reason="not positive")
    lines.group_by_key().count(store="counts").to("out")
    return app


def test_a_test_is_shown_with_its_stores_its_nodes_and_its_dead_letters():
    with Driver(program()) as d:
        d.pipe("lines", {"n": 1}, key="a")
        shown = d.show()
        assert d.show() is shown
        with httpx.Client(base_url=shown.url) as http:
            assert http.get("/stores/counts/keys/a").json() == 1
            with d.batch():
                d.pipe("lines", {"n": 1}, key="a")
                d.pipe("lines", {"n": 1}, key="b")
            d.pipe("lines", {"n": -1}, key="c")
            entries = http.get("/stores/counts").json()["entries"]
            assert entries == [{"key": "a", "value": 2}, {"key": "b", "value": 1}]
            now = http.get("/dashboard/now").json()
            assert (now["app"]["status"], now["replica"]["ready"]) == ("test", True)
            assert now["figures"]["nodes"]["lines"]["taken"] == 4
            (group,) = http.get("/dashboard/letters").json()["groups"]
            assert (group["reason"], group["letters"][0]["value"]) == ("not positive", '{"n":-1}')
            drawn = http.get("/dashboard/topology").json()
            assert "def program" in drawn["files"]["test_driver_dashboard.py"]
            assert "<script" in http.get("/").text
        url = shown.url
    refused = None
    try:
        httpx.get(url)
    except httpx.ConnectError as error:
        refused = error
    assert refused is not None


def test_it_goes_on_with_a_changed_program_at_the_same_address():
    with Driver(program()) as d:
        url = d.show().url
        d.pipe("lines", {"n": 1}, key="a")
        d.restart(program())
        d.pipe("lines", {"n": 1}, key="a")
        assert httpx.get(f"{url}/stores/counts/keys/a").json() == 2
        assert d.show().url == url
