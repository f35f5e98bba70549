from tests.examples.helpers import by_key, played


def test_views_show_what_their_visitor_likes_so_far():
    with played("profiles") as (driver, routes):
        views = by_key(driver, "personal-views")
        assert [(v["show"], v["views"]) for v in views["ada"]] == [("camping", 1), ("camping", 2), ("camping", 3)]
        assert [v["show"] for v in views["bob"]][::2] == ["climbing", "running"]
        assert routes["/profiles/{visitor}"]("ada")["categories"] == ["camping", "running"]
