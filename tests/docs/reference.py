"""The generated pages: the help of every command, the signatures of every public name."""

import inspect
import re
from collections.abc import Iterator

import click
from click.testing import CliRunner

import holdfast as hf
from holdfast.cli.main import cli
from holdfast.runtime import Running
from holdfast.testing import Driver

CLASSES = [
    hf.App,
    hf.Stream,
    hf.Table,
    hf.GlobalTable,
    hf.Grouped,
    hf.Cogrouped,
    hf.Processor,
    hf.ProcessorContext,
    hf.StateStore,
    hf.StoreHandle,
    hf.Topology,
    Running,
    Driver,
]
HIDDEN = {"StoreHandle.bind"}
WIDTH = 100


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, groups before what is in them."""
    yield name, command
    if isinstance(command, click.Group):
        for each in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), each)
            assert found is not None
            yield from commands(found, f"{name} {each}")


def commands_page() -> str:
    """The page of commands."""
    parts = ["# Commands", "What `--help` says. Exit status: 0 success, 1 failure, 2 wrong use."]
    for name, command in commands(cli, "holdfast"):
        # click keeps the option of its first use, and a test may have used the command outside the group.
        command._help_option = None
        parts += [f"## {name}", f"```text\n{help_of(name)}\n```"]
    return "\n\n".join(parts) + "\n"


def help_of(name: str) -> str:
    """What a command prints when it is asked for help."""
    arguments = [*name.split()[1:], "--help"]
    done = CliRunner().invoke(cli, arguments, prog_name="holdfast", terminal_width=WIDTH, color=False)
    assert done.exit_code == 0, done.output
    return done.output.rstrip()


def api_page() -> str:
    """The page of public names."""
    parts = ["# API", "Every public name with its first sentence. `import holdfast as hf`."]
    for cls in CLASSES:
        rows = [_row(f"{cls.__name__}.{name}", member) for name, member in members(cls)]
        parts += [f"## {cls.__name__}", _sentence(cls), "\n".join(["| | |", "|---|---|", *rows]) if rows else ""]
    functions = [(f"hf.{name}", getattr(hf, name)) for name in hf.__all__ if inspect.isfunction(getattr(hf, name))]
    others = [
        (f"hf.{name}", getattr(hf, name))
        for name in ("JoinWindow", "Materialized", "Record", "Windowed", "HoldfastError", "KeyNotFound", "StateRefused")
    ]
    rows = [_row(name, each) for name, each in [*functions, *others]]
    parts += ["## Functions and others", "\n".join(["| | |", "|---|---|", *rows])]
    return "\n\n".join(part for part in parts if part) + "\n"


def members(cls: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that Holdfast itself gives a class."""
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        function = member.fget if isinstance(member, property) else member
        ours = inspect.isfunction(function) and function.__module__.startswith("holdfast.")
        if ours and not name.startswith("_") and f"{cls.__name__}.{name}" not in HIDDEN:
            yield name, member


def _row(name: str, member: object) -> str:
    plain = isinstance(member, property) or (inspect.isclass(member) and issubclass(member, Exception))
    shown = name if plain else f"{name}{_parameters(member)}"
    return f"| `{shown}` | {_sentence(member)} |"


def _parameters(function: object) -> str:
    """Names and defaults; types are for the editor."""
    shown, starred = [], False
    for each in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        shown.append(_parameter(each))
    return f"({', '.join(shown)})"


def _parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    if each.default is each.empty:
        return f"{stars}{each.name}"
    default = each.default.__name__ if inspect.isclass(each.default) else repr(each.default)
    return f"{each.name}={default}"


def _sentence(member: object) -> str:
    text = inspect.getdoc(member) or ""
    return re.sub(r"\s+", " ", text.partition("\n\n")[0]).replace("|", r"\|")
