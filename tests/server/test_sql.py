"""`POST /sql`: SELECTs over the stores of an app at one epoch."""

import io
import threading
import time
from dataclasses import replace
from decimal import Decimal

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.server.sql import endpoint
from holdfast.server.sql.limits import USUAL
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher, record

pytestmark = pytest.mark.broker

PRICE = "decimal(20,4)"
TAGS = {"type": "array", "elementType": "string", "containsNull": True}
SCORES = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}
ORDER = record(user="string", price=PRICE, placed="timestamp", key="string", tags=TAGS, to=record(city="string"))
ENDLESS = "SELECT count(*) FROM range(100000000000) a, range(100) b"


def order(n):
    return {
        "user": f"user{n % 3}",
        "price": "1234567890123456.7890",
        "placed": f"2026-01-01T00:00:{n % 60:02d}.5Z",
        "key": f"k{n}",
        "tags": ["a", None, f"t{n}"] if n % 2 else [],
        "to": {"city": "Köln"} if n % 5 else None,
    }


@pytest.fixture(scope="module")
def shop(broker):
    publisher = Publisher(broker.address)
    publisher.publish(
        **{
            "orders": ("long", ORDER),
            "per-user": ("string", "long"),
            "boards": ("string", SCORES),
            "empty": ("string", ORDER),
        }
    )
    publisher.put("orders", [(n, order(n)) for n in range(300)], epoch=1)
    publisher.put("per-user", [(f"user{n}", n * 10) for n in range(3)], epoch=2)
    publisher.put("boards", [("a", {"ann": 1, "bob": None}), ("b", {})], epoch=3)
    return publisher


@pytest.fixture(scope="module")
def shop_http(shop, tmp_path_factory):
    stores = Stores(shop.name, shop.brokers, tmp_path_factory.mktemp("shop"))
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        with httpx.Client(base_url=server.url, timeout=60) as client:
            yield client


def ask(http, query, parameters=(), status=200, accept="application/json", params=None, **rest):
    body = {"query": query, **({"parameters": parameters} if parameters else {}), **rest}
    answer = http.post("/sql", json=body, headers={"Accept": accept}, params=params or {})
    assert answer.status_code == status, answer.text
    return answer


def rows(http, query, *parameters):
    return ask(http, query, list(parameters)).json()["rows"]


def refused(http, query, *parameters, status=400):
    return ask(http, query, list(parameters), status).json()["error"]


