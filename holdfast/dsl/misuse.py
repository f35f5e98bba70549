"""Finds `is None` in the bytecode of a lambda: a field is never None while the program is read."""

from __future__ import annotations

import dis
import os
from collections.abc import Iterator
from types import CodeType

from holdfast.errors import ExpressionError

_READS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF")
_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "BINARY_SUBSCR", "BINARY_OP", "LOAD_CONST", "COPY_FREE_VARS")
_SILENT = ("RESUME", "PRECALL", "CACHE", "EXTENDED_ARG", "NOP", "PUSH_NULL", "TO_BOOL")


def refuse_is_none(code: CodeType, parameters: tuple[str, ...]) -> None:
    """Refuse `x is None` where x is a parameter, or a field of one."""
    for each in _codes(code):
        instructions = [step for step in dis.get_instructions(each) if step.opname not in _SILENT]
        for index, step in enumerate(instructions):
            if _tests_none(instructions, index) and _reads_parameter(instructions, index, parameters):
                at = f"{os.path.basename(each.co_filename)}:{_line(step, each)}"
                raise ExpressionError(
                    "`is None` cannot be used on a field: while the program is read it has no value yet; "
                    "write F.isnull(x) or F.isnotnull(x), or run it in Python: hf.python(f, returns=...)",
                    at=at,
                )


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _line(step: dis.Instruction, code: CodeType) -> int:
    positions = getattr(step, "positions", None)
    return (positions.lineno if positions else None) or code.co_firstlineno


def _tests_none(steps: list[dis.Instruction], index: int) -> bool:
    step = steps[index]
    if step.opname == "IS_OP":
        return any(_is_none(each) for each in steps[max(0, index - 6) : index])
    return "JUMP" in step.opname and step.opname.endswith(("IF_NONE", "IF_NOT_NONE"))


def _is_none(step: dis.Instruction) -> bool:
    return step.opname == "LOAD_CONST" and step.argval is None


def _reads_parameter(steps: list[dis.Instruction], index: int, parameters: tuple[str, ...]) -> bool:
    """Walk back over attribute and item steps to the name that they start from."""
    for step in reversed(steps[:index]):
        if step.opname.startswith(_READS):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            return any(name in parameters for name in names)
        if not step.opname.startswith(_STEPS):
            return False
    return False
