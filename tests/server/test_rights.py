"""Tokens with rights: what each may read of stores, routes and the server itself, over every kind of read."""

import json
import logging
import os
import re
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from holdfast.errors import HoldfastError
from holdfast.server import rights_file
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.server.conftest import make_app
from tests.stores.publisher import Publisher

SHOP, FEW, OPERATOR, OWNER = "shop-t0ken-heron", "few-t0ken-Lisbon", "operator-t0ken-99", "owner-t0ken-zz-1"
FILE = """
[token.shop]
sha256 = ["{shop}", "{spare}"]
stores = ["leaderboard", "numbers"]
routes = ["/leaderboard/{{product_id}}", "/mounted"]

[token.few]
token = "file:few.token"

[token.few.prefixes]
names = ["a", "long"]
visits = ['{{"user": "a"}}']
hours = ['["ann"]']
works = ["x"]
numbers = ["1"]

[token.operator]
sha256 = "{operator}"
meta = true
"""


def digest(token):
    return sha256(token.encode()).hexdigest()


def write(directory, text=None, mode=0o600):
    """A file of rights in place of the one that was there, and the token that it refers to, for this user alone."""
    content = text or FILE.format(shop=digest(SHOP), spare=digest("spare-t0ken"), operator=digest(OPERATOR))
    for name, said in {"few.token": FEW + "\n", "rights.toml": content}.items():
        file = directory / f"{name}.new"
        file.write_text(said)
        file.chmod(mode)
        file.replace(directory / name)
    return directory / "rights.toml"


class Asked:
    """A server with such a file, asked with one token or another."""

    def __init__(self, url):
        self._http = httpx.Client(base_url=url, timeout=10)

    def __call__(self, token, path, method="GET", body=None, **more):
        headers = {"Authorization": f"Bearer {token}", **({} if body is None else {"Content-Type": "application/json"})}
        content = None if body is None else json.dumps(body)
        return self._http.request(method, path, headers={**headers, **more}, content=content)

    def status(self, token, path, *rest):
        answer = self(token, path, *rest)
        return answer.status_code if answer.status_code < 400 else (answer.status_code, answer.json()["error"]["code"])

    def stream(self, token, path):
        return self._http.stream("GET", path, headers={"Authorization": f"Bearer {token}"})


FORBIDDEN = (403, "forbidden")
DASHBOARD = ("/dashboard/now", "/dashboard/history", "/dashboard/letters", "/dashboard/topology")


@pytest.fixture(scope="module")
def asked(published, tmp_path_factory):
    file = write(tmp_path_factory.mktemp("rights"))
    app = make_app(published.name)
    stores = Stores(app.name, published.brokers, tmp_path_factory.mktemp("state"))
    with Server(app, stores, port=0, access=Access(OWNER, rights=file)) as server:
        stores.wait_ready(90)
        yield Asked(server.url)


