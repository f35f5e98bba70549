"""Loading app files."""

import sys

import pytest

from holdfast.dsl.loader import load_app
from holdfast.errors import AppFileError, TopologyError

APP = "import holdfast as hf\napp = hf.App('a')\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def file(name, text):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    yield file
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_the_one_app_of_a_file(write):
    path = write("one_app.py", APP + "again = app\n")
    assert load_app(path).name == "a"
    assert load_app(path + ":again").name == "a"


def test_run_is_a_no_op_while_a_file_is_read(write):
    assert load_app(write("runs.py", APP + "app.run()\n")).name == "a"


def test_modules_beside_the_file_can_be_imported(write):
    write("beside_it.py", "NAME = 'from-beside'\n")
    path = write("main_app.py", "import holdfast as hf\nfrom beside_it import NAME\napp = hf.App(NAME)\n")
    assert load_app(path).name == "from-beside"


def test_a_file_named_like_another_module(write):
    assert load_app(write("json.py", APP)).name == "a"
    assert sys.modules["json"].__name__ == "json"
    assert hasattr(sys.modules["json"], "dumps")


def test_positions_are_those_of_the_file(write):
    path = write("placed.py", APP + "\n\napp.stream('t', str).to('u')\n")
    assert [node["at"] for node in load_app(path).topology.json()["nodes"]] == ["placed.py:5", "placed.py:5"]


def test_several_apps_must_be_told_apart(write):
    path = write("two.py", APP + "b = hf.App('b')\n")
    assert load_app(path + ":b").name == "b"
    with pytest.raises(AppFileError, match=r"two.py has 2 Apps; say which: .*two.py:app or .*two.py:b"):
        load_app(path)


@pytest.mark.parametrize(
    ("text", "suffix", "message"),
    [
        ("x = 1\n", "", r'has no App; make one at the top of the file: app = hf.App\("name"\)'),
        (APP, ":ap", r"bad.py:ap is not there; did you mean 'app'\?"),
        (APP + "x = 1\n", ":x", "bad.py:x is not an App"),
        ("a = 1\nb = a / 0\n", "", r"bad.py:2: ZeroDivisionError: division by zero\n    b = a / 0"),
        ("a = (\n", "", r"bad.py:1: SyntaxError: "),
        ("import sys\nsys.exit(3)\n", "", "bad.py:2: SystemExit: 3"),
        ("import nothing_like_that\n", "", "bad.py:1: ModuleNotFoundError: No module named 'nothing_like_that'"),
        (
            "import holdfast as hf\napp = hf.App('a')\napp.table('t', str)\n",
            "",
            r"bad.py:3: TypeError: .*missing 1 required keyword-only argument: 'key'",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_message(write, text, suffix, message):
    with pytest.raises(AppFileError, match=message):
        load_app(write("bad.py", text) + suffix)


def test_an_error_of_the_program_keeps_its_own_words(write):
    with pytest.raises(TopologyError, match=r"bad.py:3: topic 'a b' may have letters"):
        load_app(write("bad.py", APP + "app.stream('a b', str)\n"))


def test_a_missing_file_names_the_nearest(write, tmp_path):
    write("leaderboard.py", APP)
    with pytest.raises(AppFileError, match=r"leaderbord.py does not exist.*did you mean 'leaderboard.py'\?"):
        load_app(tmp_path / "leaderbord.py")
    with pytest.raises(AppFileError, match="is a directory"):
        load_app(tmp_path)
