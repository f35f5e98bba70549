"""Log lines have one form, whoever writes them: time, level, logger, message."""

import json
import logging
import re

import pytest

from holdfast.cli import screen
from holdfast.cli.log_lines import LogFormatter
from holdfast.spark.logs import CONFIGURATION

FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO |WARN |ERROR|FATAL) [\w.]+: .*")
PROGRESS = {"epoch": 3, "topics": {}, "rate": 0.0, "batch_ms": 7, "dead_letters": 0, "late": {}}


@pytest.fixture
def warned():
    """A screen that shows what the package logs, and its logger."""
    log = logging.getLogger("holdfast")
    before, log.handlers = log.handlers, []  # commands that ran in this process have left theirs

    def make(machine):
        shown = screen.Screen(screen.Stop(), machine)
        screen._hear(shown)
        return shown

    yield make
    log.handlers = before


def lines_of(make, machine, capsys):
    shown = make(machine)
    shown.say("starting Spark")
    logging.getLogger("holdfast.stores").warning("a topic is %s", "gone")
    shown._log_progress(PROGRESS, busy=True)
    return capsys.readouterr().err.splitlines()


def test_every_json_line_has_a_level_and_a_logger(warned, capsys):
    said = [json.loads(line) for line in lines_of(warned, True, capsys)]
    assert [(each["level"], each["logger"], each["message"]) for each in said] == [
        ("INFO", "holdfast.cli", "starting Spark"),
        ("WARN", "holdfast.stores", "a topic is gone"),
        ("INFO", "holdfast.cli", "progress"),
    ]
    assert said[2]["epoch"] == 3


def test_lines_of_text(warned, capsys):
    lines = lines_of(warned, False, capsys)
    assert all(FORM.fullmatch(line) for line in lines), lines
    assert [line[25:].split(": ")[0] for line in lines] == [
        "INFO  holdfast.cli",
        "WARN  holdfast.stores",
        "INFO  holdfast.cli",
    ]


def test_a_server_has_the_same_form():
    record = logging.LogRecord("uvicorn.error", logging.CRITICAL, "", 0, "no port %d", (7,), None)
    line = LogFormatter().format(record)
    assert FORM.fullmatch(line)
    assert line.endswith(" FATAL uvicorn.error: no port 7")


def test_spark_and_the_kernel_have_the_same_form():
    """tests/jvm/test_jvm.py looks at what log4j makes of it."""
    assert "%d{{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}}{{UTC}} %-5p %c: %m%n" in CONFIGURATION
