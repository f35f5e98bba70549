"""`holdfast topics`: list, create, write and read topics, as with Kafka's console tools."""

import base64
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import click

from holdfast.cli.options import Command, setting_option, state_dir_option
from holdfast.cli.output import as_json, readable
from holdfast.cli.record_lines import read_records
from holdfast.errors import BrokerError, HoldfastError
from holdfast.settings import broker_list, kafka_variables, secrets
from holdfast.settings.table import BROKERS
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec


def pairs(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Read options of the form NAME=VALUE."""
    for text in given:
        if "=" not in text:
            raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE")
    return dict(text.split("=", 1) for text in given)


def cluster_options(command: Command) -> Command:
    """Add the options that say which broker to talk to."""
    for option in (
        click.option(
            "--kafka", metavar="NAME=VALUE", multiple=True, callback=pairs, help="A client setting (TLS, SASL)."
        ),
        state_dir_option(help="Use the local broker of this directory."),
        setting_option(BROKERS, envvar=BROKERS.variable, help="Bootstrap servers; without them the local broker."),
    ):
        command = option(command)
    return command


def connect(brokers: str | None, state_dir: Path | None, kafka: Mapping[str, str]) -> Topics:
    """Give the topics of the named cluster, else of the local broker."""
    kafka = secrets.filled("--kafka", {**kafka_variables(os.environ), **kafka}, Path.cwd())
    from holdfast.ops.broker import find_local, password_of

    if brokers and state_dir is None:
        return Topics(broker_list(brokers, "--brokers") or "", {**password_of(brokers), **kafka})
    state = find_local(state_dir)
    if state is None:
        where = f" in {state_dir}" if state_dir else ""
        raise BrokerError(
            f"no broker was named and none runs{where}: name one with --brokers or HOLDFAST_BROKERS, or start the "
            "local one with: holdfast broker start"
        )
    return Topics(state.address, {**state.kafka, **kafka})


@click.group()
def topics() -> None:
    """List, create, write and read topics."""


@topics.command("list")
@cluster_options
@click.option("--internal", is_flag=True, help="Also Kafka's own topics.")
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def list_topics(
    brokers: str | None, state_dir: Path | None, kafka: dict[str, str], internal: bool, machine: bool
) -> None:
    """List the topics with their number of partitions."""
    found = connect(brokers, state_dir, kafka).existing(internal=internal)
    if machine:
        as_json([{"name": topic.name, "partitions": topic.partitions} for topic in found])
        return
    width = max((len(topic.name) for topic in found), default=0)
    for topic in found:
        click.echo(f"{readable(topic.name):<{width}}  {topic.partitions}")


@topics.command()
@click.argument("name")
@cluster_options
@click.option("--partitions", type=click.IntRange(1), default=1, show_default=True)
@click.option("--compact", is_flag=True, help="Keep the last record of each key, as for a table.")
@click.option("--config", metavar="NAME=VALUE", multiple=True, callback=pairs, help="A setting of the topic.")
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def create(
    name: str, brokers: str | None, state_dir: Path | None, kafka: dict[str, str],
    partitions: int, compact: bool, config: dict[str, str], machine: bool,
) -> None:  # fmt: skip
    """Create a topic."""
    spec = TopicSpec(name, partitions, compact, config)
    connect(brokers, state_dir, kafka).create(spec)
    if machine:
        as_json({"name": name, "partitions": partitions, "config": spec.full_config})
    else:
        click.echo(f"created {name} with {partitions} partition{'s' if partitions > 1 else ''}")


@topics.command()
@click.argument("topic", shell_complete=lambda context, parameter, typed: _names(context, typed))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@cluster_options
@click.option(
    "--key-separator", metavar="TEXT", help="What stands between key and value; without it records have no key."
)
@click.option("--null-marker", metavar="TEXT", help="A value that reads so is null (deletes from a table).")
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def produce(
    topic: str, file: Path | None, brokers: str | None, state_dir: Path | None, kafka: dict[str, str],
    key_separator: str | None, null_marker: str | None, machine: bool,
) -> None:  # fmt: skip
    """Write one record per line of FILE or of standard input."""
    cluster_topics = connect(brokers, state_dir, kafka)
    with file.open("rb") if file else open(sys.stdin.fileno(), "rb", closefd=False) as lines:
        if file:  # a mistake in a file should not leave half of it written
            _read_through(lines, topic, str(file), key_separator, null_marker)
        records = read_records(lines, topic, str(file or "standard input"), key_separator, null_marker)
        count = cluster_topics.produce(records)
    if machine:
        as_json({"topic": topic, "records": count})
    else:
        click.echo(f"wrote {count} record{'' if count == 1 else 's'} to {topic}", err=True)


@topics.command()
@click.argument("topic", shell_complete=lambda context, parameter, typed: _names(context, typed))
@cluster_options
@click.option("--from-beginning", is_flag=True, help="Begin with the oldest record.")
@click.option("--max-messages", type=click.IntRange(1), help="End after so many records.")
@click.option("--timeout", type=click.FloatRange(0), metavar="SECONDS", help="End when nothing came for so long.")
@click.option("--key-separator", metavar="TEXT", help="Print keys too, with this between key and value.")
@click.option("--json", "machine", is_flag=True, help="Print one JSON object per record.")
def consume(
    topic: str, brokers: str | None, state_dir: Path | None, kafka: dict[str, str], from_beginning: bool,
    max_messages: int | None, timeout: float | None, key_separator: str | None, machine: bool,
) -> None:  # fmt: skip
    """Print records as they come, until Ctrl-C."""
    records = connect(brokers, state_dir, kafka).consume([topic], from_beginning=from_beginning, idle=timeout)
    show = as_object if machine else as_line(key_separator)
    try:
        for count, record in enumerate(records, 1):
            show(record)
            if count == max_messages:
                break
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:  # `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _names(context: click.Context, typed: str) -> list[str]:
    """The topics for a shell; none where no broker answers."""
    given = context.params
    with contextlib.suppress(HoldfastError):
        found = connect(given.get("brokers"), given.get("state_dir"), given.get("kafka") or {}).existing()
        return [each.name for each in found if each.name.startswith(typed)]
    return []


def _read_through(lines: BinaryIO, topic: str, name: str, separator: str | None, null_marker: str | None) -> None:
    for _ in read_records(lines, topic, name, separator, null_marker):
        pass
    lines.seek(0)


def as_line(separator: str | None) -> Callable[[Record], None]:
    """Print a record as text; null reads `null`, as with Kafka's console consumer.

    A file or another program gets the bytes as they are, a terminal nothing that it would obey.
    """

    def show(record: Record) -> None:
        parts: Iterator[bytes | None] = iter((record.value,) if separator is None else (record.key, record.value))
        line = (separator or "").encode().join(b"null" if part is None else part for part in parts)
        click.echo(readable(line.decode(errors="backslashreplace")) if sys.stdout.isatty() else line)

    return show


def as_object(record: Record) -> None:
    """Print a record as one JSON object."""
    as_json(
        {
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": record.timestamp,
            "key": _text(record.key),
            "value": _text(record.value),
            "headers": {name: _text(value) for name, value in record.headers},
        }
    )


def _text(content: bytes | None) -> str | dict[str, str] | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
