"""The size limit of an aggregate's changelog, for the states that a call makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.topology.runner_spec import Ask
from holdfast.workers.codec.arrow_batch import write_batch
from holdfast.workers.process.state_limit import NO_LIMIT, check_with_kernel, may_outgrow

if TYPE_CHECKING:
    from holdfast.workers.process.tape import Tape
    from holdfast.workers.runners.fold_runner import FoldRunner


class FoldLimit:
    """How large the states of a call may be.

    With `each` all are measured, and a record that makes one too large fails; without, those that the kernel asks for.
    """

    def __init__(self, folder: FoldRunner, most: int, ask: Ask, *, each: bool) -> None:
        assert folder.sizes is not None
        self._sizes, self._writer = folder.sizes, folder.writer
        self._most, self._ask = most, ask
        self.each = each

    @classmethod
    def of(cls, folder: FoldRunner, tape: Tape, ask: Ask) -> FoldLimit | None:
        """That of a call, None if there is none."""
        if folder.sizes is None or tape.most == NO_LIMIT:
            return None
        return cls(folder, tape.most, ask, each=may_outgrow(tape.most, tape.fullest))

    def check(self, number: int, state: object) -> None:
        """Raise what the changelog has against a state."""
        if state is not None and self._sizes.exceeds(state, self._most):
            column, _ = self._writer.array([self._writer.encode(state)])
            check_with_kernel(self._ask, number, write_batch({"state": column}))
