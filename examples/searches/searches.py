"""Searches and the clicks that follow within a second, to see which results are good.

Both streams carry the search's id. A click from before the search is no answer to it, so the window lies on one side.

    holdfast demo searches
    curl localhost:7000/answers
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Search:
    id: str
    query: str
    at: datetime


@dataclass
class Click:
    search: str
    page: str
    at: datetime


app = hf.App("searches")

searches = app.stream("queries", Search, timestamp="at").select_key("id")
clicks = app.stream("result-clicks", Click, timestamp="at").select_key("search")

answered = searches.join(
    clicks,
    lambda s, c: dict(query=s.query, page=c.page, after_ms=F.unix_millis(c.at) - F.unix_millis(s.at)),
    within=hf.JoinWindow(before="0 ms", after="1 second"),
)
answered.to("answered-searches")

answered.group_by("query").agg(
    clicks=F.count("*"),
    first_choice=F.mode("page"),
    mean_ms=F.avg("after_ms"),
    store="answers",
)

answers = app.store("answers")


@app.get("/answers")
def every_query():
    return dict(answers.all())
