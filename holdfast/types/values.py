"""What a user's functions take and give."""

from typing import Any

Value = Any
"""A key or value of a user's stream, a state, or a part of one: any Python object.

Only the user's functions know what it is, so nothing that Holdfast does with it can be checked before it runs. It
stands where attributes of a value are used or a value goes into a user's function; `object` is enough elsewhere.
"""
