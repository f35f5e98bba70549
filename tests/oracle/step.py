"""What a generated program is made of: one operation on a variable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.oracle.program import Program, Var

Draw = st.DrawFn
Make = Callable[[Draw, Program, Var], None]


@dataclass(frozen=True)
class Step:
    """An operation on a variable of a form.

    `compacted` says that missing updates do not change what it gives last; `jumbled`, that it needs no order;
    `past`, that it may be made of a versioned table.
    """

    name: str
    form: str
    make: Make
    compacted: bool = False
    jumbled: bool = False
    past: bool = False
    fits: Callable[[Program, Var], bool] = lambda program, var: True
    weight: int = 1

    def takes(self, program: Program, var: Var) -> bool:
        """Whether the operation can be made on a variable."""
        return (
            var.form == self.form
            and (self.compacted or not var.compacted)
            and (self.jumbled or not var.jumbled)
            and (self.past or not var.versioned)
            and self.fits(program, var)
        )
