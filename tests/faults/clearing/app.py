"""A clearing house without state: payments are filtered, split and multiplied, and leave by three topics."""

import holdfast as hf

app = hf.App("clearing", tasks=4, trigger="100 ms")
payments = app.stream("payments", "id BIGINT NOT NULL, amount BIGINT NOT NULL, country STRING NOT NULL", key=int)

ways = payments.split(large=lambda p: p.amount >= 500, default="small")
ways.small.map_values(lambda p: dict(id=p.id, cents=p.amount * 100)).to("cleared")
ways.large.select_key(lambda p: p.country).to("reviewed")
payments.flat_map(
    lambda k, p: [(p.id, dict(id=p.id, amount=-p.amount)), (p.id + 1_000_000, dict(id=p.id, amount=p.amount))]
).to("entries")
