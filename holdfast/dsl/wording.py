"""Trees in the words of error messages."""

from __future__ import annotations

from holdfast.topology.infer import E


def describe_tree(tree: E) -> str:
    """`value.score`, `upper(...)`: short, for people."""
    if "slot" in tree:
        return ".".join([tree["slot"], *tree["path"]])
    if "col" in tree:
        return f"field {tree['col']!r}"
    if "call" in tree:
        return f"{tree['call']}({', '.join(map(describe_tree, tree['args']))})"
    if "get" in tree:
        return f"{describe_tree(tree['get'])}[{describe_tree(tree['key'])}]"
    return repr(tree["lit"]) if "lit" in tree else str(next(iter(tree)))
