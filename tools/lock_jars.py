"""Write holdfast/spark/jars.lock anew: versions, SHA-256 and sizes of every jar, as the registry has them now."""

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

from holdfast.spark import jars
from holdfast.spark.java import find_java

# The registry's newest connector and token provider differ from PySpark's version; this mix is the one that is tested.
CONNECTOR = [
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
]
BROKER = ("org.apache.kafka", "kafka_2.13", "4.3.0")
# Kafka leaves the choice of a logger to its packager; without this one the broker's log would be empty.
BROKER_LOGGER = ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.4")
# Kafka Streams and its test driver, which the tests hold our results against.
ORACLE = ("org.apache.kafka", "kafka-streams-test-utils", "4.3.0")
HEADER = "# group organisation:name:revision sha256 size. Written by tools/lock_jars.py (make lock).\n"


def main() -> None:
    """Resolve, fetch, digest and write."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "ivy.xml").write_text(module())
        ivy = next(jars.pyspark_jars().glob("ivy-*.jar"))
        pattern = str(work / "[conf]" / "[organisation]#[artifact]#[revision].[ext]")
        command = [str(find_java().path), "-jar", str(ivy), "-cache", str(work / "ivy"), "-ivy", str(work / "ivy.xml")]
        subprocess.run([*command, "-retrieve", pattern], check=True)
        lines = sorted(
            line(path) for group in (*jars.GROUPS, *jars.TEST_GROUPS) for path in (work / group).glob("*.jar")
        )
    jars.LOCK_FILE.write_text(HEADER + "\n".join(lines) + "\n")
    print(f"{len(lines)} jars in {jars.LOCK_FILE}")


def module() -> str:
    """Give the ivy.xml: the connector's jars as they are, the broker and the judge with what they need at run time."""
    found = [dependency("connector->master", *jar, transitive=False) for jar in CONNECTOR]
    found.append(dependency("broker->master(*),runtime(*)", *BROKER, transitive=True))
    found.append(dependency("broker->master", *BROKER_LOGGER, transitive=False))
    found.append(dependency("oracle->master(*),runtime(*)", *ORACLE, transitive=True))
    return (
        '<ivy-module version="2.0"><info organisation="io.holdfast" module="lock"/>'
        '<configurations><conf name="connector"/><conf name="broker"/><conf name="oracle"/></configurations>'
        f"<dependencies>{''.join(found)}</dependencies></ivy-module>"
    )


def dependency(conf: str, organisation: str, name: str, revision: str, *, transitive: bool) -> str:
    """Give one dependency of the ivy.xml."""
    return (
        f'<dependency org="{organisation}" name="{name}" rev="{revision}" conf="{conf}" '
        f'transitive="{str(transitive).lower()}"/>'
    )


def line(path: Path) -> str:
    """Give the line of the lock file for a fetched jar."""
    organisation, name, revision = re.fullmatch(r"(.+)#(.+)#(.+)\.jar", path.name).groups()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{path.parent.name} {organisation}:{name}:{revision} {digest} {path.stat().st_size}"


if __name__ == "__main__":
    main()
