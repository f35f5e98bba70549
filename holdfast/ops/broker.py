"""The local broker: a real single-node Kafka in a process of its own, with its data under the state directory."""

import contextlib
import fcntl
import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from holdfast.errors import BrokerError
from holdfast.ops import broker_password, kafka_config
from holdfast.ops.ports import choose_port, is_free
from holdfast.ops.processes import Process
from holdfast.private_files import UMASK, is_own, make_directory, open_private, private_directory, write_private
from holdfast.spark import jars, logs
from holdfast.spark.archive import KERNEL
from holdfast.spark.java import find_java
from holdfast.topics import admin

MAIN = "io.holdfast.kernel.ops.LocalBroker"
USUAL_PORT = 9092
ANY_PORT = 0
ATTEMPTS = 3
OPEN = "every user of this machine can reach it"


@dataclass(frozen=True)
class BrokerState:
    """What is known of a running broker; `owner` is None for one that stays until it is stopped."""

    process: Process
    owner: Process | None
    port: int
    controller_port: int
    password_file: str | None = None
    state_dir: str = ""

    @property
    def kafka(self) -> dict[str, str]:
        """The client settings that its address needs."""
        return broker_password.client_settings(Path(self.password_file)) if self.password_file else {}

    @property
    def address(self) -> str:
        """The bootstrap address."""
        return f"127.0.0.1:{self.port}"


