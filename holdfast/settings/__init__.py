"""Settings of an app and of the processes around it."""

from holdfast.settings.load import DEFAULTS, MODES, NAMES, NOTHING, Settings, broker_list, kafka_variables, load

__all__ = ["DEFAULTS", "MODES", "NAMES", "NOTHING", "Settings", "broker_list", "kafka_variables", "load"]
