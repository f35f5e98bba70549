"""A changed program against the plan that was recorded with its state."""

from __future__ import annotations

import json

import pytest

import holdfast as hf
from holdfast.errors import StateMismatch
from holdfast.plan.planner import plan
from holdfast.plan.program_digest import program_digest
from holdfast.plan.recorded_plan import check, differs, record, recorded_stages
from tests.plan.programs import Program, field


def base(store="by-k", **app):
    p = Program(**app)
    p.count_by(p.filter(p.source("orders")), store)
    return p


def refused(tmp_path, old, new, old_types=None, new_types=None):
    path = tmp_path / "checkpoint" / "plan.json"
    record(old.plan(), path, old_types)
    with pytest.raises(StateMismatch) as error:
        check(new.plan(), path, new_types)
    return str(error.value)


def allowed(tmp_path, old, new):
    path = tmp_path / "plan.json"
    record(old.plan(), path)
    return check(new.plan(), path)


def test_without_a_record_everything_fits(tmp_path):
    assert check(base().plan(), tmp_path / "plan.json") == []
    assert recorded_stages(tmp_path / "plan.json") == {}


def test_the_same_program_fits_wherever_its_lines_are(tmp_path):
    moved = base()
    for node in moved.nodes:
        vars(node)["at"] = "elsewhere.py:1"
    assert allowed(tmp_path, base(), moved) == []


def test_the_record_is_whole_json_and_nothing_is_left_beside_it(tmp_path):
    record(base().plan(), tmp_path / "plan.json", {"nodes": {}})
    record(base().plan(), tmp_path / "plan.json", {"nodes": {}})
    assert [f.name for f in tmp_path.iterdir()] == ["plan.json"]
    assert json.loads((tmp_path / "plan.json").read_text())["plan"] == base().document()


def test_the_message_says_where_and_the_ways_out(tmp_path):
    message = refused(tmp_path, base(), base(tasks=8))
    directory = tmp_path / "checkpoint"
    assert message == (
        f"the program does not fit the state that app 'shop' has in {directory}:\n"
        "  - number of tasks: was 16, is 8\n"
        f"To go on: undo the change, or give the app a new name, "
        f"or remove the state directory {directory} to start from nothing"
    )


def test_a_new_stage_is_refused(tmp_path):
    new = base()
    new.count_by(new.add("to_stream", "count:by-k"), "again")
    message = refused(tmp_path, base(), new)
    assert "number of stages: was 1, is 2" in message
    assert "store 'again' is new (shop.py:16), in stage 1, which the state does not have" in message


def test_the_changes_that_would_be_fine_are_told_apart(tmp_path):
    new = base(tasks=8)
    new.count_by("orders", "more")
    message = refused(tmp_path, base(), new)
    assert "these changes would be fine:\n  - store 'more' is new (shop.py:15): it starts empty, in stage 0" in message


def test_a_store_that_moved_is_refused(tmp_path):
    old = base()
    old.count(old.add("to_stream", old.count_by("orders", "first")), "moving")
    new = base()
    new.count_by(new.add("to_stream", new.count_by("orders", "first")), "moving")
    assert "store 'moving': was in stage 0, is in stage 1" in refused(tmp_path, old, new)


def test_a_store_made_by_another_operation_is_refused(tmp_path):
    new = Program()
    new.stored("reduce", new.group_by(new.source("orders")), "by-k")
    assert "store 'by-k': was made by count, is made by reduce (shop.py:12)" in refused(tmp_path, base(), new)


def test_topics_added_and_removed_are_refused(tmp_path):
    new = Program()
    new.count_by(new.filter(new.source("sales")), "by-k")
    message = refused(tmp_path, base(), new)
    assert "source topic 'orders' was removed" in message
    assert "source topic 'sales' was added" in message


def test_a_topic_read_as_something_else_is_refused(tmp_path):
    old, new = base(), base()
    old.source("users")
    new.table("users")
    assert "source topic 'users': was read as a stream, is read as a table" in refused(tmp_path, old, new)


