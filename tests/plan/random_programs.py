"""Random programs: any DAG the DSL could make."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.plan.programs import Program

STEPS = [
    "filter", "select_key", "map_values", "group_count", "count", "to_table", "join", "global_join", "merge",
    "repartition", "view", "stored_view", "to_stream", "to", "source", "table", "global_table", "split", "table_join",
    "fk_join", "table_global_join", "fk_global_join", "cogroup",
]  # fmt: skip
OFTEN = ["select_key", "count", "group_count", "join"] * 4  # what makes stages


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a program of up to 25 steps over streams, tables and global tables."""
    p = Program()
    streams, tables, globals = [p.source("s")], [p.table("t")], [p.global_table("g")]

    def one(choices):
        """Mostly the last one, so that long chains come about."""
        return draw(st.sampled_from(choices[-1:] * len(choices) + choices))

    def made(table):
        tables.append(table)
        if draw(st.booleans()):
            streams.append(p.add("to_stream", table))

    steps = st.lists(st.sampled_from(STEPS + OFTEN), min_size=draw(st.sampled_from([0, 12])), max_size=25)
    for n, step in enumerate(draw(steps)):
        name = f"x{n}" if draw(st.booleans()) else None
        match step:
            case "filter" | "select_key" | "map_values":
                streams.append(getattr(p, step)(one(streams)))
            case "repartition":
                streams.append(p.repartition(one(streams)))
            case "group_count":
                made(p.count_by(one(streams), name))
            case "count":
                made(p.count(one(streams), name))
            case "cogroup":
                groups = [p.group_by_key(one(streams)), p.group_by(one(streams)), p.group_by_key(one(streams))]
                made(p.cogroup(groups, name))
            case "to_table":
                made(p.stored("to_table", one(streams), name))
            case "join":
                streams.append(p.join(one(streams), one(tables)))
            case "global_join":
                streams.append(p.join(one(streams), one(globals)))
            case "table_join":
                tables.append(p.table_join(one(tables), one(tables), name))
            case "table_global_join":
                tables.append(p.table_join(one(tables), one(globals), name))
            case "fk_join":
                made(p.fk_join(one(tables), one(tables), name))
            case "fk_global_join":
                made(p.fk_join(one(tables), one(globals), name))
            case "merge":
                streams.append(p.merge(one(streams), one(streams)))
            case "view":
                tables.append(p.view(one(tables)))
            case "stored_view":
                tables.append(p.view(one(tables), f"v{n}"))
            case "to_stream":
                streams.append(p.add("to_stream", one(tables)))
            case "to":
                p.to(one(streams + tables), f"out-{n}")
            case "source":
                streams.append(p.source(f"s{n}"))
            case "table":
                tables.append(p.table(f"t{n}", name))
            case "global_table":
                globals.append(p.global_table(f"g{n}", name))
            case "split":
                streams += p.split(one(streams))
    return p
