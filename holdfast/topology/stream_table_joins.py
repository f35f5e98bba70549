"""The node that joins a stream with a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.infer import E, infer
from holdfast.topology.join_sides import HOW, check_fields, fields_of_both
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import Types
from holdfast.topology.state_traits import digest
from holdfast.topology.traits import Runs
from holdfast.topology.wording import wording
from holdfast.types import BINARY, DataType, Scalar, Struct
from holdfast.types.comparing import same_shape
from holdfast.units.duration import in_words


@dataclass(frozen=True, eq=False, kw_only=True)
class Join(Node):
    """Each record of a stream with the value that a table has for it."""

    op: ClassVar[str] = "join"
    runs: ClassVar[Runs] = Runs.AT_TABLE
    left: bool
    kind: str
    on: E | None
    joiner: E | None
    grace: int | None = None
    backing: Store | None = None

    def __post_init__(self) -> None:
        self.want_table(1)
        if self.joiner is None:
            check_fields(self)
        self._check_keys()
        if self.grace is not None:
            self._check_grace(self.grace)

    @property
    def store(self) -> Store | None:
        """The buffer of the stream's records, with a grace."""
        return self.backing

    @property
    def slots(self) -> Mapping[str, DataType]:
        """Both sides and the key."""
        stream, table = self.inputs
        return {"key": stream.key_type, "left": stream.value_type, "right": table.value_type}

    def _check_keys(self) -> None:
        stream, table = self.inputs
        key = infer(self.on, {"key": stream.key_type, "value": stream.value_type}) if self.on else stream.key_type
        if same_shape(key, table.key_type):
            return
        what = "on=" if self.on else "key"
        raise self.refuse(
            f"{what} is {key.in_words()}, table '{table.title}' has key {table.key_type.in_words()}; "
            f"{self._way_out(key, table.key_type)}"
        )

    def _check_grace(self, grace: int) -> None:
        table = self.inputs[1]
        if table.versioned is None:
            raise self.refuse(
                f"grace= needs a versioned table, '{table.title}' is none; keep its versions: "
                'store=hf.Materialized("name", versioned="1 hour")'
            )
        if grace > table.versioned:
            raise self.refuse(
                f"grace= is {grace} ms, table '{table.title}' keeps versions for {table.versioned} ms; "
                "keep them at least as long"
            )

    def _way_out(self, key: DataType, wanted: DataType) -> str:
        method = "on=" if self.kind == "global" else "select_key("
        end = "" if self.kind == "global" else ")"
        value = self.inputs[0].value_type
        fields = value.fields if isinstance(value, Struct) else ()
        fitting = [each.name for each in fields if same_shape(each.type, wanted)]
        if fitting and key == BINARY:
            return f"use {method}lambda v: v.{fitting[0]}{end}, or declare the key of the stream: key=..."
        if not isinstance(wanted, Scalar):
            return f"use {method}lambda v: ...{end} that gives {wanted.in_words()}"
        if self.on:
            return f'give that type: F.cast(x, "{str(wanted).lower()}")'
        return f'use {method}lambda k, v: F.cast(k, "{str(wanted).lower()}"){end}'

    @cached_property
    def value_type(self) -> DataType:
        """What the joiner makes, or the fields of both."""
        if self.joiner is not None:
            return infer(self.joiner, self.slots)
        return fields_of_both(*(each.value_type for each in self.inputs))

    @property
    def tables_read(self) -> Sequence[int]:
        """The table, unless it is global."""
        return [] if self.kind == "global" else [1]

    @property
    def global_side(self) -> int | None:
        """The table, if it is global."""
        return 1 if self.kind == "global" else None

    def looks_up(self, table: Node) -> bool:
        """The table is the right side."""
        return table is self.inputs[1]

    @property
    def needs_stage(self) -> bool:
        """It reads the table's state."""
        return True

    @property
    def is_time_driven(self) -> bool:
        """With a grace, records are joined when stream time has reached the end of it."""
        return bool(self.grace)

    @property
    def buffers_records(self) -> bool:
        """With a grace."""
        return self.backing is not None

    @property
    def has_pending_results(self) -> bool:
        """The buffered records."""
        return True

    @property
    def stored_inputs(self) -> Sequence[Node]:
        """The stream, with a grace."""
        return self.inputs[:1] if self.buffers_records else ()

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """The state is made of the records of the stream: neither the joiner nor the grace changes it."""
        return digest([self.op, None, [lineages[each.id] for each in self.stored_inputs]])

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """Of the types only that of the key; those of the records are compared by themselves."""
        return {name: each for name, each in super().state_types(types).items() if name == "key"}

    def label(self) -> str:
        """Which table, and how it is met."""
        on = f" on {wording(self.on)}" if self.on else ""
        grace = "" if self.grace is None else f", grace {in_words(self.grace)}"
        return f"{HOW['left' if self.left else 'inner']} with {self.inputs[1].id}{on}{grace}"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """How both sides meet."""
        return {**super().parts(document), "kind": document["with"]}

    def details(self) -> dict[str, Json]:
        """How both sides meet."""
        fields: dict[str, Json] = {"left": self.left, "with": self.kind, "on": self.on, "joiner": self.joiner}
        return {**fields, "grace": self.grace, "store": self.backing.to_json()} if self.backing else fields
