"""`process`: stateful functions and processors as a step of a stream."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from holdfast.dsl.columns import Expression
from holdfast.dsl.materialized import StoreArg, store_options
from holdfast.dsl.python_calls import declared
from holdfast.dsl.record_methods import RecordMethods
from holdfast.dsl.stateful_decorator import Stateful, call_of, gives_pairs, result_of
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.stateful_function import StatefulFunction

if TYPE_CHECKING:
    from holdfast.dsl.processor_builder import ProcessedStream
    from holdfast.dsl.stream import Stream
    from holdfast.workers.processor_api import Processor

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class ProcessMethod(RecordMethods[K, V]):
    """The methods of a stream that run stateful functions and processors."""

    # What a processor forwards says its `returns`, which a type checker cannot read.
    @overload
    def process(self, function: Stateful[tuple[K2, V2]], *, store: StoreArg = None) -> Stream[K2, V2]: ...
    @overload
    def process(self, function: Stateful[V2], *, store: StoreArg = None) -> Stream[K, V2]: ...
    @overload
    def process(
        self, function: type[Processor[K2, V2]] | partial[Processor[K2, V2]], *, store: StoreArg = None
    ) -> ProcessedStream[Any, Any]: ...
    def process(self, function: object, *, store: StoreArg = None) -> Stream[object, object]:
        """Run a function with a state for each key, or hand each record to a processor, whose forwarded records go on.

        With `store` the states can be queried.

        >>> import holdfast as hf
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Total:
        ...     cents: int = 0
        >>> @hf.stateful(state=Total, returns=int)
        ... def add(key, cents, state, timers):
        ...     state.cents += cents
        ...     return state.cents
        >>> app = hf.App("till")
        >>> app.stream("payments", int, key=str).process(add, store="totals").to("sums")
        >>> class Twice(hf.Processor[str, int]):
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         self.context.forward(record)
        ...         self.context.forward(record)
        >>> app.stream("coins", int, key=str).process(Twice).to("more-coins")
        """
        from holdfast.dsl.processor_builder import is_processor, processed

        if is_processor(function):
            return processed(self, function, store)
        if not isinstance(function, Stateful):
            raise TopologyError(
                f"process: {function!r} is neither a function of hf.stateful nor a class of processors; declare it: "
                "@hf.stateful(state=..., returns=...) or class P(hf.Processor)",
                at=user_position(),
            )
        return self._stateful(function, store)

    def _stateful(self, function: Stateful[V2], store: StoreArg) -> Stream[object, object]:
        options = store_options(store)
        if options.versioned is not None:
            raise TopologyError("process: a store of states has no versions; leave versioned= out", at=user_position())
        ttl = options.ttl if function.ttl is None else function.ttl
        classes = declared(self.graph.classes, self.node)
        made: Stream[K, Expression] = self._stream(
            self._add(
                StatefulFunction,
                make=lambda: call_of(function, classes, ttl),
                function=f"{function.name} ({function.at})",
                returns=result_of(function),
                state=function.state,
                ttl=ttl,
                store=dataclasses.replace(options, ttl=None),
            )
        )
        if gives_pairs(function):
            return made.map(_pair)
        if isinstance(function.returns, type) and dataclasses.is_dataclass(function.returns):
            self.graph.classes[made.node.id] = {"value": function.returns}
        return made


def _pair(both: Expression) -> tuple[Expression, Expression]:
    return both["_1"], both["_2"]
