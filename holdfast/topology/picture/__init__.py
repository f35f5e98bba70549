"""A topology as a picture: boxes and arrows, where they lie, how they are drawn."""

from holdfast.topology.picture.mermaid import mermaid
from holdfast.topology.picture.svg import svg

__all__ = ["mermaid", "svg"]
