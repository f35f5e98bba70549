"""Which brokers a command talks to: those that are named, else the local broker that is found."""

from __future__ import annotations

from pathlib import Path

from holdfast.dsl.app import App
from holdfast.errors import SettingsError
from holdfast.ops.broker import Broker, BrokerState, find_local, password_of
from holdfast.runtime.request import NO_BROKERS
from holdfast.settings import broker_list


def cluster_of(app: App, given: str | None, state_dir: Path | None) -> tuple[str, dict[str, str]]:
    """The brokers of an app, and the client settings for them, with the password of the local broker.

    `given` and `state_dir` are the options of the command.
    """
    brokers = named(app, given)
    if brokers is None:
        found = local_of(app, state_dir)
        return found.address, {**found.kafka, **app.settings.kafka_client()}
    return brokers, {**password_of(brokers, state_dir or app.settings.state_dir), **app.settings.kafka_client()}


def named(app: App, given: str | None) -> str | None:
    """The brokers that the option names, or a setting of the app."""
    return broker_list(given, "--brokers") or app.settings.brokers


def local_of(app: App, state_dir: Path | None) -> BrokerState:
    """The local broker that runs: that of the state directory, and if none was named of `.holdfast` here or the last.

    What has no broker is refused, with the ways to name one.
    """
    found = Broker(state_dir or app.settings.state_dir).running()
    if found is None and state_dir is None:
        found = find_local()
    if found is None:
        where = f"; none runs in {state_dir}" if state_dir else ", and no local one runs"
        raise SettingsError(NO_BROKERS.format(where=where))
    return found
