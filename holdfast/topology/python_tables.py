"""Tables whose values a function in Python makes: they are stored, so that readers do not wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.topology.nodes import Node
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.table_joins import ForeignKeyJoin
from holdfast.topology.tables import TableFilter, TableMapValues


@dataclass(frozen=True, eq=False, kw_only=True)
class PythonTable(TableMapValues):
    """A table with values mapped by a Python function."""

    fold: object

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The function, which needs no state."""
        return _functions(self, types)


@dataclass(frozen=True, eq=False, kw_only=True)
class PythonFilter(TableFilter):
    """A table filtered by a Python function."""

    fold: object

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The function, which needs no state."""
        return _functions(self, types)


def _functions(node: PythonTable | PythonFilter, types: Types) -> Mapping[str, RunnerSpec]:
    under = types[node.inputs[0].id]
    arguments = (node.fold, under["key"], types[node.id]["value"], [under["value"]])
    return {node.id: RunnerSpec("fold", arguments)}


def emits_every_update(table: Node) -> bool:
    """Whether a table emits every update, and not only the last of a batch; without a store it does as its input."""
    unnamed_join = isinstance(table, ForeignKeyJoin) and not table.store.name
    if table.store is not None and not unnamed_join:
        return table.store.emit == "every"
    return any(emits_every_update(each) for each in table.inputs)
