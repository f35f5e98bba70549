"""One LMDB environment: databases, snapshots, writes that let the map grow, and who may write."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import lmdb

from holdfast.errors import HoldfastError
from holdfast.private_files import private_directory

# Names for the types of lmdb, which exist for the type checker only.
Transaction: TypeAlias = "lmdb.Transaction[bytes]"
Cursor: TypeAlias = "lmdb.Cursor[bytes]"
Database: TypeAlias = "lmdb._Database"

MAP_SIZE = 1 << 36  # address space, not disk: the file grows with its content
_STORES = 255
_DATABASES = 3 * _STORES + 3  # entries, order and versions of each; one of our own, and two for the history
_READERS = 2048
_MAP_GROWTH_TIMEOUT = 1.0
_CLOSE_TIMEOUT = 5.0

log = logging.getLogger("holdfast.stores")


class Gate:
    """Counts open transactions: the map may only grow while there are none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._mine = threading.local()
        self._open = 0
        self._closing = False

    def enter(self) -> None:
        """Wait for a growing map, but never for long and never while this thread is already inside."""
        with self._changed:
            if self._closing and not getattr(self._mine, "count", 0):
                self._changed.wait_for(lambda: not self._closing, _MAP_GROWTH_TIMEOUT)
            self._open += 1
        self._mine.count = getattr(self._mine, "count", 0) + 1

    def leave(self) -> None:
        """One transaction has ended."""
        with self._changed:
            self._open -= 1
            self._changed.notify_all()
        self._mine.count = getattr(self._mine, "count", 1) - 1

    @contextmanager
    def alone(self, timeout: float | None = None) -> Iterator[bool]:
        """Run while no transaction is open and new ones wait; false if some never ended."""
        with self._changed:
            self._closing = True
            try:
                yield self._changed.wait_for(lambda: self._open == 0, timeout)
            finally:
                self._closing = False
                self._changed.notify_all()


