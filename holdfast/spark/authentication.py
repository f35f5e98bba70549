"""Who may talk to the processes of an app: those that know a secret, and what they say is encrypted."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import SettingsError
from holdfast.settings import secrets

SWITCH = "spark.authenticate"
SECRET = "spark.authenticate.secret"
ENCRYPTED = {
    SWITCH: "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.cipher": "AES/GCM/NoPadding",
    "spark.network.crypto.saslFallback": "false",
}
# Spark makes a secret of its own for each run on these, and gives it to its executors.
_MAKES_ITS_OWN = ("local", "yarn", "k8s://")
_MANY_PROCESSES = "local-cluster"


def settings_for(master: str, user: Mapping[str, str], base: Path) -> dict[str, str]:
    """Spark's settings for its own network; `user` are those of the app, which win."""
    if user.get(SWITCH, "true").lower() == "false":
        return {}
    if given := user.get(SECRET):
        return {**ENCRYPTED, SECRET: secrets.value_of(f"spark[{SECRET!r}]", given, base)}
    if master.startswith(_MANY_PROCESSES):
        return {**ENCRYPTED, SECRET: randomness.token_hex(32)}
    if master.startswith(_MAKES_ITS_OWN):
        return ENCRYPTED
    raise SettingsError(
        f"spark.master is {master}, and spark[{SECRET!r}] is not set: whoever reaches a port of the app could run code "
        f"in it. Give the secret of the cluster's master and workers, for example as file:PATH or env:NAME; or write "
        f"{SWITCH} = false, if nobody else can reach these ports"
    )
