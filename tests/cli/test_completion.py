"""What shells complete: commands, options, files of apps, names of examples and topics."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.ops.broker import Broker

LOAD = {
    "bash": 'eval "$(holdfast completion bash)"; COMP_WORDS=(holdfast {words}); COMP_CWORD={at}; '
    '_holdfast_completion holdfast; printf "%s\\n" "${{COMPREPLY[@]}}"',
    "fish": 'holdfast completion fish | source; complete -C "holdfast {words}"',
}


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def completed(*words: str, shell: str = "bash", **variables: str) -> list[str]:
    """What the program answers to the script of a shell."""
    env = {
        **environment(),
        **variables,
        "_HOLDFAST_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("holdfast", *words)),
    }
    env |= {"COMP_CWORD": words[-1] if shell == "fish" else str(len(words))}
    done = subprocess.run(["holdfast"], env=env, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", LOAD)
def test_in_the_shell_itself(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    script = LOAD[shell].format(words="desc", at=1)
    done = subprocess.run(
        [program, "-c", script], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["describe"], done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    done = subprocess.run(
        ["holdfast", "completion", shell], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"_HOLDFAST_COMPLETE={shell}_complete" in done.stdout


def test_commands_options_examples_and_files() -> None:
    assert completed("de") == ["plain,demo", "plain,describe"]
    assert completed("run", "--po") == ["plain,--port"]
    assert completed("demo", "lea") == ["plain,leaderboard"]
    assert completed("run", "app") == ["file,app"]


@pytest.mark.broker
def test_topics(broker: Broker, new_topic: Callable[..., str]) -> None:
    topic = new_topic("completed")
    assert completed("topics", "consume", "completed-", HOLDFAST_BROKERS=broker.address) == [f"plain,{topic}"]
    assert completed("topics", "consume", "--brokers", broker.address, "completed-") == [f"plain,{topic}"]
