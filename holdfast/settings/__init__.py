"""Settings of an app and of the processes around it; `table` has all of them."""

from holdfast.settings.kinds import broker_list
from holdfast.settings.load import Settings, kafka_variables, load
from holdfast.settings.table import DEFAULTS, MODES, NAMES, NOTHING

__all__ = ["DEFAULTS", "MODES", "NAMES", "NOTHING", "Settings", "broker_list", "kafka_variables", "load"]
