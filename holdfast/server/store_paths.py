"""What `GET /openapi.json` says of each store: its paths, with the types of its keys and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from holdfast.documents import Document, Json
from holdfast.server.type_schemas import json_schema
from holdfast.stores.catalog import Store
from holdfast.topics.windowed import is_windowed

_REFERENCE = "#/components/schemas/"
_NEXT: Document = {"type": ["string", "null"]}


def component_names(stores: Mapping[str, Store]) -> dict[str, str]:
    """What the components of each store begin with: its name as a class has it, and a number where two are the same.

    >>> component_names({"per-user": 0, "per.user": 0, "5": 0})
    {'5': 'Store5', 'per-user': 'PerUser', 'per.user': 'PerUser2'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for store in sorted(stores):
        words = re.findall(r"[A-Za-z0-9]+", store)
        name = "".join(word[0].upper() + word[1:] for word in words)
        name = name if name[:1].isalpha() else f"Store{name}"
        number = 2
        base = name
        while name in taken:
            name, number = f"{base}{number}", number + 1
        taken.add(name)
        found[store] = name
    return found


def components(stores: Mapping[str, Store]) -> Document:
    """The schemas of the stores' keys, values, entries and pages."""
    out: Document = {}
    for store, name in component_names(stores).items():
        of = stores[store]
        entry = {"key": _reference(f"{name}Key"), "value": _reference(f"{name}Value")}
        out[f"{name}Key"] = json_schema(of.key)
        out[f"{name}Value"] = json_schema(of.value)
        out[f"{name}Entry"] = _record(entry)
        out[f"{name}Page"] = _record({"entries": _list(_reference(f"{name}Entry")), "next": _NEXT})
        out[f"{name}Values"] = _record(
            {"values": _list(_nullable(f"{name}Value")), "next": {"type": ["integer", "null"]}}
        )
        out[f"{name}Keys"] = _record({"keys": {**_list(_reference(f"{name}Key")), "maxItems": 10_000}})
    return out


def paths(stores: Mapping[str, Store], described: Document) -> Document:
    """The paths of each store: those of all stores, as `described`, with the types of this one."""
    out: Document = {}
    for store, name in component_names(stores).items():
        begin = f"/stores/{quote(store, safe='')}"
        out[begin] = {"get": _typed(described["/stores/{store}"]["get"], name, f"{name}Page", "page")}
        one = _typed(described["/stores/{store}/keys/{key}"]["get"], name, f"{name}Value", "value")
        if is_windowed(stores[store].key) or stores[store].versioned is not None:
            one = _with_schema(one, {"anyOf": [_reference(f"{name}Value"), {"type": "object"}]})
        else:
            one["parameters"] = [each for each in one["parameters"] if each["in"] == "path"]
        out[f"{begin}/keys/{{key}}"] = {"get": one}
        many = _typed(described["/stores/{store}/keys"]["post"], name, f"{name}Values", "values")
        content = {"application/json": {"schema": _reference(f"{name}Keys")}}
        out[f"{begin}/keys"] = {"post": {**many, "requestBody": {"required": True, "content": content}}}
        out[f"{begin}/count"] = {"get": _renamed(described["/stores/{store}/count"]["get"], name, "count")}
    return out


def _typed(operation: Document, name: str, schema: str, suffix: str) -> Document:
    return _with_schema(_renamed(operation, name, suffix), _reference(schema))


def _renamed(operation: Document, name: str, suffix: str) -> Document:
    parameters = [each for each in operation["parameters"] if each["name"] != "store"]
    return {**operation, "operationId": f"{name}_{suffix}", "tags": [name], "parameters": parameters}


def _with_schema(operation: Document, schema: Json) -> Document:
    found = {**operation["responses"]["200"], "content": {"application/json": {"schema": schema}}}
    return {**operation, "responses": {**operation["responses"], "200": found}}


def _reference(name: str) -> Document:
    return {"$ref": f"{_REFERENCE}{name}"}


def _nullable(name: str) -> Document:
    return {"anyOf": [_reference(name), {"type": "null"}]}


def _list(items: Document) -> Document:
    return {"type": "array", "items": items}


def _record(fields: Document) -> Document:
    return {"type": "object", "required": list(fields), "properties": fields}
