"""Turn lines of a log into records and send errors where somebody looks at once.

Text becomes JSON, keyed by service. A line that is none of a log goes to the dead letters, with its reason.

    holdfast demo logs
    holdfast topics consume errors --from-beginning
    holdfast topics consume logs-dead-letters --from-beginning
"""

import holdfast as hf
from holdfast import functions as F

LINE = r"^(\S+) (DEBUG|INFO|WARN|ERROR) ([\w-]+): (.*)$"

app = hf.App("logs")

events = (
    app.stream("log-lines", str)
    .require(lambda line: F.rlike(line, F.lit(LINE)), reason="not a line of a log")
    .map(
        lambda line: (
            F.regexp_extract(line, LINE, 3),
            dict(
                at=F.to_timestamp(F.regexp_extract(line, LINE, 1)),
                level=F.regexp_extract(line, LINE, 2),
                text=F.regexp_extract(line, LINE, 4),
            ),
        )
    )
)

by_level = events.split(errors=lambda e: e.level == "ERROR", chatter=lambda e: e.level == "DEBUG")
by_level.errors.to("errors")
by_level.rest.to("events")
