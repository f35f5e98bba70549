"""What a running app writes for its replicas: changelog topics and the meta topic, byte by byte as the sink does."""

import json
import time
import uuid

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

PLAN = {"app": "", "holdfast": 1, "tasks": 4, "on_error": "dead-letter", "stages": 1, "nodes": []}


def record(**fields):
    typed = [{"name": name, "type": of, "nullable": True, "metadata": {}} for name, of in fields.items()]
    return {"type": "struct", "fields": typed}


def text(value):
    """A key or value in the default serde: scalars as text, records as JSON, bytes raw."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return value.encode() if isinstance(value, str) else json.dumps(value, separators=(",", ":")).encode()


class Publisher:
    """Writes as the app `name` would."""

    def __init__(self, brokers, name=None, partitions=3):
        self.brokers = brokers
        self.name = name or f"app-{uuid.uuid4().hex[:8]}"
        self.partitions = partitions
        self.stores = {}
        self.ends = {}
        self.query = None
        self.read = {}
        self._made = set()
        self._admin = AdminClient({"bootstrap.servers": brokers})
        self._producer = Producer(
            {"bootstrap.servers": brokers, "partitioner": "murmur2_random", "linger.ms": 5, "acks": "all"}
        )

    def changelog(self, store):
        return f"{self.name}-{store}-changelog"

    def create(self, *names, partitions=None):
        config = {"cleanup.policy": "compact"}
        topics = [NewTopic(n, partitions or self.partitions, 1, config=config) for n in names]
        for future in self._admin.create_topics(topics).values():
            future.result()

    def delete(self, *names):
        self._made -= set(names)
        for future in self._admin.delete_topics(list(names)).values():
            future.result()
        while set(names) & self._admin.list_topics(timeout=5).topics.keys():
            time.sleep(0.05)

    def publish(self, nodes=(), **stores):
        """Create what is missing and publish the topology: publish(counts=("string", "long"))."""
        for name, (key, value) in stores.items():
            fields = {"kind": "key-value", "key": key, "value": value, "node": f"count:{name}"}
            self.stores[name] = {**fields, "changelog": self.changelog(name)}
        wanted = {f"{self.name}-meta": 1, **{self.changelog(name): self.partitions for name in self.stores}}
        # A broker may take a while to list a topic that it has just made.
        there = self._admin.list_topics(timeout=5).topics.keys() | self._made
        for topic, partitions in wanted.items():
            if topic not in there:
                self.create(topic, partitions=partitions)
                self._made.add(topic)
        topology = {**PLAN, "app": self.name, "nodes": list(nodes)}
        self._meta("topology", {"topology": topology, "stores": self.stores, "schemas": {}})
        return self

    def put(self, store, items, epoch=1, timestamp=1_700_000_000_000, mark=True):
        """Write one epoch: changes of a store, None deletes, then the epoch's marker; an item may have its own time."""
        topic = self.changelog(store)
        headers = [("hf-epoch", str(epoch).encode())]
        for key, value, *own in items:
            data = None if value is None else json.dumps(value, separators=(",", ":")).encode()
            while True:
                try:
                    self._producer.produce(
                        topic,
                        data,
                        text(key),
                        timestamp=own[0] if own else timestamp,
                        headers=headers,
                        on_delivery=self._delivered,
                    )
                    break
                except BufferError:
                    self._producer.poll(0.1)
        self._producer.flush()
        if mark:
            self.mark(epoch)

    def mark(self, epoch, live=False):
        more = {"live": True} if live else {}
        if self.query:
            more |= {"query": self.query, "read": self.read}
        self._meta("epoch", {"epoch": epoch, "at": int(time.time() * 1000), "offsets": self.ends, **more})

    def _delivered(self, error, message):
        assert error is None, error
        ends = self.ends.setdefault(message.topic(), {})
        ends[str(message.partition())] = max(ends.get(str(message.partition()), 0), message.offset() + 1)

    def _meta(self, key, document):
        self._producer.produce(f"{self.name}-meta", json.dumps(document).encode(), key.encode())
        self._producer.flush()
