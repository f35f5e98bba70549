"""One judge for all tests, and how many cases a run has."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture.engine import ConjectureRunner

from tests.oracle.judge import Judge
from tests.spark.conftest import drain, run, stores, suffix  # noqa: F401  (fixtures)

CASES = int(os.environ.get("HOLDFAST_ORACLE_CASES", "300"))
SEED = int(os.environ.get("HOLDFAST_ORACLE_SEED", "0"))

settings.register_profile(
    "oracle",
    max_examples=CASES // 2,
    deadline=None,
    database=None,
    print_blob=False,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """More cases may take longer, also on a busy machine, and a failing one is made small before it is shown."""
    for item in items:
        if "oracle" in item.path.parts:
            item.add_marker(pytest.mark.timeout(3600 + 2 * CASES))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cases there were, and what chose them."""
    terminalreporter.write_line(f"oracle: {CASES} cases, seed {SEED} (others with HOLDFAST_ORACLE_SEED=n)")


@pytest.fixture(autouse=True)
def distinct_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """No case is another one with a part of it repeated: of the cases that Hypothesis makes, two thirds would be."""
    monkeypatch.setattr(ConjectureRunner, "generate_mutations_from", lambda self, data: None)


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """Kafka Streams, ready for cases."""
    judge = Judge(tmp_path_factory.mktemp("judge"))
    yield judge
    judge.close()
