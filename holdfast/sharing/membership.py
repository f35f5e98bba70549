"""The servers of one app, which find each other in a compacted topic: each says twice a second what it holds."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import msgspec
from confluent_kafka import KafkaException, Producer

from holdfast.errors import HoldfastError
from holdfast.sharing import wire
from holdfast.stores.changelog import Changelog, Partition
from holdfast.topics.admin import Topics
from holdfast.topics.client import LOGGER, ClientSettings, client_settings
from holdfast.topics.own_topics import server_topic
from holdfast.topics.records import TopicSpec

_SAY = 0.5
_GONE = 4.0
_SILENCE = 2.0
_SETTLE = 1.5
_RETRY = 1.0
_CONFIG = {"cleanup.policy": "compact,delete", "segment.ms": "600000", "retention.ms": "3600000"}

log = logging.getLogger("holdfast.sharing")


class Said(msgspec.Struct, frozen=True):
    """What a server says of itself: where it answers, and the epoch of each share that it holds.

    A share that is being restored has the records that are missing in place of an epoch.
    """

    url: str
    of: int
    held: dict[str, int]
    restoring: dict[str, int] = {}


_GOODBYE = Said("", 0, {})


@dataclass(frozen=True)
class Member:
    """A server, as it was heard last."""

    name: str
    said: Said
    heard: float = field(default_factory=time.monotonic)

    def epoch(self, share: int) -> int | None:
        """The epoch at which it has a share; None if it has it not, or not yet."""
        return self.said.held.get(str(share))


class Membership:
    """Says what this server holds, and hears what the others hold."""

    def __init__(self, app: str, name: str, brokers: str, kafka: Mapping[str, str] | None, secret: str) -> None:
        self.name = name
        self._secret = secret.encode()
        self._topic = server_topic(app)
        self._brokers = brokers
        self._kafka = kafka
        self._settings: ClientSettings = client_settings(brokers, kafka)
        self._members: Mapping[str, Member] = {}
        self._said: Said | None = None
        self._listening_since: float | None = None
        self._news = threading.Event()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=work, name=f"holdfast-sharing-{app}", daemon=True)
            for work in (self._hear, self._say)
        ]

    def start(self) -> None:
        """Hear the others from now on."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Say that this server is gone, and hear nobody any more."""
        self._stop.set()
        self._news.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def say(self, said: Said) -> None:
        """What this server says of itself from now on."""
        is_news = self._said is None or self._said.held.keys() != said.held.keys()
        self._said = said
        if is_news:
            self._news.set()

    @property
    def is_settled(self) -> bool:
        """Whether everybody has had the time to say something."""
        since = self._listening_since
        return since is not None and time.monotonic() - since > _SETTLE

    def others(self, of: int) -> list[Member]:
        """The other servers that share in the same way and are heard.

        Who is not heard any more is gone only if this server hears itself: otherwise it is the broker that is gone.
        """
        members = self._members
        own = members.get(self.name)
        now = own.heard if own else time.monotonic()
        return [
            each
            for each in members.values()
            if each.name != self.name and each.said.of == of and now - each.heard < _GONE
        ]

    def _say(self) -> None:
        own: ClientSettings = {"acks": "1", "linger.ms": "0", "message.timeout.ms": "3000"}
        producer = Producer({**self._settings, **own}, logger=LOGGER)
        while not self._stop.is_set():
            self._news.wait(_SAY)
            self._news.clear()
            if self._said is not None:
                self._send(producer, self._said)
        self._send(producer, _GOODBYE)
        producer.flush(2)

    def _send(self, producer: Producer, said: Said) -> None:
        body = msgspec.json.encode(said)
        signed = wire.sign(self._secret, body, self.name).encode() + b"\n" + body
        with suppress(BufferError, KafkaException):
            producer.produce(self._topic, signed, self.name.encode())
        producer.poll(0)

    def _hear(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
            except (KafkaException, HoldfastError, TimeoutError) as error:
                log.warning("the other servers cannot be heard: %s; trying again", error)
                self._stop.wait(_RETRY)

    def _follow(self) -> None:
        Topics(self._brokers, self._kafka).ensure([TopicSpec(self._topic, 1, config=_CONFIG)])
        changelog = Changelog(self._settings)
        try:
            partition = Partition(self._topic, 0)
            begin = changelog.ends([partition], committed=False).get(partition, 0)
            changelog.follow({partition: begin})  # what was said before may be of servers that are gone
            self._listening_since = time.monotonic()
            while not self._stop.is_set():
                polled = changelog.poll(0.2)
                for change in polled.changes:
                    self._take(change.key, change.value)
                if polled.lost or polled.truncated:
                    return
        finally:
            changelog.close()

    def _take(self, key: bytes | None, value: bytes | None) -> None:
        name = (key or b"").decode(errors="replace")
        try:
            said = self._read(name, value or b"")
        except (msgspec.DecodeError, wire.WrongSignature) as error:
            log.warning("a record of %s is not of a server that shares: %s", self._topic, error)
            return
        members, own = dict(self._members), self._members.get(self.name)
        if own is not None and time.monotonic() - own.heard > _SILENCE:  # nobody could be heard
            members = {each.name: replace(each, heard=time.monotonic()) for each in members.values()}
        self._members = {**members, name: Member(name, said)}

    def _read(self, name: str, value: bytes) -> Said:
        signature, _, said = value.partition(b"\n")
        wire.check(self._secret, said, signature.decode(errors="replace"), name)
        return msgspec.json.decode(said, type=Said)
