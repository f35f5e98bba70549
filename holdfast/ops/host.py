"""An app with all it needs around it: broker, query, replica and server, started in order and stopped in reverse."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from holdfast.dsl.app import App
from holdfast.errors import BrokerError, HoldfastError, JavaError, KernelError, SettingsError
from holdfast.runtime import lock
from holdfast.runtime.request import home
from holdfast.runtime.running import Running
from holdfast.runtime.start import start
from holdfast.settings.table import HOST, PORT
from holdfast.topics.admin import Topics

if TYPE_CHECKING:
    from holdfast.ops.broker import Broker
    from holdfast.ops.server_process import ServerProcess
    from holdfast.server.access import Access


class Say(Protocol):
    """Shows a message; the fields are for programs that read it as JSON."""

    def __call__(self, text: str, /, **fields: object) -> None:
        """Show it."""


@dataclass(frozen=True)
class HostOptions:
    """The options of a host, as the command line has them."""

    dev: bool = False
    brokers: str | None = None
    mode: str | None = None
    state_dir: Path | None = None
    serve: bool = False
    address: str = HOST
    port: int = PORT
    skip_lost: bool = False
    idle_ms: int | None = None
    master: str | None = None
    access: Access | None = None
    health_port: int | None = None
    app: str = ""
    """The app's file, for the process of the query server."""


class Host:
    """Runs one app in this process.

    `prepare` is called with the topics once the broker answers, before the app reads: the demo puts its data there.
    """

    def __init__(
        self, app: App, options: HostOptions, say: Say, prepare: Callable[[Topics], None] | None = None
    ) -> None:
        self.app = app
        self.options = options
        self._say = say
        self._prepare = prepare
        self._stack = contextlib.ExitStack()
        self.brokers = ""
        self.running: Running | None = None
        self.server: ServerProcess | None = None
        self._local: Broker | None = None
        if options.state_dir is not None:
            app.settings = replace(app.settings, state_dir=options.state_dir.absolute())
        if options.master is not None:
            app.settings = replace(app.settings, spark={**app.settings.spark, "spark.master": options.master})

    def __enter__(self) -> Host:
        with contextlib.ExitStack() as stack:
            self._stack = stack
            self._open()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self) -> None:
        self.app.topology.json()
        settings = self.app.settings
        found = self._found()
        held = lock.hold(home(settings).directory, settings.name)
        held.in_use = lambda: False  # until the app is started below, which takes it over
        self._stack.callback(held.release)
        self.brokers = self._broker(found)
        topics = Topics(self.brokers, self.app.settings.kafka_client())
        topics.existing()
        if self.options.serve:
            self.server = self._serve()
        if self._prepare is not None:
            self._prepare(topics)
        self._say("starting Spark")
        self.running = start(
            self.app,
            brokers=self.brokers,
            mode=self.options.mode,
            skip_lost=self.options.skip_lost,
            idle_ms=self.options.idle_ms,
        )
        self._stack.callback(self.running.stop)
        if self.server is not None:
            meter = self.running.meter(f"{settings.stalled_after_ms} ms")
            self._stack.callback(meter.stop)
            self.server.watch(meter)
        if self.running.changes:
            self._say("\n  - ".join(["the program has changed, and goes on with its state:", *self.running.changes]))
        if self.running.created:
            self._say(f"created topics: {', '.join(sorted(self.running.created))}")

    @property
    def ready(self) -> bool:
        """Whether the server, if one was wanted, has what the app had written when it started."""
        return self.server is None or self.server.ready

    def look(self, timeout: str) -> bool:
        """Wait a moment; true when the app has ended. What ended it is raised, with the place of the log."""
        assert self.running is not None
        try:
            if self.running.wait(timeout):
                return True
        except (JavaError, KernelError) as problem:
            if isinstance(problem, KernelError) and problem.node:
                raise
            raise HoldfastError(f"the app failed: {problem}\nThe log is in {home(self.app.settings).log}") from problem
        if self._local is not None and self._local.running() is None:
            self.running.abort()
            raise BrokerError(
                f"the broker of {self.app.settings.state_dir} has ended, and the app cannot go on without it; see "
                f"{self._local.log_file}. Started again, the app goes on where it was"
            )
        return False

    def _found(self) -> tuple[str, dict[str, str]] | None:
        """The brokers to use and the settings of their clients; None where the app runs one of its own."""
        from holdfast.ops.broker import password_of
        from holdfast.ops.cluster import local_of, named

        given, directory = self.options.brokers, self.app.settings.state_dir
        if self.options.dev:
            if given:
                raise SettingsError("--dev runs a broker of its own and --brokers names another: choose one")
            return None
        if brokers := named(self.app, given):
            return brokers, password_of(brokers, directory)
        state = local_of(self.app, self.options.state_dir)
        self._say(f"using the local broker at {state.address}, data in {state.state_dir}", broker=state.address)
        return state.address, state.kafka

    def _broker(self, found: tuple[str, dict[str, str]] | None) -> str:
        from holdfast.ops.broker import Broker

        if found is not None:
            brokers, kafka = found
            self._log_in(kafka)
            return brokers

        self._say("starting the broker")
        self._local = self._stack.enter_context(Broker(self.app.settings.state_dir).start())
        self._say(f"broker at {self._local.address}{self._local.remark}", broker=self._local.address)
        self._log_in(self._local.kafka)
        return self._local.address

    def _log_in(self, kafka: dict[str, str]) -> None:
        """Let the app know the password of the local broker; what the user set wins."""
        settings = self.app.settings
        self.app.settings = replace(settings, kafka={**kafka, **settings.kafka})

    def _serve(self) -> ServerProcess:
        from holdfast.ops.server_process import ServerProcess
        from holdfast.server.access import EVERYBODY

        options, directory = self.options, str(self.app.settings.state_dir)
        where = options.address, options.port, options.health_port, options.access or EVERYBODY
        server = ServerProcess(options.app, self.brokers, directory, *where)
        self._stack.callback(server.stop)
        server.start()
        self._say(f"serving at {server.url}", url=server.url)
        return server
