"""Starting the JVM that runs Spark and the kernel, without spark-submit."""

import atexit
import contextlib
import os
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import JavaError
from holdfast.private_files import UMASK, current_umask, open_private
from holdfast.spark import archive, idle_archive, jars, logs
from holdfast.spark.archive import KERNEL
from holdfast.spark.java import find_java

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

MAIN = "org.apache.spark.api.python.PythonGatewayServer"
START_SECONDS = 60
HALF_FOR_NEW_MB = 2 << 10
LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

# What Spark's own launcher passes (org.apache.spark.launcher.JavaModuleOptions).
MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-modules=jdk.incubator.vector",
    *(
        f"--add-opens={package}=ALL-UNNAMED"
        for package in (
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.lang.reflect",
            "java.base/java.io",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/jdk.internal.ref",
            "java.base/sun.nio.ch",
            "java.base/sun.nio.cs",
            "java.base/sun.security.action",
            "java.base/sun.util.calendar",
            "java.security.jgss/sun.security.krb5",
        )
    ),
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)

# What PySpark expects to find imported in a gateway it is given (pyspark.java_gateway.launch_gateway).
PYSPARK_IMPORTS = (
    "org.apache.spark.SparkConf",
    "org.apache.spark.api.java.*",
    "org.apache.spark.api.python.*",
    "org.apache.spark.ml.python.*",
    "org.apache.spark.mllib.api.python.*",
    "org.apache.spark.resource.*",
    "org.apache.spark.sql.Encoders",
    "org.apache.spark.sql.OnSuccessCall",
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.classic.*",
    "org.apache.spark.sql.api.python.*",
    "org.apache.spark.sql.hive.*",
    "scala.Tuple2",
)


def spark_class_path() -> list[Path]:
    """Give PySpark's jars and the connector's, in the fixed order that the class archive relies on."""
    return [*sorted(jars.pyspark_jars().glob("*.jar")), *jars.paths("connector")]


def start_jvm(
    *, log_file: Path, heap: str = "1g", options: Sequence[str] = (), stdout: int | None = None
) -> "JavaGateway":
    """Start a JVM and give a py4j gateway to it, fit for kernel calls and for `SparkContext(gateway=…)`.

    Logs go to `log_file`; what Java code prints goes to the same name ending in `.out`, or to the descriptor `stdout`.
    The JVM ends when this process ends, however that happens; `stop_jvm` ends it sooner.
    """
    if not KERNEL.exists():
        raise JavaError(f"the kernel {KERNEL} is not there: run make setup in the checkout, or install the wheel again")
    class_path = spark_class_path()
    chosen = archive.use(class_path)
    # The kernel comes last: an archive made without it stays valid when it changes.
    gateway = launch([*class_path, KERNEL], [*chosen.options, *options], log_file=log_file, heap=heap, stdout=stdout)
    gateway.jvm.io.holdfast.kernel.ops.OrphanGuard.install()
    if chosen.missing:
        idle_archive.want()
    return gateway


def stop_jvm(gateway: "JavaGateway", timeout: float = 20) -> None:
    """Close the gateway and let the JVM run its shutdown hooks; after `timeout` seconds it is killed."""
    process: subprocess.Popen[bytes] = gateway.proc
    with contextlib.suppress(Exception):
        gateway.shutdown_callback_server()
        gateway.close()
    with contextlib.suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def launch(
    class_path: Sequence[Path], options: Sequence[str], *, log_file: Path, heap: str, stdout: int | None = None
) -> "JavaGateway":
    """Start the gateway server on a class path and connect to it."""
    java = find_java()
    log_file = log_file.absolute()
    command = [str(java.path), f"-Xmx{heap}", "-XX:+ExitOnOutOfMemoryError", *_collector(heap), *_pages()]
    command += MODULE_OPTIONS
    # The JVM's own warnings (an archive that does not fit, say) belong in the file, not on the terminal.
    command += ["-Xlog:disable", "-Xlog:all=warning:stderr", f"-Dlog4j2.configurationFile={logs.configure(log_file)}"]
    command += [*options, "-cp", ":".join(map(str, class_path)), MAIN]
    printed = log_file.with_suffix(".out")
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder, open_private(printed, "ab") as sink:
        info = Path(folder) / "connection"
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=sink if stdout is None else stdout,
            stderr=sink,
            env=_environment(info),
            umask=UMASK,  # what Spark writes is nobody else's
            start_new_session=True,  # Ctrl-C is for Python, which then stops Spark in order
        )
        try:
            return _connect(process, *_connection(process, info, printed))
        except BaseException:
            process.kill()
            process.wait()
            raise


def _collector(heap: str) -> tuple[str, ...]:
    """Give the garbage collector that costs least per record, unless the user has chosen one.

    Nearly all that a batch makes ends with it: half of a heap that is not small is for what is new.
    """
    given = " ".join(os.environ.get(name, "") for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"))
    if any(word in given for word in ("GC", "New", "Xmn")):
        return () if "GC" in given else ("-XX:+UseParallelGC",)
    return ("-XX:+UseParallelGC", *(("-XX:NewRatio=1",) if _megabytes(heap) >= HALF_FOR_NEW_MB else ()))


def _pages() -> tuple[str, ...]:
    """Put the heap into large pages where the system gives them to who asks: a batch of many keys is all over it."""
    given = LARGE_PAGES.read_text() if LARGE_PAGES.exists() else ""
    return ("-XX:+UseTransparentHugePages",) if "[madvise]" in given else ()


def _megabytes(heap: str) -> int:
    """How large a heap is that is written as the JVM takes it; of what it does not take it will say so itself."""
    found = re.fullmatch(r"(\d+)([kmgt]?)", heap.lower())
    return int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[found[2]] >> 20 if found else 0


def _environment(info: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PYSPARK_PIN_THREAD"}
    home = str(jars.pyspark_jars().parent)
    own = {"_PYTHON_WORKER_UMASK": f"{current_umask():o}"}  # of the user's functions
    return {
        **inherited,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info),
        "SPARK_CONNECT_MODE": "0",
        "SPARK_HOME": home,
        **own,
    }


def _connection(process: "subprocess.Popen[bytes]", info: Path, printed: Path) -> tuple[int, str]:
    """Wait for the file in which the JVM writes its port and secret."""
    deadline = time.monotonic() + START_SECONDS
    while not info.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise JavaError(_why(process, printed))
        time.sleep(0.01)
    content = info.read_bytes()
    port, length = struct.unpack(">ii", content[:8])
    return port, content[8 : 8 + length].decode()


def _why(process: "subprocess.Popen[bytes]", printed: Path) -> str:
    tail = printed.read_text(errors="replace").strip().splitlines()[-5:]
    happened = f"ended with status {process.returncode}" if process.returncode is not None else "did not answer"
    return f"the JVM {happened} within {START_SECONDS} s; last lines of {printed}:\n  " + "\n  ".join(
        tail or ["(empty)"]
    )


def _connect(process: "subprocess.Popen[bytes]", port: int, token: str) -> "JavaGateway":
    from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
    from py4j.java_gateway import java_import

    gateway = ClientServer(
        java_parameters=JavaParameters(port=port, auth_token=token, auto_convert=True),
        python_parameters=PythonParameters(port=0, eager_load=False),
    )
    gateway.proc = process
    for name in PYSPARK_IMPORTS:
        java_import(gateway.jvm, name)
    atexit.register(stop_jvm, gateway, 5)
    return gateway
