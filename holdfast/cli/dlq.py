"""`holdfast dlq`: the records that an app could not process."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path

import click

from holdfast.cli.letter_table import print_groups
from holdfast.cli.options import app_argument, brokers_option, state_dir_option
from holdfast.cli.output import as_json, readable
from holdfast.dsl.loader import load_app
from holdfast.ops import edits
from holdfast.ops.cluster import cluster_of
from holdfast.ops.dlq import DeadLetters, Edit, FoundLetter, LetterFilter, ReplayOutcome, letter_groups
from holdfast.topics.admin import Topics
from holdfast.topics.letters import Letter
from holdfast.units.time import as_text, epoch_milliseconds

_HEADERS = 20  # of a letter, for people


def _time(context: click.Context, parameter: click.Parameter, given: str | None) -> int | None:
    if given is None:
        return None
    return epoch_milliseconds(int(given) if given.isdecimal() else given, f"--{parameter.name}")


def letter_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options that say which app, and which of its letters, which the command gets as `chosen`."""

    @functools.wraps(command)
    def wrapped(
        reason: str | None, topic: str | None, node: str | None, since: int | None, until: int | None, **rest: object
    ) -> object:
        return command(chosen=LetterFilter(frozenset(), reason, topic, node, since, until), **rest)

    for option in (
        click.option("--json", "machine", is_flag=True, help="Print JSON."),
        state_dir_option(help="Where the local broker is, if none is named."),
        brokers_option(),
        click.option("--until", callback=_time, metavar="TIME", help="Refused at this time at the latest."),
        click.option("--since", callback=_time, metavar="TIME", help="Refused at this time or later: ISO 8601 or ms."),
        click.option("--node", help="Refused by this node."),
        click.option("--topic", help="From this topic."),
        click.option("--reason", metavar="TEXT", help="With this text in the reason."),
        app_argument(),
    ):
        wrapped = option(wrapped)
    return wrapped


@click.group()
def dlq() -> None:
    """List, show and replay dead letters."""


@dlq.command("list")
@letter_options
def list_letters(app: str, brokers: str | None, state_dir: Path | None, machine: bool, chosen: LetterFilter) -> None:
    """Count the dead letters of APP.py by reason, node and topic."""
    letters = _letters(app, brokers, state_dir)
    found = letter_groups(letters.find(chosen))
    _warn_of_foreign(letters)
    if machine:
        as_json([asdict(group) for group in found])
        return
    if found:
        print_groups(found)
    else:
        click.echo("no dead letters")


@dlq.command()
@letter_options
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="At most so many letters.")
@click.option("--open", "only_open", is_flag=True, help="Only those that were not replayed.")
def show(
    app: str, ids: tuple[str, ...], brokers: str | None, state_dir: Path | None, machine: bool, limit: int,
    only_open: bool, chosen: LetterFilter,
) -> None:  # fmt: skip
    """Show dead letters of APP.py: key, value, headers, reason and place.

    An ID is the letter's partition and offset among the dead letters, such as 0/17. With --json there is one line for
    each letter, which `replay --edit` reads; `key` and `value` are what the node saw, `source` has the record itself.
    """
    wanted = replace(chosen, ids=frozenset(ids), replayed=False if only_open else None)
    letters, count = _letters(app, brokers, state_dir), 0
    for found in letters.find(wanted):
        if count == limit:
            click.echo("there are more: raise --limit, or choose with --reason, --since or an ID", err=True)
            return
        as_json(_line(found._replace(letter=letters.whole(found.letter)))) if machine else click.echo(_page(found))
        count += 1
    _warn_of_foreign(letters)
    if not count and not machine:
        click.echo("no such dead letter")


@dlq.command()
@letter_options
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All letters that were not replayed.")
@click.option("--value", metavar="TEXT", help="A new value for the one letter that is meant.")
@click.option("--key", metavar="TEXT", help="A new key for it.")
@click.option(
    "--edit", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Letters with their new keys and values: lines of `show --json`, changed.",
)  # fmt: skip
@click.option("--with", "function", metavar="FILE.py:NAME", help="A function that gives the new value of each letter.")
@click.option("--at", "place", type=click.Choice(["node", "source"]), default="node", show_default=True,
              help="Where to: the node that refused it, or its source.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what would be replayed.")
