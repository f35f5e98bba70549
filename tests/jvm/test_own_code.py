"""What executors of a cluster get of the app's own code."""

import sys
import zipfile

from holdfast.spark import own_code


def test_modules_and_packages_beside_the_app_with_their_files(tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    for name in ("app.py", "helper.py", "notes.txt", "shop/__init__.py", "shop/rate.txt", "shop/.git/x", "data/x.csv"):
        (tmp_path / name).write_text(name)
    files = own_code.own_files(tmp_path)
    mine = {name for name, path in files.items() if path.is_relative_to(tmp_path)}
    assert mine == {"app.py", "helper.py", "shop/__init__.py", "shop/rate.txt"}
    assert "holdfast/workers/process/main.py" in files
    assert not [name for name in files if name.endswith(".jar") or "__pycache__" in name]
    assert not [name for name in files if name.startswith(("pyarrow", "pytest", "os.py"))]


def test_what_is_imported_from_outside_the_environment(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "own_module_of_test.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    __import__("own_module_of_test")
    try:
        assert "own_module_of_test.py" in own_code.own_files(tmp_path)
    finally:
        del sys.modules["own_module_of_test"]


def test_the_same_content_is_packed_once(tmp_path):
    (tmp_path / "a.py").write_text("a")
    files = {"a.py": tmp_path / "a.py"}
    first = own_code.pack(files, tmp_path / "sent", "code")
    assert own_code.pack(files, tmp_path / "sent", "code") == first
    (tmp_path / "a.py").write_text("b")
    second = own_code.pack(files, tmp_path / "sent", "code")
    assert second != first
    with zipfile.ZipFile(second) as packed:
        assert packed.read("a.py") == b"b"