class Broker:
    """The broker of one state directory.

    >>> with Broker(Path(".holdfast")) as broker:   # doctest: +SKIP
    ...     print(broker.address)
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        port: int | None = None,
        heap: str = "512m",
        settings: Mapping[str, str] | None = None,
        password: bool = False,
    ) -> None:
        self.home = Path(state_dir).absolute() / "broker"
        self.log_file = self.home / "broker.log"
        self._port = port
        self._password = password
        self._heap = heap
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._state: BrokerState | None = None

    @property
    def address(self) -> str:
        """The bootstrap address, once started."""
        if self._state is None:
            raise BrokerError(f"the broker of {self.home.parent} was not started")
        return self._state.address

    @property
    def kafka(self) -> dict[str, str]:
        """The client settings that its address needs, once started."""
        return {} if self._state is None else self._state.kafka

    @property
    def owned(self) -> bool:
        """Whether this object started the broker that it uses, and will stop it."""
        return self._process is not None

    @property
    def remark(self) -> str:
        """What is unusual about its address, for people."""
        if not self.owned:
            return ", which runs already"
        usual = self._port is not None or self._state is None or self._state.port == USUAL_PORT
        return ("" if usual else f"; {USUAL_PORT} is taken") + ("" if self.kafka else f"; {OPEN}")

    def running(self) -> BrokerState | None:
        """Give the state of the live broker of this directory, whoever started it."""
        state = self._read_state()
        if state is None or not state.process.alive():
            return None
        if not is_own(self._file):
            raise BrokerError(
                f"{self._file} belongs to another user, whose broker it is: name yours with --brokers or "
                "HOLDFAST_BROKERS, or choose another directory with --state-dir or HOLDFAST_STATE_DIR"
            )
        return state

    def start(self, *, detached: bool = False, timeout: float = 60) -> "Broker":
        """Use the broker that runs here or start one; return when it answers."""
        with self._starting():
            state = self._usable()
            if state is not None and self._port not in (None, ANY_PORT, state.port):
                raise BrokerError(
                    f"port {self._port} was asked for, but the broker of {self.home.parent} already runs on port "
                    f"{state.port}: leave the port out, or stop it first (holdfast broker stop)"
                )
            if state is not None and self._password and not state.kafka:
                raise BrokerError(
                    f"the broker of {self.home.parent} already runs, and asks for no password: stop it first (holdfast "
                    "broker stop), then start it with --password"
                )
            if self._password:
                broker_password.make(self.home)
            self._state = state or self._launch(detached, timeout)
            if state is not None:
                admin.wait_until_ready(state.address, timeout, kafka=state.kafka)
        register(self.home.parent)
        return self

    def stop(self) -> None:
        """Stop the broker if this object started it; one that was found running stays."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)
            self._file.unlink(missing_ok=True)
        self._state = None

    def stop_any(self) -> bool:
        """Stop the broker of this directory, whoever started it; whether there was one."""
        state = self.running()
        if state is not None:
            state.process.end()
        self._file.unlink(missing_ok=True)
        return state is not None

    def __enter__(self) -> "Broker":
        return self if self._state is not None else self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def _file(self) -> Path:
        return self.home / "broker.json"

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """Let one process at a time look and start."""
        try:
            private_directory(self.home, "choose another with --state-dir or HOLDFAST_STATE_DIR")
            file = open_private(self.home / "start.lock")
        except OSError as error:
            raise BrokerError(f"cannot write the state directory {self.home.parent}: {error}") from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _usable(self) -> BrokerState | None:
        """Give the live broker; one whose owner has ended is stopping, and is waited for."""
        state = self.running()
        if state is None or state.owner is None or state.owner.alive():
            return state
        if not state.process.wait(30):
            state.process.end(timeout=0)
        return None

    def _read_state(self) -> BrokerState | None:
        try:
            found = json.loads(self._file.read_text())
            owner = found["owner"] and Process(**found["owner"])
            ports = found["port"], found["controller_port"]
            where = str(self.home.parent)
            return BrokerState(Process(**found["process"]), owner, *ports, found.get("password_file"), where)
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def _write_state(self, state: BrokerState) -> None:
        partial = self._file.with_suffix(".partial")
        write_private(partial, json.dumps(asdict(state)))
        partial.replace(self._file)

    def _launch(self, detached: bool, timeout: float) -> BrokerState:
        """Start the process; when another took the chosen port in the meantime, choose again."""
        before = self._read_state()
        for _ in range(ATTEMPTS):
            port = self._choose_port(before)
            controller = choose_port(before.controller_port if before else None, avoid={port})
            process = self._spawn(port, controller, detached)
            owner = None if detached else Process.current()
            secret = broker_password.file_of(self.home)
            password_file = str(secret) if secret.exists() else None
            where = str(self.home.parent)
            state = BrokerState(Process.of(process.pid), owner, port, controller, password_file, where)
            self._write_state(state)
            try:
                ready = self._ready(process, state, timeout)
            except BaseException:
                _end(process)
                raise
            if ready:
                self._process = None if detached else process
                return state
            process.wait()
            if is_free(port) and is_free(controller):
                break
        raise BrokerError(self._why())

    def _choose_port(self, before: BrokerState | None) -> int:
        if self._port == ANY_PORT:
            return choose_port()
        if self._port is not None:
            if not is_free(self._port):
                raise BrokerError(f"port {self._port} is taken by another program: choose another, or leave --port out")
            return self._port
        return choose_port(before.port if before else USUAL_PORT)

    def _spawn(self, port: int, controller_port: int, detached: bool) -> "subprocess.Popen[bytes]":
        if not KERNEL.exists():
            raise BrokerError(f"the kernel {KERNEL} is not there: run make setup, or install the wheel again")
        properties, cluster = kafka_config.write(self.home, port, controller_port, self._settings)
        class_path = ":".join(map(str, [*jars.paths("broker"), KERNEL]))
        command = [str(find_java().path), f"-Xmx{self._heap}", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"]
        command += ["-Djava.awt.headless=true", f"-Dlog4j2.configurationFile={logs.configure(self.log_file)}"]
        command += ["-cp", class_path, MAIN, str(properties), cluster or "-", "detached" if detached else "owned"]
        with open_private(self.log_file.with_suffix(".out"), "wb") as sink:
            stdin = subprocess.DEVNULL if detached else subprocess.PIPE
            return subprocess.Popen(
                command, stdin=stdin, stdout=sink, stderr=sink, start_new_session=True, cwd=self.home, umask=UMASK
            )

    def _ready(self, process: "subprocess.Popen[bytes]", state: BrokerState, timeout: float) -> bool:
        """Wait until it answers; false when it ended instead."""
        deadline = time.monotonic() + timeout
        while process.poll() is None:
            if not is_free(state.port):
                left = max(1.0, deadline - time.monotonic())
                found = admin.wait_until_ready(state.address, left, process.poll, state.kafka)
                # Another broker may have taken the port in between; then it answers, and ours is about to end.
                if process.poll() is None and found == kafka_config.cluster_id(self.home):
                    return True
            if time.monotonic() > deadline:
                raise BrokerError(f"the broker did not answer within {timeout:.0f} s; see {self.log_file}")
            time.sleep(0.05)
        return False

    def _why(self) -> str:
        printed = self.log_file.with_suffix(".out").read_text(errors="replace").splitlines()
        logged = self.log_file.read_text(errors="replace").splitlines() if self.log_file.exists() else []
        telling = [line for line in [*printed, *logged[-200:]] if "ERROR" in line or "Exception" in line]
        return f"the broker ended while starting ({(telling or ['no reason given'])[-1][:300]}); see {self.log_file}"


def _end(process: "subprocess.Popen[bytes]", timeout: float = 30) -> None:
    """Close its standard input, which is its sign to stop; kill it when it does not."""
    if process.stdin is not None:
        process.stdin.close()
    else:
        process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def register(state_dir: Path) -> None:
    """Remember the broker started last, so that commands elsewhere find it."""
    path = jars.cache_dir() / "last-broker"
    make_directory(path.parent)
    if is_own(path.parent):
        private_directory(path.parent, jars.OTHER_CACHE)
    write_private(path, str(state_dir))


def find_local(state_dir: Path | None = None) -> BrokerState | None:
    """Give the live local broker: of `state_dir`, else of `.holdfast` here, else the one started last."""
    if state_dir is not None:
        return Broker(state_dir).running()
    here = Broker(Path(".holdfast")).running()
    if here is not None:
        return here
    last = jars.cache_dir() / "last-broker"
    try:
        return Broker(Path(last.read_text())).running() if is_own(last) else None
    except FileNotFoundError:
        return None


def password_of(brokers: str, state_dir: Path | None = None) -> dict[str, str]:
    """The client settings for `brokers`, if that is a local broker with a password."""
    host, _, port = brokers.rpartition(":")
    for folder in dict.fromkeys((state_dir, None)) if host in ("127.0.0.1", "localhost") else ():
        with contextlib.suppress(BrokerError):  # that of another user is not meant
            state = find_local(folder)
            if state is not None and str(state.port) == port:
                return state.kafka
    return {}
