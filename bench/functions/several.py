"""Run a command several times at once, each with its number in PROC, until this process is stopped."""

import os
import signal
import subprocess
import sys


def main() -> None:
    """`several.py 2 command argument…`; `{PROC}` in an argument becomes the number."""
    count, command = int(sys.argv[1]), sys.argv[2:]
    started = [
        subprocess.Popen([each.replace("{PROC}", str(n)) for each in command], env={**os.environ, "PROC": str(n)})
        for n in range(count)
    ]

    def end(*_: object) -> None:
        for process in started:
            process.terminate()
        for process in started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    for process in started:
        process.wait()
    sys.exit("a process ended by itself")


if __name__ == "__main__":
    main()
