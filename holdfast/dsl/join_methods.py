"""Joins of a stream with a table or with another stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from holdfast.dsl.join_fields import Options, join_node, joined_side
from holdfast.dsl.join_signatures import stream_join
from holdfast.dsl.join_window import Duration, JoinWindow
from holdfast.dsl.python_calls import result
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.python_joins import joiner_fields, sides
from holdfast.dsl.record_methods import RecordMethods
from holdfast.topology.python_calls import PythonCall

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


class JoinMethods(RecordMethods[K, V]):
    """The joins of a stream."""

    @stream_join
    def join(
        self,
        other: object,
        joiner: object = None,
        *,
        within: Duration | JoinWindow | None = None,
        on: object = None,
        grace: Duration | None = None,
        late: str | None = None,
        store: str | None = None,
    ) -> Stream[K, object]:
        """Join each record with a table by its key, a global table by `on`, or another stream `within` a time.

        What finds nothing is dropped. Of two streams, each pair of records with the same key and not further apart
        than `within` gives a record with the later of both times; `late=` names a topic for records that come when
        nothing can meet them any more. `grace=` waits for a versioned table: a record is joined, as of its own time,
        when the stream has come that much further. `store` names the state of the records that wait.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "item BIGINT, amount INT", key=int)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> items = app.global_table("items", "title STRING", key=int)
        >>> named = orders.join(customers).join(items, lambda o, i: dict(o, title=i.title), on="item")
        >>> payments = app.stream("payments", "paid DOUBLE", key=int)
        >>> paid = orders.join(payments, within="10 minutes")
        """
        return self._join("inner", other, joiner, Options(within, on, grace, late, store))

    @stream_join
    def left_join(
        self,
        other: object,
        joiner: object = None,
        *,
        within: Duration | JoinWindow | None = None,
        on: object = None,
        grace: Duration | None = None,
        late: str | None = None,
        store: str | None = None,
    ) -> Stream[K, object]:
        """Like `join`, but an unmatched record is emitted, with nulls on the right.

        With another stream it does so once its window and the grace are over. With `late=` it is not joined after
        that: a partner that comes later goes to that topic instead.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "amount INT", key=int)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> named = orders.left_join(customers, lambda o, c: dict(o, name=F.coalesce(c.name, F.lit("unknown"))))
        """
        return self._join("left", other, joiner, Options(within, on, grace, late, store))

    @stream_join
    def outer_join(
        self,
        other: object,
        joiner: object = None,
        *,
        within: Duration | JoinWindow | None = None,
        grace: Duration | None = None,
        late: str | None = None,
        store: str | None = None,
    ) -> Stream[K, object]:
        """Join two streams; an unmatched record of either side is emitted, with nulls for the other.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "amount DOUBLE", key=int)
        >>> payments = app.stream("payments", "paid DOUBLE", key=int)
        >>> both = orders.outer_join(payments, within="1 hour", grace="5 minutes")
        """
        return self._join("outer", other, joiner, Options(within, None, grace, late, store))

    def _join(self, how: str, other: object, joiner: object, options: Options) -> Stream[K, object]:
        right = joined_side(other)
        if isinstance(joiner, PythonFunction):
            both = self._join(how, right, sides, options)
            return both._stream(both._add(PythonCall, **joiner_fields(joiner, self, right))).map_values(result)
        return self._stream(join_node(self, right.node, how, joiner, options))
