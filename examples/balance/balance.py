"""Keep the balance of every account, and tell when one goes below zero.

Amounts are whole cents: deposits are positive, withdrawals negative.

    holdfast demo balance
    curl localhost:7000/accounts/ada
    echo '{"account": "ada", "cents": -99900, "at": "2026-03-02T09:00:00Z"}' | holdfast topics produce transactions
    holdfast topics consume overdrawn --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Transaction:
    account: str
    cents: int
    at: datetime


app = hf.App("balance")

transactions = app.stream("transactions", Transaction, timestamp="at")

accounts = transactions.group_by("account").agg(
    balance=F.sum("cents"),
    transactions=F.count("*"),
    largest=F.max(F.abs("cents")),
    last=F.max("at"),
    # Every update, not only the last of a batch: an account that was overdrawn for a moment shall be seen.
    store=hf.Materialized("accounts", emit="every"),
)
accounts.to("balances")
accounts.to_stream().filter(lambda a: a.balance < 0).to("overdrawn")

balances = app.store("accounts")


@app.get("/accounts/{account}")
def one_account(account: str):
    return balances[account]