def test_changed_types_are_refused(tmp_path):
    field = {"name": "n", "type": "long", "nullable": False, "metadata": {}}
    struct = {"type": "struct", "fields": [field]}
    old = {"nodes": {"count:by-k": {"key": "string", "value": struct}}}
    new = {"nodes": {"count:by-k": {"key": "long", "value": {"type": "array", "elementType": "long"}}}}
    message = refused(tmp_path, base(), base(), old, new)
    assert "store 'by-k': its key was string, is long" in message
    assert "store 'by-k': its value was {n long not null}, is array<long>" in message


def test_declared_types_of_a_table_count_without_the_kernel(tmp_path):
    old, new = Program(), Program()
    old.table("users", "users")
    new.table("users", "users", key=str)
    assert "store 'users': its key was long, is string" in refused(tmp_path, old, new)


def test_an_unnamed_store_must_be_made_of_the_same(tmp_path):
    old, new = Program(), Program()
    for p, by in ((old, "k"), (new, "other")):
        p.count_by(p.filter(p.source("orders")), by=by)
    assert "the state of count-1: what it is made of has changed" in refused(tmp_path, old, new)


def test_a_name_is_no_way_out_where_the_type_has_changed(tmp_path):
    old, new = Program(), Program()
    for p, by in ((old, "k"), (new, "other")):
        p.count_by(p.source("orders"), by=by)
    types = [{"nodes": {"count-1": {"key": key, "value": "long"}}} for key in ("string", "long")]
    assert "a store with a name may change so" in refused(tmp_path, old, new)
    assert "a store with a name may change so" not in refused(tmp_path, old, new, *types)


def test_a_named_store_may_be_made_of_something_else(tmp_path):
    new = Program()
    new.count_by(new.map_values(new.source("orders")), "by-k", by="other")
    assert allowed(tmp_path, base(), new) == []


def test_what_an_aggregate_keeps_must_stay(tmp_path):
    old, new = Program(), Program()
    for p, n in ((old, 3), (new, 5)):
        p.made(p.of(p.group_by(p.source("orders"))).top(n, by=field("n"), store="best"))
    assert "store 'best': what top stores has changed (shop.py:12)" in refused(tmp_path, old, new)


@pytest.mark.parametrize(
    ("before", "after"),
    [(dict(), dict(of_rows=False)), (dict(subtract=lambda state, value: state - 1), dict())],
    ids=["of rows and of records", "with and without subtract"],
)
def test_another_way_to_take_rows_back_is_refused(tmp_path, before, after):
    def program(subtract=None, of_rows=True):
        p = Program()
        rows = p.of(p.table("orders"))
        group = (rows if of_rows else rows.to_stream()).group_by(field("k"))
        p.made(group.aggregate(0, lambda state, value: state + 1, subtract=subtract, store="by-k"))
        return p

    message = refused(tmp_path, program(**before), program(**after))
    assert "store 'by-k': what aggregate stores has changed" in message


def test_entries_that_begin_to_end_are_refused(tmp_path):
    new, longer = (base(hf.Materialized("by-k", ttl=ttl)) for ttl in ("1 s", "2 s"))
    assert "store 'by-k': what count stores has changed" in refused(tmp_path, base(), new)
    assert allowed(tmp_path, new, longer) == []


def edited(path, change):
    recorded = json.loads(path.read_text())
    change(recorded)
    path.write_text(json.dumps(recorded))


def test_a_plan_recorded_with_a_store_option_that_is_no_more_is_read(tmp_path):
    path = tmp_path / "plan.json"
    record(base().plan(), path)
    stores = []

    def with_memory(recorded):
        stores.extend(node["store"] for node in recorded["plan"]["nodes"] if node.get("store"))
        for store in stores:
            store["memory"] = False

    edited(path, with_memory)
    assert stores
    assert check(base().plan(), path) == []
    assert not differs(base().plan(), path)


def test_an_epoch_is_finished_by_the_same_program_wherever_its_lines_are(tmp_path):
    path, moved = tmp_path / "plan.json", base()
    record(base().plan(), path)
    for node in moved.nodes:
        vars(node)["at"] = "elsewhere.py:1"
    assert not differs(moved.plan(), path)
    assert differs(base("by-other").plan(), path)


def test_an_epoch_is_not_finished_by_a_version_that_writes_rows_elsewhere(tmp_path):
    path = tmp_path / "plan.json"
    record(base().plan(), path)
    edited(path, lambda recorded: recorded.pop("placement"))
    assert check(base().plan(), path) == []
    assert differs(base().plan(), path)


