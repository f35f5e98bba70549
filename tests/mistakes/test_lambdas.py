"""What Python would do at once, a misspelt field, and keys that do not fit: found when the program is read."""

import pytest


@pytest.mark.parametrize(
    ("program_line", "words"),
    [
        ("events.filter(lambda e: e.scroe > 1)", ["no field 'scroe'", "did you mean 'score'"]),
        ("events.agg", ["no attribute 'agg'"]),
        ("events.filter(lambda e: e.score > 1 and e.score < 5)", ["`and`", "`&`", "hf.python"]),
        ("events.map_values(lambda e: 1 if e.score > 1 else 2)", ["`if`", "F.when", "hf.python"]),
        ("events.filter(lambda e: e.note is None)", ["`is None`", "F.isnull", "hf.python"]),
        ("events.map_values(lambda e: f'{e.name}!')", ["f-strings", "F.concat", "hf.python"]),
        ("events.join(people)", ["key is string", "table 'people' has key int", "select_key"]),
        ('events.filter(F.startswith("name", "ERR"))', ["no field 'ERR'"]),
        ('app.stream("logs", str).filter(lambda l: F.startswith(l, "ERR"))', ["F.lit('ERR')"]),
    ],
)
def test_one_message_with_the_line(holdfast, program, line, program_line, words):
    refused = holdfast("describe", program(program_line))
    refused.means(f"first.py:{line}: ", *words)
