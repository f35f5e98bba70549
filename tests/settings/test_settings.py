"""Argument, then variable, then file, then default."""

import os
from datetime import UTC, datetime, timedelta

import pytest

import holdfast as hf
from holdfast.errors import SettingsError
from holdfast.spark import memory, session

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


@pytest.fixture
def file(tmp_path):
    def write(text):
        (tmp_path / "holdfast.toml").write_text(text)

    return write


@pytest.fixture
def app_in():
    """An app whose file lies in a directory."""

    def make(folder, arguments=""):
        folder.mkdir(exist_ok=True)
        source = folder / "program.py"
        source.write_text(f"import holdfast as hf\napp = hf.App('a', {arguments})\n")
        names = {}
        exec(compile(source.read_text(), str(source), "exec"), names)
        return names["app"]

    return make


CODE = [
    ('[spark]\n"spark.jars" = "evil.jar"\n', "spark is not taken"),
    ('[spark]\n"spark.sql.session.timeZone" = "UTC"\n', "spark is not taken"),
    ('[python]\nenvironment = "evil.zip"\n', "python is not taken"),
    ('[kafka]\n"interceptor.classes" = "Evil"\n', r"kafka\['interceptor.classes'\] is not taken"),
    ('[kafka]\n"sasl.jaas.config" = "JndiLoginModule"\n', r"kafka\['sasl.jaas.config'\] is not taken"),
    ('[kafka]\n"plugin.library.paths" = "evil.so"\n', r"kafka\['plugin.library.paths'\] is not taken"),
    ('[kafka]\n"sasl.kerberos.kinit.cmd" = "evil"\n', r"kafka\['sasl.kerberos.kinit.cmd'\] is not taken"),
    ('[kafka]\n"sasl.oauthbearer.assertion.file" = "/home/me/key"\n', r"assertion.file'\] is not taken"),
    ('[kafka]\n"sasl.oauthbearer.token.endpoint.url" = "http://evil"\n', r"endpoint.url'\] is not taken"),
    ('[kafka]\n"ssl.engine.id" = "evil"\n', r"kafka\['ssl.engine.id'\] is not taken"),
    ('[kafka]\n"sasl.password" = "file:/home/me/key"\n', r"kafka\['sasl.password'\] is not taken"),
]


@pytest.mark.parametrize(("text", "said"), CODE)
def test_a_file_that_is_not_the_apps_sets_nothing_that_loads_code(text, said, file, app_in, tmp_path, tmp_path_factory):
    file(text)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with pytest.raises(SettingsError, match=said + r" from the current directory.*elsewhere.*HOLDFAST_"):
        app_in(elsewhere)
    app_in(tmp_path)
    app_in(tmp_path / "below")


