"""Keys made of one expression, or of several."""

from __future__ import annotations

from holdfast.dsl.lambdas import Scope, expression
from holdfast.errors import ExpressionError, TopologyError
from holdfast.position import user_position
from holdfast.topology.infer import E


def key_expression(keys: tuple[object, ...], scope: Scope, what: str) -> E:
    """The key itself, or a record of several named after their fields."""
    if not keys:
        raise TopologyError(f"{what} needs a key: {what}(lambda r: r.id) or {what}('id')", at=user_position())
    trees = [expression(each, scope, f"the key of {what}") for each in keys]
    if len(trees) == 1:
        return trees[0]
    names = [_name(tree, what) for tree in trees]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ExpressionError(
            f"{what}: two keys are called {twice!r}; use a lambda that returns dict(...)", at=user_position()
        )
    return {"struct": [[name, tree] for name, tree in zip(names, trees, strict=True)]}


def _name(tree: E, what: str) -> str:
    if tree.get("path"):
        return str(tree["path"][-1])
    if "get" in tree and isinstance(tree["key"].get("lit"), str):
        return str(tree["key"]["lit"])
    raise ExpressionError(
        f"{what} with several keys takes their names from fields; for a computed key use one lambda: "
        f"{what}(lambda r: dict(a=..., b=...))",
        at=user_position(),
    )
