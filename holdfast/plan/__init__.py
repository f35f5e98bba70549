"""From a topology to the stages that run it."""
