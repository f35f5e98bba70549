"""Short names for trees, so that a test reads as input, program, output."""


def value(*path):
    return {"slot": "value", "path": list(path)}


def slot(name, *path):
    return {"slot": name, "path": list(path)}


def lit(constant, type_=None):
    if type_ is None and isinstance(constant, int) and not isinstance(constant, bool):
        type_ = "long"
    return {"lit": constant} if type_ is None else {"lit": constant, "type": type_}


def differs(left, right):
    return call("not", call("=", left, right))


def call(name, *arguments):
    return {"call": name, "args": list(arguments)}


def record(**fields):
    return {"struct": [[name, tree] for name, tree in fields.items()]}


def node(handle):
    """The node of a handle without its position."""
    return {name: part for name, part in handle.node.to_json().items() if name != "at"}


def last_node(app):
    return {name: part for name, part in app.graph.nodes[-1].to_json().items() if name != "at"}


def names(type_):
    return type_.names
