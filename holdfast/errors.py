"""The exception tree; every mistake of a user is a `HoldfastError` that says where, what came and the way out.

HoldfastError
├── SettingsError            a setting of the app, a variable or holdfast.toml
├── DurationError            "5 minutes" was wanted
├── TimeError                a point in time was wanted
├── TypeDeclarationError     a type of a topic that cannot be understood
├── ExpressionError          a lambda or an expression that cannot become native
│   └── UnknownField         (also AttributeError, KeyError) a record has no such field
├── TopologyError            a program that does not fit together
├── AppFileError             an app file that cannot be loaded
├── NotServed                a store was asked outside a server
├── NotAvailable             a part of the surface that this version does not have
├── AlreadyRuns              the app runs already, with the same state or elsewhere
├── BrokerError              Kafka does not answer, or a topic does not fit
├── JavaError                no Java, or a JVM that does not start
├── KernelError              what the kernel refused: carries the node
│   └── OutputFenced         another producer has taken the place of the app's
├── DataLoss                 Kafka has deleted what was still to be read
├── StateMismatch            recorded state that does not fit the program
├── StateRefused             a state or an entry that its store's changelog does not take
├── KeyNotFound              (also KeyError) a store has no such key
│
│   of stores and servers, where they are raised:
├── UnknownStore             (stores/catalog.py) the app has no such store
├── StoreNotReady            (stores/catalog.py) a store's replica does not have its present types yet
├── NotOfTheApp              (stores/catalog.py) a record of the meta topic that the app cannot have written
├── NoVersions               (stores/versions.py) a store keeps the latest values only
├── WrongType                (stores/types.py) a value of a request does not have the type of the key
├── ServerError              (server/listener.py) the query server cannot be started
├── Refusal                  (server/responses.py) a request that is not answered, with its HTTP status
│   └── Forbidden            (server/responses.py) the token may not read that
├── ShareUnavailable         (sharing/parts.py) no server that shares the stores answers for some of the partitions
├── HistoryGone              (server/subscriptions.py) a subscription wants to go on behind an epoch that is too old
├── RequestError             (client/connection.py) a server refused what a client asked, or none answers
│
│   of commands:
├── QueryError               (cli/query.py) the server refused, or there is none
├── CannotReplay             (topology/reentry.py) a dead letter that cannot be replayed at the requested place
└── EditError                (ops/edits.py) an edit of dead letters that cannot be understood
"""

from __future__ import annotations


class HoldfastError(Exception):
    """Base of every error that Holdfast raises for its user."""

    def __init__(self, message: str, *, at: str | None = None) -> None:
        self.message = message
        self.at = at
        super().__init__(f"{at}: {message}" if at else message)

    def __str__(self) -> str:
        return str(self.args[0])


class SettingsError(HoldfastError):
    """A setting has a value that it cannot have."""


class DurationError(HoldfastError):
    """A duration such as "5 minutes" was wanted."""


class TimeError(HoldfastError):
    """A point in time was wanted."""


class TypeDeclarationError(HoldfastError):
    """The type of a key or a value cannot be understood."""


class ExpressionError(HoldfastError):
    """A lambda or an expression cannot become a native expression."""


class UnknownField(ExpressionError, AttributeError, KeyError):
    """A record has no field of that name."""


class TopologyError(HoldfastError):
    """The parts of a program do not fit together."""


class AppFileError(HoldfastError):
    """An app file cannot be loaded."""


class NotServed(HoldfastError):
    """A store was asked where no server holds it."""


class NotAvailable(HoldfastError):
    """A part of the surface that this version does not have."""


class BrokerError(HoldfastError):
    """Kafka does not answer, or a topic does not fit."""


class AlreadyRuns(HoldfastError):
    """The app runs already, with the same state or elsewhere."""


class JavaError(HoldfastError):
    """Java is missing, too old, or the JVM does not start."""


class KernelError(HoldfastError):
    """The kernel refused a node of the program."""

    def __init__(self, message: str, *, node: str | None = None, at: str | None = None) -> None:
        self.node = node
        super().__init__(message, at=at)


class OutputFenced(KernelError):
    """A producer of the app's output was fenced: another one has its place."""


class DataLoss(HoldfastError):
    """Kafka has deleted records that were still to be read."""


class StateMismatch(HoldfastError):
    """Recorded state does not fit the program."""


class StateRefused(HoldfastError):
    """The changelog of a store does not take a state or an entry."""


class KeyNotFound(HoldfastError, KeyError):
    """A store has no such key."""