def test_a_file_of_another_user_above_the_app_sets_nothing_that_loads_code(file, app_in, tmp_path, monkeypatch):
    file('[spark]\n"spark.jars" = "evil.jar"\n')
    if os.getuid() == 0:
        os.chown(tmp_path / "holdfast.toml", 4711, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(SettingsError, match="spark is not taken"):
        app_in(tmp_path / "below")


def test_a_file_that_is_not_the_apps_may_set_the_rest(file, app_in, tmp_path_factory):
    file('tasks = 2\nbrokers = "localhost:9092"\n[kafka]\nacks = "1"\n"security.protocol" = "SSL"\n"linger.ms" = 5\n')
    settings = app_in(tmp_path_factory.mktemp("elsewhere")).settings
    kafka = {"acks": "1", "security.protocol": "SSL", "linger.ms": "5"}
    assert (settings.tasks, settings.brokers, dict(settings.kafka)) == (2, "localhost:9092", kafka)


def test_defaults(tmp_path):
    settings = hf.App("a").settings
    assert (settings.brokers, settings.mode, settings.tasks, settings.trigger_ms) == (None, "exactly-once", 16, 500)
    assert (settings.on_error, settings.auto_offset_reset) == ("dead-letter", "earliest")
    assert (dict(settings.kafka), dict(settings.spark)) == ({}, {})


def test_the_state_lies_beside_the_app_file(tmp_path):
    (tmp_path / "apps").mkdir()
    source = tmp_path / "apps" / "program.py"
    source.write_text("import holdfast as hf\napp = hf.App('a')\nother = hf.App('b', state_dir='/var/x')\n")
    names = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    assert names["app"].settings.state_dir == tmp_path / "apps" / ".holdfast"
    assert str(names["other"].settings.state_dir) == "/var/x"


def test_argument_then_variable_then_file(monkeypatch, file):
    file('tasks = 2\nmode = "drain"\ntrigger = "1 second"\n[kafka]\nacks = "1"\nretries = 5\n')
    monkeypatch.setenv("HOLDFAST_TASKS", "3")
    monkeypatch.setenv("HOLDFAST_MODE", "real-time")
    monkeypatch.setenv("HOLDFAST_KAFKA", '{"acks": "all", "linger.ms": 5}')
    settings = hf.App("a", tasks=4, kafka={"linger.ms": "0"}).settings
    assert (settings.tasks, settings.mode, settings.trigger_ms) == (4, "real-time", 1000)
    assert dict(settings.kafka) == {"acks": "all", "retries": "5", "linger.ms": "0"}


def test_an_argument_that_equals_the_default_still_wins(monkeypatch):
    monkeypatch.setenv("HOLDFAST_MODE", "drain")
    monkeypatch.setenv("HOLDFAST_TASKS", "4")
    settings = hf.App("a", mode="exactly-once", tasks=16).settings
    assert (settings.mode, settings.tasks) == ("exactly-once", 16)


def test_the_file_beside_the_app_comes_before_the_working_directory(tmp_path, file):
    file("tasks = 2\n")
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "holdfast.toml").write_text("tasks = 5\n")
    source = tmp_path / "apps" / "program.py"
    source.write_text("import holdfast as hf\napp = hf.App('a')\n")
    names = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    assert names["app"].settings.tasks == 5
    assert hf.App("b").settings.tasks == 2


def test_points_in_time_to_start_from():
    assert hf.App("a", auto_offset_reset="1970-01-01T00:00:01Z").settings.auto_offset_reset == 1000
    moment = datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)
    assert hf.App("a", auto_offset_reset=moment).settings.auto_offset_reset == 2000
    assert hf.App("a", trigger=timedelta(seconds=2)).settings.trigger_ms == 2000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (dict(mode="at-most-once"), "mode= is 'at-most-once'; it may be exactly-once, real-time, drain"),
        (dict(tasks=0), "tasks= is 0; a whole number from 1 was wanted"),
        (dict(tasks=2.5), "tasks= is 2.5"),
        (dict(trigger=500), "say the unit"),
        (dict(trigger="soon"), "trigger= 'soon' is not a duration"),
        (dict(on_error="ignore"), "on_error= is 'ignore'; it may be dead-letter, fail"),
        (dict(auto_offset_reset="yesterday"), "auto_offset_reset= is 'yesterday'; it may be earliest, latest"),
        (dict(auto_offset_reset="2026-01-01T00:00:00"), "with a time zone"),
        (dict(brokers="localhost"), "brokers= is 'localhost'; write host:port"),
        (dict(kafka="acks=1"), "kafka= is of type str; a mapping of names to values was wanted"),
        (dict(state_dir=""), "state_dir= is ''"),
        (dict(state_memory="much"), "state_memory= is 'much'; write a size from 1 MB, for example 512MB"),
        (dict(state_memory=1000), "state_memory= is 1000; write a size"),
        (dict(stalled_after="x"), "stalled_after= 'x' is not a duration"),
        (dict(fsync="sometimes"), "fsync= is 'sometimes'; it may be true or false"),
    ],
)
def test_a_wrong_argument_is_refused(given, message):
    with pytest.raises(SettingsError, match=message):
        hf.App("a", **given)


@pytest.mark.parametrize("name", ["", "a b", "..", "x" * 101, 3])
def test_a_wrong_name_is_refused(name):
    with pytest.raises(SettingsError, match="the name of an app"):
        hf.App(name)


