"""`POST /sql`: SELECTs over the stores of an app at one epoch."""

import pytest

pytestmark = pytest.mark.broker


def ask(http, query, parameters=(), status=200, accept="application/json", **rest):
    body = {"query": query, **({"parameters": parameters} if parameters else {}), **rest}
    answer = http.post("/sql", json=body, headers={"Accept": accept})
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
