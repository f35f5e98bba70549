"""Streams: records one after the other."""

from __future__ import annotations

from typing import TypeVar

from holdfast.dsl.branches import Branches
from holdfast.dsl.columns import RecordFunction
from holdfast.dsl.join_methods import JoinMethods
from holdfast.dsl.lambdas import expression, record_scope
from holdfast.dsl.process_method import ProcessMethod
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.sinks import chosen_fields, sink_fields
from holdfast.dsl.stateful_methods import StatefulMethods
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology import stateless

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


class Stream(JoinMethods[K, V], StatefulMethods[K, V], ProcessMethod[K, V]):
    """Records one after the other, each with a key, a value and a time."""

    def split(self, *, default: str = "rest", **predicates: RecordFunction[K, V]) -> Branches[Stream[K, V]]:
        """Send each record to the first branch whose predicate is true, the others to `default`.

        >>> import holdfast as hf
        >>> app = hf.App("logs")
        >>> lines = app.stream("lines", "level STRING, text STRING").split(errors=lambda r: r.level == "ERROR")
        >>> lines.errors.to("errors")
        >>> lines.rest.to("others")
        """
        scope = record_scope(self.node)
        trees = tuple((name, expression(p, scope, f"the predicate of {name!r}")) for name, p in predicates.items())
        split = self._add(stateless.Split, branches=trees, default=default)
        branches = {}
        for index, name in enumerate([*predicates, default]):
            branch = self.graph.add(stateless.Branch, [split], at=split.at, index=index)
            branches[name] = Stream[K, V](self.graph, branch)
        return Branches(branches)

    def merge(self, *others: Stream[K, V]) -> Stream[K, V]:
        """The records of this stream and the others.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> web, phone = app.stream("web-orders", "id BIGINT"), app.stream("phone-orders", "id BIGINT")
        >>> orders = web.merge(phone)
        """
        for each in others:
            if not isinstance(each, Stream):
                raise TopologyError(
                    f"merge wants streams, {each!r} came; use to_stream() on a table", at=user_position()
                )
        return self._stream(self._add(stateless.Merge, *(each.node for each in others)))

    def repartition(self, *, tasks: int | None = None) -> Stream[K, V]:
        """Send each record to the task of its key before it goes on.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> spread = app.stream("orders", "id BIGINT").repartition()
        """
        return self._stream(self._add(stateless.Repartition, tasks=tasks))

    def to(
        self,
        topic: RecordFunction[K, V],
        *,
        key: object = None,
        value: object = None,
        headers: object = None,
    ) -> None:
        """Write each record to a topic; a lambda or an expression chooses the topic for each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, country STRING")
        >>> orders.to("all-orders", headers=lambda o: dict(country=o.country))
        >>> orders.to(lambda o: "orders-" + o.country)
        """
        if isinstance(topic, PythonFunction):
            chosen = self._called(topic, "the topic of to")
            fields = chosen_fields(record_scope(self.node), record_scope(chosen.node), key, value, headers)
            chosen._add(stateless.To, **fields)
            return
        self._add(stateless.To, **sink_fields(record_scope(self.node), topic, key, value, headers))
