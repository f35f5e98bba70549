"""`GET /openapi.json`: what the server answers, for programs that write programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from holdfast.documents import Document
from holdfast.server import paging, posting
from holdfast.server.parameters import Parameter

_PLACE = re.compile(r"{(\w+)(?::(\w+))?}")
_TEXT = {"type": "string"}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": paging.MOST, "default": paging.DEFAULT}
_SCHEMAS: Mapping[str, Mapping[str, Any]] = {"limit": _LIMIT, "reverse": {"type": "boolean", "default": False}}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {"code": _TEXT, "message": _TEXT, "hint": _TEXT},
        }
    },
}
_FAULT = {"$ref": "#/components/schemas/Error"}
_PAGE = {
    "type": "object",
    "required": ["entries", "next"],
    "properties": {"entries": {"type": "array", "items": {"type": "object"}}, "next": {"type": ["string", "null"]}},
}
_COUNT = {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer", "minimum": 0}}}
_OBJECT = {"type": "object"}

# path: (what it answers, content type, schema, query parameters)
_BUILT_IN: Mapping[str, tuple[str, str, Mapping[str, Any], Sequence[str]]] = {
    "/stores": ("Every store", "application/json", _OBJECT, ()),
    "/stores/{store}": ("A page of a store", "application/json", _PAGE, paging.NAMES),
    "/stores/{store}/count": ("How many keys", "application/json", _COUNT, ()),
    "/stores/{store}/windows": ("The windows of all keys in a time", "application/json", _PAGE, paging.WINDOWS),
    "/stores/{store}/keys/{key}": ("One value, or those of a time", "application/json", {}, paging.WINDOWS),
    "/health": ("Whether it moves", "application/json", _OBJECT, ()),
    "/ready": ("Whether the copies are complete", "application/json", _OBJECT, ()),
    "/metrics": ("Measurements", "text/plain", _TEXT, ()),
    "/openapi.json": ("This document", "application/json", _OBJECT, ()),
    "/topology": ("The program as text", "text/plain", _TEXT, ()),
    "/topology.json": ("The program as JSON", "application/json", _OBJECT, ()),
    "/topology.svg": ("The program as a picture", "image/svg+xml", _TEXT, ()),
    "/": ("A page for people", "text/html", _TEXT, ()),
}  # fmt: skip

_KEY = {"type": "object", "required": ["key"], "properties": {"key": {}}}
_KEYS = {
    "type": "object",
    "required": ["keys"],
    "properties": {"keys": {"type": "array", "items": {}, "maxItems": posting.MOST_KEYS}},
}
_VALUES = {
    "type": "object",
    "required": ["values", "next"],
    "properties": {"values": {"type": "array", "items": {}}, "next": {"type": ["integer", "null"]}},
}
# path: (what it answers, its schema, the schema of the body, further fields of the body)
_POSTED: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any], Sequence[str]]] = {
    "/stores/{store}/get": ("One value, or those of a time", {}, _KEY, paging.WINDOWS),
    "/stores/{store}/keys": ("The values of many keys", _VALUES, _KEYS, ()),
    "/stores/{store}/page": ("A page of a store", _PAGE, _OBJECT, paging.NAMES),
    "/stores/{store}/windows": ("The windows of all keys in a time", _PAGE, _OBJECT, paging.WINDOWS),
}

Own = Sequence[tuple[str, str, Sequence[Parameter]]]


def document(app: str, own: Own, secured: bool) -> Document:
    """The description of the server's paths and of the app's own: method, path, parameters."""
    paths: Document = {path: {"get": _built_in(path, *found)} for path, found in _BUILT_IN.items()}
    paths |= {path: {"post": _posted(path, *found)} for path, found in _POSTED.items()}
    for method, path, parameters in own:
        paths.setdefault(_PLACE.sub(r"{\1}", path), {})[method.lower()] = _own(parameters)
    described: Document = {
        "openapi": "3.1.0",
        "info": {"title": app, "version": _version()},
        "paths": paths,
        "components": {"schemas": {"Error": ERROR}},
    }
    if secured:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _built_in(path: str, about: str, content: str, schema: Mapping[str, object], query: Sequence[str]) -> Document:
    places = [_parameter(name, "path", _TEXT, True) for name, _ in _PLACE.findall(path)]
    asked = [_parameter(name, "query", _SCHEMAS.get(name, _TEXT), False) for name in query]
    return {"summary": about, "parameters": places + asked, "responses": _responses(content, schema)}


def _posted(
    path: str, about: str, schema: Mapping[str, Any], body: Mapping[str, Any], named: Sequence[str]
) -> Document:
    fields = {name: _SCHEMAS.get(name, _TEXT) for name in named}
    wanted = {**body, "properties": {**body.get("properties", {}), **fields}, "additionalProperties": False}
    posted = {"required": True, "content": {"application/json": {"schema": wanted}}}
    return {**_built_in(path, about, "application/json", schema, ()), "requestBody": posted}


def _own(parameters: Sequence[Parameter]) -> Document:
    shown = [
        _parameter(p.name, p.source, p.schema, p.source == "path" or p.required)
        for p in parameters
        if p.source in ("path", "query")
    ]
    bodies = [p.schema for p in parameters if p.source == "body"]
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": bodies[0]}}}} if bodies else {}
    return {"parameters": shown, **body, "responses": _responses("application/json", {})}


def _parameter(name: str, place: str, schema: Mapping[str, object], required: bool) -> Document:
    return {"name": name, "in": place, "required": required, "schema": dict(schema)}


def _responses(content: str, schema: Mapping[str, object]) -> Document:
    fault = {"description": "Refused", "content": {"application/json": {"schema": _FAULT}}}
    return {"200": {"description": "Found", "content": {content: {"schema": dict(schema)}}}, "4XX": fault, "5XX": fault}


def _version() -> str:
    try:
        return version("holdfast")
    except PackageNotFoundError:
        return "0"
