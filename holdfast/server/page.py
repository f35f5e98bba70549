"""The page at `/`: stores, routes, health and the topology, without a single outside file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from holdfast.documents import Document
from holdfast.stores.status import Status
from holdfast.stores.types import words
from holdfast.types import from_json

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def render(app: str, status: Status, stores: Sequence[Document], routes: Sequence[tuple[str, str]]) -> str:
    """The page as HTML; a script of its own keeps the figures fresh."""
    return _template().substitute(
        app=escape(app),
        state="ready" if status.ready else "waiting",
        state_text="ready" if status.ready else "not ready",
        reasons=escape("; ".join(filter(None, [*status.reasons, status.problem or ""]))),
        epoch="–" if status.epoch is None else status.epoch,
        role=status.role,
        stores="".join(map(_store, stores)) or _NO_STORES,
        routes="".join(_route(method, path) for method, path in routes),
        no_routes="hidden" if not routes else "",
        picture=_PICTURE if not status.reasons or stores else _NO_PICTURE,
    )


_NO_STORES = '<tr><td colspan="5" class="quiet">No named store yet.</td></tr>'
_PICTURE = '<a href="/topology.svg"><img src="/topology.svg" alt="The topology as a picture"></a>'
_NO_PICTURE = '<p class="quiet">The program has not been published yet.</p>'


def _template() -> Template:
    return Template((files("holdfast.server") / "page.html").read_text(encoding="utf-8"))


def _store(row: Document) -> str:
    name = escape(row["name"])
    lag = "–" if row["lag"] is None else f"{row['lag']:,}"
    return (
        f'<tr data-store="{name}"><th scope="row"><a href="/stores/{name}">{name}</a></th>'
        f"<td><code>{escape(words(from_json(row['key'])))}</code></td><td><code>{escape(words(from_json(row['value'])))}</code></td>"
        f'<td class="number" data-count>{row["count"]:,}</td><td class="number" data-lag>{lag}</td></tr>'
    )


def _route(method: str, path: str) -> str:
    shown = f"<code>{escape(path)}</code>"
    linked = method == "GET" and "{" not in path
    link = f'<a href="{escape(path)}">{shown}</a>' if linked else shown
    return f'<li><span class="method">{method}</span> {link}</li>'
