"""The short form of the fault matrix; the long one is `make faults`."""

import json

import pytest

from holdfast.testing import Driver
from tests.faults.bank import changes
from tests.faults.bank.app import app
from tests.faults.bank.audit import Bank, expected
from tests.faults.bank.ledger import Ledger
from tests.faults.bank.trial import Trial
from tests.faults.clearing.books import Clearing
from tests.faults.matrix import Rows, chosen, hold

SHORT = ["point after-transaction", "query server in apply"]
WITHOUT_STATE = ["power loss", "other number of cores", "checkpoint put back", "slow broker"]
EPOCHS = 12


def test_the_model_and_the_program_agree():
    ledger = Ledger(seed=1, accounts=50)
    with Driver(app) as driver:
        for records in (ledger.opening(), ledger.next(150), ledger.sweep()):
            with driver.batch():
                for each in records:
                    key = each.key if each.topic == "transfers" else int(each.key)
                    driver.pipe(each.topic, json.loads(each.value), key=key, timestamp=each.timestamp)
        wanted = expected(ledger)
        for name in ("balances", "traffic", "homes"):
            assert dict(driver.store(name).all()) == wanted[name]
        volume = {(w.key, int(w.start.timestamp() * 1000)): value for w, value in driver.store("volume").all()}
        assert volume == wanted["volume"]
        assert sum(each["balance"] for each in wanted["balances"].values()) == 0


def test_a_seed_chooses_the_same_faults_again():
    faults = ["a", "b", "c"]
    assert chosen(5, 7, faults) == chosen(5, 7, faults)
    assert sorted(chosen(5, 6, faults)) == sorted(2 * faults)


@pytest.fixture(autouse=True)
def unregistered(monkeypatch):
    """The brokers of these tests do not become the one started last."""
    monkeypatch.setattr("holdfast.ops.broker.register", lambda state_dir: None)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("subject", "faults"), [(Bank(1, accounts=1000), SHORT), (Clearing(1), WITHOUT_STATE)])
def test_an_app_outlives_faults(tmp_path, monkeypatch, subject, faults):
    monkeypatch.setattr(changes, "ANSWERS", [0.3])
    rows: Rows = {}
    assert hold(Trial(tmp_path, seed=1, subject=subject), faults, rows) == []
    assert {name: row.survived for name, row in rows.items()} == dict.fromkeys(faults, 1)


@pytest.mark.timeout(600)
def test_no_task_fails_on_two_executors_that_nothing_strikes(tmp_path):
    with Trial(tmp_path, seed=1, subject=Clearing(1), workers=2) as trial:
        trial.begin()
        changes.work_in_epochs(trial, EPOCHS)
        assert trial.failed_tasks() == []
        assert trial.restarts == 0
        assert trial.audit() == []