def said(line):
    """The fields of an audit line; one that is not as it should be has none."""
    found = re.fullmatch(r'refused:((?: \w+="(?:[^"\\]|\\.)*")+)', line)
    return {name: json.loads(text) for name, text in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*")', found[1])}


@pytest.fixture
def audited(caplog):
    caplog.set_level(logging.WARNING, "holdfast.audit")
    return lambda: [each.getMessage() for each in caplog.records if each.name == "holdfast.audit"]


pytestmark = pytest.mark.broker

READS = [
    "/stores/{}", "/stores/{}?limit=1", "/stores/{}/count", "/stores/{}/keys/1", "/stores/{}/keys/1?min_epoch=1",
    "/stores/{}/windows", "/stores/{}/changes", "/stores/{}/changes?key=1", "/stores/{}/keys/1?from=0",
]  # fmt: skip
POSTS = [
    ("/stores/{}/get", {"key": 1}), ("/stores/{}/keys", {"keys": [1]}), ("/stores/{}/page", {"limit": 1}),
    ("/stores/{}/windows", {"limit": 1}),
]  # fmt: skip


@pytest.mark.parametrize("store", ["hours", "times", "nowhere"])
def test_a_store_without_a_right_is_refused_whatever_is_asked_of_it_and_whether_it_is_there(asked, store):
    for path in READS:
        assert asked.status(SHOP, path.format(store)) == FORBIDDEN
    for path, body in POSTS:
        assert asked.status(SHOP, path.format(store), "POST", body) == FORBIDDEN
    assert asked.status(SHOP, "/sql", "POST", {"query": f"SELECT * FROM {store}"}) == FORBIDDEN
    assert asked.status(SHOP, "/sql", "POST", {"query": f"DESCRIBE {store}"}) == FORBIDDEN


def test_a_store_with_a_right_is_read(asked):
    for path in ("", "?limit=1", "/count", "/keys/1", "/keys/1?min_epoch=1"):
        assert asked.status(SHOP, f"/stores/numbers{path}") == 200
    for path, body in POSTS[:3]:
        assert asked.status(SHOP, path.format("numbers"), "POST", body) == 200
    rows = asked(SHOP, "/sql", "POST", {"query": "SELECT count(*) FROM numbers"}).json()["rows"]
    assert rows == [[2500]]
    with asked.stream(SHOP, "/stores/numbers/changes?key=1") as answer:
        assert next(answer.iter_lines()) == "event: snapshot"


def test_other_tokens_of_a_name_and_the_tokens_of_the_server_do_as_well(asked):
    assert asked.status("spare-t0ken", "/stores/numbers") == 200
    assert asked.status(OWNER, "/stores/hours") == 200
    assert asked.status(OWNER, "/metrics") == 200
    for unknown in ("y", "x", digest(SHOP), SHOP + "x"):
        assert asked.status(unknown, "/stores/numbers") == (401, "unauthorized")


def test_stores_and_openapi_list_what_may_be_read(asked):
    assert [each["name"] for each in asked(SHOP, "/stores").json()["stores"]] == ["leaderboard", "numbers"]
    few = {each["name"]: each["count"] for each in asked(FEW, "/stores").json()["stores"]}
    assert few == {"hours": None, "names": None, "numbers": None, "visits": None}
    assert asked(OPERATOR, "/stores").json()["stores"] == []
    described = asked(SHOP, "/openapi.json").json()["paths"]
    assert described.keys() & {"/leaderboard", "/visits", "/metrics", "/topology", "/"} == set()
    assert described.keys() >= {"/leaderboard/{product_id}", "/stores/{store}"}
    assert asked(OWNER, "/openapi.json").json()["paths"].keys() >= {"/leaderboard", "/metrics"}


def test_a_typing_mistake_names_no_store_that_may_not_be_read(asked):
    answer = asked(FEW, "/stores/works")
    assert answer.json()["error"]["code"] == "unknown_store"
    assert "leaderboard" not in answer.text


def test_some_keys_of_a_store(asked):
    for path in ("keys/a", "keys/a%20b", "keys/long" + "long" * 199, "?prefix=a", "?from=a&to=a%20b", "?prefix=long"):
        assert asked.status(FEW, f"/stores/names{path if path[0] == '?' else '/' + path}") == 200
    for path in ("/keys/..", "/keys/nobody", "", "?prefix=g", "?from=a", "?to=b", "?from=a&to=c", "/count", "?prefix="):
        assert asked.status(FEW, f"/stores/names{path}") == FORBIDDEN
    assert asked.status(FEW, "/stores/names/get", "POST", {"key": "a/b"}) == 200
    assert asked.status(FEW, "/stores/names/get", "POST", {"key": "+1"}) == FORBIDDEN
    assert asked.status(FEW, "/stores/names/keys", "POST", {"keys": ["a", "a b"]}) == 200
    assert asked.status(FEW, "/stores/names/keys", "POST", {"keys": ["a", "+1"]}) == FORBIDDEN
    assert asked.status(FEW, "/stores/names/page", "POST", {"prefix": "a"}) == 200
    assert asked.status(FEW, "/stores/names/page", "POST", {}) == FORBIDDEN
    assert asked.status(FEW, "/sql", "POST", {"query": "SELECT * FROM names WHERE key = 'a'"}) == FORBIDDEN


def test_a_page_of_some_keys_goes_on_and_never_beyond_them(asked):
    first = asked(FEW, "/stores/names?prefix=a&limit=2").json()
    rest = asked(FEW, f"/stores/names?prefix=a&limit=9&after={first['next']}").json()
    assert [each["key"] for each in first["entries"] + rest["entries"]] == ["a", "a b", "a%2Fb", "a/b", "a?b=c&d#e"]
    backwards = asked(FEW, "/stores/names?prefix=a&limit=1&reverse=true").json()
    assert backwards["entries"][0]["key"] == "a?b=c&d#e"
    assert asked.status(FEW, f"/stores/names?reverse=true&after={first['next']}") == FORBIDDEN


def test_some_keys_of_records_and_of_windows(asked):
    assert asked.status(FEW, '/stores/visits/keys/{"user":"a","page":1}') == 200
    assert asked.status(FEW, '/stores/visits/keys/{"user":"b%2Fc","page":1}') == FORBIDDEN
    assert asked.status(FEW, '/stores/visits?prefix={"user":"a"}') == 200
    assert asked.status(FEW, "/stores/hours/keys/ann?from=0") == 200
    assert asked.status(FEW, "/stores/hours/keys/bob?from=0") == FORBIDDEN
    assert asked.status(FEW, "/stores/hours/windows?from=0") == FORBIDDEN
    assert asked.status(FEW, "/stores/hours/windows", "POST", {"from": 0}) == FORBIDDEN


def test_a_prefix_that_the_keys_of_a_store_cannot_have_gives_no_right(asked):
    for path in ("/keys/1", "/keys/10", "", "?from=1&to=1"):
        assert asked.status(FEW, f"/stores/numbers{path}") == FORBIDDEN


def test_changes_of_some_keys(asked):
    for path in ("?key=a", "?prefix=a", "?from=a&to=a%20b"):
        with asked.stream(FEW, f"/stores/names/changes{path}") as answer:
            assert answer.status_code == 200
    for path in ("", "?key=a&key=%2B1", "?prefix=g", "?after=3"):
        assert asked.status(FEW, f"/stores/names/changes{path}") == FORBIDDEN


def test_sql_lists_and_names_only_what_may_be_read(asked):
    assert asked(SHOP, "/sql", "POST", {"query": "SHOW TABLES"}).json()["rows"] == [["leaderboard"], ["numbers"]]
    joined = "SELECT * FROM numbers WHERE key IN (SELECT value FROM names)"
    assert asked.status(SHOP, "/sql", "POST", {"query": joined}) == FORBIDDEN
    assert asked.status(SHOP, "/sql", "POST", {"query": "SELECT * FROM NUMBERS LIMIT 1"}) == 200
    assert asked(OPERATOR, "/sql", "POST", {"query": "SHOW TABLES"}).json()["rows"] == []


def test_routes_of_the_app_are_a_right_of_their_own(asked):
    assert asked.status(SHOP, "/leaderboard/1") == 200
    assert asked.status(SHOP, "/mounted/x") == 200
    for path in ("/leaderboard", "/async/1", "/visits", "/nowhere/../visits"):
        assert asked.status(SHOP, path) == FORBIDDEN
    assert asked.status(SHOP, "/orders", "POST", {"id": 1}) == FORBIDDEN
    assert asked.status(FEW, "/mounted/x") == FORBIDDEN


def test_what_the_server_says_of_itself_is_a_right_of_its_own(asked):
    for path in ("/metrics", "/topology", "/topology.json", "/topology.svg", "/", *DASHBOARD):
        assert asked.status(SHOP, path) == FORBIDDEN
        assert asked.status(OPERATOR, path) == 200
    assert asked(SHOP, "/health").json() == {"status": "ok"}
    assert asked(SHOP, "/ready").json() == {"ready": True}
    assert "lag" in asked(OPERATOR, "/health").json()
    assert asked.status(OPERATOR, "/stores/numbers") == FORBIDDEN


def test_every_route_of_the_server_is_open_by_a_right_that_is_known(asked):
    """A new route that nobody thought of is refused to tokens that may read some stores."""
    for path in asked(OWNER, "/openapi.json").json()["paths"]:
        if re.match(r"/stores/[^{]", path) or path == "/sql/changes":
            continue  # those of all stores, with the types of one; and what is open as /sql is, and does not end
        place = re.sub(r"{\w+}", "1", path.replace("{store}", "hours"))
        answers = [asked.status(SHOP, place), asked.status(SHOP, place, "POST", {"query": "SELECT 1", "key": 1})]
        is_open = path in ("/stores", "/health", "/ready", "/openapi.json", "/sql", "/leaderboard/{product_id}")
        assert is_open or FORBIDDEN in answers, path
        assert is_open or all(each in (FORBIDDEN, (405, "method_not_allowed")) for each in answers), path


def test_queries_are_watched_with_the_rights_of_queries(asked):
    for query in ("SELECT * FROM hours", "SELECT * FROM nowhere", "SELECT n.key FROM numbers n, hours"):
        assert asked.status(SHOP, "/sql/changes", "POST", {"query": query}) == FORBIDDEN
    assert asked.status(FEW, "/sql/changes", "POST", {"query": "SELECT * FROM names"}) == FORBIDDEN


def test_records_are_written_with_the_right_to_everything(asked):
    body = {"records": [{"key": 1, "value": "x"}]}
    for token in (SHOP, FEW, OPERATOR):
        assert asked.status(token, "/topics/scores", "POST", body) == FORBIDDEN
    assert asked.status(OWNER, "/topics/scores", "POST", body) == (403, "produce_off")


def test_the_description_has_the_stores_that_may_be_read(asked):
    paths = asked(SHOP, "/openapi.json").json()["paths"]
    assert "/stores/numbers" in paths
    assert "hours" not in json.dumps(paths)
    assert "/stores/hours" in asked(OWNER, "/openapi.json").json()["paths"]


def test_each_refusal_is_a_line_with_names_and_without_the_token(asked, audited):
    asked(FEW, "/stores/names/keys/%1b%5b2J")
    asked(FEW, "/stores/names/keys", "POST", {"keys": ["a", 'x" store="names']})
    asked(SHOP, "/stores/hours")
    asked(SHOP, "/visits")
    asked(SHOP, "/sql", "POST", {"query": "SELECT * FROM hours"})
    assert [said(line) for line in audited()] == [
        {"token": "few", "store": "names", "key": r"'\x1b[2J'", "request": "GET /stores/names/keys/%1b%5b2J"},
        {"token": "few", "store": "names", "key": "'x\" store=\"names'", "request": "POST /stores/names/keys"},
        {"token": "shop", "store": "hours", "request": "GET /stores/hours"},
        {"token": "shop", "request": "GET /visits"},
        {"token": "shop", "store": "hours", "request": "POST /sql"},
    ]
    for _ in range(20):
        asked(SHOP, "/stores/hours")
    assert len(audited()) == 25
    assert not any(token in line for line in audited() for token in (SHOP, FEW, digest(SHOP)))


@pytest.fixture
def changing(broker, tmp_path):
    """A server of its own, and its file, which may be changed."""
    publisher = Publisher(broker.address).publish(names=("string", "long"))
    publisher.put("names", [("a", 1), ("b", 2)])
    file = write(tmp_path, f'[token.ann]\nsha256 = "{digest(SHOP)}"\nstores = ["names"]\n')
    stores = Stores(publisher.name, broker.address, tmp_path / "state")
    with Server(None, stores, port=0, access=Access(rights=file)) as server:
        stores.wait_ready(90)
        yield Asked(server.url), tmp_path, publisher


def test_a_file_that_changes_is_read_again(changing):
    asked, directory, publisher = changing
    other = f'[token.ann]\nsha256 = "{digest(SHOP)}"\n[token.ann.prefixes]\nnames = ["b"]\n'
    with asked.stream(SHOP, "/stores/names/changes") as watched:
        lines = watched.iter_lines()
        assert next(lines) == "event: snapshot"
        assert asked.status(SHOP, "/stores/names/keys/a") == 200
        write(directory, other)
        eventually(lambda: asked.status(SHOP, "/stores/names/keys/a") == FORBIDDEN)
        assert asked.status(SHOP, "/stores/names/keys/b") == 200
        publisher.put("names", [("a", 3)], epoch=2)
        assert '"value":3' not in "".join(lines)  # the subscription ends
    write(directory, f'[token.ben]\nsha256 = "{digest(OWNER)}"\nstores = "*"\nroutes = "*"\nmeta = true\n')
    eventually(lambda: asked.status(SHOP, "/stores/names/keys/b") == (401, "unauthorized"))
    assert asked.status(OWNER, "/metrics") == 200


def test_a_change_that_is_wrong_is_logged_and_changes_nothing(changing, caplog):
    asked, directory, _ = changing
    write(directory, "[token.ann]\nsha256 = 5\n")
    eventually(lambda: asked.status(SHOP, "/stores/names/keys/a") and "64 letters" in caplog.text)
    assert asked.status(SHOP, "/stores/names/keys/a") == 200
    write(directory, '[token.eve]\nsha256 = "' + digest("eve-t0ken") + '"\nstores = "*"\n', mode=0o604)
    eventually(lambda: asked.status("eve-t0ken", "/stores") and "chmod 600" in caplog.text)
    assert asked.status("eve-t0ken", "/stores") == (401, "unauthorized")


GOOD = digest(SHOP)
WRONG = {
    "": "tables [token.NAME]",
    "[token]": "tables [token.NAME]",
    "[token.a\n": "cannot be read",
    "more = 1\n[token.a]": "and nothing else",
    '[token."a b"]\nmeta = true': "a name of letters",
    "[token.a]": "has no token",
    "[token.a]\nsha256 = 'abc'": "64 letters",
    f"[token.a]\nsha256 = '{GOOD.upper()}'": "64 letters",
    "[token.a]\ntoken = 'plain-text-token'": "is a reference",
    "[token.a]\ntoken = 'file:nowhere'": "nowhere",
    "[token.a]\ntoken = 'env:HOLDFAST_NOT_SET'": "not set",
    f"[token.a]\nsha256 = '{GOOD}'\nstore = ['x']": "has store; wanted meta",
    f"[token.a]\nsha256 = '{GOOD}'\nstores = 'x'": "is a list of texts",
    f"[token.a]\nsha256 = '{GOOD}'\nroutes = [1]": "is a list of texts",
    f"[token.a]\nsha256 = '{GOOD}'\nmeta = 1": "true or false",
    f"[token.a]\nsha256 = '{GOOD}'\nprefixes = ['x']": "for each store a list",
    f"[token.a]\nsha256 = '{GOOD}'\n[token.a.prefixes]\nx = []": "wanted a list of texts",
    f"[token.a]\nsha256 = '{GOOD}'\n[token.a.prefixes]\nx = ['']": "wanted a list of texts",
    f"[token.a]\nsha256 = '{GOOD}'\nstores = ['x']\n[token.a.prefixes]\nx = ['a']": "leave it out of one",
    f"[token.a]\nsha256 = '{GOOD}'\n[token.b]\nsha256 = '{GOOD}'": "the same token as",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_a_file_that_is_wrong_is_refused(tmp_path, text, said):
    with pytest.raises(HoldfastError, match=re.escape(said)):
        rights_file.load(write(tmp_path, text or "\n"))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o660])
