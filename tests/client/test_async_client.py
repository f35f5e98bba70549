"""The same, awaited."""

import asyncio

import pytest

import holdfast as hf
from tests.server.conftest import BOARDS

pytestmark = pytest.mark.broker

HOUR = 3_600_000


def awaited(served, question):
    async def ask():
        async with hf.connect_async(served.url) as client:
            return await question(client)

    return asyncio.run(ask())


def test_values_and_many_values(served):
    async def question(client):
        boards = await client.store("leaderboard")
        numbers = await client.store("numbers")
        found = [await boards.get(1), await boards.get(7, "none"), await boards.count()]
        return [*found, await numbers.get_many([1, 9999, -5])]

    assert awaited(served, question) == [BOARDS[1], "none", 2, {1: 10, -5: -50}]


def test_ranges_and_windows(served):
    async def question(client):
        numbers, hours = await client.store("numbers"), await client.store("hours")
        backwards = [key async for key, _ in numbers.range(reverse=True)]
        of_a = [n async for _, n in hours.windows("a", HOUR)]
        of_all = [window.key async for window, _ in hours.all_windows(HOUR, HOUR)]
        return backwards, of_a, of_all

    backwards, of_a, of_all = awaited(served, question)
    assert backwards == list(range(1249, -1251, -1))
    assert (of_a, of_all) == ([1, 2], ["a", "a b", "b"])


def test_requests_side_by_side(served):
    async def question(client):
        numbers = await client.store("numbers")
        return await asyncio.gather(*(numbers.get(key) for key in range(50)))

    assert awaited(served, question) == [key * 10 for key in range(50)]


def test_tables_and_routes(served):
    async def question(client):
        table = await (await client.store("hours")).to_arrow()
        return table.num_rows, await client.get("/leaderboard/6"), await client.stores()

    rows, board, names = awaited(served, question)
    assert (rows, board) == (9, BOARDS[6])
    assert "leaderboard" in names
