"""A Python function with state, and all that is needed to run it."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.types import DataType
from holdfast.types.value_classes import Classes
from holdfast.workers.function_spec import FunctionSpec


@dataclass(frozen=True)
class StatefulSpec:
    """A stateful function, its timer callback, and the types of its states.

    In the type of the state exactly those fields may be null that say so. `several` says that its fields are states of
    their own; `ttl` is in milliseconds.
    """

    call: FunctionSpec
    on_timer: FunctionSpec | None
    state: DataType
    classes: Classes
    several: bool = False
    ttl: int | None = None

    @property
    def title(self) -> str:
        """How errors call it."""
        return self.call.title


@dataclass(frozen=True)
class StateUpdate:
    """The state that replaces the one the function was given."""

    state: object


def update_state(state: object) -> StateUpdate:
    """Give this among the results of a stateful function to replace the key's state; None deletes it.

    >>> import holdfast as hf
    >>> hf.update_state(None)
    StateUpdate(state=None)
    """
    return StateUpdate(state)