def test_a_program_keeps_its_name_in_the_topic_of_epochs():
    """An older copy of a checkpoint is repeated by a newer version."""
    app = hf.App("named", tasks=2)
    app.stream("in", int, key=str).group_by_key().count(store="n").to("out")
    assert program_digest(plan(app.topology)) == "5ef60c2fc04754ee2d44c4d1049c79a7"


def test_named_stores_come_and_go_within_a_stage(tmp_path):
    more = base()
    more.count_by("orders", "by-other", by="other")
    new = "store 'by-other' is new (shop.py:15): it starts empty, in stage 0"
    assert allowed(tmp_path, base(), more) == [new]
    assert allowed(tmp_path, more, base()) == ["store 'by-other' was removed: its state is dropped"]


def test_a_copy_of_a_table_that_already_has_rows_is_refused(tmp_path):
    def program(late):
        p = Program()
        users = p.table("users", "users")
        rekeyed = p.select_key(p.join(p.source("orders"), users))
        p.count(rekeyed, "counts")
        if late:
            p.join(rekeyed, users)
        return p

    message = refused(tmp_path, program(False), program(True))
    assert "table users is now also read in stage 1, where its rows so far are missing" in message


def test_a_global_table_read_in_one_more_stage_is_refused(tmp_path):
    def program(late):
        p = Program()
        products = p.global_table("products", "products")
        stream = p.add("to_stream", p.count_by(p.join(p.source("orders"), products), "first"))
        p.count_by(stream, "second")
        last = p.add("to_stream", "count:second")
        if late:
            p.join(last, products)
        return p

    assert "store 'products': was in stage 0, is in stages 0, " in refused(tmp_path, program(False), program(True))


def test_a_recorded_stage_is_kept(tmp_path):
    def program(early):
        p = Program()
        users = p.table("users", "users")
        stream = p.add("to_stream", p.count_by(p.source("orders"), "counts"))
        if early:
            p.join(p.source("orders-again"), users)
        p.join(p.select_key(stream), users)
        return p

    path = tmp_path / "plan.json"
    record(program(False).plan(), path)
    assert recorded_stages(path) == {"users": 1, "counts": 0}
    places = {node.id: node.place for node in program(True).plan(recorded=recorded_stages(path)).nodes}
    assert places["users"] == places["join-1"] == places["join-2"] == 1


def test_a_repartition_without_state_does_not_shift_the_stages_that_are_kept(tmp_path):
    p = Program()
    p.join(p.select_key(p.repartition(p.source("orders"))), p.table("users"))
    record(p.plan(), tmp_path / "plan.json")
    assert p.document(recorded=recorded_stages(tmp_path / "plan.json")) == p.document()


@pytest.mark.parametrize(
    ("text", "wanted"), [("{", "is not a recorded plan"), ("{}", "another version"), ("[]", "another")]
)
def test_a_damaged_record_is_named(tmp_path, text, wanted):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(StateMismatch, match=wanted):
        check(base().plan(), tmp_path / "plan.json")


def windowed(window, store="recent"):
    p = Program()
    p.made(p.of(p.group_by_key(p.source("orders"))).windowed_by(window).count(store=store))
    return p


def test_another_kind_of_window_is_refused(tmp_path):
    message = refused(tmp_path, windowed(hf.sliding_count(3)), windowed(hf.tumbling_count(3)))
    assert "store 'recent': what count stores has changed" in message
    assert allowed(tmp_path, windowed(hf.sliding_count(3)), windowed(hf.sliding_count(5))) == []


def test_records_of_another_type_are_refused_where_they_lie_in_the_state(tmp_path):
    old = {"nodes": {"group_by_key-1": {"key": "string", "value": "long"}}}
    new = {"nodes": {"group_by_key-1": {"key": "string", "value": "string"}}}
    for window in (hf.sliding_count(3), hf.trailing("1 s")):
        message = refused(tmp_path, windowed(window), windowed(window), old, new)
        assert "store 'recent': the records that lie in it were long, are string" in message
    record(windowed(hf.tumbling_count(3)).plan(), tmp_path / "plan.json", old)
    assert check(windowed(hf.tumbling_count(3)).plan(), tmp_path / "plan.json", new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (hf.tumbling("10 ms"), hf.tumbling("20 ms")),
        (hf.sliding("10 ms"), hf.sliding("20 ms")),
        (hf.calendar("day", timezone="UTC"), hf.calendar("day", timezone="Asia/Tokyo")),
        (hf.tumbling("10 ms"), hf.tumbling("10 ms", emit="final")),
        (hf.session("10 ms", emit="final"), hf.session("10 ms", emit="latest")),
    ],
)
def test_windows_of_another_shape_are_refused(tmp_path, old, new):
    message = refused(tmp_path, windowed(old), windowed(new))
    assert "store 'recent': what count stores has changed" in message


