"""Parameters of an app's own handlers, taken from path, query and body by their annotations."""

from __future__ import annotations

import inspect
import re
import types as python_types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

import orjson
from starlette.requests import Request

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.server.responses import Refused
from holdfast.server.schemas import schema_of
from holdfast.stores.keys import KeyType
from holdfast.stores.types import WrongType, is_short
from holdfast.types import BINARY, BOOLEAN, DATE, DOUBLE, LONG, TIMESTAMP

Convert = Callable[[str], Any]
_NONE = inspect.Parameter.empty
_DEEPEST = 200
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_TYPES = {int: LONG, float: DOUBLE, bool: BOOLEAN, datetime: TIMESTAMP, date: DATE, bytes: BINARY}


@dataclass(frozen=True)
class Parameter:
    """One parameter: where it comes from and how text becomes its value."""

    name: str
    source: Literal["path", "query", "body", "request"]
    convert: Convert
    many: bool = False
    default: Any = _NONE
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def required(self) -> bool:
        """Whether a request must have it."""
        return self.default is _NONE


def read_signature(handler: Callable[..., object], path_names: set[str], at: str) -> list[Parameter]:
    """The parameters of a handler, checked when the server is built."""
    found = [_parameter(p, path_names, at) for p in inspect.signature(handler, eval_str=True).parameters.values()]
    missing = path_names - {p.name for p in found}
    if missing:
        raise HoldfastError(f"the path has {{{', '.join(sorted(missing))}}}, which the function does not take", at=at)
    return found


async def bind(parameters: list[Parameter], request: Request) -> Document:
    """The arguments for one request."""
    return {p.name: await _value(p, request) for p in parameters}


def want_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON: pages of other sites cannot send one that does."""
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != "application/json":
        what = f"came as {given[:80]!r}" if given else "has no Content-Type"
        hint = "send the header Content-Type: application/json"
        raise Refused(415, "not_json", f"{request.method} {request.scope['path']} wants JSON; the request {what}", hint)


def _parameter(given: inspect.Parameter, path_names: set[str], at: str) -> Parameter:
    wanted = given.annotation
    if wanted is Request:
        return Parameter(given.name, "request", str)
    if given.name not in path_names and _is_body(given.name, wanted):
        return Parameter(given.name, "body", _body(wanted), schema=schema_of(wanted))
    source: Literal["path", "query"] = "path" if given.name in path_names else "query"
    many = get_origin(wanted) is list
    convert = _converter(given.name, get_args(wanted)[0] if many else wanted, at)
    default = [] if many and given.default is _NONE else given.default
    return Parameter(given.name, source, convert, many, default, schema_of(wanted))


def _is_body(name: str, wanted: object) -> bool:
    plain = get_origin(wanted) or wanted
    return name == "body" or is_dataclass(plain) or plain is dict


async def _value(parameter: Parameter, request: Request) -> Any:
    match parameter.source:
        case "request":
            return request
        case "body":
            return _convert(parameter, (await request.body()).decode("utf-8", "replace"))
        case "path":
            return _convert(parameter, str(request.path_params[parameter.name]))
    given = request.query_params.getlist(parameter.name)
    if parameter.many:
        return [_convert(parameter, text) for text in given] or parameter.default
    return _convert(parameter, given[-1]) if given else _default(parameter)


def _default(parameter: Parameter) -> Any:
    if parameter.default is _NONE:
        hint = f"add ?{parameter.name}=… to the address"
        raise Refused(400, "missing_parameter", f"query parameter {parameter.name!r} is missing", hint)
    return parameter.default


def _convert(parameter: Parameter, text: str) -> Any:
    try:
        return parameter.convert(text)
    except (WrongType, ValueError) as error:
        hint = f"it comes from the {parameter.source} of the request"
        raise Refused(400, "wrong_type", f"{parameter.name}: {error}", hint) from None


def _converter(name: str, wanted: object, at: str) -> Convert:
    if wanted in (_NONE, str, Any):
        return str
    if wanted in _TYPES:
        return KeyType(_TYPES[wanted]).parse
    if get_origin(wanted) in (Union, python_types.UnionType):
        inner = [each for each in get_args(wanted) if each is not type(None)]
        if len(inner) == 1:
            return _converter(name, inner[0], at)
    if wanted is Decimal:
        return _decimal
    if get_origin(wanted) is Literal:
        return _choice({str(each): each for each in get_args(wanted)})
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return _choice({str(each.value): each for each in wanted})
    raise HoldfastError(f"parameter {name!r}: {wanted!r} cannot be read from a path or a query; use str, int, float, "
                        "bool, datetime, date, Decimal, Literal, an Enum or a list of one of them", at=at)  # fmt: skip


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise WrongType(f"wanted a decimal number, for example 12.50; got {text[:80]!r}") from None
    if number.is_finite() and not is_short(number):
        raise WrongType(f"wanted a decimal number of at most 200 digits; got {text[:80]!r}")
    return number


def _choice(choices: Document) -> Convert:
    def convert(text: str) -> Any:
        if text not in choices:
            raise WrongType(f"wanted one of {', '.join(choices)}; got {text[:80]!r}")
        return choices[text]

    return convert


def _body(wanted: object) -> Convert:
    def convert(text: str) -> Any:
        try:
            parsed = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise WrongType(f"wanted JSON; {error}") from None
        if _is_deep(text):
            raise WrongType(f"wanted JSON that is nested at most {_DEEPEST} deep")
        return _record(wanted, parsed) if is_dataclass(wanted) else parsed

    return convert


def _is_deep(text: str) -> bool:
    """Whether lists and objects lie in each other so deeply that they could not be written as JSON again."""
    depth = deepest = 0
    for mark in _BRACKETS.findall(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
        deepest = max(deepest, depth)
    return deepest > _DEEPEST


def _record(wanted: Any, parsed: Any) -> Any:
    names = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(wanted)}
    required = {name for name, needed in names.items() if needed}
    if not isinstance(parsed, dict) or not required <= parsed.keys() <= names.keys():
        raise WrongType(f"wanted a JSON object with {', '.join(names)}; got {str(parsed)[:80]}")
    return wanted(**parsed)
