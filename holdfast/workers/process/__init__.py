"""The worker: a process that runs functions for the kernel, and what goes over the wire."""
