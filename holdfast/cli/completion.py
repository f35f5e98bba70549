"""`holdfast completion`: what a shell needs to complete commands, options, apps and topics."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_PROGRAM = "holdfast"
_INSTALL = {
    "bash": 'eval "$(holdfast completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(holdfast completion zsh)"    # in ~/.zshrc, after compinit',
    "fish": "holdfast completion fish | source     # in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(_INSTALL.values()))
@click.argument("shell", type=click.Choice(tuple(_INSTALL)))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete holdfast's commands and options."""
    found = get_completion_class(shell)
    assert found is not None
    root = click.get_current_context().find_root()
    variable = f"_{_PROGRAM}_complete".upper()  # where click looks for a question of the shell
    click.echo(found(root.command, {}, _PROGRAM, variable).source())
