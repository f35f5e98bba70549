"""Streams: records one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from holdfast.dsl.branches import Branches
from holdfast.dsl.columns import Expression, Operand
from holdfast.dsl.grouping import Grouping
from holdfast.dsl.joins import Joining
from holdfast.dsl.keys import key_expression
from holdfast.dsl.lambdas import bound, evaluate, expression, record_scope
from holdfast.dsl.lift import lift, record_expression
from holdfast.dsl.process_method import ProcessMethod
from holdfast.dsl.python_calls import both_of_pair, called, result, result_and_value, value
from holdfast.dsl.python_functions import PythonFunction, effect
from holdfast.dsl.sinks import chosen_fields, sink_fields
from holdfast.errors import ExpressionError, TopologyError
from holdfast.position import user_position
from holdfast.topology import stateless

if TYPE_CHECKING:
    pass

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")

Function = Callable[[V], Any] | Callable[[K, V], Any] | Operand


class Stream(Joining[K, V], Grouping[K, V], ProcessMethod[K, V]):
    """Records one after the other, each with a key, a value and a time."""

    def filter(self, predicate: Function[V, K]) -> Stream[K, V]:
        """Keep the records for which `predicate` is true; null is false.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> large = orders.filter(lambda o: o.amount > 100)
        """
        return self._filter(stateless.Filter, predicate)

    def filter_not(self, predicate: Function[V, K]) -> Stream[K, V]:
        """Keep exactly the records that `filter` drops.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, test BOOLEAN")
        >>> real = orders.filter_not("test")
        """
        return self._filter(stateless.FilterNot, predicate)

    def require(self, predicate: Function[V, K], *, reason: str) -> Stream[K, V]:
        """Keep the records for which `predicate` is true; the others become dead letters with `reason`.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> valid = orders.require(lambda o: o.amount >= 0, reason="negative amount")
        """
        return self._filter(stateless.Require, predicate, reason=reason)

    def _filter(self, cls: type[stateless.Filter], predicate: Any, **more: Any) -> Stream[K, V]:
        if isinstance(predicate, PythonFunction):
            tried = called(self, predicate, f"the predicate of {cls.op}")
            return tried._filter(cls, result, **more).map_values(value)
        tree = expression(predicate, record_scope(self.node), f"the predicate of {cls.op}")
        return self._stream(cls, predicate=tree, **more)

    @overload
    def map(self, f: Callable[[V], tuple[K2, V2]]) -> Stream[K2, V2]: ...
    @overload
    def map(self, f: Callable[[K, V], tuple[K2, V2]]) -> Stream[K2, V2]: ...
    def map(self, f: Any) -> Stream[Any, Any]:
        """Make a new key and a new value of each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> by_id = orders.map(lambda k, o: (o.id, o.amount * 2))
        """
        if isinstance(f, PythonFunction):
            return called(self, f, "the function of map").map(both_of_pair)
        scope = record_scope(self.node)
        pair = evaluate(f, scope, "the function of map")
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ExpressionError(
                f"map wants (key, value), {pair!r} came; return two, or use map_values", at=user_position()
            )
        key, value = (bound(each, f, scope) for each in pair)
        return self._stream(stateless.Map, key=key, value=value)

    @overload
    def map_values(self, f: Callable[[V], dict[str, Any]] | Callable[[K, V], dict[str, Any]]) -> Stream[K, Any]: ...
    @overload
    def map_values(self, f: Callable[[V], V2]) -> Stream[K, V2]: ...
    @overload
    def map_values(self, f: Callable[[K, V], V2]) -> Stream[K, V2]: ...
    @overload
    def map_values(self, f: Operand) -> Stream[K, Any]: ...
    def map_values(self, f: Any) -> Stream[K, Any]:
        """Make a new value of each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> taxed = orders.map_values(lambda o: dict(o, tax=o.amount * 0.2))
        """
        if isinstance(f, PythonFunction):
            return called(self, f, "the function of map_values").map_values(result)
        tree = expression(f, record_scope(self.node), "the function of map_values")
        return self._stream(stateless.MapValues, value=tree)

    def flat_map(self, f: Function[V, K]) -> Stream[Any, Any]:
        """Make any number of (key, value) of each record: a list, or an array expression; null gives nothing.

        >>> import holdfast as hf
        >>> app = hf.App("transfers")
        >>> moves = app.stream("moves", "sender STRING, receiver STRING, amount DOUBLE")
        >>> both = moves.flat_map(lambda m: [(m.sender, -m.amount), (m.receiver, m.amount)])
        """
        if isinstance(f, PythonFunction):
            return called(self, f, "the function of flat_map", many=True).flat_map(result)
        made = evaluate(f, record_scope(self.node), "the function of flat_map")
        if isinstance(made, list):
            made = [_pair(each) for each in made]
        tree = bound(made, f, record_scope(self.node))
        return self._stream(stateless.FlatMap, items=tree)

    def flat_map_values(self, f: Function[V, K]) -> Stream[K, Any]:
        """Make any number of values of each record: a list, or an array expression; null gives nothing.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("words")
        >>> words = app.stream("lines", str).flat_map_values(lambda line: F.split(line, " "))
        """
        if isinstance(f, PythonFunction):
            return called(self, f, "the function of flat_map_values", many=True).flat_map_values(result)
        tree = expression(f, record_scope(self.node), "the function of flat_map_values")
        return self._stream(stateless.FlatMapValues, items=tree)

    @overload
    def select_key(self, key: Callable[[V], K2], /) -> Stream[K2, V]: ...
    @overload
    def select_key(self, key: Callable[[K, V], K2], /) -> Stream[K2, V]: ...
    @overload
    def select_key(self, key: Operand, /, *more: Any) -> Stream[Any, V]: ...
    @overload
    def select_key(self, key: Callable[[V], Any], second: Any, /, *more: Any) -> Stream[Any, V]: ...
    def select_key(self, *key: Any) -> Stream[Any, V]:
        """Give each record a new key; several expressions make a record key.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "customer BIGINT, city STRING")
        >>> by_customer = orders.select_key(lambda o: o.customer)
        >>> by_both = orders.select_key("customer", "city")
        """
        if len(key) == 1 and isinstance(key[0], PythonFunction):
            return called(self, key[0], "the key of select_key").map(result_and_value)
        return self._stream(stateless.SelectKey, key=key_expression(key, record_scope(self.node), "select_key"))

    def split(self, *, default: str = "rest", **predicates: Function[V, K]) -> Branches[Stream[K, V]]:
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
        ways = {}
        for index, name in enumerate([*predicates, default]):
            branch = self.graph.add(stateless.Branch, [split], at=split.at, index=index)
            ways[name] = Stream[K, V](self.graph, branch)
        return Branches(ways)

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
        return self._stream(stateless.Merge, *(each.node for each in others))

    def repartition(self, *, tasks: int | None = None) -> Stream[K, V]:
        """Send each record to the task of its key before it goes on.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> spread = app.stream("orders", "id BIGINT").repartition()
        """
        return self._stream(stateless.Repartition, tasks=tasks)

    def peek(self, f: Callable[[V], object] | Callable[[K, V], object]) -> Stream[K, V]:
        """Call a Python function with each record and pass it on; again, when a batch is repeated after a crash.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> seen = app.stream("orders", "id BIGINT").peek(lambda order: print(order.id))
        """
        return called(self, effect(f, "the function of peek"), "the function of peek").map_values(value)

    def foreach(self, f: Callable[[V], object] | Callable[[K, V], object]) -> None:
        """Call a Python function with each record, as the last thing; again, when a batch is repeated after a crash.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").foreach(lambda order: print(order.id))
        """
        called(self, effect(f, "the function of foreach"), "the function of foreach")

    def print(self, label: str = "") -> Stream[K, V]:
        """Show each record on standard output and pass it on.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> seen = app.stream("orders", "id BIGINT").print("order")
        """
        return self._stream(stateless.Print, prefix=label)

    def to(self, topic: Any, *, key: Any = None, value: Any = None, headers: Any = None) -> None:
        """Write each record to a topic; a lambda or an expression chooses the topic for each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, country STRING")
        >>> orders.to("all-orders", headers=lambda o: dict(country=o.country))
        >>> orders.to(lambda o: "orders-" + o.country)
        """
        if isinstance(topic, PythonFunction):
            chosen = called(self, topic, "the topic of to")
            fields = chosen_fields(record_scope(self.node), record_scope(chosen.node), key, value, headers)
            chosen._add(stateless.To, **fields)
            return
        self._add(stateless.To, **sink_fields(record_scope(self.node), topic, key, value, headers))

    def _stream(self, cls: Any, *others: Any, **fields: Any) -> Stream[Any, Any]:
        return Stream(self.graph, self._add(cls, *others, **fields))


def _pair(made: Any) -> Any:
    if isinstance(made, tuple) and len(made) == 2:
        return record_expression([("key", lift(made[0])), ("value", lift(made[1]))])
    if isinstance(made, Expression):
        return made
    raise ExpressionError(f"flat_map wants a list of (key, value), {made!r} came", at=user_position())
