"""The pictures of the README: `python tools/take_pictures.py` runs the demo, and takes its terminal.

It needs curl and jq, and the free port 7000. What the pictures show is what the commands really print.
"""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
SCREENS = ROOT / "docs" / "screens"
ADDRESS = "http://localhost:7000"
ASK = "curl -s localhost:7000/leaderboard/1 | jq -c .[]"
SEND = """echo '{"score": 5000, "product_id": 1, "player_id": 2}' | holdfast topics produce score-events"""
COLUMNS = 104
LONGEST = 300
FONT_FACE = re.compile(r"@font-face \{\{.*?\n    \}\}\n", re.DOTALL)
# What moves the cursor or clears a line; colours stay.
CONTROL = re.compile(r"\x1b\[\??[\d;]*[A-HJKhl]")


class Demo:
    """`holdfast demo` on a terminal of its own, and what that shows."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._shown = bytearray()

    def __enter__(self) -> Demo:
        screen, terminal = pty.openpty()
        command = [holdfast(), "demo", "--state-dir", str(self._home / "state")]
        settings = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        self._process = subprocess.Popen(command, stdout=terminal, stderr=terminal, cwd=self._home, env=settings)
        os.close(terminal)
        threading.Thread(target=self._read, args=(screen,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(LONGEST)

    def _read(self, screen: int) -> None:
        while True:
            try:
                found = os.read(screen, 4096)
            except OSError:
                return
            self._shown += found

    def wait(self, text: str) -> None:
        """Wait until the terminal shows a text."""
        deadline = time.monotonic() + LONGEST
        while text not in self.text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the demo did not come to {text!r}:\n{self.text()}")
            time.sleep(0.2)

    def text(self) -> str:
        """The lines of the terminal as one sees them: each as it was written last."""
        lines = CONTROL.sub("", self._shown.decode(errors="replace")).replace("\r\n", "\n").split("\n")
        return "\n".join(line.rsplit("\r", 1)[-1] for line in lines).rstrip()


def holdfast() -> str:
    """The command beside this interpreter."""
    return str(Path(sys.executable).parent / "holdfast")


def output_of(command: str, home: Path) -> str:
    """What a command prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "COLUMNS": str(COLUMNS)}
    done = subprocess.run(command, shell=True, cwd=home, env=settings, capture_output=True, text=True, check=True)
    return (done.stdout + (done.stderr if "produce" in command else "")).rstrip()


def board() -> str:
    """The best scores as the server has them now."""
    with urllib.request.urlopen(f"{ADDRESS}/leaderboard/1") as answer:
        return str(answer.read().decode())


def wait_for(text: str) -> None:
    """Wait until the server's answer has a text."""
    deadline = time.monotonic() + LONGEST
    while text not in board():
        if time.monotonic() > deadline:
            raise SystemExit(f"the server did not come to {text!r}: {board()}")
        time.sleep(0.2)


def terminal_picture(session: list[tuple[str, str]]) -> str:
    """Commands and what they print as SVG, in the fonts of who looks at it."""
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor")
        for command, printed in session:
            if console.export_text(clear=False):
                console.print()
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(printed), highlight=False)
    form = FONT_FACE.sub("", CONSOLE_SVG_FORMAT).replace(
        "Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace"
    )
    return console.export_svg(title="holdfast", unique_id="terminal", code_format=form)


def main() -> None:
    """Run the demo, ask it, send one record, ask again, and take the pictures."""
    SCREENS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="holdfast-pictures-") as folder:
        home = Path(folder)
        with Demo(home) as demo:
            demo.wait("Ctrl-C stops everything")
            wait_for("Isabelle")
            session = [("make demo", demo.text().partition("Ctrl-C stops everything")[0] + "Ctrl-C stops everything")]
            session.append((ASK, output_of(ASK, home)))
            session.append((SEND, output_of(SEND, home)))
            wait_for("5000")
            session.append((ASK, output_of(ASK, home)))
    (SCREENS / "terminal.svg").write_text(terminal_picture(session))
    print("\n".join(f"$ {command}\n{printed}" for command, printed in session))


if __name__ == "__main__":
    main()
