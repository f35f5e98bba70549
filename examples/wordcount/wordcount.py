"""Count the words of lines as they come: split, filter, group, count.

Small words are left out.

    holdfast demo wordcount
    curl localhost:7000/words/whale
    echo 'the whale again' | holdfast topics produce lines
"""

import holdfast as hf
from holdfast import functions as F

app = hf.App("wordcount")

words = (
    app.stream("lines", str)
    .flat_map_values(lambda line: F.split(F.lower(line), "[^a-z]+"))
    .filter(lambda word: (word != "") & ~F.isin(word, "a", "and", "of", "the", "to"))
)
counts = words.group_by(lambda word: word).count(store="words")
counts.to("word-counts")

totals = app.store("words")


@app.get("/words")
def most_frequent(limit: int = 10):
    return sorted(totals.all(), key=lambda entry: (-entry[1], entry[0]))[:limit]


@app.get("/words/{word}")
def one_word(word: str):
    return totals[word]