def test_a_wrong_variable_or_file_is_named(monkeypatch, file):
    monkeypatch.setenv("HOLDFAST_TASKS", "many")
    with pytest.raises(SettingsError, match="HOLDFAST_TASKS is 'many'"):
        hf.App("a")
    monkeypatch.setenv("HOLDFAST_KAFKA", "acks=1")
    with pytest.raises(SettingsError, match=r"HOLDFAST_KAFKA is not JSON; write an object"):
        hf.App("a")
    monkeypatch.delenv("HOLDFAST_TASKS")
    monkeypatch.delenv("HOLDFAST_KAFKA")
    file("taks = 3\n")
    with pytest.raises(SettingsError, match=r"holdfast.toml: 'taks' is not a setting; did you mean 'tasks'\?"):
        hf.App("a")
    file("tasks = 'x'\n")
    with pytest.raises(SettingsError, match="holdfast.toml: tasks is 'x'"):
        hf.App("a")
    file("tasks = = 3\n")
    with pytest.raises(SettingsError, match=r"holdfast.toml: .*line 1"):
        hf.App("a")


def test_secrets_come_from_variables_and_files(monkeypatch, tmp_path):
    (tmp_path / "password").write_text("s3cret\n")
    monkeypatch.setenv("USER_NAME", "ann")
    given = {"sasl.username": "${USER_NAME}@x", "sasl.password": f"file:{tmp_path / 'password'}", "acks": "all"}
    settings = hf.App("a", kafka=given).settings
    assert settings.kafka_client() == {"sasl.username": "ann@x", "sasl.password": "s3cret", "acks": "all"}
    assert "s3cret" not in repr(settings)


def test_client_settings_come_one_by_one_from_variables(monkeypatch):
    monkeypatch.setenv("HOLDFAST_KAFKA", '{"acks": "1", "linger.ms": 3}')
    monkeypatch.setenv("HOLDFAST_KAFKA_SECURITY_PROTOCOL", "SASL_SSL")
    monkeypatch.setenv("HOLDFAST_KAFKA_ACKS", "all")
    monkeypatch.setenv("HOLDFAST_KAFKA_SASL_PASSWORD", "env:PASSWORD_OF_TEST")
    monkeypatch.setenv("PASSWORD_OF_TEST", "s3cret")
    found = hf.App("a").settings.kafka_client()
    assert found == {"acks": "all", "linger.ms": "3", "security.protocol": "SASL_SSL", "sasl.password": "s3cret"}


@pytest.mark.parametrize("text", ['{"sasl.password": "s3cret"', '["s3cret"]'])
def test_what_is_refused_is_not_shown_when_it_may_be_secret(monkeypatch, text):
    monkeypatch.setenv("HOLDFAST_KAFKA", text)
    with pytest.raises(SettingsError, match="HOLDFAST_KAFKA is") as refused:
        hf.App("a")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "size"), [("512MB", 2**29), ("2 GB", 2**31), ("1GiB", 2**30), (2**20, 2**20), (None, None)]
)
def test_state_memory_is_a_size(given, size):
    assert hf.App("a", state_memory=given).settings.state_memory == size


def test_state_memory_bounds_rocksdb_and_the_cache_of_rows():
    conf = session.configuration(hf.App("a", state_memory="512MB").settings)
    assert conf["spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage"] == "true"
    assert conf["spark.sql.streaming.stateStore.rocksdb.maxMemoryUsageMB"] == "256"
    assert conf["spark.holdfast.stateCache"] == str(256 << 20)


@pytest.mark.parametrize(("master", "cached"), [("local[2]", True), ("yarn", False)])
def test_without_state_memory_only_one_process_has_a_cache_of_rows(master, cached):
    conf = session.configuration(hf.App("a", spark={"spark.master": master}).settings)
    assert not [name for name in conf if "emoryUsage" in name]
    assert ("spark.holdfast.stateCache" in conf) is cached
    assert 0 < int(conf.get("spark.holdfast.stateCache", "1")) <= 2 << 30


