"""Clicks with who clicked and what they had searched for: a join with a table, then one with a stream.

A click goes on also without a profile and without a search. A search may come a second before or after its click, so
a click without one is emitted when that second has passed; if both streams are idle, the clock says when.

    holdfast demo clickstream
    holdfast topics consume known-clicks --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf


@dataclass
class Click:
    user: str
    page: str
    at: datetime


@dataclass
class Search:
    user: str
    query: str
    at: datetime


@dataclass
class Profile:
    name: str
    city: str
    at: datetime


app = hf.App("clickstream")

clicks = app.stream("clicks", Click, timestamp="at", close_on_idle="5 seconds").select_key("user")
searches = app.stream("searches", Search, timestamp="at", close_on_idle="5 seconds").select_key("user")
profiles = app.table("profiles", Profile, key=str, timestamp="at")

known = clicks.left_join(profiles, lambda c, p: dict(page=c.page, at=c.at, name=p.name, city=p.city)).left_join(
    searches, lambda c, s: dict(c, query=s.query), within="1 second"
)
known.to("known-clicks")

known.group_by("page").count(store="clicks-per-page")

pages = app.store("clicks-per-page")


@app.get("/pages")
def every_page():
    return dict(pages.all())
