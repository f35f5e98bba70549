"""Fetching files from the Maven registry with Ivy, which PySpark brings along."""

import os
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from holdfast.errors import HoldfastError
from holdfast.settings.table import IVY_SETTINGS
from holdfast.spark.java import find_java

Coordinates = tuple[str, str, str, str]  # group, organisation, name, revision

# Without poms Ivy asks for each jar and nothing else; the registry is the one Ivy knows by itself.
SETTINGS = """<ivysettings>
  <settings defaultResolver="registry"/>
  <resolvers><ibiblio name="registry" m2compatible="true" usepoms="false"/></resolvers>
</ivysettings>
"""


def retrieve(jars: Iterable[Coordinates], target: Path, pyspark_jars: Path, advance: Callable[[str], None]) -> None:
    """Fetch `jars` into `target`/group/name-revision.jar in one Ivy run, calling `advance` after each."""
    wanted = list(jars)
    module, settings = target / "ivy.xml", target / "ivysettings.xml"
    module.write_text(_module(wanted))
    settings.write_text(SETTINGS)
    pattern = str(target / "[conf]" / "[artifact]-[revision].[ext]")
    command = [str(find_java().path), "-Xshare:auto", "-jar", str(_ivy(pyspark_jars))]
    command += ["-settings", os.environ.get(IVY_SETTINGS.variable) or str(settings)]
    command += ["-cache", str(target / "ivy"), "-ivy", str(module), "-retrieve", pattern]
    log = _run(command, advance)
    absent = [jar for jar in wanted if not (target / jar[0] / f"{jar[2]}-{jar[3]}.jar").exists()]
    if absent:
        raise HoldfastError(_failure(absent, log))


def _ivy(pyspark_jars: Path) -> Path:
    found = sorted(pyspark_jars.glob("ivy-*.jar"))
    if not found:
        raise HoldfastError(
            f"no ivy-*.jar in {pyspark_jars}: install pyspark again (pip install --force-reinstall pyspark)"
        )
    return found[-1]


def _module(jars: list[Coordinates]) -> str:
    groups = sorted({jar[0] for jar in jars})
    confs = "".join(f'<conf name="{group}"/>' for group in groups)
    lines = (
        f'<dependency org="{org}" name="{name}" rev="{rev}" conf="{group}->master(*)" transitive="false"/>'
        for group, org, name, rev in jars
    )
    return (
        '<ivy-module version="2.0"><info organisation="io.holdfast" module="jars"/>'
        f"<configurations>{confs}</configurations><dependencies>{''.join(lines)}</dependencies></ivy-module>"
    )


def _run(command: list[str], advance: Callable[[str], None]) -> list[str]:
    log: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            log.append(line.rstrip())
            done = re.search(r"\[SUCCESSFUL \] \S+#(\S+);", line)
            if done:
                advance(done[1])
    return log


def _failure(absent: list[Coordinates], log: list[str]) -> str:
    names = ", ".join(f"{name}-{rev}" for _, _, name, rev in absent[:3])
    more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
    reasons = [
        line.strip() for line in log if re.search(r"Exception|refused|timed out|UnknownHost|not found|FAILED", line)
    ]
    why = f" ({reasons[0][:200]})" if reasons else ""
    return (
        f"could not fetch {names}{more}{why}; what came complete is not kept half. Check the network, then run the "
        "command again. Behind a proxy set JAVA_TOOL_OPTIONS (-Dhttps.proxyHost=… -Dhttps.proxyPort=…); for a mirror "
        "name your ivysettings.xml in HOLDFAST_IVY_SETTINGS"
    )
