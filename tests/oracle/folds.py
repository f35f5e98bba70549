"""Aggregates: of streams, of windows, of tables, of several streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.oracle import words
from tests.oracle.program import Program, Var, crossed, repartitioned, with_key
from tests.oracle.step import Draw
from tests.oracle.words import FLOAT, INT, LIST_OF, MEANS, PAIR, REC, STATS, STR, TOTALS

STORED = (INT, STR, REC, PAIR)


@dataclass(frozen=True)
class Fold:
    """The kind of what comes out, and the call without its last argument and parenthesis."""

    value: str
    call: str

    def text(self, store: str) -> str:
        return f"{self.call}{', ' if self.call[-1] != '(' else ''}{store})"


def as_lambda(parameters: str, body: str) -> str:
    return f"lambda {parameters}: {body}"


def functions(draw: Draw, kind: str) -> Callable[[str, str], str]:
    """How the functions of one operation are written: lambdas, one time of three in Python; all of them or none."""
    if draw(st.integers(0, 2)):
        return as_lambda
    return lambda parameters, body: f"py(lambda F, {parameters}: {body}, {kind!r})"


def count(draw: Draw, var: Var, session: bool = False) -> Fold:
    return Fold(INT, "count(")


def reduce_(draw: Draw, var: Var, session: bool = False) -> Fold:
    if var.value not in STORED:
        return count(draw, var)
    a, b = words.FIELDS.get(var.value, ("", ""))
    forms = {
        INT: ["o + n", "F.when(o + n < 9, o + n)", "F.when(n > o, n).otherwise(o)"],
        STR: ["F.concat(o, n)", "F.when(n > o, n).otherwise(o)", "F.when(n != o, n)"],
    }.get(
        var.value,
        [
            f"dict({a}=o.{a} + n.{a}, {b}=n.{b})",
            f"dict({a}=F.coalesce(n.{a}, o.{a}), {b}=F.coalesce(o.{b}, n.{b}))",
            f"F.when(n.{a} > o.{a}, n)",
        ],
    )
    form = draw(st.sampled_from(forms))
    return Fold(var.value, f"reduce({functions(draw, var.value)('o, n', form)}")


def fold(draw: Draw, var: Var, session: bool = False) -> Fold:
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    if draw(st.booleans()):
        write = functions(draw, INT)
        merge = f", merge={write('l, r', 'l + r')}" if session else ""
        return Fold(INT, f"aggregate(0, {write('k, s, v', f's + {number}')}{merge}")
    grown = f"dict(a=s.a + F.coalesce({number}, F.lit(1)), b={text})"
    if draw(st.booleans()):
        grown = f"F.when(s.a < 9, {grown})"
    write = functions(draw, REC)
    merge = f", merge={write('l, r', 'dict(a=l.a + r.a, b=F.concat(l.b, r.b))')}" if session else ""
    return Fold(REC, f"aggregate(dict(a=0, b=''), {write('k, s, v', grown)}{merge}")


def agg(draw: Draw, var: Var, session: bool = False) -> Fold:
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    n = draw(st.sampled_from(["F.count('*')", f"lambda k, v: F.count({number})"]))
    fields = [f"n={n}", f"s=lambda k, v: F.sum({number})", f"lo=lambda k, v: F.min({number})"]
    return Fold(STATS, f"agg({', '.join([*fields, f'hi=lambda k, v: F.max({text})'])}")


def mean(draw: Draw, var: Var, session: bool = False) -> Fold:
    real = draw(words.floats(var.value, "v"))
    return Fold(MEANS, f"agg(n=F.count('*'), m=lambda k, v: F.avg({real})")


def top(draw: Draw, var: Var, session: bool = False) -> Fold:
    if var.value not in LIST_OF:
        return count(draw, var)
    distinct = f", distinct=lambda k, v: {draw(words.strs(var.value, 'v'))}" if draw(st.booleans()) else ""
    by = draw(words.floats(var.value, "v") if draw(st.booleans()) else words.ints(var.value, "v"))
    return Fold(LIST_OF[var.value], f"top({draw(st.integers(1, 3))}, by=lambda k, v: {by}{distinct}")


FOLDS = [count, reduce_, fold, agg, mean, top]
IN_ANY_ORDER = [count, agg]


def chosen(draw: Draw, var: Var, session: bool = False) -> Fold:
    """A fold of a variable; where its records have no order, one that needs none."""
    return draw(st.sampled_from(IN_ANY_ORDER if var.jumbled else FOLDS))(draw, var, session)


def grouped(draw: Draw, program: Program, var: Var, windowed: bool = False) -> tuple[str, Var]:
    """A call that groups, and the variable with the group's key; windows want a key that is none itself."""
    own = not (windowed and var.key in words.WINDOWED)
    if own and draw(st.booleans()):
        return "group_by_key()", crossed(var, program)
    key, k = draw(
        words.keys(var.key, var.value, fails=not var.compacted).filter(lambda made: own or made[0] != var.key)
    )
    return f"group_by(lambda k, v: {k})", repartitioned(with_key(var, key), program)


def subtractable(draw: Draw, var: Var) -> Fold:
    """A fold of a table, which takes back what it added."""
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    made = f"F.coalesce({number}, F.lit(1))"
    note = f"F.concat(s.b, F.coalesce({text}, F.lit('+')))"
    write, numeric = functions(draw, REC), functions(draw, INT)
    less = f"dict(a=s.a - {made}, b=F.concat(s.b, F.lit('-')))"
    folds = [
        count(draw, var),
        Fold(
            INT,
            f"aggregate(0, {numeric('k, s, v', f's + {made}')}, subtract={numeric('k, s, v', f's - {made}')}",
        ),
        Fold(
            REC,
            f"aggregate(dict(a=0, b=''), {write('k, s, v', f'dict(a=s.a + {made}, b={note})')}, "
            f"subtract={write('k, s, v', less)}",
        ),
    ]
    if var.value in (INT, FLOAT):
        write = functions(draw, var.value)
        folds.append(Fold(var.value, f"reduce({write('o, n', 'o + n')}, subtract={write('o, n', 'o - n')}"))
    totals = f"agg(n=F.count('*'), s=lambda k, v: F.sum({number})"
    folds += [Fold(TOTALS, totals), agg(draw, var), mean(draw, var), top(draw, var), reduce_(draw, var)]
    return draw(st.sampled_from(folds))
