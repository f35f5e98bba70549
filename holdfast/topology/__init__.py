"""The logical topology: frozen nodes, the graph of them, its checks."""
