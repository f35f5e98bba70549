import pytest

from holdfast.dsl.routes import RESERVED
from holdfast.errors import TopologyError


def test_get_and_post_register_the_function_itself(app):
    @app.get("/things/{id}")
    def one(id: int):
        return id

    @app.post("/things")
    async def add(body: dict):
        return body

    assert [(each.method, each.path, each.handler) for each in app.routes] == [
        ("GET", "/things/{id}", one),
        ("POST", "/things", add),
    ]


def test_one_path_may_have_both_methods_but_not_one_twice(app):
    app.get("/a")(lambda: 1)
    app.post("/a")(lambda: 1)
    with pytest.raises(TopologyError, match="GET /a is there twice"):
        app.get("/a")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a", "a path begins with '/'"),
        ("/", "one of the server's own"),
        ("//health", "one of the server's own"),
        ("/stores/x", "one of the server's own"),
        ("/health", "one of the server's own"),
        ("/health/of/{what}", "one of the server's own"),
        ("/openapi.json", "one of the server's own"),
        ("/{anything}", r"stands for paths of the server's own as well.*begin with a fixed part: '/items/\{anything}'"),
        ("/{rest:path}", "stands for paths of the server's own"),
        ("/{a}/count", "stands for paths of the server's own"),
        ("/stor{rest}", "stands for paths of the server's own"),
    ],
)
def test_a_wrong_path_is_refused(app, path, message):
    for method in (app.get, app.post, lambda path: app.mount(path, object())):
        with pytest.raises(TopologyError, match=message):
            method(path)


def test_every_path_that_the_server_answers_is_reserved():
    from holdfast.server.routes import BUILT_IN

    assert {path.split("/")[1] for path in BUILT_IN} <= RESERVED


def test_a_decorator_without_function_is_refused(app):
    with pytest.raises(TopologyError, match="wants a function"):
        app.get("/a")(3)


def test_mounted_applications(app):
    app.mount("/page", page := object())
    assert [(each.path, each.asgi) for each in app.mounts] == [("/page", page)]
    with pytest.raises(TopologyError, match="is there twice"):
        app.mount("/page", object())
