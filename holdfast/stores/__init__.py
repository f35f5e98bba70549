"""Query replicas: the changelogs of an app, kept in LMDB and read at one snapshot."""