def test_an_answer(http):
    answer = ask(http, "SELECT key, value FROM numbers WHERE key BETWEEN 1 AND 2 ORDER BY key")
    assert answer.json() == {
        "columns": [{"name": "key", "type": "BIGINT"}, {"name": "value", "type": "BIGINT"}],
        "rows": [[1, 10], [2, 20]],
        "epoch": 6,
        "truncated": False,
    }
    assert answer.headers["holdfast-epoch"] == "6"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT count(*), sum(value) FROM numbers", [[2500, -12500]]),
        ("SELECT key FROM numbers WHERE key IN (5, 7, 5000) ORDER BY 1 DESC", [[7], [5]]),
        ("SELECT key FROM numbers WHERE key > 1247 AND value <> 12480", [[1249]]),
        ("SELECT key FROM numbers WHERE 1248 <= key ORDER BY key", [[1248], [1249]]),
        ("SELECT n.key FROM numbers AS n WHERE n.key = -1250", [[-1250]]),
        ("SELECT key FROM NUMBERS WHERE key = 1 OR key = 2 ORDER BY key", [[1], [2]]),
        ("SELECT value FROM names WHERE key = '日本'", [[7]]),
        ("SELECT value FROM names WHERE key = ''", [[0]]),
        ("SELECT value FROM names WHERE key >= 'x' AND key < 'y'", [[9]]),
        ("SELECT length(key) FROM names WHERE value = 11", [[800]]),
        ("SELECT value FROM times WHERE key = '2026-01-02T00:00:00Z'", [["day 2"]]),
        ("SELECT value FROM times WHERE key > TIMESTAMPTZ '2026-01-02'", [["day 3"]]),
        ("SELECT value FROM times WHERE key < TIMESTAMP '2026-01-02 00:00:00'", [["day 1"]]),
        ("SELECT value FROM hours WHERE key = 'a b' ORDER BY window_start", [[0], [1], [2]]),
        ("SELECT value FROM hours WHERE key = 'a' AND window_start = '1970-01-01T01:00:00Z'", [[1]]),
        ("SELECT value FROM hours WHERE key = 'a' AND window_start > '1970-01-01T01:00:00Z'", [[2]]),
        ("SELECT hour(window_end - INTERVAL 1 HOUR), count(*) FROM hours GROUP BY 1 ORDER BY 1",
         [[0, 3], [1, 3], [2, 3]]),
        ("SELECT key.page FROM visits WHERE key.user = 'b/c' ORDER BY 1", [[-1], [0], [1]]),
        ("SELECT key.page FROM visits WHERE key.user = 'a' AND key.page = 0", [[0]]),
        ("SELECT count(*) FROM visits WHERE key.page = 0", [[2]]),
        ("WITH big AS (SELECT * FROM numbers WHERE key > 1000) SELECT count(*) FROM big", [[249]]),
        ("WITH numbers AS (SELECT 1 AS x) SELECT * FROM numbers", [[1]]),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT * FROM t",
         [[1], [2], [3]]),
        ("SELECT n.value FROM numbers n JOIN leaderboard b USING (key) ORDER BY 1", [[10], [60]]),
        ("SELECT b.key, e.score FROM leaderboard b, unnest(b.value) AS u(e) ORDER BY 2 DESC LIMIT 1", [[6, 9000]]),
        ("SELECT (SELECT max(value) FROM numbers WHERE key < 0), (SELECT value FROM numbers WHERE key = 3)",
         [[-10, 30]]),
        ("VALUES (1, 'a'), (2, NULL)", [[1, "a"], [2, None]]),
        ("SHOW TABLES", [[n] for n in ("hours", "leaderboard", "names", "numbers", "times", "visits")]),
        ("DESCRIBE numbers", [[n, "BIGINT", "YES", None, None, None] for n in ("key", "value")]),
        ("SELECT column_name FROM (DESCRIBE hours)", [["key"], ["window_start"], ["window_end"], ["value"]]),
        ("SELECT column_name, max FROM (SUMMARIZE numbers)", [["key", "1249"], ["value", "12490"]]),
        ("FROM range(2)", [[0], [1]]),
        ("SELECT 'NaN'::DOUBLE, 1e400, TIME '12:00', INTERVAL 1 DAY IS NOT NULL",
         [["NaN", "Infinity", "12:00:00", True]]),
    ],
)  # fmt: skip
def test_queries(http, query, expected):
    assert rows(http, query) == expected


def test_parameters(http):
    assert rows(http, "SELECT value FROM numbers WHERE key = ?", 5) == [[50]]
    assert rows(http, "SELECT value FROM numbers WHERE key > $1 AND key <= $2 ORDER BY 1", 5, 7) == [[60], [70]]
    assert ask(http, "SELECT value FROM names WHERE key = $name", {"name": "a b"}).json()["rows"] == [[2]]
    assert rows(http, "SELECT value FROM numbers WHERE key IN (SELECT unnest(?)) ORDER BY 1", [1, 2]) == [[10], [20]]
    assert rows(http, "SELECT value FROM times WHERE key <= ?", "2026-01-01T00:00:00Z") == [["day 1"]]
    assert "not be" not in refused(http, "SELECT ?")["message"]
    assert refused(http, "SELECT ?", *range(1001))["code"] == "bad_parameter"