class Environment:
    """An LMDB directory that many processes may read and one writes.

    A second process reads the files of the first instead of tailing the topics again: one replica on disk, one tail,
    the same snapshot everywhere. It takes over as soon as the lock of the first is free, which kill -9 frees as well.
    """

    def __init__(self, directory: Path, map_size: int = MAP_SIZE) -> None:
        self.directory = directory
        private_directory(directory, "choose another with --state-dir or HOLDFAST_STATE_DIR")
        private_directory(directory / "data", f"remove it: {directory} is made again from the changelogs")
        self._owner = _try_lock(directory / "owner.lock")
        self._gate = Gate()
        self._names = threading.Lock()
        # Replaced, never changed: a snapshot only knows the handles that are older than itself.
        self.databases: dict[str, Database] = {}
        self._map_size = map_size
        self._closed = False
        self._made = 0  # how many databases there were at the last look
        self._env = self._open()

    @property
    def owned(self) -> bool:
        """Whether this process is the one that writes."""
        return self._owner is not None

    def try_own(self) -> bool:
        """Become the writer if nobody else is."""
        if self._owner is None:
            self._owner = _try_lock(self.directory / "owner.lock")
        return self.owned

    def find_database(self, name: str) -> Database | None:
        """The handle of a named database, or None while there is no such one."""
        with self._names:
            if name not in self.databases:
                with contextlib.suppress(lmdb.NotFoundError):
                    self._open_database(name, create=False)
            return self.databases.get(name)

    def make_database(self, name: str) -> Database:
        """The handle of a named database, which is made if there is no such one."""
        with self._names:
            if name not in self.databases:
                self._open_database(name, create=True)
            return self.databases[name]

    def news(self, txn: Transaction) -> list[str]:
        """The names of all databases if a snapshot has others than at the last look; open them when it has ended."""
        main = self._env.open_db(None)
        if txn.stat(main)["entries"] == self._made:
            return []
        with txn.cursor(db=main) as cursor:
            return [name.decode() for name in cursor.iternext(values=False)]

    def open_all(self, names: list[str]) -> None:
        """Open all databases that there are, or as many as can be open at once."""
        with contextlib.suppress(HoldfastError):
            for name in names:
                self.find_database(name)
        self._made = len(names)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A read transaction: one snapshot of everything."""
        txn = self.begin()
        try:
            yield txn
        finally:
            self.end(txn)

    def begin(self) -> Transaction:
        """Open a snapshot; `end` must follow."""
        self._gate.enter()
        try:
            return self._env.begin(buffers=False)
        except lmdb.MapResizedError:
            self._gate.leave()
            self._resize(0)
            return self.begin()
        except BaseException:
            self._gate.leave()
            raise

    def end(self, txn: Transaction) -> None:
        """Close a snapshot."""
        txn.abort()
        self._gate.leave()

    def write(self, work: Callable[[Transaction], None]) -> None:
        """Run `work` in one write transaction; a full map grows and the work is done again."""
        while True:
            self._gate.enter()
            try:
                with self._env.begin(write=True) as txn:
                    work(txn)
                return
            except lmdb.MapFullError:
                grow = self._env.info()["map_size"] * 2
            except lmdb.MapResizedError:
                grow = 0
            finally:
                self._gate.leave()
            self._resize(grow)

    def forget_dead_readers(self) -> None:
        """Free the snapshots of processes that were killed; they would keep old pages alive."""
        self._env.reader_check()

    def close(self) -> None:
        """Close the files and let another process write."""
        if self._closed:
            return
        self._closed = True
        with self._gate.alone(_CLOSE_TIMEOUT) as quiet:
            if quiet:
                self._env.close()
            else:
                log.warning("a store is still being read; its files stay open until the process ends")
        if self._owner is not None:
            os.close(self._owner)
            self._owner = None

    def mark_damaged(self) -> None:
        """Have the next process that writes make the files anew."""
        os.close(os.open(self._mark, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))

    @property
    def _mark(self) -> Path:
        return self.directory / "damaged"

    def _open(self) -> lmdb.Environment:
        try:
            if self.owned and self._mark.exists():
                raise lmdb.CorruptedError("it was found to be when it was used")
            return _open(self.directory, self._map_size)
        except (lmdb.InvalidError, lmdb.CorruptedError, lmdb.VersionMismatchError) as error:
            if not self.owned:
                raise HoldfastError(f"{self.directory} is damaged ({error}); restart the server that uses it") from None
            log.warning("%s is damaged (%s): rebuilding it from the changelogs", self.directory, error)
            shutil.rmtree(self.directory / "data")
            self._mark.unlink(missing_ok=True)
            return _open(self.directory, self._map_size)

    def _resize(self, size: int) -> None:
        with self._gate.alone():
            self._env.set_mapsize(size)
        if size:
            log.info("replica map grown to %d MiB", size >> 20)

    def _open_database(self, name: str, *, create: bool) -> None:
        found: list[Database] = []

        def look(txn: Transaction) -> None:
            found.append(self._env.open_db(name.encode(), txn=txn, create=create))

        try:
            self.write(look)  # handles opened in a read transaction end with it
        except lmdb.DbsFullError:
            raise HoldfastError(f"a query replica holds at most {_STORES} named stores of an app") from None
        self.databases = {**self.databases, name: found[-1]}  # only now: before the commit nobody else may use it


def _open(directory: Path, map_size: int) -> lmdb.Environment:
    try:
        return lmdb.open(
            str(directory / "data"),
            map_size=map_size,
            max_dbs=_DATABASES,
            max_readers=_READERS,
            max_spare_txns=16,
            mode=0o600,
            metasync=False,  # a lost last transaction is read again from the topic
        )
    except lmdb.Error as error:
        if "already open" in str(error):
            raise HoldfastError(f"{directory} is already open in this process; use the running server") from None
        raise


def _try_lock(path: Path) -> int | None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
