"""Python functions of a program in the Driver: they run in the test's own thread, where breakpoints and prints work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.dsl.app import App
from holdfast.spark import kernel
from holdfast.topology.python_calls import PythonCall


class Functions:
    """The functions of a program, by node."""

    def __init__(self, app: App, types: Mapping[str, Any]) -> None:
        calls = [node for node in app.topology.nodes if isinstance(node, PythonCall)]
        self._runners: dict[str, Any] = {}
        if calls:
            from holdfast.calls.run import Runner

            self._runners = {node.id: Runner(node.call, types["nodes"][node.inputs[0].id]) for node in calls}

    def run(self, driver: Any, at_once: Callable[[], str], begin: Callable[[], None]) -> str:
        """Run a batch; with functions, answer the kernel's calls until it has the outputs."""
        if not self._runners:
            return str(kernel.call(at_once))
        kernel.call(begin)
        while True:
            question = kernel.call(driver.next)
            if isinstance(question, str):
                return question
            driver.answer(self._runners[question.function()].run(bytes(question.arguments())))
