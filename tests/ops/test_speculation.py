"""Tasks that Spark runs twice at the same time would shut each other out."""

import sys
from types import SimpleNamespace

import pytest

import holdfast.runtime
from holdfast.errors import SettingsError

start = sys.modules[holdfast.runtime.start.__module__]


def session(**settings):
    conf = SimpleNamespace(getBoolean=lambda name, otherwise: settings.get(name, otherwise))
    java = SimpleNamespace(sparkContext=lambda: SimpleNamespace(conf=lambda: conf))
    return SimpleNamespace(sparkContext=SimpleNamespace(_gateway=None), _jsparkSession=java)


def test_speculation_is_refused(monkeypatch):
    monkeypatch.setattr(start.kernel, "adopt", lambda gateway: None)
    with pytest.raises(SettingsError, match="Leave it off"):
        start._session(None, None, session(**{"spark.speculation": True}))
    given = session()
    assert start._session(None, None, given) is given._jsparkSession
