"""Who was refused what: a line each, with the name of the token and never the token."""

from __future__ import annotations

import json
import logging

from starlette.types import Scope

_LONGEST = 200

# Its lines are never left out: they come from holders of tokens, whose names they have.
audit = logging.getLogger("holdfast.audit")
log = logging.getLogger("holdfast.server")


def note_forbidden(token: str, store: str, key: str, where: str) -> None:
    """A token had no right to what was asked for; what came in the request is escaped."""
    fields = {"token": token, "store": store, "key": key, "request": where}
    said = " ".join(f"{name}={json.dumps(text[:_LONGEST])}" for name, text in fields.items() if text)
    audit.warning("refused: %s", said)


def note_unknown(scope: Scope) -> None:
    """Somebody without a token that is known; anybody can cause these lines, so a flood of them is left out."""
    address = (scope.get("client") or ("?", 0))[0]
    log.warning("refused: no known token, from %s: %s", address, json.dumps(scope["path"][:_LONGEST]))
