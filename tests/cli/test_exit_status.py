"""Exit statuses, as a supervisor reads them: 1 for what failed, 2 for wrong use of the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli

APP = 'import holdfast as hf\napp = hf.App("a")\napp.stream("in", str).to("out")\n'


@pytest.fixture
def app(tmp_path: Path) -> str:
    (tmp_path / "app.py").write_text(APP)
    return str(tmp_path / "app.py")


@pytest.mark.parametrize("arguments", [["--nope"], ["--mode", "sometimes"], ["--port", "many"]])
def test_wrong_use_is_2(app: str, arguments: list[str]) -> None:
    assert CliRunner().invoke(cli, ["run", app, *arguments]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no Kafka broker is named"),
        (["--brokers", "localhost"], "write host:port"),
        (["--tls-cert", "server.pem"], "give both --tls-cert and --tls-key"),
        (["--token-file", "nowhere"], "--token-file is read from"),
    ],
)
@pytest.mark.usefixtures("cache")
def test_what_cannot_be_run_is_1_and_says_why(app: str, arguments: list[str], said: str) -> None:
    found = CliRunner().invoke(cli, ["run", app, *arguments])
    assert found.exit_code == 1
    assert said in found.output


def test_a_short_token_is_refused_and_not_shown(app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_TOKEN", "s3cret")
    found = CliRunner().invoke(cli, ["serve", app, "--brokers", "localhost:9092"])
    assert found.exit_code == 1
    assert "fewer than 8 letters" in found.output
    assert "s3cret" not in found.output


@pytest.mark.parametrize("command", [["serve"], ["run", "--serve"], ["demo"]])
def test_a_server_for_other_machines_without_a_token_is_wrong_use(
    app: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOLDFAST_TOKEN", raising=False)
    name = ["leaderboard"] if command == ["demo"] else [app, "--brokers", "localhost:9"]
    found = CliRunner().invoke(cli, [*command, *name, "--host", "0.0.0.0"])
    assert found.exit_code == 2
    for way in ("--token-file", "HOLDFAST_TOKEN", "--no-token"):
        assert way in found.output
