"""The wheel: what is in it, and that it works in an empty environment outside the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def call(*command: str | Path, cwd: Path, **env: str) -> str:
    """Run a command and give what it printed."""
    dropped = ("PYTHONPATH", "VIRTUAL_ENV", "HOLDFAST_BROKERS", "HOLDFAST_STATE_DIR")
    clean = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(command, cwd=cwd, env={**clean, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, cwd=ROOT)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of an environment that has the wheel and its locked dependencies, nothing else."""
    home = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    python = home / "env" / "bin" / "python"
    call(UV, "pip", "install", "-q", "--python", python, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=home)
    call(UV, "pip", "install", "-q", "--python", python, "--no-deps", wheel, cwd=home)
    return python.parent


def test_the_wheel_has_the_kernel_and_the_lists_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"holdfast/kernel/holdfast-kernel.jar", "holdfast/spark/jars.lock", "holdfast/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "kernel/", "tools/"))]


def test_the_command_runs_a_broker_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    holdfast = installed / "holdfast"
    assert call(holdfast, "--version", cwd=tmp_path) == "holdfast 0.1.0\n"
    started = json.loads(call(holdfast, "broker", "start", "--json", cwd=tmp_path))
    try:
        assert call(holdfast, "topics", "create", "t", "--brokers", started["address"], cwd=tmp_path)
    finally:
        call(holdfast, "broker", "stop", cwd=tmp_path)


def test_the_jvm_starts_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from holdfast.spark.jvm import start_jvm; "
        "print(start_jvm(log_file=Path('jvm.log')).jvm.java.lang.Math.max(3, 4))"
    )
    assert call(installed / "python", "-c", program, cwd=tmp_path, HOLDFAST_ARCHIVE="off") == "4\n"
