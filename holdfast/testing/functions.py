"""Python functions of a program in the Driver: they run in the test's own thread, where breakpoints and prints work."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.spark import kernel
from holdfast.testing.kernel_driver import KernelDriver
from holdfast.topology.runner_spec import resolved_types


class Functions:
    """The functions of a program, by name."""

    def __init__(self, app: App, types: Document) -> None:
        resolved = resolved_types(types["nodes"])
        found = [node.functions(resolved) for node in app.topology.nodes]
        self._runners = {name: spec() for specs in found for name, spec in specs.items()}

    def run(self, driver: KernelDriver, at_once: Callable[[], str], begin: Callable[[], None]) -> str:
        """Run a batch; with functions, answer the kernel's calls until it has the outputs."""
        if not self._runners:
            return str(kernel.call(at_once))
        kernel.call(begin)
        while True:
            question = kernel.call(driver.next)
            if isinstance(question, str):
                return question
            runner = self._runners[question.function()]
            driver.answer(runner.run(bytes(question.arguments()), lambda asked: bytes(driver.ask(asked))))
