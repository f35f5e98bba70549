"""Which class archive is used, and when one is made."""

import os
import time
from pathlib import Path

import pytest

from holdfast.spark import archive


@pytest.fixture
def class_path(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.delenv("HOLDFAST_ARCHIVE", raising=False)
    jar = tmp_path / "a.jar"
    jar.write_text("a")
    return [jar]


def test_without_an_archive_one_should_be_made(class_path: list[Path]) -> None:
    assert archive.use(class_path) == archive.Choice((), True)


def test_an_archive_that_is_there_is_used(class_path: list[Path]) -> None:
    path = archive.archive_of(class_path)
    path.parent.mkdir(parents=True)
    path.touch()
    assert archive.use(class_path) == archive.Choice(("-Xshare:auto", f"-XX:SharedArchiveFile={path}"), False)


def test_a_changed_jar_has_another_archive(class_path: list[Path]) -> None:
    before = archive.archive_of(class_path)
    os.utime(class_path[0], (1, 1))
    assert archive.archive_of(class_path) != before


def test_it_can_be_switched_off(class_path: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_ARCHIVE", "off")
    assert archive.use(class_path) == archive.Choice((), False)


def test_after_a_failure_it_is_left_alone_for_a_day(class_path: list[Path]) -> None:
    failed = archive.archive_of(class_path).with_suffix(".failed")
    failed.parent.mkdir(parents=True)
    failed.touch()
    assert not archive.use(class_path).missing
    long_ago = time.time() - 2 * archive.RETRY_SECONDS
    os.utime(failed, (long_ago, long_ago))
    assert archive.use(class_path).missing


def test_archives_that_were_not_used_for_long_are_deleted(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.jsa" for n in range(5)]
    for age, path in enumerate(paths):
        path.touch()
        os.utime(path, (1000 - age, 1000 - age))
    archive._delete_old(paths[0])
    assert sorted(tmp_path.glob("*.jsa")) == paths[: archive.KEPT]


def test_environments_that_take_turns_keep_their_archives(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.jsa" for n in range(archive.KEPT + 2)]
    for path in paths:
        path.touch()
    archive._delete_old(paths[0])
    assert sorted(tmp_path.glob("*.jsa")) == paths
