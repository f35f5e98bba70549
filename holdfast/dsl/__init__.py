"""The language a program is written in: each method adds one node to the topology."""
