"""Expressions of generated programs, as source text over `k` and `v` (or `l` and `r`, `o` and `n`)."""

from __future__ import annotations

from hypothesis import strategies as st

INT, STR, REC, STATS = "int", "str", "rec", "stats"
LISTS = {"ints": INT, "strs": STR, "recs": REC, "statss": STATS}
LIST_OF = {kind: name for name, kind in LISTS.items()}
Text = st.SearchStrategy[str]


def ints(kind: str, name: str) -> Text:
    """Whole numbers out of a value of some kind; null out of null."""
    if kind in LISTS:
        return ints(LISTS[kind], f"{name}[0]")
    if kind == STR:
        return st.sampled_from([f"F.when({name} > 'b', 5).otherwise(2)", f"F.when(F.isnull({name}), 9)"])
    field = {INT: [name], REC: [f"{name}.a"], STATS: [f"{name}.n", f"{name}.s", f"{name}.lo"]}[kind]
    forms = ["{}", "{} + 1", "{} * 2 - 1", "F.coalesce({}, F.lit(0))", "F.when({0} < 4, {0})"]
    return st.builds(lambda form, part: form.format(part), st.sampled_from(forms), st.sampled_from(field))


def strs(kind: str, name: str) -> Text:
    """Texts out of a value of some kind."""
    if kind in LISTS:
        return strs(LISTS[kind], f"{name}[0]")
    if kind == STR:
        return st.sampled_from([name, f"F.concat({name}, F.lit('x'))", f"F.coalesce({name}, F.lit('none'))"])
    number = {INT: name, REC: f"{name}.a", STATS: f"{name}.n"}[kind]
    own = {INT: name, REC: f"{name}.b", STATS: f"{name}.hi"}[kind]
    forms = [f"F.cast({number}, 'string')"] + ([own] if kind != INT else [])
    return st.sampled_from([*forms, f"F.concat({forms[-1]}, F.lit('y'))", f"F.upper({forms[-1]})"])


def predicates(key: str, kind: str, k: str = "k", v: str = "v") -> Text:
    """Conditions on a key and a value, sometimes null."""
    simple = st.one_of(
        st.builds(
            lambda i, n, op: f"{i} {op} {n}", ints(kind, v), st.integers(0, 6), st.sampled_from(["<", ">=", "!="])
        ),
        st.builds(lambda a, b: f"{a} <= {b}", ints(kind, v), ints(kind, v)),
        st.sampled_from([f"F.isnull({v})", f"~F.isnull({v})", f"F.isnull({k})"]),
        st.builds(lambda s: f"{s} == 'a'", strs(kind, v)),
        st.just(f"{k} == 'a'" if key == STR else f"{k} > 1"),
    )
    return st.one_of(
        simple,
        st.builds(lambda a, b, op: f"({a}) {op} ({b})", simple, simple, st.sampled_from(["&", "|"])),
        st.builds(lambda a: f"~({a})", simple),
    )


def keys(key: str, kind: str) -> st.SearchStrategy[tuple[str, str]]:
    """A kind of key and an expression for it."""
    return st.one_of(
        st.tuples(st.just(STR), strs(kind, "v")),
        st.tuples(st.just(INT), ints(kind, "v")),
        st.just((key, "k")),
        st.just((STR, "F.concat(k, F.lit('z'))") if key == STR else (INT, "k + 1")),
    )


def of_kind(kind: str, number: Text, text: Text) -> Text:
    """An expression that gives a value of a kind, out of a number and a text."""
    if kind == INT:
        return number
    if kind == STR:
        return text
    return st.builds(lambda i, s: f"dict(a={i}, b={s})", number, text)


def values(key: str, kind: str) -> st.SearchStrategy[tuple[str, str]]:
    """A kind of value and an expression for it; one in four may be null as a whole."""

    def made(wanted: str) -> st.SearchStrategy[tuple[str, str]]:
        plain = of_kind(wanted, ints(kind, "v"), strs(kind, "v"))
        gone = st.builds(lambda p, value: f"F.when({p}, {value})", predicates(key, kind), plain)
        return st.tuples(st.just(wanted), st.one_of(plain, plain, plain, gone))

    return st.one_of(made(REC), made(INT), made(STR), st.just((kind, "v")))
