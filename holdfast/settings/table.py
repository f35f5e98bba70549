"""Every setting there is: its name, type and default, where it may come from, and its sentence in the docs.

The docs' tables are made of this one, and the options of the command line are declared from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from holdfast.settings import kinds
from holdfast.settings.kinds import Kind

PREFIX = "HOLDFAST_"
HOST = "127.0.0.1"
PORT = 7000
URL = f"http://{HOST}:{PORT}"
NOTHING: Mapping[str, str] = MappingProxyType({})


class DefaultText(str):
    """A default that can be told from the same text given by the user."""


class DefaultNumber(int):
    """A default that can be told from the same number given by the user."""


@dataclass(frozen=True)
class Setting:
    """One setting.

    It is read from its `variable` unless that is empty, and from the command line if it has an `option`, whose sentence
    is `help`. Those of an app are arguments and entries of holdfast.toml, too.
    """

    name: str
    kind: Kind
    default: Any  # of the type that the kind reads
    about: str
    field: str = ""
    """Where `Settings` has it."""
    variable: str = ""
    option: str = ""
    help: str = ""
    metavar: str | None = None
    shown: str = ""
    """How the docs write the default, if not as the value."""

    @property
    def attribute(self) -> str:
        """The name of the field that has it."""
        return self.field or self.name


def _app(name: str, kind: Kind, default: object, about: str, **more: str) -> Setting:
    return Setting(name, kind, default, about, variable=PREFIX + name.upper(), **more)


BROKERS = _app(
    "brokers", kinds.BROKERS, None, "`host:port`, several with commas",
    option="--brokers", help="Bootstrap servers; or HOLDFAST_BROKERS.", metavar="HOST:PORT",
)  # fmt: skip
MODE = _app(
    "mode", kinds.choice("exactly-once", "real-time", "drain"), DefaultText("exactly-once"),
    "`exactly-once`, `real-time`, or `drain`: process what is there, then end; see [Modes](../concepts/modes.md)",
    option="--mode", help="How to run; the app's own setting otherwise.",
)  # fmt: skip
STATE_DIR = _app(
    "state_dir", kinds.PATH, DefaultText(".holdfast"), "where state is kept, relative to the app file",
    option="--state-dir", help="Where state is stored; .holdfast next to the app by default.",
)  # fmt: skip

APP: tuple[Setting, ...] = (
    BROKERS,
    MODE,
    _app("tasks", kinds.COUNT, DefaultNumber(16), "into how many parts keys are divided; fixed for the life of an app"),
    _app("trigger", kinds.DURATION, DefaultText("500 ms"), "how often a batch begins", field="trigger_ms"),
    _app("real_time_epoch", kinds.DURATION, DefaultText("5 minutes"), "how long an epoch lasts in real-time mode",
         field="real_time_epoch_ms"),
    _app("max_records", kinds.COUNT, DefaultNumber(1_000_000), "how many records a batch takes at most"),
    _app("max_bytes", kinds.COUNT, DefaultNumber(128 * 2**20), "about how many bytes a batch takes at most"),
    STATE_DIR,
    _app("on_error", kinds.choice("dead-letter", "fail"), DefaultText("dead-letter"),
         "or `fail`, see [Errors](../guides/errors.md)"),
    _app("auto_offset_reset", kinds.RESET, DefaultText("earliest"),
         "where a new app begins: `earliest`, `latest`, a time"),
    _app("state_memory", kinds.STATE_MEMORY, None,
         "how much memory all state of a process may take outside of the heap, for example `512MB`, see "
         "[Tasks](../guides/running.md#tasks-partitions-cores)"),
    _app("stalled_after", kinds.DURATION, DefaultText("5 minutes"), "an epoch that takes longer makes `/health` fail",
         field="stalled_after_ms"),
    _app("fsync", kinds.SWITCH, DefaultText("true"),
         "whether files of a checkpoint on a local disk are forced to it before Kafka commits, see "
         "[Power loss](../guides/restarts.md#power-loss)"),
    _app("telemetry", kinds.SWITCH, DefaultText("true"),
         "whether the app publishes what it measures, and its program, for the "
         "[dashboard](../guides/dashboard.md) of its servers"),
    _app("kafka", kinds.MAPPING, NOTHING,
         "client settings, see [Security](../guides/security.md#to-kafka); the variable holds a JSON object"),
    _app("spark", kinds.MAPPING, NOTHING, "Spark settings; the variable holds a JSON object"),
    _app("python", kinds.MAPPING, NOTHING,
         "how [Python functions](../guides/python-processes.md#when-a-function-misbehaves) are run: `timeout`, "
         "`memory`, `calls`, `environment`; the variable holds a JSON object"),
)  # fmt: skip

WORKERS: tuple[Setting, ...] = (
    Setting("timeout", kinds.TIMEOUT, 300_000, "how long a call may take; a call has up to 10,000 records",
            field="timeout_ms", shown="`5 minutes`"),
    Setting("memory", kinds.SIZE, 2**30, "by how much a process may grow (on Linux)",
            field="memory_bytes", shown="`1 GB`"),
    Setting("calls", kinds.COUNT, 0, "after how many calls a process is replaced", shown="any number"),
    Setting("environment", kinds.ENVIRONMENT, "same",
            "where executors of a cluster find Python and its packages, see below"),
)  # fmt: skip

ADDRESS = Setting(
    "address", kinds.TEXT, HOST, "where the query server listens", option="--host", help="Where the server listens.",
)  # fmt: skip
SERVER_PORT = Setting(
    "port", kinds.PORT, PORT, "its port; 0 takes any free one",
    option="--port", help="Its port; 0 takes any free one.",
)  # fmt: skip
HEALTH_PORT = Setting(
    "health_port", kinds.PORT, None, "a second port of the query server for `/health` and `/ready`",
    variable=PREFIX + "HEALTH_PORT", option="--health-port",
    help="Answer /health and /ready here, too, by yes or no to everybody.",
)  # fmt: skip
TOKEN = Setting(
    "token_file", kinds.PATH, None, "the token that a server wants, or that `holdfast query` sends; may be `file:PATH`",
    variable=PREFIX + "TOKEN", option="--token-file", help="Answer those who send this token; or HOLDFAST_TOKEN.",
)  # fmt: skip
RIGHTS = Setting(
    "rights", kinds.PATH, None, "a file of tokens and what each of them may read, see "
    "[Security](../guides/security.md#rights)",
    variable=PREFIX + "RIGHTS", option="--rights", help="Answer the tokens of this file, each what it may read.",
)  # fmt: skip
SHARE = Setting(
    "share", kinds.FLAG, False, "share the stores with other servers of the app, see "
    "[Many servers](../guides/many-servers.md)",
    variable=PREFIX + "SHARE", option="--share", help="Share the stores with other servers of the app.",
)  # fmt: skip
STANDBYS = Setting(
    "standbys", kinds.COUNT, 1, "how many more servers have what one has, with `--share`",
    variable=PREFIX + "STANDBYS", option="--standbys", help="With --share: how many more servers have what one has.",
)  # fmt: skip
ADVERTISE = Setting(
    "advertise", kinds.TEXT, None, "where other servers reach `--share-port`, an `http://` or `https://` address",
    variable=PREFIX + "ADVERTISE", option="--advertise", metavar="URL",
    help="With --share: where other servers reach the --share-port.",
)  # fmt: skip
SHARE_PORT = Setting(
    "share_port", kinds.PORT, None, "the port at which other servers ask this one; any free one without it",
    variable=PREFIX + "SHARE_PORT", option="--share-port", help="With --share: the port for other servers.",
)  # fmt: skip
SHARE_SECRET = Setting(
    "share_secret", kinds.PATH, None, "a file with the secret that the servers of the app share",
    variable=PREFIX + "SHARE_SECRET", option="--share-secret",
    help="With --share: a file with the secret of all servers.",
)  # fmt: skip
SHARE_CA = Setting(
    "share_ca", kinds.PATH, None, "who signed the certificates of the other servers, PEM",
    variable=PREFIX + "SHARE_CA", option="--share-ca", help="With --share: who signed the servers' certificates, PEM.",
)  # fmt: skip
SHARING = (SHARE, STANDBYS, ADVERTISE, SHARE_PORT, SHARE_SECRET, SHARE_CA)
NO_TOKEN = Setting(
    "no_token", kinds.FLAG, False, "a server without a token answers everybody, also where other machines reach it",
    option="--no-token", help="Answer everybody, also where other machines are.",
)  # fmt: skip
SQL = Setting(
    "sql", kinds.FLAG, False, "a server that other machines reach answers SQL, too; see "
    "[Security](../guides/security.md#the-query-server)",
    option="--sql", help="Answer SQL also where other machines are.",
)  # fmt: skip
PRODUCE = Setting(
    "produce", kinds.FLAG, False, "the query server writes records to the topics that the app reads, for whoever may "
    "ask it; see [Security](../guides/security.md#the-query-server)",
    option="--produce", help="Write records of clients to the topics that the app reads.",
)  # fmt: skip
ALLOW_HOST = Setting(
    "allow_host", kinds.NAMES, (),
    "names under which a server without a token may be asked, several with spaces; see "
    "[Security](../guides/security.md#the-query-server)",
    variable=PREFIX + "ALLOW_HOST", option="--allow-host", metavar="NAME",
    help="Without a token: another name under which the server may be asked.",
)  # fmt: skip
TLS_CERT = Setting(
    "tls_cert", kinds.PATH, None, "the certificate of the query server, PEM; a chain",
    variable=PREFIX + "TLS_CERT", option="--tls-cert", help="Serve over TLS; a chain, PEM.",
)  # fmt: skip
TLS_KEY = Setting(
    "tls_key", kinds.PATH, None, "the key of that certificate, PEM",
    variable=PREFIX + "TLS_KEY", option="--tls-key", help="The certificate's key, PEM.",
)  # fmt: skip
SERVER = (ADDRESS, SERVER_PORT, HEALTH_PORT, TOKEN, RIGHTS, NO_TOKEN, SQL, ALLOW_HOST, TLS_CERT, TLS_KEY, *SHARING)

SERVER_URL = Setting(
    "url", kinds.TEXT, URL, "the server that `holdfast query` asks",
    variable=PREFIX + "URL", option="--url", help="The server to ask; or HOLDFAST_URL.",
)  # fmt: skip
CA = Setting(
    "ca", kinds.PATH, None, "who signed the certificate of the server that `holdfast query` asks, PEM",
    variable=PREFIX + "CA", option="--ca", help="Who signed the server's certificate, PEM.",
)  # fmt: skip
CLIENT = (SERVER_URL, CA)

CACHE = Setting(
    "cache", kinds.PATH, None, "where jars and class archives are kept",
    variable=PREFIX + "CACHE", shown="`~/.cache/holdfast`",
)  # fmt: skip
ARCHIVE = Setting(
    "archive", kinds.choice("off"), None, "`off`: neither use nor make a class archive", variable=PREFIX + "ARCHIVE",
)  # fmt: skip
IVY_SETTINGS = Setting(
    "ivy_settings", kinds.PATH, None, "an `ivysettings.xml` of your own for fetching jars",
    variable=PREFIX + "IVY_SETTINGS",
)  # fmt: skip
PROCESS = (
    CACHE,
    ARCHIVE,
    IVY_SETTINGS,
    Setting("one client setting", kinds.TEXT, None,
            "one client setting each: `HOLDFAST_KAFKA_ACKS` is `acks`, `HOLDFAST_KAFKA_SASL_MECHANISM` is "
            "`sasl.mechanism`", variable=PREFIX + "KAFKA_…"),
    Setting("Java", kinds.PATH, None, "which Java", variable="JAVA_HOME"),
)  # fmt: skip

NAMES = tuple(setting.name for setting in APP)
MAPPINGS = tuple(setting.name for setting in APP if setting.kind is kinds.MAPPING)
MODES = MODE.kind.choices
# The defaults of the parameters of App, which have types of their own.
DEFAULTS: Mapping[str, Any] = MappingProxyType({setting.name: setting.default for setting in APP})
