"""A client that a public generator makes of /openapi.json asks the server, and reads typed answers."""

import importlib
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def generated(served, tmp_path_factory):
    """The package that openapi-python-client makes; its warnings are about what it leaves out."""
    where = tmp_path_factory.mktemp("generated")
    (where / "openapi.json").write_bytes(httpx.get(f"{served.url}/openapi.json").content)
    (where / "config.yml").write_text("post_hooks: []\n")
    command = [Path(sys.executable).with_name("openapi-python-client"), "generate", "--meta", "none"]
    files = ["--path", "openapi.json", "--config", "config.yml", "--output-path", "boards"]
    made = subprocess.run([*command, *files], cwd=where, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(where))
    yield importlib.import_module("boards")
    sys.path.remove(str(where))


@pytest.fixture
def client(generated, served):
    with generated.Client(base_url=served.url) as client:
        yield client


def operation(name, tag="numbers"):
    return importlib.import_module(f"boards.api.{tag}.{name}")


def test_a_value(client):
    assert operation("numbers_value").sync("7", client=client) == 70


def test_a_page_of_entries(client):
    page = operation("numbers_page").sync(client=client, from_="1", limit=2)
    assert [(each.key, each.value) for each in page.entries] == [(1, 10), (2, 20)]
    assert operation("numbers_page").sync(client=client, after=page.next_, limit=1).entries[0].key == 3


def test_records_have_fields(client):
    page = operation("visits_page", "visits").sync(client=client, limit=1)
    assert (page.entries[0].key.user, page.entries[0].key.page, page.entries[0].value) == ("a", -1, 1)


def test_keys_in_windows_have_milliseconds(client):
    key = operation("hours_page", "hours").sync(client=client, limit=1).entries[0].key
    assert (key.key, key.start, key.end) == ("a", 0, 3_600_000)


def test_many_keys(generated, client):
    models = importlib.import_module("boards.models")
    found = operation("numbers_values").sync(client=client, body=models.NumbersKeys(keys=[1, 9999]))
    assert (found.values, found.next_) == ([10, None], None)


def test_a_count(client):
    assert operation("numbers_count").sync(client=client).count == 2500


def test_a_refusal_is_typed(client):
    answer = operation("numbers_value").sync_detailed("9999", client=client)
    assert answer.status_code == 404


def test_a_route_of_the_app(generated, client):
    models = importlib.import_module("boards.models")
    body = models.Order(id=5)
    assert operation("post_orders", "default").sync_detailed(client=client, body=body).status_code == 200
