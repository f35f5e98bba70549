"""async def: many look-ups at the same time, in order, each with a time limit, tried again when one fails."""

import asyncio

import pytest

import holdfast as hf
from holdfast.testing import Driver


def ran(function, count=3, **options):
    app = hf.App("lookups", tasks=1)
    app.stream("ids", int).map_values(hf.python(function, returns=int, **options)).to("out")
    with Driver(app) as d:
        with d.batch():
            for n in range(count):
                d.pipe("ids", n)
        return [r.value for r in d.read("out")], [letter.reason for letter in d.dead_letters()]


def test_no_more_at_the_same_time_than_wanted():
    now, most = 0, 0

    async def ask(id):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return id

    assert ran(ask, 20, concurrency=4) == ([*range(20)], [])
    assert most == 4


def test_the_order_is_kept():
    first_waits = asyncio.Event()

    async def ask(id):
        if id == 0:
            await first_waits.wait()
        elif id == 2:
            first_waits.set()
        return id

    assert ran(ask) == ([0, 1, 2], [])


def test_one_that_takes_too_long_is_a_dead_letter():
    async def ask(id):
        await asyncio.sleep(60 if id == 1 else 0)
        return id

    records, [reason] = ran(ask, timeout="20 ms")
    assert records == [0, 2]
    assert reason.startswith("ask (test_lookups.py:")
    assert "TimeoutError: no answer within 20 ms" in reason


def test_what_fails_is_tried_again():
    tries = []

    async def ask(id):
        tries.append(id)
        if tries.count(id) <= id:
            raise ConnectionError("refused")
        return id

    records, [reason] = ran(ask, retries=1)
    assert records == [0, 1]
    assert sorted(tries) == [0, 1, 1, 2, 2]
    assert "ConnectionError: refused (tried 2 times) [" in reason
    assert " in ask]" in reason


def test_a_wrong_result_is_not_tried_again():
    tries = []

    async def ask(id):
        tries.append(id)
        return "x"

    records, [reason] = ran(ask, 1, retries=3)
    assert (records, tries) == ([], [0])
    assert "result: int was wanted, 'x' (str) came" in reason


def test_all_batches_have_one_loop_so_that_clients_can_be_kept():
    loops = []

    async def ask(id):
        loops.append(asyncio.get_running_loop())
        return id

    app = hf.App("lookups", tasks=1)
    app.stream("ids", int).map_values(hf.python(ask, returns=int)).to("out")
    with Driver(app) as d:
        d.pipe("ids", 1)
        d.pipe("ids", 2)
    assert len(loops) == 2
    assert len(set(map(id, loops))) == 1


def test_in_a_notebook_a_loop_runs_already():
    async def ask(id):
        return id

    async def notebook():
        return ran(ask)

    assert asyncio.run(notebook()) == ([0, 1, 2], [])


def test_peek_waits_for_a_coroutine():
    seen = []

    async def look(id):
        await asyncio.sleep(0)
        seen.append(id)

    app = hf.App("lookups", tasks=1)
    app.stream("ids", int).peek(look).to("out")
    with Driver(app) as d:
        d.pipe("ids", 5)
        assert (seen, [r.value for r in d.read("out")], d.dead_letters()) == ([5], [5], [])


@pytest.mark.parametrize("options", [{"concurrency": 1}, {"concurrency": 1000}])
def test_many(options):
    async def ask(id):
        await asyncio.sleep(0)
        return id

    assert ran(ask, 500, **options) == ([*range(500)], [])