def test_types_are_real(shop_http):
    found = ask(shop_http, "SELECT column_name, column_type FROM (DESCRIBE orders)").json()["rows"]
    assert dict(found) == {
        "key": "BIGINT",
        "user": "VARCHAR",
        "price": "DECIMAL(20,4)",
        "placed": "TIMESTAMP WITH TIME ZONE",
        "value_key": "VARCHAR",
        "tags": "VARCHAR[]",
        "to": "STRUCT(city VARCHAR)",
    }
    assert rows(shop_http, "SELECT * FROM orders WHERE key = 61") == [
        [61, "user1", 1234567890123456.7890, "2026-01-01T00:00:01.500Z", "k61", ["a", None, "t61"], {"city": "Köln"}]
    ]
    assert "1234567890123456.7890" in ask(shop_http, "SELECT price FROM orders WHERE key = 61").text
    assert rows(shop_http, "SELECT value['ann'], value FROM boards ORDER BY key") == [
        [1, {"ann": 1, "bob": None}],
        [None, {}],
    ]
    assert rows(shop_http, "SELECT count(*), max(price) FROM empty") == [[0, None]]


def test_a_join_of_stores_one_of_which_wants_quotes(shop_http):
    query = 'SELECT o.user, u.value, count(*) FROM orders o JOIN "per-user" u ON u.key = o.user GROUP BY ALL ORDER BY 1'
    assert rows(shop_http, query) == [["user0", 0, 100], ["user1", 10, 100], ["user2", 20, 100]]


def test_formats(shop_http):
    query = "SELECT key, price, placed, tags FROM orders WHERE key IN (1, 2) ORDER BY key"
    table = pa.ipc.open_stream(ask(shop_http, query, accept="application/vnd.apache.arrow.stream").content).read_all()
    assert [str(each) for each in table.schema.types] == [
        "int64",
        "decimal128(20, 4)",
        "timestamp[us, tz=UTC]",
        "list<l: string>",
    ]
    assert table.column("price").to_pylist() == [Decimal("1234567890123456.7890")] * 2
    parquet = pq.read_table(io.BytesIO(ask(shop_http, query, accept="application/vnd.apache.parquet").content))
    assert parquet.to_pylist() == table.to_pylist()
    assert ask(shop_http, query, accept="text/csv").text.splitlines() == [
        "key,price,placed,tags",
        '1,1234567890123456.7890,2026-01-01T00:00:01.500Z,"[""a"",null,""t1""]"',
        "2,1234567890123456.7890,2026-01-01T00:00:02.500Z,[]",
    ]
    sums = ask(shop_http, "SELECT sum(key) AS s FROM orders", accept="application/vnd.apache.arrow.stream")
    assert str(pa.ipc.open_stream(sums.content).schema.field("s").type) == "int64"
    assert ask(shop_http, query, status=406, accept="image/png").json()["error"]["code"] == "not_acceptable"


@pytest.mark.parametrize(("sql", "status"), [(False, 403), (True, 200)])
def test_where_other_machines_are_it_is_answered_if_wanted(shop, tmp_path, sql, status):
    stores = Stores(shop.name, shop.brokers, tmp_path / "open")
    with Server(None, stores, host="0.0.0.0", port=0, access=Access("a-good-token", sql=sql)) as server:
        stores.wait_ready(90)
        headers = {"Authorization": "Bearer a-good-token"}
        answer = httpx.post(f"{server.url}/sql", json={"query": "SELECT 1"}, headers=headers, timeout=30)
    assert answer.status_code == status
    assert sql or answer.json()["error"]["code"] == "sql_off"


def test_limits_of_rows(http):
    answer = ask(http, "SELECT * FROM numbers ORDER BY key", limit=2)
    assert answer.json()["rows"] == [[-1250, -12500], [-1249, -12490]]
    assert (answer.json()["truncated"], answer.headers["holdfast-truncated"]) == (True, "true")
    whole = ask(http, "SELECT * FROM numbers", limit=2500)
    assert (len(whole.json()["rows"]), whole.json()["truncated"]) == (2500, False)
    assert "holdfast-truncated" not in whole.headers
    usual = ask(http, "SELECT * FROM range(20000)").json()
    assert (len(usual["rows"]), usual["truncated"]) == (10_000, True)
    for limit in (0, -1, 100_001):
        assert ask(http, "SELECT 1", status=400, limit=limit).json()["error"]["code"] == "bad_limit"


