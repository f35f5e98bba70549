from tests.examples.helpers import played


def test_words_are_counted_and_served():
    with played("wordcount") as (driver, routes):
        assert driver.store("words")["whale"] == 3
        assert "the" not in driver.store("words")
        assert routes["/words"](limit=2) == [("little", 3), ("whale", 3)]
        assert routes["/words/{word}"]("helm") == 2
        driver.pipe("lines", "The whale again")
        assert [(r.key, r.value) for r in driver.read("word-counts")][-2:] == [("whale", 4), ("again", 1)]
