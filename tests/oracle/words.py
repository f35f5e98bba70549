"""Expressions of generated programs, as source text over `k` and `v` (or `l` and `r`, `o` and `n`)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

INT, STR, FLOAT, DECIMAL = "int", "str", "float", "decimal"
REC, PAIR, WIDE, STATS, MEANS, TOTALS = "rec", "pair", "wide", "stats", "means", "totals"
MIXED, TALLY = "mixed", "tally"
LISTS = {"ints": INT, "strs": STR, "recs": REC, "pairs": PAIR, "statss": STATS, "mixeds": MIXED}
LIST_OF = {kind: name for name, kind in LISTS.items()}
FIELDS = {
    REC: {"a": INT, "b": STR},
    PAIR: {"c": INT, "d": STR},
    WIDE: {"a": INT, "b": STR, "c": INT, "d": STR},
    STATS: {"n": INT, "s": INT, "lo": INT, "hi": STR},
    MEANS: {"n": INT, "m": FLOAT},
    TOTALS: {"n": INT, "s": INT},
    MIXED: {"n": INT, "x": FLOAT, "d": DECIMAL},
    TALLY: {"n": INT, "x": FLOAT},
}
WINDOWED = {"w" + STR: STR, "w" + INT: INT}
Text = st.SearchStrategy[str]


def mostly(common: st.SearchStrategy[Any], rare: st.SearchStrategy[Any], times: int) -> st.SearchStrategy[Any]:
    """One thing `times` times as often as another; `st.one_of` would count the same strategy once."""
    return st.integers(0, times).flatmap(lambda which: rare if which == times else common)


def fields(kind: str, wanted: str, name: str) -> list[str]:
    """The parts of a value that are of a kind."""
    if kind == wanted:
        return [name]
    return [f"{name}.{field}" for field, its in FIELDS.get(kind, {}).items() if its == wanted]


def ints(kind: str, name: str) -> Text:
    """Whole numbers out of a value of some kind; null out of null."""
    if kind in LISTS:
        return ints(LISTS[kind], f"{name}[0]")
    if kind in WINDOWED:
        return st.one_of(ints(WINDOWED[kind], f"{name}.key"), st.just(f"F.unix_millis({name}.start)"))
    if kind == STR:
        return st.sampled_from([f"F.when({name} > 'b', 5).otherwise(2)", f"F.when(F.isnull({name}), 9)"])
    if kind in (FLOAT, DECIMAL):
        return st.just(
            f"F.when({name} > 1.26, 4).otherwise(1)" if kind == FLOAT else f"F.when({name} > 1, 4).otherwise(1)"
        )
    forms = [
        "{}",
        "{} + 1",
        "{} * 2 - 1",
        "F.coalesce({}, F.lit(0))",
        "F.when({0} < 4, {0})",
        "({} - 3) // 2",
        "({} - 4) % 3",
    ]
    return st.builds(str.format, st.sampled_from(forms), st.sampled_from(fields(kind, INT, name)))


def strs(kind: str, name: str) -> Text:
    """Texts out of a value of some kind."""
    if kind in LISTS:
        return strs(LISTS[kind], f"{name}[0]")
    if kind in WINDOWED:
        return strs(WINDOWED[kind], f"{name}.key")
    if kind == STR:
        return st.sampled_from([name, f"F.concat({name}, F.lit('x'))", f"F.coalesce({name}, F.lit('none'))"])
    if kind in (FLOAT, DECIMAL):
        return st.just(f"F.when({name} > {1.26 if kind == FLOAT else 1}, 'p').otherwise('q')")
    number, own = fields(kind, INT, name)[0], fields(kind, STR, name)
    forms = [f"F.cast({number}, 'string')", *own]
    return st.sampled_from([*forms, f"F.concat({forms[-1]}, F.lit('y'))", f"F.upper({forms[-1]})"])


def floats(kind: str, name: str) -> Text:
    """Real numbers out of a value of some kind."""
    whole = ints(kind, name)
    forms = [st.builds("({}) * 0.5".format, whole), st.builds("({}) / 4".format, whole)]
    own = [st.sampled_from([f"{x} + 0.25", f"{x} * 2 - 1", x, f"({x} - 1) % 2"]) for x in fields(kind, FLOAT, name)]
    both = [st.builds("({}) + {}".format, whole, st.just(x)) for x in fields(kind, FLOAT, name)]
    exact = [st.just(f"F.cast({d}, 'double')") for d in fields(kind, DECIMAL, name)]
    mixed = [st.just(f"{x} + {d}") for x in fields(kind, FLOAT, name) for d in fields(kind, DECIMAL, name)]
    return st.one_of(*forms, *own, *both, *exact, *mixed)


def decimals(kind: str, name: str) -> Text:
    """Decimals out of a value of some kind."""
    if kind in LISTS:
        return decimals(LISTS[kind], f"{name}[0]")
    whole = ints(kind, name)
    own = fields(kind, DECIMAL, name)
    forms = ["{d} + 1", "{d} * 2 - Decimal('0.25')", "{d}", "{d} % 2"]
    sums = [st.builds("({}) + {}".format, whole, st.just(d)) for d in own]
    return st.one_of(
        st.builds("F.cast({}, 'decimal(12,2)')".format, whole),
        *sums,
        *(st.sampled_from([form.format(d=d) for form in forms]) for d in own),
    )


def failing(kind: str, name: str) -> Text:
    """Whole numbers by expressions that fail on some records."""
    texts = fields(kind, STR, name)
    cast = [f"F.cast({text}, 'bigint')" for text in texts]
    numbers = fields(kind, INT, name)
    divided = [f"F.when(6 / {number} > 2, 1).otherwise({number})" for number in numbers]
    divided += [f"{one} {number}" for number in numbers for one in ("-7 //", "-7 %")]
    return st.sampled_from(cast + divided) if cast + divided else ints(kind, name)


def perhaps_failing(kind: str, name: str) -> Text:
    """Whole numbers, one time of six by an expression that may fail."""
    return mostly(ints(kind, name), failing(kind, name), 5)


def predicates(key: str, kind: str, k: str = "k", v: str = "v", fails: bool = False) -> Text:
    """Conditions on a key and a value, sometimes null."""
    number = perhaps_failing(kind, v) if fails else ints(kind, v)
    of_key = f"{k}.key" if key in WINDOWED else k
    simple = st.one_of(
        st.builds(lambda i, n, op: f"{i} {op} {n}", number, st.integers(0, 6), st.sampled_from(["<", ">=", "!="])),
        st.builds(lambda a, b: f"{a} <= {b}", ints(kind, v), ints(kind, v)),
        st.sampled_from([f"F.isnull({v})", f"~F.isnull({v})", f"F.isnull({k})"]),
        st.builds(lambda s: f"{s} == 'a'", strs(kind, v)),
        st.just(f"{of_key} == 'a'" if WINDOWED.get(key, key) == STR else f"{of_key} > 1"),
    )
    return st.one_of(
        simple,
        st.builds(lambda a, b, op: f"({a}) {op} ({b})", simple, simple, st.sampled_from(["&", "|"])),
        st.builds(lambda a: f"~({a})", simple),
    )


def keys(key: str, kind: str, fails: bool = False) -> st.SearchStrategy[tuple[str, str]]:
    """A kind of key and an expression for it."""
    inner = WINDOWED.get(key)
    own = (inner, "k.key") if inner else (STR, "F.concat(k, F.lit('z'))") if key == STR else (INT, "k + 1")
    return st.one_of(
        st.tuples(st.just(STR), strs(kind, "v")),
        st.tuples(st.just(INT), perhaps_failing(kind, "v") if fails else ints(kind, "v")),
        st.just((key, "k")),
        st.just(own),
    )


def of_kind(kind: str, number: Text, text: Text, real: Text | None = None) -> Text:
    """An expression that gives a value of a kind, out of a number and a text."""
    if kind == INT:
        return number
    if kind == STR:
        return text
    if kind == FLOAT:
        return real if real is not None else st.builds("({}) * 0.5".format, number)
    if kind == DECIMAL:
        return st.builds("F.cast({}, 'decimal(12,2)')".format, number)
    first, second = FIELDS[kind]
    return st.builds(lambda i, s: f"dict({first}={i}, {second}={s})", number, text)


def values(key: str, kind: str, fails: bool = False) -> st.SearchStrategy[tuple[str, str]]:
    """A kind of value and an expression for it; one in four may be null as a whole."""

    def made(wanted: str) -> st.SearchStrategy[tuple[str, str]]:
        number = perhaps_failing(kind, "v") if fails else ints(kind, "v")
        plain = of_kind(wanted, number, strs(kind, "v"), floats(kind, "v"))
        gone = st.builds(lambda p, value: f"F.when({p}, {value})", predicates(key, kind), plain)
        return st.tuples(st.just(wanted), mostly(plain, gone, 3))

    def mixed() -> st.SearchStrategy[tuple[str, str]]:
        text = "dict(n={}, x={}, d=F.cast({}, 'decimal(10,2)'))".format
        parts = (ints(kind, "v"), floats(kind, "v"), decimals(kind, "v"))
        return st.tuples(st.just(MIXED), st.builds(text, *parts))

    exact = st.tuples(st.just(DECIMAL), decimals(kind, "v"))
    return st.one_of(made(REC), made(PAIR), made(INT), made(STR), made(FLOAT), mixed(), exact, st.just((kind, "v")))
