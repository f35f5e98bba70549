"""The command line as a whole: overview, errors, status."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from holdfast.cli.main import COMMANDS, cli
from holdfast.errors import HoldfastError


def installed() -> list[str]:
    return cli.list_commands(click.Context(cli))


def test_the_overview_names_every_command() -> None:
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0
    for name in installed():
        assert f"  {name} " in shown.output
        assert COMMANDS[name][1] in shown.output


def test_the_overview_imports_no_command() -> None:
    program = (
        "import sys; from click.testing import CliRunner; from holdfast.cli.main import cli; "
        "CliRunner().invoke(cli, ['--help']); "
        "heavy = {'pyspark', 'py4j', 'confluent_kafka', 'lmdb', 'starlette'}; "
        "print([m for m in sys.modules if m.split('.')[0] in heavy])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", installed())
def test_every_command_explains_itself(name: str) -> None:
    shown = CliRunner().invoke(cli, [name, "--help"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith(f"Usage: cli {name}")


def test_version() -> None:
    assert CliRunner().invoke(cli, ["--version"]).output.split()[-1] == "0.1.0"


@pytest.mark.parametrize("arguments", [["nonsense"], ["broker", "start", "--port", "many"], ["topics", "create"]])
def test_wrong_use_is_status_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(cli, arguments).exit_code == 2


def test_a_mistake_of_the_user_is_one_message_and_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def fails() -> None:
        raise HoldfastError("this is wrong; do that")

    monkeypatch.setattr(type(cli), "get_command", lambda self, context, name: fails)
    done = CliRunner().invoke(cli, ["run"])
    assert (done.exit_code, done.stderr) == (1, "Error: this is wrong; do that\n")
