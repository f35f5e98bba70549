"""Tasks that Spark runs twice at the same time would fence each other."""

from types import SimpleNamespace

import pytest

from holdfast.errors import SettingsError
from holdfast.spark.session import check_speculation


def session(**settings):
    conf = SimpleNamespace(getBoolean=lambda name, otherwise: settings.get(name, otherwise))
    return SimpleNamespace(sparkContext=lambda: SimpleNamespace(conf=lambda: conf))


def test_speculation_is_refused():
    check_speculation(session())
    with pytest.raises(SettingsError, match="Leave it off"):
        check_speculation(session(**{"spark.speculation": True}))
