"""Spark's logs: kept out of the terminal, in a file that rolls over."""

from pathlib import Path

from holdfast.private_files import make_directory, write_private

# What each of these says again in every batch would roll everything else out of the file, and costs time.
QUIET = (
    "org.apache.spark.MapOutputTracker",
    "org.apache.spark.MapOutputTrackerMaster",
    "org.apache.spark.MapOutputTrackerMasterEndpoint",
    "org.apache.spark.SparkContext",
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler",
    "org.apache.spark.sql.catalyst.expressions.codegen",
    "org.apache.spark.sql.execution.datasources.v2",
    "org.apache.spark.sql.execution.streaming.checkpointing",
    "org.apache.spark.sql.execution.streaming.operators",
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecutionContext",
    "org.apache.spark.sql.execution.streaming.runtime.ProgressReporter",
    "org.apache.spark.sql.execution.streaming.state",
    "org.apache.spark.storage",
)

CONFIGURATION = """status = error
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
{quiet}appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {file}
appender.file.filePattern = {file}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}}{{UTC}} %-5p %c: %m%n%ex
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 20MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 5
"""


def configure(log_file: Path, level: str = "info") -> Path:
    """Write a log4j2 configuration next to `log_file` that sends everything there, and give its path."""
    make_directory(log_file.parent)
    path = log_file.with_suffix(".log4j2.properties")
    quiet = "".join(map(_only_warnings, QUIET))
    write_private(path, CONFIGURATION.format(file=log_file, level=level, quiet=quiet))
    return path


def _only_warnings(name: str) -> str:
    label = name.replace(".", "_")
    return f"logger.{label}.name = {name}\nlogger.{label}.level = warn\n"
