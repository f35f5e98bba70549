"""The names of an app's internal topics; records/OwnTopics.java in the kernel has the same."""

META = "meta"
MARKERS = "markers"
EPOCHS = "epochs"
DEAD_LETTERS = "dead-letters"
REPLAY = "replay"
TELEMETRY = "telemetry"
CHANGELOG = "changelog"
SERVERS = "servers"
NAMES = (META, MARKERS, EPOCHS, DEAD_LETTERS, REPLAY, TELEMETRY, SERVERS)


def meta_topic(app: str) -> str:
    """Where an app publishes its topology and its epochs."""
    return f"{app}-{META}"


def marker_topic(app: str) -> str:
    """Where the sink notes which epochs are written, one partition for each of its own."""
    return f"{app}-{MARKERS}"


def epoch_topic(app: str) -> str:
    """Where it is recorded, for every epoch, how far it read."""
    return f"{app}-{EPOCHS}"


def dead_letter_topic(app: str) -> str:
    """Where records go that cannot be processed."""
    return f"{app}-{DEAD_LETTERS}"


def server_topic(app: str) -> str:
    """Where the query servers of an app that share its stores say what they hold."""
    return f"{app}-{SERVERS}"


def replay_topic(app: str) -> str:
    """Where dead letters are put so that the app takes them again."""
    return f"{app}-{REPLAY}"


def telemetry_topic(app: str) -> str:
    """Where an app publishes what it measures."""
    return f"{app}-{TELEMETRY}"


def changelog_topic(app: str, store: str) -> str:
    """Where the changes of a store are."""
    return f"{app}-{store}-{CHANGELOG}"


def is_own(app: str, topic: str) -> bool:
    """Whether nobody else may write to a topic.

    >>> [is_own("shop", topic) for topic in ("shop-meta", "shop-sales-changelog", "shop-orders", "bank-meta")]
    [True, True, False, False]
    """
    return topic in (f"{app}-{name}" for name in NAMES) or (
        topic.startswith(f"{app}-") and topic.endswith(f"-{CHANGELOG}")
    )
