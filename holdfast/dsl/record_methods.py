"""The stateless operations of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack, overload

from holdfast.dsl.columns import Expression, Operand, RecordFunction
from holdfast.dsl.handle import Records
from holdfast.dsl.keys import key_expression
from holdfast.dsl.lambdas import bound, evaluate, expression, record_scope
from holdfast.dsl.lift import lift, record_expression
from holdfast.dsl.python_calls import both_of_pair, call_fields, result, result_and_value, value
from holdfast.dsl.python_functions import PythonFunction, effect
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology import stateless
from holdfast.topology.nodes import Node
from holdfast.topology.python_calls import PythonCall
from holdfast.topology.sample import Sample

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")
T = TypeVar("T")


class _Reason(TypedDict, total=False):
    reason: str


class RecordMethods(Records[K, V]):
    """The stateless methods of a stream."""

    def _stream(self, node: Node) -> Stream[K2, V2]:
        """The stream of a node's records; the method that adds the node knows their types."""
        from holdfast.dsl.stream import Stream

        return Stream(self.graph, node)

    def _called(self, function: PythonFunction, what: str, *, many: bool = False) -> Stream[K, Expression]:
        """The stream with the result of a Python function next to each value."""
        return self._stream(self._add(PythonCall, **call_fields(self, function, what, many=many)))

    def filter(self, predicate: RecordFunction[K, V]) -> Stream[K, V]:
        """Keep the records for which `predicate` is true; null is false.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> large = orders.filter(lambda o: o.amount > 100)
        """
        return self._filter(stateless.Filter, predicate)

    def filter_not(self, predicate: RecordFunction[K, V]) -> Stream[K, V]:
        """Keep exactly the records that `filter` drops.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, test BOOLEAN")
        >>> real = orders.filter_not("test")
        """
        return self._filter(stateless.FilterNot, predicate)

    def require(self, predicate: RecordFunction[K, V], *, reason: str) -> Stream[K, V]:
        """Keep the records for which `predicate` is true; the others become dead letters with `reason`.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> valid = orders.require(lambda o: o.amount >= 0, reason="negative amount")
        """
        return self._filter(stateless.Require, predicate, reason=reason)

    def sample(self, fraction: float, *, by: Literal["record", "key"] = "record", seed: int = 0) -> Stream[K, V]:
        """Keep about this share of the records, or with `by="key"` all records of about this share of the keys.

        A hash chooses, not chance: a repeated batch has the same records. By key, every stream has the same keys, and
        a smaller fraction has a part of the keys of a larger one. Another `seed` chooses others. A record without a key
        is chosen by its topic, partition and offset.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE", key=str)
        >>> some_orders = orders.sample(0.1)
        >>> orders_of_some_customers = orders.sample(0.1, by="key")
        """
        return self._stream(self._add(Sample, fraction=fraction, by=by, seed=seed))

    def _filter(self, cls: type[stateless.Filter], predicate: object, **more: Unpack[_Reason]) -> Stream[K, V]:
        if isinstance(predicate, PythonFunction):
            tried = self._called(predicate, f"the predicate of {cls.op}")
            return self._stream(tried._filter(cls, result, **more).map_values(value).node)
        tree = expression(predicate, record_scope(self.node), f"the predicate of {cls.op}")
        return self._stream(self._add(cls, predicate=tree, **more))

    @overload
    def map(self, f: Callable[[V], tuple[K2, V2]]) -> Stream[K2, V2]: ...
    @overload
    def map(self, f: Callable[[K, V], tuple[K2, V2]]) -> Stream[K2, V2]: ...
    def map(self, f: object) -> Stream[object, object]:
        """Make a new key and a new value of each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> by_id = orders.map(lambda k, o: (o.id, o.amount * 2))
        """
        if isinstance(f, PythonFunction):
            return self._called(f, "the function of map").map(both_of_pair)
        scope = record_scope(self.node)
        pair = evaluate(f, scope, "the function of map")
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ExpressionError(
                f"map wants (key, value), {pair!r} came; return two, or use map_values", at=user_position()
            )
        key, value = (bound(each, f, scope) for each in pair)
        return self._stream(self._add(stateless.Map, key=key, value=value))

    @overload
    def map_values(self, f: Callable[[V], V2]) -> Stream[K, V2]: ...
    @overload
    def map_values(self, f: Callable[[K, V], V2]) -> Stream[K, V2]: ...
    @overload
    def map_values(
        self, f: Operand | Callable[[V], dict[str, T]] | Callable[[K, V], dict[str, T]]
    ) -> Stream[K, Any]: ...  # a record without a class, or what only Spark knows
    def map_values(self, f: object) -> Stream[K, object]:
        """Make a new value of each record.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, amount DOUBLE")
        >>> taxed = orders.map_values(lambda o: dict(o, tax=o.amount * 0.2))
        """
        if isinstance(f, PythonFunction):
            return self._called(f, "the function of map_values").map_values(result)
        tree = expression(f, record_scope(self.node), "the function of map_values")
        return self._stream(self._add(stateless.MapValues, value=tree))

    def flat_map(self, f: RecordFunction[K, V]) -> Stream[Any, Any]:
        """Make any number of (key, value) of each record: a list, or an array expression; null gives nothing.

        >>> import holdfast as hf
        >>> app = hf.App("transfers")
        >>> moves = app.stream("moves", "sender STRING, receiver STRING, amount DOUBLE")
        >>> both = moves.flat_map(lambda m: [(m.sender, -m.amount), (m.receiver, m.amount)])
        """
        if isinstance(f, PythonFunction):
            return self._called(f, "the function of flat_map", many=True).flat_map(result)
        made = evaluate(f, record_scope(self.node), "the function of flat_map")
        if isinstance(made, list):
            made = [_pair(each) for each in made]
        tree = bound(made, f, record_scope(self.node))
        return self._stream(self._add(stateless.FlatMap, items=tree))

    def flat_map_values(self, f: RecordFunction[K, V]) -> Stream[K, Any]:
        """Make any number of values of each record: a list, or an array expression; null gives nothing.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("words")
        >>> words = app.stream("lines", str).flat_map_values(lambda line: F.split(line, " "))
        """
        if isinstance(f, PythonFunction):
            return self._called(f, "the function of flat_map_values", many=True).flat_map_values(result)
        tree = expression(f, record_scope(self.node), "the function of flat_map_values")
        return self._stream(self._add(stateless.FlatMapValues, items=tree))

    @overload
    def select_key(self, key: Callable[[V], K2], /) -> Stream[K2, V]: ...
    @overload
    def select_key(self, key: Callable[[K, V], K2], /) -> Stream[K2, V]: ...
    # What an expression or several keys make has no class.
    @overload
    def select_key(self, key: Operand, /, *more: object) -> Stream[Any, V]: ...
    @overload
    def select_key(self, key: Callable[[V], object], second: object, /, *more: object) -> Stream[Any, V]: ...
    def select_key(self, *key: object) -> Stream[object, V]:
        """Give each record a new key; several expressions make a record key.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "customer BIGINT, city STRING")
        >>> by_customer = orders.select_key(lambda o: o.customer)
        >>> by_both = orders.select_key("customer", "city")
        """
        if len(key) == 1 and isinstance(key[0], PythonFunction):
            keyed = self._called(key[0], "the key of select_key").map(result_and_value)
            return self._stream(keyed.node)
        tree = key_expression(key, record_scope(self.node), "select_key")
        return self._stream(self._add(stateless.SelectKey, key=tree))

    def peek(self, f: Callable[[V], object] | Callable[[K, V], object]) -> Stream[K, V]:
        """Call a Python function with each record and pass it on; again, when a batch is repeated after a crash.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> seen = app.stream("orders", "id BIGINT").peek(lambda order: print(order.id))
        """
        seen = self._called(effect(f, "the function of peek"), "the function of peek").map_values(value)
        return self._stream(seen.node)

    def foreach(self, f: Callable[[V], object] | Callable[[K, V], object]) -> None:
        """Call a Python function with each record, as the last thing; again, when a batch is repeated after a crash.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").foreach(lambda order: print(order.id))
        """
        self._called(effect(f, "the function of foreach"), "the function of foreach")

    def print(self, label: str = "") -> Stream[K, V]:
        """Show each record on standard output and pass it on.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> seen = app.stream("orders", "id BIGINT").print("order")
        """
        return self._stream(self._add(stateless.Print, prefix=label))


def _pair(made: object) -> Expression:
    if isinstance(made, tuple) and len(made) == 2:
        return record_expression([("key", lift(made[0])), ("value", lift(made[1]))])
    if isinstance(made, Expression):
        return made
    raise ExpressionError(f"flat_map wants a list of (key, value), {made!r} came", at=user_position())
