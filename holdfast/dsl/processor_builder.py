"""Processors in a program: which class, with which stores, and its children."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.dsl.materialized import StoreArg, store_options
from holdfast.dsl.python_calls import declared
from holdfast.dsl.stream import Stream
from holdfast.errors import TopologyError
from holdfast.names import check_name, did_you_mean
from holdfast.position import code_position, user_position
from holdfast.topics.serde import serde_of
from holdfast.topology.graph import Graph, StoreOptions
from holdfast.topology.nodes import Node
from holdfast.topology.processor_nodes import Child, ChildSpec, ClassPair, Process, ProcessorStore, RekeyedChild
from holdfast.types import UNKNOWN, Map
from holdfast.types.value_classes import classes_of
from holdfast.workers.processor_api import Processor
from holdfast.workers.state_store import StateStore

if TYPE_CHECKING:
    from holdfast.dsl.handle import Handle

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


class ProcessedStream(Stream[K, V]):
    """The records that a processor forwards; `child` returns those forwarded to one child."""

    def __init__(self, graph: Graph, node: Node, children: Mapping[str, Stream[Any, Any]] = {}) -> None:
        super().__init__(graph, node)
        self._children = children

    def child(self, name: str) -> Stream[Any, Any]:  # the class says the types, in a dict
        """What the processor forwards to one of its children, with what it forwards to all.

        >>> import holdfast as hf
        >>> class Sorting(hf.Processor[str, int]):
        ...     children = ("low", "high")
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         self.context.forward(record, to="low" if record.value < 10 else "high")
        >>> app = hf.App("numbers")
        >>> sorted_ones = app.stream("numbers", int, key=str).process(Sorting)
        >>> sorted_ones.child("low").to("low-numbers")
        >>> sorted_ones.child("high").to("high-numbers")
        """
        if name not in self._children:
            known = did_you_mean(name, self._children) or "; children are declared in the class: children = (...)"
            raise TopologyError(f"the processor has no child {name!r}{known}", at=user_position())
        return self._children[name]


def is_processor(function: object) -> bool:
    """Whether something is a class of processors, or one with arguments: functools.partial(cls, ...)."""
    return _class(function) is not None


def _class(function: object) -> type[Processor[object, object]] | None:
    cls = function.func if isinstance(function, functools.partial) else function
    return cls if isinstance(cls, type) and issubclass(cls, Processor) else None


def processed(stream: Handle, function: object, store: StoreArg) -> ProcessedStream[object, object]:
    """The stream of what a processor forwards."""
    cls = _class(function)
    assert cls is not None
    at = user_position()
    _check_class(cls, at)
    graph = stream.graph
    name = _name(graph, cls)
    stores = _stores(graph, cls, name, store, at)
    children = _child_specs(cls, at)
    process = graph.add(
        Process,
        [stream.node],
        at=at,
        id=name,
        store=StoreOptions(),
        make=function,
        name=f"{cls.__name__} ({_position(cls, at)})",
        stores=stores,
        classes=_taken(stream, cls),
        children=children,
        all_processors=_all_processors(graph),
    )
    process.all_processors.append(process)
    process.check_group()
    streams = {spec.name: _child(stream, process, spec) for spec in children}
    named = {name: child for name, child in streams.items() if name is not None}
    return ProcessedStream(graph, streams[None].node, named)


def _all_processors(graph: Graph) -> list[Process]:
    """The one list of all processors of a program."""
    found = next((node.all_processors for node in graph.nodes if isinstance(node, Process)), None)
    return [] if found is None else found


def _name(graph: Graph, cls: type) -> str:
    """The name of the class; several of one class get a number."""
    before = sum(isinstance(node, Process) and node.title.startswith(f"{cls.__name__} (") for node in graph.nodes)
    return cls.__name__ if not before else f"{cls.__name__}-{before + 1}"


def _position(cls: type, at: str) -> str:
    code = getattr(cls.process, "__code__", None)  # type: ignore[attr-defined]
    return at if code is None else code_position(code)


def _check_class(cls: type[Processor[object, object]], at: str) -> None:
    if cls.process is Processor.process:
        raise TopologyError(f"process: {cls.__name__} has no process(self, record); define it", at=at)
    if inspect.iscoroutinefunction(cls.process) or inspect.isgeneratorfunction(cls.process):
        raise TopologyError(
            f"process: {cls.__name__}.process is called for what it does; a plain method was wanted that calls "
            "self.context.forward(record)",
            at=at,
        )


def _stores(graph: Graph, cls: type, process: str, store: StoreArg, at: str) -> tuple[tuple[str, ProcessorStore], ...]:
    found = {name: each for name, each in inspect.getmembers(cls) if isinstance(each, StateStore)}
    nameless = [name for name, each in found.items() if each.name is None]
    if store is not None and len(nameless) != 1:
        raise TopologyError(
            f"process: store= names the one store of {cls.__name__} that has no name; it has "
            f"{len(nameless) or 'none'} such; name stores in the class: hf.StateStore('name', key=..., value=...)",
            at=at,
        )
    named = {name: StoreOptions(each.name) if each.name else store_options(store) for name, each in found.items()}
    return tuple(
        (name, _store(graph, each, named[name], f"{process}.{name}", at)) for name, each in sorted(found.items())
    )


def _store(
    graph: Graph, declared: StateStore[object, object], options: StoreOptions, own: str, at: str
) -> ProcessorStore:
    title = f"store {options.name or own!r}"
    for option in ("versioned", "ttl"):
        if getattr(options, option) is not None:
            raise TopologyError(f"process: {title}: {option}= is for tables; processors delete entries", at=at)
    key, value = (serde_of(each, f"{title}: {what}").type for what, each in _parts(declared))
    if isinstance(key, Map):
        raise TopologyError(f"process: {title}: a map cannot be a key; use a record or a scalar", at=at)
    before = next((n for n in graph.nodes if isinstance(n, ProcessorStore) and n.backing.name == options.name), None)
    if options.name is None or before is None:
        classes = (classes_of(declared.key), classes_of(declared.value))
        id = own if options.name is None else None
        return graph.add(ProcessorStore, [], at=at, id=id, store=options, key=key, value=value, classes=classes)
    for what, one, other in (("key", before.key, key), ("value", before.value, value)):
        if one != other:
            raise TopologyError(
                f"process: {title} has {what} {one.in_words()} at {before.at}, here {other.in_words()}; "
                "processors that share a store declare it alike: use one hf.StateStore for both",
                at=at,
            )
    return before


def _parts(store: StateStore[object, object]) -> Sequence[tuple[str, object]]:
    return ("key", store.key), ("value", store.value)


def _child_specs(cls: type[Processor[object, object]], at: str) -> tuple[ChildSpec, ...]:
    """All children together, then the named ones."""
    children = cls.children
    if isinstance(children, str) or not isinstance(children, (Mapping, Sequence)):
        raise TopologyError(
            f"process: {cls.__name__}.children is {children!r}; a list of names, or names with types, was wanted", at=at
        )
    types = children if isinstance(children, Mapping) else dict.fromkeys(children, cls.returns)
    for name in types:
        check_name("child", name, TopologyError, at=at)
    own_types = isinstance(children, Mapping)
    return (
        _child_spec(None, cls.returns, cls, at),
        *(_child_spec(name, each, cls, at, own_types) for name, each in types.items()),
    )


def _child_spec(name: str | None, returns: object, cls: type, at: str, own_types: bool = False) -> ChildSpec:
    where = f"process: {cls.__name__}.{f'children[{name!r}]' if name else 'returns'}"
    pair = returns if isinstance(returns, tuple) else (None, returns)
    if len(pair) != 2:
        raise TopologyError(f"{where} is {returns!r}; a value type or (key type, value type) was wanted", at=at)
    key, value = (UNKNOWN if each is None else serde_of(each, where).type for each in pair)
    return ChildSpec(name, key, value, (classes_of(pair[0]), classes_of(pair[1])), pair[0] is not None, own_types)


def _child(stream: Handle, process: Process, spec: ChildSpec) -> Stream[object, object]:
    cls = RekeyedChild if spec.rekeyed else Child
    node = stream.graph.add(cls, [process], at=process.at, id=spec.id(process.id), spec=spec, like=process.inputs[0].id)
    classes = declared(stream.graph.classes, stream.node)
    found = {what: each.cls for what, each in zip(("key", "value"), spec.classes, strict=True) if each.cls}
    if spec.value != UNKNOWN:
        classes = {what: each for what, each in classes.items() if what == "key"}
    stream.graph.classes[node.id] = {**classes, **found}
    return Stream(stream.graph, node)


def _taken(stream: Handle, cls: type) -> ClassPair:
    """The classes of key and value: as the processor says, `Processor[K, V]`, or as the topic was declared."""
    found = declared(stream.graph.classes, stream.node)
    arguments = next((typing.get_args(base) for base in getattr(cls, "__orig_bases__", ())), ())
    declared_classes = [classes_of(each) for each in arguments] if len(arguments) == 2 else [classes_of(None)] * 2
    key, value = (
        one if one.cls else classes_of(found.get(what))
        for what, one in zip(("key", "value"), declared_classes, strict=True)
    )
    return key, value
