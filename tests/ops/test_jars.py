"""The jar cache: what is pinned, what is fetched, and what happens when that goes wrong."""

import hashlib
import multiprocessing
import stat
from pathlib import Path

import pytest

from holdfast.errors import HoldfastError
from holdfast.spark import ivy, jars

FAKE = b"not really a jar"
DIGEST = hashlib.sha256(FAKE).hexdigest()


@pytest.fixture
def one_jar(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock file with one jar, and the place where it belongs."""
    lock = tmp_path / "jars.lock"
    lock.write_text(f"# a comment\nconnector org.example:thing:1.0 {DIGEST} {len(FAKE)}\n")
    monkeypatch.setattr(jars, "LOCK_FILE", lock)
    return cache / "jars" / "connector" / "thing-1.0.jar"


def registry(content: bytes | None, calls: list[int]):  # type: ignore[no-untyped-def]
    """A stand-in for Ivy that delivers `content`."""

    def retrieve(wanted, target, pyspark_jars, advance):  # type: ignore[no-untyped-def]
        calls.append(len(wanted))
        for group, _, name, revision in wanted:
            advance(name)
            (target / group).mkdir(exist_ok=True)
            if content is not None:
                (target / group / f"{name}-{revision}.jar").write_bytes(content)

    return retrieve


def test_every_jar_is_pinned_by_version_and_digest() -> None:
    found = jars.locked()
    assert len(jars.locked("connector")) == 4
    assert len(jars.locked("broker")) == 46  # Kafka's 45 and a logger
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in found)
    assert len({(jar.group, jar.file) for jar in found}) == len(found)


def test_no_registry_is_named_in_the_lock_file() -> None:
    assert "://" not in jars.LOCK_FILE.read_text()
    assert "://" not in ivy.SETTINGS


def test_a_jar_is_fetched_once(one_jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(ivy, "retrieve", registry(FAKE, calls))
    assert jars.paths("connector") == [one_jar]
    assert jars.paths("connector") == [one_jar]
    assert calls == [1]
    assert one_jar.read_bytes() == FAKE


@pytest.mark.parametrize("damaged", [FAKE[:5], b"x" * len(FAKE)], ids=["cut short", "changed"])
def test_a_damaged_jar_in_the_cache_is_fetched_again(
    one_jar: Path, monkeypatch: pytest.MonkeyPatch, damaged: bytes
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(ivy, "retrieve", registry(FAKE, calls))
    jars.ensure(["connector"])
    one_jar.write_bytes(damaged)
    jars.ensure(["connector"])
    assert calls == [1, 1]
    assert one_jar.read_bytes() == FAKE


def test_a_download_with_another_digest_is_refused_and_removed(one_jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivy, "retrieve", registry(b"something else", []))
    with pytest.raises(HoldfastError, match=r"thing-1\.0\.jar: wanted SHA-256 .* Run the command again"):
        jars.ensure(["connector"])
    assert list((one_jar.parents[1]).rglob("*.jar")) == []


def test_a_registry_that_cannot_be_reached_is_reported_with_what_to_do(
    one_jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        '<ivysettings><settings defaultResolver="r"/><resolvers>'
        '<ibiblio name="r" m2compatible="true" root="http://127.0.0.1:1/"/></resolvers></ivysettings>'
    )
    monkeypatch.setenv("HOLDFAST_IVY_SETTINGS", str(settings))
    with pytest.raises(HoldfastError, match=r"could not fetch thing-1\.0 .*Check the network"):
        jars.ensure(["connector"])
    assert not list(one_jar.parents[1].glob("fetch-*"))


def test_a_cache_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setenv("HOLDFAST_CACHE", str(in_the_way / "cache"))
    with pytest.raises(HoldfastError, match=r"cannot write the cache .*HOLDFAST_CACHE"):
        jars.ensure(["connector"])


def test_two_processes_fetch_once(one_jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = tmp_path / "tally"
    fetch = registry(FAKE, [])

    def slowly(*arguments):  # type: ignore[no-untyped-def]
        import time

        time.sleep(0.5)
        with tally.open("a") as file:
            file.write("fetched\n")
        fetch(*arguments)

    monkeypatch.setattr(ivy, "retrieve", slowly)
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=jars.ensure, args=(["connector"],)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert tally.read_text() == "fetched\n"


def test_nothing_is_written_when_all_is_there(one_jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivy, "retrieve", registry(FAKE, []))
    jars.ensure(["connector"])
    before = {path: path.stat()[stat.ST_MTIME] for path in one_jar.parents[2].rglob("*")}
    jars.ensure(["connector"])
    assert {path: path.stat()[stat.ST_MTIME] for path in one_jar.parents[2].rglob("*")} == before
