"""Learn what each visitor likes, and show it with every page view: personalisation.

The profile is an aggregate of the same stream that it is joined with: each view sees what was known before and with it.

    holdfast demo profiles
    curl localhost:7000/profiles/ada
    holdfast topics consume personal-views --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class View:
    visitor: str
    page: str
    category: str
    at: datetime


app = hf.App("profiles")

views = app.stream("views", View, timestamp="at").select_key("visitor")

profiles = views.group_by_key().agg(
    views=F.count("*"),
    favourite=F.mode("category"),
    categories=F.array_sort(F.collect_set("category")),
    last_seen=F.max("at"),
    store="profiles",
)

views.join(profiles, lambda v, p: dict(visitor=v.visitor, page=v.page, show=p.favourite, views=p.views)).to(
    "personal-views"
)

known = app.store("profiles")


@app.get("/profiles/{visitor}")
def one_visitor(visitor: str):
    return known[visitor]
