"""The wheel: what is in it, and that it works in an empty environment outside the checkout."""

import json
import zipfile
from pathlib import Path

import pytest

from holdfast.ops.new_project import FILES
from tests.wheel.conftest import call

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

NAMES = {1: "Elyse", 2: "Mitch", 3: "Isabelle"}


def board(*scores: tuple[int, int]) -> list[dict[str, object]]:
    """The leaderboard of game 1."""
    return [
        {"playerId": player, "playerName": NAMES[player], "productId": 1, "score": score,
         "gameName": "Super Smash Bros"} for player, score in scores
    ]  # fmt: skip


def test_the_wheel_has_the_kernel_the_examples_and_the_lists_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"holdfast/kernel/holdfast-kernel.jar", "holdfast/spark/jars.lock", "holdfast/py.typed"} <= names
    example = "holdfast/examples/leaderboard"
    assert {f"{example}/leaderboard.py", *(f"{example}/data/{t}.json" for t in ("players", "products"))} <= names
    assert f"{example}/data/score-events.json" in names
    assert {f"holdfast/ops/project/{template}" for template in FILES.values()} <= names
    assert not [name for name in names if not name.startswith("holdfast")]
    assert not [name for name in names if "__pycache__" in name]


def test_the_jvm_starts_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from holdfast.spark.jvm import start_jvm; "
        "print(start_jvm(log_file=Path('jvm.log')).jvm.java.lang.Math.max(3, 4))"
    )
    assert call(installed / "python", "-c", program, cwd=tmp_path, HOLDFAST_ARCHIVE="off") == "4\n"


def test_the_command_runs_a_broker_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    holdfast = installed / "holdfast"
    assert call(holdfast, "--version", cwd=tmp_path) == "holdfast 0.1.0\n"
    started = json.loads(call(holdfast, "broker", "start", "--json", cwd=tmp_path))
    try:
        assert call(holdfast, "topics", "create", "t", "--brokers", started["address"], cwd=tmp_path)
    finally:
        call(holdfast, "broker", "stop", cwd=tmp_path)


def test_the_demo_from_start_to_start_again(installed: Path, demo, tmp_path: Path) -> None:
    first = demo()
    first.wait_for("/leaderboard/1", board((3, 4000), (2, 2000), (1, 1000)))
    assert set(first.get("/leaderboard")) == {"1", "6"}

    more = '{"score": 3000, "product_id": 1, "player_id": 1}\n'
    call(installed / "holdfast", "topics", "produce", "score-events", cwd=tmp_path, stdin=more)
    after = board((3, 4000), (1, 3000), (2, 2000))
    first.wait_for("/leaderboard/1", after)
    first.interrupt()
    for words in ("terminal try:", f"curl {first.url}/leaderboard", "score-events", "/s", "batch", "stopped"):
        assert words in first.said
    assert "Traceback" not in first.said

    second = demo()
    second.wait_for("/leaderboard/1", after)
    second.interrupt()
    assert "test data" not in second.said