def test_an_epoch_that_is_waited_for(http, monkeypatch):
    assert ask(http, "SELECT 1", params={"min_epoch": 6}).headers["holdfast-epoch"] == "6"
    monkeypatch.setattr("holdfast.server.consistency.TIMEOUT", 0.1)
    assert ask(http, "SELECT 1", status=504, params={"min_epoch": 7}).json()["error"]["code"] == "epoch_not_reached"


def test_a_store_that_changes_is_read_again(broker, tmp_path):
    publisher = Publisher(broker.address)
    publisher.publish(counts=("string", "long"), others=("string", "long"))
    publisher.put("counts", [("a", 1)], epoch=1)
    publisher.put("others", [("a", 1)], epoch=1)
    with Server(None, stores := Stores(publisher.name, publisher.brokers, tmp_path), port=0) as server:
        stores.wait_ready(90)
        with httpx.Client(base_url=server.url, timeout=60) as client:
            query = "SELECT (SELECT sum(value) FROM counts), (SELECT sum(value) FROM others)"
            assert rows(client, query) == [[1, 1]]
            for epoch in range(2, 5):
                publisher.put("counts", [("a", epoch), ("b", epoch)], epoch=epoch)
                answer = ask(client, query, params={"min_epoch": epoch}).json()
                assert (answer["rows"], answer["epoch"]) == ([[2 * epoch, 1]], epoch)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "bad_sql"),
        ("-- nothing", "not_a_select"),
        ("SELECT 1; SELECT 2", "not_a_select"),
        ("SELECT 1; DROP TABLE numbers", "not_a_select"),
        ("COPY (SELECT 1) TO '/tmp/x'", "not_a_select"),
        ("COPY numbers FROM '/etc/passwd'", "not_a_select"),
        ("ATTACH '/tmp/x.db'", "not_a_select"),
        ("INSTALL httpfs", "not_a_select"),
        ("LOAD httpfs", "not_a_select"),
        ("PRAGMA database_list", "not_a_select"),
        ("SET memory_limit = '100GB'", "not_a_select"),
        ("RESET memory_limit", "not_a_select"),
        ("CALL pragma_version()", "not_a_select"),
        ("EXPORT DATABASE '/tmp/x'", "not_a_select"),
        ("CREATE TABLE x (a INT)", "not_a_select"),
        ("CREATE MACRO f() AS 1", "not_a_select"),
        ("INSERT INTO numbers VALUES (1, 1)", "not_a_select"),
        ("WITH x AS (SELECT 1) INSERT INTO numbers SELECT 1, 1", "not_a_select"),
        ("DELETE FROM numbers", "not_a_select"),
        ("EXPLAIN ANALYZE SELECT 1", "not_a_select"),
        ("USE x", "not_a_select"),
        ("BEGIN", "not_a_select"),
        ("PREPARE x AS SELECT 1", "not_a_select"),
        ("EXECUTE x", "not_a_select"),
        ("SELECT * FROM read_csv('/etc/passwd')", "not_allowed"),
        ("SELECT * FROM READ_TEXT('/etc/passwd')", "not_allowed"),
        ("SELECT * FROM read_blob('/etc/passwd')", "not_allowed"),
        ("SELECT * FROM parquet_scan('http://127.0.0.1:1/x')", "not_allowed"),
        ("SELECT * FROM glob('/*')", "not_allowed"),
        ("SELECT (SELECT content FROM read_text('/etc/passwd'))", "not_allowed"),
        ("WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x", "not_allowed"),
        ("SELECT * FROM numbers WHERE key IN (SELECT size FROM read_blob('/etc/passwd'))", "not_allowed"),
        ("SELECT * FROM query('SELECT 1')", "not_allowed"),
        ("SELECT * FROM query_table('numbers')", "not_allowed"),
        ("SELECT * FROM json_execute_serialized_sql('{}')", "not_allowed"),
        ("SELECT * FROM duckdb_settings()", "not_allowed"),
        ("SELECT * FROM duckdb_secrets()", "not_allowed"),
        ("SELECT * FROM pragma_database_list()", "not_allowed"),
        ("SELECT * FROM arrow_scan(1, 2, 3)", "not_allowed"),
        ("SELECT * FROM pandas_scan(1)", "not_allowed"),
        ("SELECT * FROM python_map_function(1)", "not_allowed"),
        ("SELECT * FROM test_all_types()", "not_allowed"),
        ("SELECT * FROM information_schema.tables", "not_allowed"),
        ("SELECT * FROM main.numbers", "not_allowed"),
        ("SELECT * FROM temp.main.numbers", "not_allowed"),
        ("SELECT * FROM numbers AT (VERSION => 1)", "not_allowed"),
        ("SHOW ALL TABLES", "not_allowed"),
        ("SHOW DATABASES", "not_allowed"),
        ("SELECT current_setting('memory_limit')", "not_allowed"),
        ("SELECT CURRENT_SETTING('memory_limit')", "not_allowed"),
        ("SELECT system.main.current_setting('memory_limit')", "not_allowed"),
        ("SELECT [current_setting(x) FOR x IN ['threads']]", "not_allowed"),
        ("SELECT list_transform(['threads'], lambda x: current_setting(x))", "not_allowed"),
        ("SELECT getvariable('x')", "not_allowed"),
        ("SELECT write_log('x')", "not_allowed"),
        ("SELECT nextval('x')", "not_allowed"),
        ("SELECT sleep_ms(60000)", "not_allowed"),
        ("SELECT length(repeat('x', 2000000000))", "not_allowed"),
        ("SELECT len(range(1000000000))", "not_allowed"),
        ("SELECT length(lpad('x', 2000000000, 'y'))", "not_allowed"),
        ("SELECT * FROM range(len(range(1000000000)))", "not_allowed"),
        ("SELECT * FROM range((SELECT size FROM read_blob('/etc/passwd')))", "not_allowed"),
        ("SELECT * FROM unnest([current_setting('threads')])", "not_allowed"),
        ("SELECT * FROM numbers, LATERAL (SELECT current_setting('threads'))", "not_allowed"),
        ("SELECT * FROM numbers JOIN numbers b ON current_setting('threads') = '1'", "not_allowed"),
        ("VALUES (current_setting('threads'))", "not_allowed"),
        ("SELECT count(*) FILTER (current_setting('threads') = '1') OVER (ORDER BY getvariable('x'))", "not_allowed"),
        ("SELECT 1 ORDER BY current_setting('threads')", "not_allowed"),
        ("SELECT 1 LIMIT (SELECT length(current_setting('threads')))", "not_allowed"),
        ("DESCRIBE SELECT current_setting('threads')", "not_allowed"),
        ("SUMMARIZE SELECT * FROM read_text('/etc/passwd')", "not_allowed"),
        ("SELECT 'threads'.current_setting()", "not_allowed"),
        ("SELECT * REPLACE (current_setting('threads') AS key) FROM numbers", "not_allowed"),
        ("SELECT COLUMNS(c -> current_setting('threads') = '2') FROM numbers", "not_allowed"),
        ("SELECT 1 FROM " + ", ".join(f"numbers n{n}" for n in range(41)), "bad_sql"),
        ("WITH x AS (SELECT 1) SELECT 1 FROM " + ", ".join(f"x x{n}" for n in range(41)), "bad_sql"),
        ("WITH x AS NOT MATERIALIZED (SELECT 1) SELECT * FROM x", "not_allowed"),
        ("SELECT 'infinity'::TIMESTAMP", "bad_sql"),
        ("SELECT MAP {[1]: 2}", "bad_sql"),
        ("SELECT FROM numbers", "bad_sql"),
        ("SELECT a b c", "bad_sql"),
        ("SELECT nothing FROM numbers", "bad_sql"),
        ("SELECT getenv('HOME')", "not_allowed"),
        ("SELECT * FROM " + "(" * 2000 + "numbers" + ")" * 2000, "bad_sql"),
        ("SELECT " + "not " * 12_000 + "true", "bad_sql"),
        ("SELECT 1" + " + 1" * 15_000, "bad_sql"),
        ("SELECT '" + "x" * 65_536 + "'", "bad_sql"),
        ("SELECT error('x')", "bad_sql"),
    ],
)
def test_what_is_refused(http, query, code):
    assert refused(http, query)["code"] == code