@pytest.mark.parametrize("name", ["rights.toml", "few.token"])
def test_a_file_that_others_reach_is_refused(tmp_path, name, mode):
    file = write(tmp_path)
    rights_file.load(file)
    (tmp_path / name).chmod(mode)
    with pytest.raises(HoldfastError, match=f"{name} has the mode {mode:o}.*chmod 600"):
        rights_file.load(file)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_refused(tmp_path):
    file = write(tmp_path)
    os.chown(file, 12345, -1)
    with pytest.raises(HoldfastError, match="belongs to the user 12345"):
        rights_file.load(file)


def test_the_file_in_the_docs(tmp_path):
    page = (Path(__file__).parents[2] / "docs/guides/security.md").read_text()
    (text,) = re.findall(r"```toml\n(\[token[^`]+)```", page)
    tokens = iter([digest("one"), digest("two")])
    text = re.sub("…", lambda _: next(tokens), text).replace("/run/secrets/mobile", "few.token")
    _, found = rights_file.load(write(tmp_path, text))
    assert sorted(each.token for each in found.values()) == ["mobile", "monitoring", "monitoring", "shop"]
    assert found[digest(FEW)].stores == {"orders": ("eu/", "uk/")}


def test_a_server_with_rights_may_listen_where_others_are():
    Access(rights="rights.toml").refuse_open_address("0.0.0.0")
    with pytest.raises(HoldfastError, match="--no-token says that it has none"):
        Access(rights="rights.toml", public=True).checked()


def test_the_dashboard_is_of_the_server_and_its_records_are_for_those_who_may_read_everything(asked, published):
    for path in DASHBOARD:
        assert asked.status(OWNER, path) == asked.status(OPERATOR, path) == 200
        assert asked.status(SHOP, path) == asked.status(FEW, path) == FORBIDDEN
    assert asked(OPERATOR, "/dashboard/now").json()["stores"] == []
    letter = Record(
        f"{published.name}-dead-letters", b"k", b"secret of an order",
        headers=tuple((f"hf-{name}", text) for name, text in (
            ("topic", b"in"), ("partition", b"0"), ("offset", b"1"), ("node", b"n"), ("reason", b"no number"),
        )),
    )  # fmt: skip
    topics = Topics(published.brokers)
    topics.ensure([TopicSpec(letter.topic, 1)])
    topics.produce([letter])
    (group,) = eventually(lambda: asked(OWNER, "/dashboard/letters").json()["groups"])
    assert group["letters"][0]["value"] == "secret of an order"
    (group,) = asked(OPERATOR, "/dashboard/letters").json()["groups"]
    assert (group["reason"], group["count"], group["letters"]) == ("no number", 1, [])
