"""The page without an app that runs: nothing published, 60 nodes, 100,000 keys, a token, failures, foreign records."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

import holdfast as hf
from holdfast.plan.planner import plan
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record
from holdfast.topics.telemetry import telemetry_record, telemetry_spec
from tests.browser.accessibility import violations
from tests.eventually import eventually
from tests.stores.publisher import Publisher

TOKEN = "correct horse battery"


@pytest.fixture
def publisher(broker) -> Publisher:
    return Publisher(broker.address)


def telemetry(publisher: Publisher, topics: Topics, *figures: dict) -> None:
    """Write records as a running app does, a second apart and up to now."""
    topics.ensure([telemetry_spec(publisher.name)])
    now = int(time.time() * 1000)
    made = [
        telemetry_record(publisher.name, now - 1000 * (len(figures) - at), {"run": "a", "began": now - 60_000, **each})
        for at, each in enumerate(figures, 1)
    ]
    topics.produce(each for each in made if each is not None)


def test_an_app_that_has_published_nothing(serve, publisher, open_page: Callable[..., Page]) -> None:
    page = open_page(serve(publisher).url)
    expect(page.locator("#state")).to_have_text("not ready")
    expect(page.locator("#program")).to_contain_text("The program has not been published yet")
    expect(page.locator("#stores")).to_contain_text("no store with a name")
    assert violations(page) == []


def test_sixty_nodes(serve, publisher, topics, open_page: Callable[..., Page]) -> None:
    app = hf.App(publisher.name, tasks=1)
    for number in range(6):
        stream = app.stream(f"topic-{number}", "n BIGINT", key=str)
        for _ in range(7):
            stream = stream.filter(lambda v: v.n > 1)
        stream.group_by_key().count(store=f"count-{number}")
    document = plan(app.topology).json()
    publisher.publish(**{f"count-{number}": ("string", "long") for number in range(6)})
    publisher._meta("topology", {"topology": document, "stores": publisher.stores, "schemas": {}})
    publisher.put("count-0", [("a", 1)])
    nodes = [node["id"] for node in document["nodes"]]
    assert len(nodes) >= 60
    busy = {"taken": dict.fromkeys(nodes, 500), "busy": dict.fromkeys(nodes, 0.4)}
    telemetry(publisher, topics, {"status": "running", "taken": {}, "busy": {}}, {"status": "running", **busy})
    page = open_page(serve(publisher).url, wait="svg.topology .heat-3")
    assert page.locator("svg.topology [data-node]").count() >= 60
    page.get_by_role("button", name="Full size").click()
    assert page.locator("svg.topology").evaluate("it => it.clientWidth") > 1000
    assert violations(page) == []


def test_a_hundred_thousand_keys(serve, publisher, open_page: Callable[..., Page]) -> None:
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [(f"user-{number:06}", number) for number in range(100_000)])
    server = serve(publisher)
    eventually(lambda: server._stores.status().ready, seconds=90)
    page = open_page(server.url)
    expect(page.locator("[data-store=counts] [data-count]")).to_have_text("100,000")
    expect(page.locator(".entries li")).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".entries .key").first).to_have_text("user-000050")
    page.get_by_label("Keys of counts").fill("user-09999")
    expect(page.locator(".entries li")).to_have_count(10)
    page.locator(".entries button").last.click()
    expect(page.locator(".entry .value")).to_have_text("99999")
    page.get_by_label("A SELECT over the stores").fill("SELECT count(*) AS n FROM counts")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#sql tbody td")).to_have_text("100000")


def test_a_server_with_a_token_asks_for_it_and_tells_others_nothing(
    serve: Callable[..., Server], publisher: Publisher, open_page: Callable[..., Page], complaints
) -> None:
    complaints.expected = ("401 (Unauthorized)",)
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)])
    server = serve(publisher, access=Access(TOKEN))
    page = open_page(server.url, wait="#token")
    assert publisher.name not in page.content()
    assert violations(page) == []
    page.get_by_label("Token").fill("something else")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the server's token")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(publisher.name)
    page.locator(".entries button").first.click()
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("button", name="Watching")).to_be_visible()
    with httpx.Client(base_url=server.url) as stranger:
        for path in ("/dashboard/now", "/dashboard/history", "/dashboard/letters", "/dashboard/topology"):
            assert stranger.get(path).status_code == 401
        assert stranger.get("/dashboard/static/app.js").status_code == 200
        assert stranger.get("/dashboard/static/../dashboard.py").status_code in (401, 404)
        refused = stranger.get("/", headers={"Accept": "text/html"})
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="holdfast"')


def test_an_app_that_fails_or_falls_silent_stands_first(
    serve, publisher, topics, open_page: Callable[..., Page]
) -> None:
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)])
    running = {"status": "running", "records": {"in": 5}}
    telemetry(publisher, topics, running, {**running, "status": "failed", "problem": "disk full"})
    page = open_page(serve(publisher).url)
    expect(page.locator("#state")).to_have_text("failed")
    expect(page.locator("#trouble .error").first).to_contain_text("disk full")
    then = int(time.time() * 1000) - 40_000
    silent = telemetry_record(publisher.name, then, {"run": "b", "began": then, "status": "running"})
    assert silent is not None
    topics.produce([silent])
    expect(page.locator("#state")).to_have_text("not moving")
    expect(page.locator("#trouble .error").first).to_contain_text("has said nothing for 4")


def test_what_others_write_into_the_topic_harms_nothing(
    serve, publisher, topics, open_page: Callable[..., Page]
) -> None:
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)])
    topics.ensure([telemetry_spec(publisher.name)])
    script = "<img src=x onerror=alert(1)>"
    strange = [
        b"no json", b"[]", json.dumps({"v": 2, "at": 1, "run": "x"}).encode(),
        json.dumps({"v": 1, "at": 1, "run": "x", "began": "y"}).encode(),
        *(json.dumps({"v": 1, "at": int(time.time() * 1000), "run": "x", field: value}).encode()
          for field in ("records", "latency", "last", "busy", "state", "problem")
          for value in (7, "text", [1], {"a": "b"}, None, {"a": None})),
    ]  # fmt: skip
    topics.produce(Record(telemetry_spec(publisher.name).name, None, value) for value in strange)
    telemetry(publisher, topics, {"status": "running", "dead": {}}, {"status": "running", "dead": {script: 3}})
    page = open_page(serve(publisher).url)
    expect(page.locator("#trouble")).to_contain_text(script)
    assert page.locator("#trouble img").count() == 0
    expect(page.locator("#state")).to_have_text("running")


def test_the_policy_lets_nothing_in_that_is_not_a_file_of_the_page(serve, publisher) -> None:
    with httpx.Client(base_url=serve(publisher).url) as http:
        page = http.get("/")
        policy = page.headers["content-security-policy"]
        assert "'unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "<script>" not in page.text
        assert "style=" not in page.text
        assert "https://" not in page.text
        again = http.get("/", headers={"If-None-Match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
