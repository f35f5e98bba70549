"""`GET /openapi.json`: what the server answers, for programs that write programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

import msgspec

from holdfast.documents import Document, Json
from holdfast.server import pages, producing, query_body, store_paths
from holdfast.server.events import EVENTS
from holdfast.server.parameters import Parameter
from holdfast.server.responses import PROBLEM
from holdfast.server.sql import limits as sql_limits
from holdfast.stores.catalog import Store

_PLACE = re.compile(r"{(\w+)(?::(\w+))?}")
Schema = Mapping[str, Json]
_TEXT: Schema = {"type": "string"}
_LIMIT: Schema = {"type": "integer", "minimum": 1, "maximum": pages.MAX_LIMIT, "default": pages.DEFAULT_LIMIT}
_SCHEMAS: Mapping[str, Schema] = {"limit": _LIMIT, "reverse": {"type": "boolean", "default": False}}
ERROR: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "error"],
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {"code": _TEXT, "message": _TEXT, "hint": _TEXT},
        },
    },
}
_FAULT: Schema = {"$ref": "#/components/schemas/HoldfastError"}
_PAGE: Schema = {
    "type": "object",
    "required": ["entries", "next"],
    "properties": {"entries": {"type": "array", "items": {"type": "object"}}, "next": {"type": ["string", "null"]}},
}
_COUNT: Schema = {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer", "minimum": 0}}}
_OBJECT: Schema = {"type": "object"}

_SQL_CHANGES = "/sql/changes"
_WATCHED = ("key", "from", "to", "prefix", "after")
# path: (what it answers, content type, schema, query parameters)
_BUILT_IN: Mapping[str, tuple[str, str, Schema, Sequence[str]]] = {
    "/stores": ("Every store", "application/json", _OBJECT, ()),
    "/stores/{store}": ("A page of a store", "application/json", _PAGE, pages.NAMES),
    "/stores/{store}/count": ("How many keys", "application/json", _COUNT, ()),
    "/stores/{store}/windows": ("The windows of all keys in a time", "application/json", _PAGE, pages.WINDOWS),
    "/stores/{store}/changes": ("What there is, and every change", "text/event-stream", _TEXT, _WATCHED),
    "/stores/{store}/keys/{key}": ("One value, or those of a time", "application/json", {}, pages.WINDOWS),
    "/health": ("Whether it moves", "application/json", _OBJECT, ()),
    "/ready": ("Whether the copies are complete", "application/json", _OBJECT, ()),
    "/metrics": ("Measurements", "text/plain", _TEXT, ()),
    "/openapi.json": ("This document", "application/json", _OBJECT, ()),
    "/topology": ("The program as text", "text/plain", _TEXT, ()),
    "/topology.json": ("The program as JSON", "application/json", _OBJECT, ()),
    "/topology.svg": ("The program as a picture", "image/svg+xml", _TEXT, ()),
    "/dashboard/now": ("What the page shows now", "application/json", _OBJECT, ()),
    "/dashboard/history": ("Figures of the last hours", "application/json", _OBJECT, ("since", "step")),
    "/dashboard/letters": ("The last dead letters by reason", "application/json", _OBJECT, ()),
    "/dashboard/topology": ("The program's picture and its source", "application/json", _OBJECT, ()),
    "/": ("A page for people", "text/html", _TEXT, ()),
}  # fmt: skip

_VALUES: Schema = {
    "type": "object",
    "required": ["values", "next"],
    "properties": {"values": {"type": "array", "items": {}}, "next": {"type": ["integer", "null"]}},
}
_KEYS: Schema = {"type": "array", "items": {}, "maxItems": query_body.MAX_KEYS}


def _body(named: Sequence[str], **required: Schema) -> Schema:
    """The schema of a body with some fields that are required, and some that are parameters elsewhere."""
    fields = {name: _SCHEMAS.get(name, _TEXT) for name in named}
    closed: Schema = {"type": "object", "properties": {**required, **fields}, "additionalProperties": False}
    return {**closed, "required": list(required)} if required else closed


_ROWS: Schema = {
    "type": "object",
    "required": ["columns", "rows", "epoch", "truncated"],
    "properties": {
        "columns": {"type": "array", "items": {"type": "object", "properties": {"name": _TEXT, "type": _TEXT}}},
        "rows": {"type": "array", "items": {"type": "array", "items": {}}},
        "epoch": {"type": ["integer", "null"]},
        "truncated": {"type": "boolean"},
    },
}
_SQL: Schema = {
    "type": "object",
    "required": ["query"],
    "properties": {
        "query": _TEXT,
        "parameters": {"anyOf": [{"type": "array", "items": {}}, {"type": "object"}]},
        "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": sql_limits.USUAL.rows},
    },
    "additionalProperties": False,
}

_RECORD: Schema = {
    "type": "object",
    "properties": {
        "key": {},
        "value": {},
        "timestamp": {"type": ["integer", "null"], "minimum": 0, "maximum": 2**63 - 1},
    },
    "additionalProperties": False,
}
_RECORDS: Schema = {
    "type": "object",
    "required": ["records"],
    "properties": {"records": {"type": "array", "items": _RECORD, "minItems": 1, "maxItems": producing.MOST}},
    "additionalProperties": False,
}
_WRITTEN: Schema = {
    "type": "object",
    "required": ["records", "session"],
    "properties": {"records": {"type": "array", "items": {"type": "object"}}, "session": _TEXT},
}

# path: (what it answers, its schema, the schema of the body)
_POSTED: Mapping[str, tuple[str, Schema, Schema]] = {
    "/stores/{store}/get": ("One value, or those of a time", {}, _body(pages.WINDOWS, key={})),
    "/stores/{store}/keys": ("The values of many keys", _VALUES, _body((), keys=_KEYS)),
    "/stores/{store}/page": ("A page of a store", _PAGE, _body(pages.NAMES)),
    "/stores/{store}/windows": ("The windows of all keys in a time", _PAGE, _body(pages.WINDOWS)),
    "/topics/{topic}": ("Records are written to a topic that the app reads", _WRITTEN, _RECORDS),
    "/sql": ("The rows of a SELECT over the stores", _ROWS, _SQL),
    _SQL_CHANGES: ("The rows of a SELECT, and every change of them", {}, _SQL),
}

Own = Sequence[tuple[str, str, Sequence[Parameter]]]


def document(app: str, own: Own, secured: bool, stores: Mapping[str, Store] | None = None) -> Document:
    """The description of the server's paths and of the app's own: method, path, parameters."""
    paths: Document = {path: {"get": _built_in(path, *found)} for path, found in _BUILT_IN.items()}
    paths |= {path: {"post": _posted(path, *found)} for path, found in _POSTED.items()}
    paths[_SQL_CHANGES]["post"]["responses"]["200"]["content"] = {EVENTS: {"schema": dict(_TEXT)}}
    paths |= store_paths.paths(stores or {}, paths)
    schemas, components = _schemas([each.described for _, _, parameters in own for each in parameters])
    remaining = iter(schemas)
    for method, path, parameters in own:
        with_schemas = [(each, next(remaining)) for each in parameters]
        paths.setdefault(_PLACE.sub(r"{\1}", path), {})[method.lower()] = _own(with_schemas)
    described: Document = {
        "openapi": "3.1.0",
        "info": {"title": app, "version": _version()},
        "paths": paths,
        "components": {"schemas": {**store_paths.components(stores or {}), **components, "HoldfastError": ERROR}},
    }
    if secured:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _built_in(path: str, about: str, content: str, schema: Schema, query: Sequence[str]) -> Document:
    places = [_parameter(name, "path", _TEXT, True) for name, _ in _PLACE.findall(path)]
    queried = [_parameter(name, "query", _SCHEMAS.get(name, _TEXT), False) for name in query]
    return {"summary": about, "parameters": places + queried, "responses": _responses(content, schema)}


def _posted(path: str, about: str, schema: Schema, body: Schema) -> Document:
    posted = {"required": True, "content": {"application/json": {"schema": body}}}
    return {**_built_in(path, about, "application/json", schema, ()), "requestBody": posted}


def _own(parameters: Sequence[tuple[Parameter, Schema]]) -> Document:
    shown = [
        _parameter(p.name, p.source, schema, p.source == "path" or p.required)
        for p, schema in parameters
        if p.source in ("path", "query")
    ]
    described: Document = {"parameters": shown, "responses": _responses("application/json", {})}
    for p, schema in parameters:
        if p.source == "body":
            described["requestBody"] = {"required": p.required, "content": {"application/json": {"schema": schema}}}
    return described


def _schemas(types: Sequence[object]) -> tuple[Sequence[Schema], Mapping[str, Schema]]:
    """The schemas of types, and those of the classes that they refer to."""
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    return [_closed(each) for each in schemas], {name: _closed(each) for name, each in components.items()}


def _closed(schema: Schema) -> Schema:
    """A schema with what else a body must keep to: 64 bits, and no fields but those of its class."""
    found = {name: _closed_part(part) for name, part in schema.items()}
    if found.get("type") == "integer":
        return {"minimum": -(2**63), "maximum": 2**63 - 1, **found}
    return {**found, "additionalProperties": False} if "properties" in found else found


def _closed_part(part: Json) -> Json:
    if isinstance(part, Mapping):
        return _closed(part)
    return [_closed_part(each) for each in part] if isinstance(part, list) else part


def _parameter(name: str, place: str, schema: Schema, required: bool) -> Document:
    return {"name": name, "in": place, "required": required, "schema": dict(schema)}


def _responses(content: str, schema: Schema) -> Document:
    fault = {"description": "Refused", "content": {PROBLEM: {"schema": _FAULT}}}
    found = {"description": "Found", "content": {content: {"schema": dict(schema)}}}
    return {"200": found, "304": {"description": "As before"}, "4XX": fault, "5XX": fault}


def _version() -> str:
    try:
        return version("holdfast")
    except PackageNotFoundError:
        return "0"