@pytest.mark.parametrize(
    "name",
    ["'/etc/passwd'", "'https://example.com/x.parquet'", "duckdb_settings", "sqlite_master", "pg_class", "stores",
     "http", "os", "self", "limits", "duckdb_secrets"],
)  # fmt: skip
def test_what_is_no_store_is_not_read(http, name):
    """Neither files nor the database's own views nor variables of the server."""
    assert refused(http, f"SELECT * FROM {name}", status=404)["code"] == "unknown_store"
    hidden = f"WITH {name.strip(chr(39)) if name.isidentifier() else 'x'} AS (SELECT * FROM {name}) SELECT 1"
    assert refused(http, hidden, status=404)["code"] == "unknown_store"


def test_errors_say_what_to_do(http):
    unknown = refused(http, "SELECT * FROM numbrs", status=404)
    assert unknown["message"] == "no store 'numbrs'; did you mean 'numbers'?"
    wrong = refused(http, "SELECT *\nFORM numbers")
    assert wrong["message"] == 'syntax error at or near "numbers"'
    assert wrong["hint"] == "line 2: FORM numbers\n             ^"
    column = refused(http, "SELECT vlue FROM numbers")
    assert column["message"].startswith('Referenced column "vlue" not found')
    assert column["hint"] == "line 1: SELECT vlue FROM numbers\n               ^^^^"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"query": 1}', b'{"query": "SELECT 1", "x": 1}', b"\xff", b"[" * 100_000]
)
def test_bodies_that_are_none(http, body):
    answer = http.post("/sql", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_body")
    assert http.post("/sql", content=body).status_code == 415
    assert http.get("/sql").status_code == 405


def served_with(shop, directory, monkeypatch, **changed):
    monkeypatch.setattr(endpoint.SqlEndpoint.__init__, "__defaults__", (replace(USUAL, **changed),))
    stores = Stores(shop.name, shop.brokers, directory)
    return stores, Server(None, stores, port=0)


def test_limits_of_time_memory_and_size(shop, tmp_path, monkeypatch):
    stores, server = served_with(shop, tmp_path, monkeypatch, seconds=1, memory=64 << 20, read=8 << 10, answer=1 << 20)
    with server, httpx.Client(base_url=server.url, timeout=60) as client:
        stores.wait_ready(90)
        began = time.monotonic()
        assert "took longer than the 1 s" in refused(client, ENDLESS, status=503)["message"]
        assert time.monotonic() - began < 10
        memory = refused(client, "SELECT list(x) FROM range(10000000) t(x)", status=413)
        assert memory["message"] == "the query needs more than the 64 MB it may have"
        assert "stores" in refused(client, "SELECT * FROM orders", status=413)["message"]
        assert rows(client, "SELECT user FROM orders WHERE key = 5") == [["user2"]]
        answer = refused(client, "SELECT string_agg('x' || x, '') FROM range(1000000) t(x)", status=413)
        assert answer["message"] == "an answer may have 1 MB"


def test_a_slow_query_holds_up_nothing(shop, tmp_path, monkeypatch):
    stores, server = served_with(shop, tmp_path, monkeypatch, seconds=4, wait=0.2)
    with server, httpx.Client(base_url=server.url, timeout=60) as client:
        stores.wait_ready(90)
        statuses = []
        slow = [
            threading.Thread(target=lambda: statuses.append(client.post("/sql", json={"query": ENDLESS}).status_code))
            for _ in range(2)
        ]
        for each in slow:
            each.start()
        eventually(lambda: client.post("/sql", json={"query": "SELECT 1"}).status_code == 503)
        busy = refused(client, "SELECT 1", status=503)
        assert (busy["code"], busy["message"]) == ("busy", "2 queries run already, and none ended within 0.2 s")
        for _ in range(20):
            began = time.monotonic()
            assert client.get("/health").status_code == 200
            assert client.get("/stores/per-user/keys/user1").json() == 10
            assert time.monotonic() - began < 2
        for each in slow:
            each.join()
        assert statuses == [503, 503]
        assert rows(client, "SELECT 1") == [[1]]