def replay(
    app: str, ids: tuple[str, ...], everything: bool, value: str | None, key: str | None, file: Path | None,
    function: str | None, place: str, dry_run: bool, brokers: str | None, state_dir: Path | None, machine: bool,
    chosen: LetterFilter,
) -> None:  # fmt: skip
    """Put dead letters of APP.py back where they failed, in order of their original time, each letter once."""
    at_source = place == "source"
    named, edit = _edit(value, key, file, function, at_source)
    picked = replace(chosen, ids=frozenset(ids) | named)
    if picked == LetterFilter() and not everything:
        raise click.UsageError("say which letters: an ID, --reason, --topic, --node, --since, --until, or --all")
    letters = _letters(app, brokers, state_dir)
    found = list(letters.find(picked))
    if (value is not None or key is not None) and len(found) != 1:
        raise click.UsageError(f"--value and --key are for one letter, {len(found)} are meant; give its ID")
    missing = picked.ids - {each.letter.id for each in found}
    if missing:
        raise click.UsageError(f"no such dead letter, or another option leaves it out: {', '.join(sorted(missing))}")
    outcome = letters.replay(found, edit, at_source=at_source, only_look=dry_run)
    as_json(_result(outcome)) if machine else _print_outcome(outcome, dry_run)


def _warn_of_foreign(letters: DeadLetters) -> None:
    if letters.foreign:
        click.echo(f"{letters.foreign} records of the topic are no dead letters: the app did not write them", err=True)


def _letters(app: str, brokers: str | None, state_dir: Path | None) -> DeadLetters:
    loaded = load_app(app)
    return DeadLetters(loaded, Topics(*cluster_of(loaded, brokers, state_dir)))


def _edit(
    value: str | None, key: str | None, file: Path | None, function: str | None, at_source: bool
) -> tuple[frozenset[str], Edit]:
    if sum([value is not None or key is not None, file is not None, function is not None]) > 1:
        raise click.UsageError("--value and --key, --edit and --with exclude each other")
    if file is not None:
        return edits.from_file(file, at_source)
    if function is not None:
        return frozenset(), edits.from_function(function)
    return frozenset(), edits.unchanged if value is None and key is None else edits.to_value(key, value)


def _line(found: FoundLetter) -> dict[str, object]:
    each = found.letter
    seen = each.seen or each
    return {
        "id": each.id, "replayed": found.replayed, "reason": each.reason, "node": each.node, "at": each.at,
        "topic": each.topic, "partition": each.partition, "offset": each.offset, "time": each.time,
        "timestamp": each.timestamp, "key": edits.shown(seen.key), "value": edits.shown(seen.value),
        "headers": {name: edits.shown(value) for name, value in each.headers},
        "source": {"key": edits.shown(each.key), "value": edits.shown(each.value)}, "attempts": each.attempt,
    }  # fmt: skip


def _page(found: FoundLetter) -> str:
    each = found.letter
    place = f"{each.topic}, partition {each.partition}, offset {each.offset}" if each.topic else "no topic"
    rows = [
        ("letter", f"{each.id}, refused {as_text(each.time)}{', replayed' if found.replayed else ''}"),
        ("reason", each.reason),
        ("node", f"{each.node} ({each.at})" if each.at else each.node),
        ("record", f"{place}, of {as_text(each.timestamp)}{_where(each)}"),
        ("key", _shown(each.key)),
        ("value", _shown(each.value)),
        *((f"header {name}", _shown(value)) for name, value in each.headers[:_HEADERS]),
    ]
    if len(each.headers) > _HEADERS:
        rows.append(("headers", f"{len(each.headers) - _HEADERS} more; --json has them"))
    if each.seen is not None and (each.seen.key, each.seen.value) != (each.key, each.value):
        rows += [("key at node", _shown(each.seen.key)), ("value at node", _shown(each.seen.value))]
    return "\n".join(f"{readable(name):<14}{readable(text)}" for name, text in rows) + "\n"


def _where(each: Letter) -> str:
    return ", gone" if each.gone else ", too large for the letter" if each.elsewhere else ""


def _shown(content: bytes | None) -> str:
    return "null" if content is None else content.decode(errors="backslashreplace")


def _result(outcome: ReplayOutcome) -> dict[str, object]:
    return {
        "replayed": [each.id for each in outcome.replayed],
        "replayed_before": [each.id for each in outcome.before],
        "left_out": {each.id: why for each, why in outcome.left_out},
        "seen_twice": outcome.twice,
    }


def _print_outcome(outcome: ReplayOutcome, dry_run: bool) -> None:
    would = "would be replayed" if dry_run else "replayed; the app takes what it is given with its next batch"
    click.echo(f"{_count(outcome.replayed)} {would}")
    if outcome.before:
        click.echo(f"{_count(outcome.before)} had been replayed before")
    for each, why in outcome.left_out:
        click.echo(f"letter {each.id} left out: {readable(why)}")
    if outcome.twice:
        click.echo(f"seen a second time by: {', '.join(outcome.twice)}", err=True)


def _count(letters: Iterable[Letter]) -> str:
    number = len(list(letters))
    return f"{number} letter{'' if number == 1 else 's'}"
