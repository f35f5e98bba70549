"""States as documents, read with the class as it is now, in a process that the class was sent to."""

import pickle
from dataclasses import dataclass, field

from holdfast.dsl.state_classes import with_declared_nulls
from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import classes_of
from holdfast.workers.codec.state_codec import StateCodec


def sent(cls):
    """What reads and writes the states, after its class went to another process by value."""
    from pyspark import cloudpickle

    return StateCodec(
        *pickle.loads(cloudpickle.dumps((with_declared_nulls(type_of(cls, "state"), cls), classes_of(cls))))
    )


def local_class():
    @dataclass
    class State:
        n: int = 0
        seen: list[str] = field(default_factory=lambda: ["before"])
        note: str | None = None
        kind: str = "new"

    return State


def test_what_an_older_document_lacks_has_its_default_and_what_is_gone_is_dropped():
    states = sent(local_class())
    made = states.load(b'{"n":2,"gone":1}')
    assert (made.n, made.seen, made.note, made.kind) == (2, ["before"], None, "new")
    assert states.dump(made) == b'{"n":2,"seen":["before"],"note":null,"kind":"new"}'


def test_integers_become_floats_and_the_order_of_fields_does_not_matter():
    @dataclass
    class State:
        x: float = 0.0
        y: float = 0.0

    made = sent(State).load(b'{"y":1,"x":"Infinity"}')
    assert (made.x, made.y, type(made.y)) == (float("inf"), 1.0, float)


def test_a_float_of_another_library_is_a_float():
    @dataclass
    class State:
        mean: float = 0.0

    class Float64(float):
        pass

    assert sent(State).dump(State(Float64(1.5))) == b'{"mean":1.5}'


def test_frozen_and_slotted_classes():
    @dataclass(frozen=True)
    class Frozen:
        n: int = 0

    @dataclass(slots=True)
    class Slotted:
        n: int = 0
        names: dict[str, int] = field(default_factory=dict)

    assert sent(Frozen).load(b'{"n":3}').n == 3
    slotted = sent(Slotted)
    made = slotted.load(b'{"n":3}')
    made.names["a"] = 1
    assert slotted.dump(made) == b'{"n":3,"names":{"a":1}}'