@pytest.mark.parametrize("master", ["local[2]", "local", "yarn", "k8s://https://a:443"])
def test_sparks_own_network_wants_a_secret_that_spark_makes(master):
    conf = session.configuration(hf.App("a", spark={"spark.master": master}).settings)
    assert (conf["spark.authenticate"], conf["spark.network.crypto.enabled"]) == ("true", "true")
    assert conf["spark.network.crypto.cipher"] == "AES/GCM/NoPadding"
    assert "spark.authenticate.secret" not in conf


def test_a_standalone_cluster_wants_its_secret(monkeypatch):
    spark = {"spark.master": "spark://a:7077"}
    with pytest.raises(
        SettingsError, match=r"spark\['spark.authenticate.secret'\] is not set.*spark.authenticate = false"
    ):
        session.configuration(hf.App("a", spark=spark).settings)
    assert "spark.network.crypto.enabled" not in session.configuration(
        hf.App("a", spark={**spark, "spark.authenticate": "false"}).settings
    )
    monkeypatch.setenv("SECRET_OF_SPARK", "tulip")
    given = {
        **spark,
        "spark.authenticate.secret": "env:SECRET_OF_SPARK",
        "spark.network.crypto.cipher": "AES/CTR/NoPadding",
    }
    conf = session.configuration(hf.App("a", spark=given).settings)
    assert (conf["spark.authenticate"], conf["spark.authenticate.secret"]) == ("true", "tulip")
    assert conf["spark.network.crypto.cipher"] == "AES/CTR/NoPadding"


def test_a_container_may_have_less_memory_than_its_machine(tmp_path):
    limit, none = tmp_path / "limit", tmp_path / "none"
    limit.write_text(f"{1 << 30}\n")
    none.write_text("max\n")
    machine = memory.available([tmp_path / "missing", none])
    assert machine > 1 << 30
    assert memory.available([none, limit]) == 1 << 30


def test_a_missing_secret_is_named_when_it_is_needed(tmp_path):
    settings = hf.App("a", kafka={"sasl.password": "${NOT_SET_ANYWHERE}"}).settings
    with pytest.raises(SettingsError, match=r"kafka\['sasl.password'\] wants the variable NOT_SET_ANYWHERE"):
        settings.kafka_client()
    settings = hf.App("a", kafka={"sasl.password": "file:nowhere"}).settings
    with pytest.raises(SettingsError, match=r"is read from .*nowhere: No such file"):
        settings.kafka_client()


def test_how_python_functions_are_run(file, monkeypatch, app_in, tmp_path):
    file('[python]\ntimeout = "30 s"\nmemory = "1.5 GB"\n')
    monkeypatch.setenv("HOLDFAST_PYTHON", '{"calls": 10, "timeout": "1 minute"}')
    settings = app_in(tmp_path, "python={'environment': 'send'}").settings.python
    assert (settings.timeout_ms, settings.memory_bytes, settings.calls) == (60_000, 3 * 2**29, 10)
    assert settings.environment == "send"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"timeouts": "1 s"}, r"python\['timeouts'\] is not a setting.*timeout"),
        ({"timeout": "soon"}, r"python\['timeout'\]"),
        ({"timeout": "0 s"}, "nothing ends within no time"),
        ({"memory": "much"}, r"python\['memory'\] is 'much'; write a size such as 500 MB or 2 GB"),
        ({"calls": 0}, r"python\['calls'\] is '0'; a whole number from 1 was wanted"),
        ({"environment": ""}, "write same, send, or the path of a packed environment"),
    ],
)
def test_how_python_functions_are_run_is_checked(given, said):
    with pytest.raises(SettingsError, match=said):
        hf.App("a", python=given)


def test_a_checkpoint_is_synced_unless_it_is_said_not_to(monkeypatch, file):
    assert hf.App("a").settings.fsync
    assert not hf.App("a", fsync=False).settings.fsync
    monkeypatch.setenv("HOLDFAST_FSYNC", "false")
    assert not hf.App("a").settings.fsync
