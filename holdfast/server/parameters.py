"""Parameters of an app's own handlers, taken from path, query and body by their annotations."""

from __future__ import annotations

import inspect
import types as python_types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import inspect as type_info
from starlette.requests import Request

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.server.json_body import JsonBody, is_record
from holdfast.server.responses import Refusal
from holdfast.stores.keys import KeyType
from holdfast.stores.types import WrongType, is_short
from holdfast.types import BINARY, BOOLEAN, DATE, DOUBLE, LONG, TIMESTAMP, DataType

Source = Literal["path", "query", "body", "request"]
Convert = Callable[[str], object]
_NONE = inspect.Parameter.empty
# Text of these types is read as keys of stores are.
_KEYS: Mapping[object, DataType] = {
    int: LONG,
    float: DOUBLE,
    bool: BOOLEAN,
    datetime: TIMESTAMP,
    date: DATE,
    bytes: BINARY,
}
# How the types of keys are described: ints have 64 bits, decimals are numbers.
_DESCRIBED: Mapping[object, object] = {
    int: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)],
    datetime: Annotated[datetime, msgspec.Meta(tz=True)],
    Decimal: float,
}
_FROM_TEXT = (
    type_info.IntType, type_info.FloatType, type_info.StrType, type_info.EnumType, type_info.LiteralType,
    type_info.DecimalType, type_info.UUIDType, type_info.TimeType, type_info.TimeDeltaType,
)  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One parameter: where it comes from, how it is read from there, and the type that describes it to clients."""

    name: str
    source: Source
    convert: Convert = str
    body: JsonBody | None = None
    many: bool = False
    default: object = _NONE
    described: object = str

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
        raise Refusal(415, "not_json", f"{request.method} {request.scope['path']} wants JSON; the request {what}", hint)


def _parameter(given: inspect.Parameter, path_names: set[str], at: str) -> Parameter:
    name, wanted, default = given.name, given.annotation, given.default
    if wanted is Request:
        return Parameter(name, "request")
    if name not in path_names and (name == "body" or is_record(wanted)):
        wanted = Any if wanted is _NONE else wanted
        return Parameter(name, "body", body=JsonBody(name, wanted, at), default=default, described=wanted)
    many = get_origin(wanted) is list
    one = _without_none(get_args(wanted)[0] if many else wanted)
    described = _DESCRIBED.get(one, str if one in (_NONE, Any) else one)
    return Parameter(
        name,
        "path" if name in path_names else "query",
        _converter(name, one, at),
        many=many,
        default=[] if many and default is _NONE else default,
        described=list[described] if many else described,  # type: ignore[valid-type]
    )


def _without_none(wanted: object) -> object:
    """The type of which a parameter may be left out."""
    if get_origin(wanted) in (Union, python_types.UnionType):
        inner = [each for each in get_args(wanted) if each is not type(None)]
        return inner[0] if len(inner) == 1 else wanted
    return wanted


async def _value(parameter: Parameter, request: Request) -> object:
    match parameter.source:
        case "request":
            return request
        case "body":
            return _read_body(parameter, await request.body())
        case "path":
            return _convert(parameter, str(request.path_params[parameter.name]))
    given = request.query_params.getlist(parameter.name)
    if parameter.many:
        return [_convert(parameter, text) for text in given] or parameter.default
    return _convert(parameter, given[-1]) if given else _default(parameter)


def _default(parameter: Parameter) -> object:
    if parameter.default is _NONE:
        hint = f"add ?{parameter.name}=… to the address"
        raise Refusal(400, "missing_parameter", f"query parameter {parameter.name!r} is missing", hint)
    return parameter.default


def _read_body(parameter: Parameter, body: bytes) -> object:
    if not body and not parameter.required:
        return parameter.default
    assert parameter.body is not None
    try:
        return parameter.body.read(body)
    except WrongType as error:
        raise _wrong(parameter, error) from None


def _convert(parameter: Parameter, text: str) -> object:
    try:
        return parameter.convert(text)
    except (WrongType, ValueError) as error:
        raise _wrong(parameter, error) from None


def _wrong(parameter: Parameter, error: Exception) -> Refusal:
    hint = f"it comes from the {parameter.source} of the request"
    return Refusal(400, "wrong_type", f"{parameter.name}: {error}", hint)


def _converter(name: str, wanted: object, at: str) -> Convert:
    if wanted in (_NONE, str, Any):
        return str
    if wanted in _KEYS:
        return KeyType(_KEYS[wanted]).parse
    if not _is_from_text(wanted):
        known = "use str, int, float, bool, datetime, date, Decimal, UUID, Literal, an Enum or a list of one of them"
        raise HoldfastError(f"parameter {name!r}: {wanted!r} cannot be read from a path or a query; {known}", at=at)
    if wanted is Decimal:
        return _decimal
    if get_origin(wanted) is Annotated:
        first = _converter(name, get_args(wanted)[0], at)
        return lambda text: msgspec.convert(first(text), wanted)
    return _choice(wanted)


def _is_from_text(wanted: object) -> bool:
    try:
        return isinstance(type_info.type_info(wanted), _FROM_TEXT)
    except TypeError:
        return False


def _decimal(text: str) -> Decimal:
    try:
        number = msgspec.convert(text, Decimal)
    except msgspec.ValidationError:
        raise WrongType(f"wanted a decimal number, for example 12.50; got {text[:80]!r}") from None
    if number.is_finite() and not is_short(number):
        raise WrongType(f"wanted a decimal number of at most 200 digits; got {text[:80]!r}")
    return number


def _choice(wanted: object) -> Convert:
    """One of some values, or what else has a form as text."""
    choices: Sequence[object] = get_args(wanted)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        choices = [each.value for each in wanted]
    words = f"one of {', '.join(map(str, choices))}" if choices else str(getattr(wanted, "__name__", wanted))

    def convert(text: str) -> object:
        try:
            return msgspec.convert(text, wanted, strict=False)
        except msgspec.ValidationError:
            raise WrongType(f"wanted {words}; got {text[:80]!r}") from None

    return convert
