"""A bank: every transfer has an id, money is neither made nor lost, and all of it is known beforehand."""

import holdfast as hf
from holdfast import functions as F

app = hf.App("bank", tasks=4, trigger="100 ms")
transfers = app.stream(
    "transfers", "id BIGINT NOT NULL, source BIGINT NOT NULL, target BIGINT NOT NULL, amount BIGINT NOT NULL"
)
accounts = app.table("accounts", "branch BIGINT NOT NULL", key=int)
branches = app.table("branches", "name STRING NOT NULL", key=int)
cards = app.table("cards", "branch BIGINT NOT NULL, version BIGINT NOT NULL", key=int)

# Counts and sums: two postings for each transfer; every update of a balance is emitted.
(
    transfers.flat_map(lambda k, t: [(t.source, dict(amount=-t.amount)), (t.target, dict(amount=t.amount))])
    .group_by_key()
    .agg(balance=F.sum("amount"), postings=F.count("*"), store=hf.Materialized("balances", emit="every"))
    .to("statements")
)

# A stream with a table: one receipt for each transfer.
receipts = transfers.select_key(lambda t: t.source).join(
    accounts, lambda t, a: dict(id=t.id, branch=a.branch, amount=t.amount)
)
receipts.to("receipts")
# Some amounts cannot be shared: dead letters of a stage, whose sources the sink reads again.
receipts.map_values(lambda r: dict(id=r.id, share=1000 // (r.amount % 20))).to("shares")
by_branch = receipts.group_by(lambda r: r.branch)
by_branch.count(store=hf.Materialized("traffic", emit="every")).to("tickets")
by_branch.windowed_by(hf.tumbling("1 second", grace="1 day")).agg(total=F.sum("amount"), store="volume")

# A foreign key: both sides change all the time.
cards.join(branches, lambda c, b: dict(name=b.name, version=c.version), on=lambda c: c.branch, store="homes")

balances = app.store("balances")


@app.get("/total")
def total():
    """All money at one moment: whatever happens, none."""
    return sum(each["balance"] for _, each in balances.all())
