"""What a holdfast.toml may set that lies in the current directory and not with the app."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import SettingsError

# A setting of Spark's or a path to Python can always be made to run something.
_CODE = ("spark", "python")
# Of Kafka's clients those that are known to do neither: others run commands, load classes, or read files and send them.
_HARMLESS = re.compile(
    r"acks|retries|debug|group\.id|isolation\.level|auto\.offset\.reset|enable\.idempotence|client\.(id|rack|dns\.lookup)|"
    r"compression\.(type|codec|level)|socket\.[a-z.]+|security\.protocol|sasl\.(mechanisms?|username|password)|"
    r"[a-z.]+\.(ms|bytes|kbytes|messages|records|size|retries|per\.connection)"
)
_REFERENCE = re.compile(r"^(file|env):|\$\{")


def refuse_code(path: Path, content: Mapping[str, object], base: Path) -> None:
    """Refuse what can load code, or sends what only the user may read, in a file that is not the app's in `base`."""
    if _lies_with(path, base):
        return
    named = [*(name for name in _CODE if name in content), *_kafka(content.get("kafka"))]
    if named:
        raise SettingsError(
            f"{path}: {', '.join(named)} is not taken from the current directory, because it may load code or read "
            f"files, and the app lies elsewhere, in {base}. Put holdfast.toml next to the app or in a directory above "
            "it, or give it as an argument of App or as a HOLDFAST_ variable"
        )


def _lies_with(path: Path, base: Path) -> bool:
    """Next to the app; or above it, if the file belongs to who runs the app."""
    home = path.parent.resolve()
    if home == base.resolve():
        return True
    return base.resolve().is_relative_to(home) and path.stat().st_uid in (os.geteuid(), 0)


def _kafka(given: object) -> list[str]:
    if not isinstance(given, Mapping):
        return []
    return [
        f"kafka[{name!r}]"
        for name, value in given.items()
        if not _HARMLESS.fullmatch(name) or _REFERENCE.search(str(value))
    ]
