"""Aggregates: of streams, of windows, of tables, of several streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.oracle import words
from tests.oracle.program import Program, Var, crossed, repartitioned, with_key
from tests.oracle.step import Draw
from tests.oracle.words import DECIMAL, FLOAT, INT, LIST_OF, MEANS, MIXED, PAIR, REC, STATS, STR, TALLY, TOTALS

STORED = (INT, STR, REC, PAIR, FLOAT, MIXED)
# All ways to write where a state begins, by what it becomes; a plain number says nothing of the type.
SCALARS = {
    FLOAT: ["0", "0.0", "F.lit(0)", "F.cast(F.lit(0), 'double')", "Decimal('0.5')"],
    DECIMAL: ["0", "Decimal('0')", "F.lit(Decimal('0.50'))", "F.cast(F.lit(0), 'decimal(38,2)')"],
}
RECORDS = {
    MIXED: [
        "dict(n=0, x=0, d=0)",
        "dict(n=0, x=0.0, d=Decimal('0'))",
        "{'n': 0, 'x': F.cast(F.lit(0), 'double'), 'd': F.lit(0)}",
    ],
    TALLY: ["Tally()", "Tally(x=0.5)", "dict(n=0, x=0)", "dict(n=F.lit(0), x=Decimal('1.5'))"],
}


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
    a, b = [*words.FIELDS.get(var.value, ("", ""))][:2]
    forms = {
        INT: ["o + n", "F.when(o + n < 9, o + n)", "F.when(n > o, n).otherwise(o)"],
        STR: ["F.concat(o, n)", "F.when(n > o, n).otherwise(o)", "F.when(n != o, n)"],
        FLOAT: ["o + n", "F.when(n > o, n).otherwise(o)"],
        # A decimal does not grow: what a reduce gives is of the type of the values.
        MIXED: ["dict(n=o.n + n.n, x=o.x + n.x, d=n.d)", "F.when(n.d > o.d, n).otherwise(o)"],
    }.get(
        var.value,
        [
            f"dict({a}=o.{a} + n.{a}, {b}=n.{b})",
            f"dict({a}=F.coalesce(n.{a}, o.{a}), {b}=F.coalesce(o.{b}, n.{b}))",
            f"F.when(n.{a} > o.{a}, n)",
        ],
    )
    form = draw(st.sampled_from(forms))
    write = as_lambda if var.value == MIXED else functions(draw, var.value)
    return Fold(var.value, f"reduce({write('o, n', form)}")


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


def widening(draw: Draw, var: Var, session: bool = False) -> Fold:
    """A fold whose state is wider than where it begins: doubles and decimals added to whole numbers."""
    kind = draw(st.sampled_from([*SCALARS, *RECORDS]))
    begin = draw(st.sampled_from({**SCALARS, **RECORDS}[kind]))
    add, _ = grown(draw, var, kind)
    merge = f", merge=lambda l, r: {merged(kind)}" if session else ""
    if draw(st.booleans()):
        add = f"F.when({draw(words.ints(var.value, 'v'))} < 4, {add}).otherwise(s)"
    return Fold(kind, f"aggregate({begin}, lambda k, s, v: {add}{merge}")


def grown(draw: Draw, var: Var, kind: str) -> tuple[str, str]:
    """A state of doubles or decimals with a value added, and one with the same taken back."""
    real = f"F.coalesce({draw(words.floats(var.value, 'v'))}, F.lit({draw(st.sampled_from(['1', '0.25']))}))"
    exact = f"F.coalesce({draw(words.decimals(var.value, 'v'))}, F.lit(1))"
    parts = {FLOAT: real, DECIMAL: exact, INT: "1"}
    if kind in SCALARS:
        return f"s + {parts[kind]}", f"s - {parts[kind]}"
    more, less = (
        f"dict({', '.join(f'{name}=s.{name} {sign} {parts[its]}' for name, its in words.FIELDS[kind].items())})"
        for sign in "+-"
    )
    return more, less


def merged(kind: str) -> str:
    """Two states of doubles or decimals as one."""
    if kind in SCALARS:
        return "l + r"
    return f"dict({', '.join(f'{name}=l.{name} + r.{name}' for name in words.FIELDS[kind])})"


def real_agg(draw: Draw, var: Var, session: bool = False) -> Fold:
    real, exact = draw(words.floats(var.value, "v")), draw(words.decimals(var.value, "v"))
    fields = f"n=F.count('*'), x=lambda k, v: F.sum({real}), d=lambda k, v: F.sum({exact})"
    low = f"n=F.count('*'), x=lambda k, v: F.min({real}), d=lambda k, v: F.max({exact})"
    return Fold(MIXED, f"agg({draw(st.sampled_from([fields, low]))}")


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
    by = draw(draw(st.sampled_from([words.floats, words.decimals, words.ints]))(var.value, "v"))
    return Fold(LIST_OF[var.value], f"top({draw(st.integers(1, 3))}, by=lambda k, v: {by}{distinct}")


FOLDS = [count, reduce_, fold, agg, mean, top, widening, widening, real_agg]
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
    kind = draw(st.sampled_from([*SCALARS, *RECORDS]))
    begin, (more, less) = draw(st.sampled_from({**SCALARS, **RECORDS}[kind])), grown(draw, var, kind)
    folds.append(Fold(kind, f"aggregate({begin}, lambda k, s, v: {more}, subtract=lambda k, s, v: {less}"))
    totals = f"agg(n=F.count('*'), s=lambda k, v: F.sum({number})"
    folds += [Fold(TOTALS, totals), agg(draw, var), mean(draw, var), top(draw, var), reduce_(draw, var)]
    folds += [widening(draw, var), real_agg(draw, var)]
    return draw(st.sampled_from(folds))
