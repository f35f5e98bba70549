"""The files in deploy/: what a supervisor would refuse, and what a careful reader would."""

import configparser
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.cli.access import token_of
from holdfast.errors import SettingsError

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT = DEPLOY / "holdfast@.service"
DOCKERFILE = DEPLOY / "Dockerfile"


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read_string(UNIT.read_text())
    return parser


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their lines joined."""
    text = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE))
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()]


def values(name: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == name]


def test_the_unit_restarts_as_the_docs_say() -> None:
    service = unit()["Service"]
    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("on-failure", "2")
    assert service["KillSignal"] == "SIGTERM"
    assert unit()["Unit"]["StartLimitBurst"]


def test_the_unit_has_no_more_rights_than_it_needs() -> None:
    service = unit()["Service"]
    assert service["User"] not in ("root", "")
    assert (service["NoNewPrivileges"], service["ProtectSystem"]) == ("yes", "strict")
    assert service["CapabilityBoundingSet"] == ""
    assert "--host" not in service["ExecStart"]
    assert not re.search(r"(?i)password|token", UNIT.read_text())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    # It looks for the program, which is not installed on a machine that only tests.
    text = UNIT.read_text().replace("/opt/holdfast/bin/holdfast", shutil.which("true") or "/bin/true")
    (tmp_path / UNIT.name).write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "holdfast@leaderboard.service")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    own = [line for line in found.stderr.splitlines() if "holdfast@" in line]
    assert own == []


def test_the_image_is_built_from_pinned_ones() -> None:
    for base in values("FROM"):
        assert re.match(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*@(\$\{\w+_DIGEST\}|sha256:[0-9a-f]{64})( AS \w+)?$", base), base
    # A digest that nobody has looked up is worse than none.
    assert [given for given in values("ARG") if given.endswith(("JAVA_DIGEST", "PYTHON_DIGEST"))] == [
        "JAVA_DIGEST",
        "PYTHON_DIGEST",
    ]


def test_the_server_of_the_image_does_not_start_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    [given] = re.findall(r"HOLDFAST_TOKEN=(\S+)", " ".join(values("ENV")))
    monkeypatch.setenv("HOLDFAST_TOKEN", given)
    with pytest.raises(SettingsError, match="HOLDFAST_TOKEN is read from /run/secrets/holdfast-token: No such file"):
        token_of(None)


def test_what_installs_everything_else_has_a_hash() -> None:
    makefile = (DEPLOY.parent / "Makefile").read_text()
    assert re.findall(r"pip install.*", makefile)
    for line in re.findall(r"pip install.*", makefile):
        assert "--require-hashes" in line or line.endswith("-e ."), line
    assert re.match(r"uv==[\d.]+ \\\n    --hash=sha256:", (DEPLOY.parent / "requirements-uv.lock").read_text())


def test_the_image_does_not_run_as_root() -> None:
    last = values("USER")[-1]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last)
    order = [name for name, _ in instructions()]
    assert order.index("USER") < order.index("ENTRYPOINT")


def test_the_image_gets_signals_and_is_watched() -> None:
    for name in ("ENTRYPOINT", "CMD"):
        assert json.loads(values(name)[-1]), f"{name} is not in exec form, so a shell would get the signals"
    health = values("HEALTHCHECK")[-1]
    assert "/health" in json.loads(health.split("CMD", 1)[1])[-1]
    assert values("STOPSIGNAL") == ["SIGTERM"]


def test_what_the_image_installs_is_locked_and_holds_no_secret() -> None:
    runs = " ".join(values("RUN"))
    assert "--require-hashes -r" in runs
    assert "latest" not in DOCKERFILE.read_text()
    given = " ".join(rest for name, rest in instructions() if name in ("ENV", "ARG"))
    assert not re.search(r"(?i)(password|token|secret)\w*=(?!file:)", given)


def test_the_docs_tell_of_both() -> None:
    text = (DEPLOY.parent / "docs/guides/running.md").read_text()
    assert "deploy/holdfast@.service" in text
    assert "deploy/Dockerfile" in text


def test_the_image_wants_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from holdfast.cli.main import cli

    (tmp_path / "app.py").write_text('import holdfast as hf\napp = hf.App("a")\napp.stream("in", str).to("out")\n')
    monkeypatch.delenv("HOLDFAST_TOKEN", raising=False)
    entry = json.loads(values("ENTRYPOINT")[-1])[1:]
    found = CliRunner().invoke(cli, [*entry, str(tmp_path / "app.py"), "--brokers", "localhost:9"])
    assert found.exit_code == 2
    assert "HOLDFAST_TOKEN" in found.output
