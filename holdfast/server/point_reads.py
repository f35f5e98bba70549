"""Reads of one key, answered from the bytes of a request: no framework stands between a head and the replica.

What is not a whole and plain `GET /stores/{store}/keys/{key}` whose answer is there goes the ordinary way. So does
every refusal: what is answered here is a value, with the bytes that the ordinary way would send.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from email.utils import formatdate
from hmac import compare_digest
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import Scope

from holdfast.server.etags import etag_fields
from holdfast.server.handlers import Service
from holdfast.server.request_head import plain_fields
from holdfast.server.responses import Refusal, epoch_fields
from holdfast.server.rights import EVERYTHING, Rights
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.session_token import HEADER
from holdfast.stores.snapshot import Snapshot

ROUTE = "/stores/{store}/keys/{key}"
_LINE = re.compile(
    rb"GET /stores/([A-Za-z0-9._~-]++)/keys/([A-Za-z0-9._~!$&'()*+,;=:@%/-]++)(?:\?min_epoch=([0-9]{1,18}))? HTTP/1\.1"
)
# A session is waited for, and whether a client has the answer already is looked up.
_ELSEWHERE = (HEADER.lower().encode(), b"if-none-match")
_END = b"\r\n\r\n"
# More of one connection at once would keep the others waiting; a larger answer is sent in pieces and counted as unread.
_MOST = 16
_LARGEST = 16 << 10


class PointReads:
    """The stores of a server, as its connections read single keys of them; used in the thread of its event loop."""

    def __init__(self, stores: Stores, service: Service, served: str) -> None:
        self.admission = service.admission(served)
        self.holds = service.holds
        self.limits = service.limits
        self._is_shared = stores.is_shared
        self._stores = stores
        self._requests = service.requests
        self._record: Callable[[float], None] | None = None
        self._snapshot: Snapshot | None = None
        self._epoch = -1
        self._position: EpochPosition | None = None
        self._fields = b""
        self._catalog: Catalog | None = None
        self._known: dict[bytes, Store] = {}
        self._fitting: dict[bytes, Store] = {}
        self._head = b""
        self._second = 0

    def answer(self, name: bytes, key: bytes, min_epoch: bytes | None, rights: Rights) -> bytes | None:
        """The whole answer; None if the ordinary way has to find it."""
        requests, began = self._requests, time.perf_counter()
        if requests.now >= self.limits.requests:
            return None
        if requests.unread_transports and requests.unread() > self.limits.unread:
            return None
        try:
            value = self._read(name, key, min_epoch, rights)
        except Exception:  # the ordinary way meets it again, and says what it is
            return None
        if value is None or len(value) > _LARGEST:
            return None
        if self._record is None:
            self._record = requests.recorder(ROUTE, 200)
        self._record(time.perf_counter() - began)
        return b"%bcontent-length: %d\r\ncontent-type: application/json\r\n%b%b%b" % (
            self._status(), len(value), self._fields, b"x-content-type-options: nosniff\r\n\r\n", value,
        )  # fmt: skip

    def close(self) -> None:
        """Let the snapshot go."""
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is not None:
            snapshot.close()

    def _read(self, name: bytes, key: bytes, min_epoch: bytes | None, rights: Rights) -> bytes | None:
        snapshot = self._snapshot or self._begin()
        if self._epoch < 0 or (min_epoch is not None and int(min_epoch) > self._epoch):
            return None
        store = self._fitting.get(name) or self._find(name, snapshot)
        text = (unquote_to_bytes(key) if b"%" in key else key).decode()
        # The table of routes takes no line feed in a path.
        if store is None or "\n" in text:
            return None
        keys = store.keys
        encoded = keys.encode(keys.parse(text))
        if rights is not EVERYTHING and not rights.allows(store, encoded):
            return None
        return snapshot.get_here(store.name, encoded)

    def _begin(self) -> Snapshot:
        """A snapshot for all that has come until now; it ends with this turn of the event loop."""
        self._snapshot = snapshot = self._stores.replica.snapshot()
        asyncio.get_running_loop().call_soon(self.close)
        position = snapshot.position
        if position is not self._position:  # the same object as long as it is the same epoch
            self._position, self._epoch = position, -1 if position is None else position.epoch
            fields = [*etag_fields(position), *epoch_fields(position)]
            self._fields = b"".join(b"%b: %b\r\n" % field for field in fields)
        if self._is_shared:  # how stale an epoch is, does not go with its position
            is_stale = position is not None and self._stores.staleness(position.epoch) >= 1
            self._epoch = -1 if position is None or is_stale else position.epoch
        self._fitting = {}
        return snapshot

    def _find(self, name: bytes, snapshot: Snapshot) -> Store | None:
        catalog = self._stores.catalog
        if catalog is not self._catalog:
            self._catalog, self._known = catalog, {each.encode(): store for each, store in catalog.stores.items()}
        store = None if catalog.topology is None else self._known.get(name)
        if store is not None:
            self._fitting[name] = store.at(snapshot)
        return store

    def _status(self) -> bytes:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._head = b"HTTP/1.1 200 OK\r\ndate: %b\r\n" % formatdate(second, usegmt=True).encode()
        return self._head


class PointReader:
    """The reads of one connection; fields that passed once are not looked at again."""

    def __init__(self, reads: PointReads, scheme: str, address: str) -> None:
        self._reads = reads
        self._scope: Scope = {"scheme": scheme, "server": (address, None), "method": "GET"}
        self._passed = b""
        self._rights = EVERYTHING

    def read(self, data: bytes) -> tuple[list[bytes], int]:
        """The answers to the requests that data begins with, and where the first one begins that has none."""
        answers: list[bytes] = []
        at = 0
        if self._rights is not EVERYTHING and not self._reads.holds(self._rights):
            self._passed = b""
        while len(answers) < _MOST and (line := _LINE.match(data, at)):
            begin, end = line.end(), data.find(_END, line.end()) + len(_END)
            if not begin < end <= at + self._reads.limits.head_bytes:
                break
            fields = data[begin:end]
            # In constant time: a proxy may send requests of several clients on one connection.
            if not compare_digest(fields, self._passed) and not self._passes(fields):
                break
            name, key, min_epoch = line.groups()
            answer = self._reads.answer(name, key, min_epoch, self._rights)
            if answer is None:
                break
            answers.append(answer)
            at = end
        return answers, at

    def _passes(self, block: bytes) -> bool:
        fields = plain_fields(block)
        if fields is None or any(name in _ELSEWHERE for name, _ in fields):
            return False
        try:
            self._rights = self._reads.admission.check(self._scope, Headers(raw=fields))
        except Refusal:
            return False
        self._passed = block
        return True
