"""App files that are not there, or are not one app."""


def test_a_file_that_does_not_exist(holdfast, program):
    program("")
    refused = holdfast("run", "frist.py", "--dev")
    refused.means("frist.py does not exist", "did you mean 'first.py'")


def test_a_file_without_an_app(holdfast, tmp_path):
    (tmp_path / "empty.py").write_text("import holdfast as hf\n")
    holdfast("run", "empty.py", "--dev").means("empty.py has no App", 'app = hf.App("name")')


def test_a_file_with_two_apps(holdfast, program):
    refused = holdfast("run", program('other = hf.App("other")'), "--dev")
    refused.means("has 2 Apps", "first.py:app or first.py:other")


def test_a_file_that_raises(holdfast, program, line):
    refused = holdfast("run", program("1 / 0"), "--dev")
    refused.means(f"first.py:{line}: ZeroDivisionError: division by zero", "1 / 0")


def test_a_file_with_a_syntax_error(holdfast, program, line):
    holdfast("run", program("def"), "--dev").means(f"first.py:{line}: SyntaxError")


def test_an_app_that_does_nothing(holdfast, tmp_path):
    (tmp_path / "idle.py").write_text('import holdfast as hf\napp = hf.App("idle")\n')
    holdfast("run", "idle.py", "--dev").means("idle", "app.stream")


def test_an_unknown_example(holdfast):
    holdfast("demo", "leaderbord").means("no example 'leaderbord'", "did you mean 'leaderboard'", "there are:")


def test_wrong_use_is_status_2(holdfast, program):
    holdfast("run").means("Missing argument", status=2)
    holdfast("run", program(""), "--mode", "fast").means("'fast' is not one of", "drain", status=2)
    holdfast("rnu").means("No such command 'rnu'", status=2)
