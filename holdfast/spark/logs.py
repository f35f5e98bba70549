"""Spark's logs: kept out of the terminal, in a file that rolls over."""

from pathlib import Path

CONFIGURATION = """status = error
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
# Twice a second even when nothing comes, it would roll everything else out of the file.
logger.progress.name = org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecutionContext
logger.progress.level = warn
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {file}
appender.file.filePattern = {file}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}}{{UTC}} %-5p %c{{1}}: %m%n%ex
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 20MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 5
"""


def configure(log_file: Path, level: str = "info") -> Path:
    """Write a log4j2 configuration beside `log_file` that sends everything there, and give its path."""
    log_file.parent.mkdir(parents=True, exist_ok=True)
    path = log_file.with_suffix(".log4j2.properties")
    path.write_text(CONFIGURATION.format(file=log_file, level=level))
    return path
