"""The graph of a program: the one that grows while the program is read, and the view of it that does not change."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from holdfast.documents import Json
from holdfast.topics.own_topics import changelog_topic
from holdfast.topology import checks
from holdfast.topology.marks import refuse_marked
from holdfast.topology.nodes import Node, Store

N = TypeVar("N", bound=Node)
FORMAT = 1


@dataclass(frozen=True)
class StoreOptions:
    """The options of a store, before its node has a name."""

    name: str | None = None
    emit: str = "latest"
    versioned: int | None = None
    ttl: int | None = None
    queryable: bool = True
    """Whether the name makes it a store that can be queried, or only says what the state is called."""


class Graph:
    """The nodes of an app in the order they were written."""

    def __init__(self, app: str) -> None:
        self.app = app
        self.nodes: list[Node] = []
        # The dataclasses of keys and values, by node: for functions that run in Python.
        self.classes: dict[str, dict[str, type]] = {}
        self._ids: set[str] = set()
        self._counts: Counter[str] = Counter()

    def copy(self) -> Graph:
        """A graph with the same nodes, to which others can be added."""
        made = Graph(self.app)
        made.nodes, made.classes = [*self.nodes], {**self.classes}
        made._ids, made._counts = {*self._ids}, Counter(self._counts)
        return made

    def add(
        self,
        cls: type[N],
        inputs: Sequence[Node],
        *,
        at: str,
        id: str | None = None,
        store: StoreOptions | None = None,
        **fields: object,
    ) -> N:
        """Make a node, check it against the others and add it."""
        name = self._name(cls.op, id, store)
        if store is not None:
            fields["backing"] = self._store(name if id is None else f"{cls.op}-{id}", store)
        make: Callable[..., N] = cls  # each class has fields of its own, which nodes check themselves
        node = make(id=name, inputs=tuple(inputs), at=at, **fields)
        checks.check_node(node, self.nodes, self.app)
        self._ids.add(name)
        self._counts[cls.op] += 1
        self.nodes.append(node)
        refuse_marked(node.to_json(), node.at)
        return node

    def _name(self, op: str, id: str | None, store: StoreOptions | None) -> str:
        """The topic, `op:store`, or `op-n`; never one that is taken."""
        if id is None:
            id = f"{op}:{store.name}" if store and store.name else f"{op}-{self._counts[op] + 1}"
        name, copy = id, 1
        while name in self._ids:
            copy += 1
            name = f"{id}#{copy}"
        return name

    def _store(self, name: str, options: StoreOptions) -> Store:
        named = options.name if options.queryable else None
        return Store(
            name=named,
            state=options.name or name,
            emit=options.emit,
            ttl=options.ttl,
            changelog=changelog_topic(self.app, named) if named else None,
            versioned=options.versioned,
            queryable=options.queryable or options.name is None,
        )


@dataclass(frozen=True)
class Topology:
    """A program as a graph that does not change any more; a plan is one whose nodes have places in stages.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> app.stream("orders", "id BIGINT").to("copies")
    >>> app.topology.mermaid().splitlines()[0]
    'flowchart TD'
    """

    app: str
    tasks: int
    on_error: str
    nodes: tuple[Node, ...]
    stages: int | None = None
    order: tuple[str, ...] | None = None
    """The topics in the order that the state of a plan knows, where the program has another."""

    @property
    def sources(self) -> tuple[Node, ...]:
        """The nodes that records come from."""
        return tuple(each for each in self.nodes if each.reads)

    @property
    def topics(self) -> dict[str, str]:
        """The topics that are read, and as what."""
        return {topic: each.reads for each in self.nodes if each.reads for topic in each.topics_read}

    @property
    def stores(self) -> Mapping[str, Node]:
        """The node of each named store."""
        return {each.store.name: each for each in self.nodes if each.store and each.store.name}

    def consumers(self, node: Node) -> tuple[Node, ...]:
        """The nodes that `node` feeds."""
        return tuple(each for each in self.nodes if node in each.inputs)

    def json(self) -> dict[str, Json]:
        """The topology as the planner and the kernel read it."""
        return {
            "app": self.app,
            "holdfast": FORMAT,
            "tasks": self.tasks,
            "on_error": self.on_error,
            "nodes": [each.to_json() for each in self.nodes],
            **({} if self.stages is None else {"stages": self.stages}),
            **({} if self.order is None else {"topics": list(self.order)}),
        }

    def describe(self) -> str:
        """The topology as text."""
        return _text("holdfast.topology.describe", "describe", self)

    def svg(self) -> str:
        """The topology as a picture."""
        return _text("holdfast.topology.picture", "svg", self)

    def mermaid(self) -> str:
        """The topology as a Mermaid diagram."""
        return _text("holdfast.topology.picture", "mermaid", self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'


def _text(module: str, function: str, topology: Topology) -> str:
    """Drawing is loaded when it is asked for, so that building a program stays quick."""
    return str(getattr(importlib.import_module(module), function)(topology))
