"""Files beside the checkpoint after a loss of power."""

import os
from pathlib import Path

from holdfast.plan import durable, recorded_plan
from holdfast.runtime.inputs import Inputs
from holdfast.topology.graph import Topology


class Disk:
    """Notes the contents of files and directories at the moment they are forced to the disk."""

    def __init__(self, monkeypatch):
        self.forced = {}
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, handle):
        path = Path(f"/proc/self/fd/{handle}").resolve()
        inode = path.stat().st_ino
        self.forced[inode] = (
            {each.name: each.stat().st_ino for each in path.iterdir()} if path.is_dir() else path.read_bytes()
        )
        self._fsync(handle)

    def after_power_loss(self, root, path):
        """The content of a file, by names and bytes that were forced; None if one of them was not."""
        inode = root.stat().st_ino
        for name in path.relative_to(root).parts:
            inode = self.forced.get(inode, {}).get(name)
        return self.forced.get(inode)


def test_a_file_in_new_directories(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)
    path = tmp_path / "new" / "app" / "file.json"
    durable.write(path, "text")
    assert disk.after_power_loss(tmp_path, path) == b"text" == path.read_bytes()
    durable.write(path, "other")
    assert disk.after_power_loss(tmp_path, path) == b"other" == path.read_bytes()
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]


def test_the_plan(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)
    path = tmp_path / "state" / "app" / "plan.json"
    recorded_plan.record(Topology("a", 1, "fail", (), stages=0), path)
    assert disk.after_power_loss(tmp_path, path) == path.read_bytes()
    assert recorded_plan.recorded_stages(path) == {}


def test_the_inputs(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)
    directory = tmp_path / "app"
    directory.mkdir()
    durable.write(directory / "plan.json", "{}")
    Inputs(directory).record({"topic": "id"})
    assert disk.after_power_loss(directory, directory / "inputs.json") == (directory / "inputs.json").read_bytes()
