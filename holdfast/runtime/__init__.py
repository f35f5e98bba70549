"""Running an app: topics, session, query, replica and server together."""

from holdfast.runtime.running import Running
from holdfast.runtime.start import run, start

__all__ = ["Running", "run", "start"]