def test_a_refusal_says_what_was_and_what_is(tmp_path):
    message = refused(tmp_path, windowed(hf.sliding_count(3)), windowed(hf.tumbling_count(3)))
    assert "has changed (shop.py:12): was the last 3 records, is every 3 records" in message


@pytest.mark.parametrize(("emit", "lost"), [("final", True), ("latest", False)])
def test_windows_that_are_not_told_yet_are_missed(tmp_path, emit, lost):
    window = hf.tumbling("10 ms", emit=emit)
    _, gone = allowed(tmp_path, windowed(window), windowed(window, "other"))
    assert gone.startswith("store 'recent' was removed: its state is dropped")
    assert gone.endswith(", and its pending results are never emitted") is lost


def test_sessions_may_become_longer(tmp_path):
    old, new = (hf.session(gap, emit="final") for gap in ("10 ms", "20 ms"))
    assert allowed(tmp_path, windowed(old), windowed(new)) == []


def test_windows_may_stay_open_and_be_kept_longer(tmp_path):
    old = hf.hopping("10 ms", advance="5 ms", emit="latest")
    new = hf.hopping("10 ms", advance="2 ms", grace="50 ms", retention="100 ms", emit="every")
    assert allowed(tmp_path, windowed(old), windowed(new)) == []


def joined(how="join", made="x", **options):
    p = Program()
    orders, payments = p.of(p.source("orders")), p.of(p.source("payments"))
    options = {"within": "5 ms", **options}
    p.to(p.made(getattr(orders, how)(payments, field(made, "left"), **options)), "out")
    return p


def test_a_join_of_streams_may_make_something_else_of_its_records_and_keep_them_longer(tmp_path):
    assert allowed(tmp_path, joined(), joined(made="y", late="late", within="50 ms", grace="7 ms")) == []
    assert "what it is made of has changed" in refused(tmp_path, joined(), joined(how="left_join"))


def test_records_of_another_type_are_refused_in_a_join_of_streams(tmp_path):
    def types(left, result):
        made = {"orders": left, "payments": "long", "stream_join-1": result}
        return {"nodes": {id: {"key": "string", "value": value} for id, value in made.items()}}

    message = refused(tmp_path, joined(), joined(), types("long", "long"), types("string", "long"))
    assert "the records that lie in it were long, long, are string, long" in message
    record(joined().plan(), tmp_path / "plan.json", types("long", "long"))
    assert check(joined().plan(), tmp_path / "plan.json", types("long", "string")) == []


def test_a_program_that_ended_no_epoch_has_not_changed_the_state(tmp_path):
    path = tmp_path / "plan.json"
    without = Program()
    without.filter(without.source("orders"))
    record(base().plan(), path)
    record(without.plan(), path, committed=3)
    assert check(base().plan(), path, committed=3) == []
    assert recorded_stages(path, 3) == {"by-k": 0}
    with pytest.raises(StateMismatch, match="number of stages: was 1, is 0"):
        check(without.plan(), path, committed=3)
    assert check(without.plan(), path, committed=4) == []


def test_several_programs_that_ended_no_epoch_have_not_changed_the_state(tmp_path):
    path = tmp_path / "plan.json"
    record(base().plan(), path)
    for tasks in (2, 4):
        record(base(tasks=tasks).plan(), path, committed=3)
    assert check(base().plan(), path, committed=3) == []
    assert "number of tasks: was 4, is 16" in refused_at(path, base(), committed=4)


def refused_at(path, new, committed):
    with pytest.raises(StateMismatch) as error:
        check(new.plan(), path, committed=committed)
    return str(error.value)
