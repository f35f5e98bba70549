"""What an editor and a type checker see: keys and values carry their types through a program."""

import textwrap

import pytest

api = pytest.importorskip("mypy.api")

PROGRAM = """
from dataclasses import dataclass
import holdfast as hf
from holdfast import functions as F

@dataclass
class Score:
    score: int
    game: int

@dataclass
class Player:
    name: str

app = hf.App("typed")
scores = app.stream("scores", Score)
players = app.table("players", Player, key=int)
reveal_type(scores)
reveal_type(players)
reveal_type(scores.select_key(lambda s: s.game))
reveal_type(scores.map(lambda k, s: (s.game, s.score)))
reveal_type(scores.map_values(lambda s: Player("x")))
reveal_type(scores.join(players, lambda s, p: Player(p.name)))
reveal_type(players.join(players, lambda p, q: Player(p.name)))
reveal_type(players.left_join(players, lambda p, q: Player(q.name), on=lambda p: 1))
reveal_type(players.outer_join(players, lambda k, p, q: Player(q.name)))
reveal_type(scores.split(high=lambda s: s.score > 3).high)
reveal_type(scores.group_by(lambda s: s.game).count())
reveal_type(scores.group_by(lambda s: s.game).top(3, by=lambda s: s.score))
reveal_type(app.start())
scores.join(players, lambda s, p: dict(n=p.name)).group_by(lambda r: r.n).agg(m=F.max("n"))
scores.select_key(lambda s: s.gme)
F.uper("x")
"""


def test_types_and_mistakes(tmp_path):
    file = tmp_path / "typed_program.py"
    file.write_text(textwrap.dedent(PROGRAM))
    output, _, _ = api.run(["--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", str(file)])
    revealed = [line.split('"')[1] for line in output.splitlines() if "Revealed" in line]
    assert [each.replace("holdfast.dsl.", "").replace("typed_program.", "") for each in revealed] == [
        "stream.Stream[bytes, Score]",
        "table.Table[int, Player]",
        "stream.Stream[int, Score]",
        "stream.Stream[int, int]",
        "stream.Stream[bytes, Player]",
        "stream.Stream[bytes, Player]",
        "table.Table[int, Player]",
        "table.Table[int, Player]",
        "table.Table[int, Player]",
        "stream.Stream[bytes, Score]",
        "table.Table[int, int]",
        "table.Table[int, list[Score]]",
        "holdfast.runtime.running.Running",
    ]
    errors = [line.split("error: ")[1] for line in output.splitlines() if "error: " in line]
    assert errors == [
        '"Score" has no attribute "gme"; maybe "game"?  [attr-defined]',
        'Module has no attribute "uper"; maybe "upper"?  [attr-defined]',
    ]
