"""The command `holdfast`; each subcommand's module is imported when it is called."""

import importlib
import importlib.util

import click
from click.shell_completion import CompletionItem

from holdfast.errors import HoldfastError

# command: (module, one line for the overview), in the order a new user meets them
COMMANDS = {
    "new": ("new", "Make a small project: app, data, test, README."),
    "demo": ("demo", "Run an example with a broker, test data and a server."),
    "run": ("run", "Run an app."),
    "serve": ("serve", "Serve an app's stores without running it."),
    "query": ("query", "Ask a running server."),
    "sql": ("sql", "Ask a running server in SQL."),
    "describe": ("describe", "Show an app's topology."),
    "explain": ("describe", "Show how an app will be run."),
    "dlq": ("dlq", "List, show and replay dead letters."),
    "topics": ("topics", "List, create, write and read topics."),
    "broker": ("broker", "Start, stop and look at the local Kafka."),
    "completion": ("completion", "Let bash, zsh or fish complete commands."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports a module only to run or describe that one command."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Give the commands whose module is installed."""
        return [name for name, (module, _) in COMMANDS.items() if importlib.util.find_spec(f"{__package__}.{module}")]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import the module of a command and give the command."""
        if name not in self.list_commands(context):
            return None
        command = getattr(importlib.import_module(f"{__package__}.{COMMANDS[name][0]}"), name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table above, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(context)])

    def shell_complete(self, context: click.Context, typed: str) -> list[CompletionItem]:
        """Give the commands from the table above, without importing anything."""
        found = [
            CompletionItem(each, help=COMMANDS[each][1])
            for each in self.list_commands(context)
            if each.startswith(typed)
        ]
        return [*found, *click.Command.shell_complete(self, context, typed)]

    def invoke(self, context: click.Context) -> object:
        """Turn a user's mistake into one message and status 1; any other exception is ours and keeps its traceback."""
        try:
            return super().invoke(context)
        except HoldfastError as problem:
            from holdfast.cli.output import readable

            raise click.ClickException(readable(str(problem), lines=True)) from problem


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="holdfast", message="%(prog)s %(version)s")
def cli() -> None:
    """Stateful stream processing for Python: the Kafka Streams model on Spark."""


def main() -> None:
    """Run the command line; status 0 is success, 1 failure, 2 wrong use."""
    cli(prog_name="holdfast")


if __name__ == "__main__":
    main()
