"""Where in the user's file something was written, for the modules of the DSL."""

from holdfast.position import code_position, user_frame, user_operation, user_position, written_at

__all__ = ["code_position", "user_frame", "user_operation", "user_position", "written_at"]
