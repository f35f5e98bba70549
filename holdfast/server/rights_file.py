"""The file of tokens and what each of them may read, which is read again when it changes."""

from __future__ import annotations

import hmac
import logging
import os
import re
import stat
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from holdfast.documents import Document
from holdfast.errors import HoldfastError, SettingsError
from holdfast.server.rights import Rights
from holdfast.settings import secrets

_LOOK = 1.0
_EVERY = "*"
_FIELDS = frozenset(["sha256", "token", "stores", "prefixes", "routes", "meta"])
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,80}")
_SHORTEST = 8
Stamp = tuple[tuple[int, ...], ...]

log = logging.getLogger("holdfast.server")


class RightsFile:
    """The rights of tokens, by the digests of the tokens.

    A file that is wrong is refused at the start; later it is logged, and what the file said before goes on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp = _stamp([path])
        self._files, self._rights = load(path)
        self._looked = time.monotonic()

    def of(self, token: str) -> Rights | None:
        """The rights of a token; None if it is not known."""
        self._look()
        digest = digest_of(token)
        found = self._rights.get(digest)
        return found if found is not None and hmac.compare_digest(found.digest, digest) else None

    def holds(self, rights: Rights) -> bool:
        """Whether a token still has the rights that it had."""
        self._look()
        return self._rights.get(rights.digest) == rights

    def _look(self) -> None:
        if time.monotonic() - self._looked < _LOOK or not self._lock.acquire(blocking=False):
            return
        try:
            self._looked, stamp = time.monotonic(), _stamp(self._files)
            if stamp != self._stamp:
                self._stamp, before = stamp, self._rights
                self._files, self._rights = load(self._path)
                if self._rights != before:
                    log.info("the rights file %s has changed: %d tokens", self._path, len(self._rights))
        except HoldfastError as error:
            log.error("%s; the rights stay as they were", error)
        finally:
            self._lock.release()


def load(path: Path) -> tuple[list[Path], Mapping[str, Rights]]:
    """The files that rights come from, and the rights by digest."""
    _refuse_others(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the rights file {path} cannot be read: {error}") from None
    tokens = document.get("token")
    if set(document) != {"token"} or not isinstance(tokens, dict) or not tokens:
        raise SettingsError(f"the rights file {path} has tables [token.NAME], and nothing else")
    files, found = [path], dict[str, Rights]()
    for name, fields in tokens.items():
        where = f"{path}: [token.{name}]"
        if not _NAME.fullmatch(name) or not isinstance(fields, dict):
            raise SettingsError(f"{where}: wanted a table with a name of letters, digits and ._-")
        for rights in _token(where, name, fields, path.parent, files):
            if rights.digest in found:
                raise SettingsError(f"{where} has the same token as [token.{found[rights.digest].token}]")
            found[rights.digest] = rights
    return files, found


def digest_of(token: str) -> str:
    """How a file names a token without having it."""
    return sha256(token.encode(errors="replace")).hexdigest()


def _token(where: str, name: str, fields: Document, base: Path, files: list[Path]) -> Iterator[Rights]:
    """The rights of one table, for each of its tokens."""
    if unknown := fields.keys() - _FIELDS:
        raise SettingsError(f"{where} has {', '.join(sorted(unknown))}; wanted {', '.join(sorted(_FIELDS))}")
    stores, routes = _stores(where, fields), _names(where, fields, "routes")
    meta = fields.get("meta", False)
    if not isinstance(meta, bool):
        raise SettingsError(f"{where}: meta is true or false")
    for digest in _digests(where, fields, base, files):
        yield Rights(name, stores, routes, meta, digest)


def _digests(where: str, fields: Document, base: Path, files: list[Path]) -> list[str]:
    given = fields.get("sha256", [])
    digests = given if isinstance(given, list) else [given]
    if not all(isinstance(each, str) and _DIGEST.fullmatch(each) for each in digests):
        raise SettingsError(f"{where}: sha256 is the token's SHA-256 as 64 letters 0-9a-f, or a list of them")
    if "token" in fields:
        digests = [*digests, digest_of(_referenced(where, fields["token"], base, files))]
    if not digests:
        raise SettingsError(f"{where} has no token: give sha256, or token as file:PATH or env:NAME")
    return digests


def _referenced(where: str, reference: object, base: Path, files: list[Path]) -> str:
    if not isinstance(reference, str) or not reference.startswith(("file:", "env:")):
        raise SettingsError(f"{where}: token is a reference, file:PATH or env:NAME; give its sha256 otherwise")
    if reference.startswith("file:"):
        path = base / reference.removeprefix("file:")
        _refuse_others(path)
        files.append(path)
    token = secrets.value_of(f"{where}: token", reference, base)
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
        raise SettingsError(f"{where}: the token has fewer than {_SHORTEST} letters, or others than printable ASCII")
    return token


def _stores(where: str, fields: Document) -> Mapping[str, tuple[str, ...]] | None:
    whole, parts = _names(where, fields, "stores"), fields.get("prefixes", {})
    if not isinstance(parts, dict):
        raise SettingsError(f"{where}: prefixes has for each store a list of the prefixes of its keys")
    for store, prefixes in parts.items():
        if whole is None or store in whole:
            raise SettingsError(f"{where}: store {store} is in stores, and has prefixes: leave it out of one of them")
        if not isinstance(prefixes, list) or not prefixes or not all(isinstance(p, str) and p for p in prefixes):
            raise SettingsError(f"{where}: prefixes of {store}: wanted a list of texts; got {prefixes!r}")
    if whole is None:
        return None
    return {**dict.fromkeys(whole, ()), **{store: tuple(prefixes) for store, prefixes in parts.items()}}


def _names(where: str, fields: Document, field: str) -> frozenset[str] | None:
    given = fields.get(field, [])
    if given == _EVERY:
        return None
    if not isinstance(given, list) or not all(isinstance(each, str) and each for each in given):
        raise SettingsError(f'{where}: {field} is a list of texts, or "*" for all; got {given!r}')
    return frozenset(given)


def _refuse_others(path: Path) -> None:
    """Refuse a file that others can read or change: its own user's alone, or root's, which a group may read."""
    try:
        found = path.stat()
    except OSError as error:
        raise SettingsError(f"the rights file {path} cannot be read: {error.strerror}") from None
    if found.st_uid not in (os.geteuid(), 0):
        raise SettingsError(f"the rights file {path} belongs to the user {found.st_uid}, who could change it")
    forbidden = stat.S_IRWXG | stat.S_IRWXO
    if found.st_uid != os.geteuid():
        forbidden = stat.S_IWGRP | stat.S_IRWXO
    if found.st_mode & forbidden:
        mode = stat.S_IMODE(found.st_mode)
        raise SettingsError(f"the rights file {path} has the mode {mode:o}, so others reach it: chmod 600 {path}")


def _stamp(files: list[Path]) -> Stamp:
    """What changes when a file does; a file that is gone has none."""
    return tuple(_stamp_of(path) for path in files)


def _stamp_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode, found.st_uid
