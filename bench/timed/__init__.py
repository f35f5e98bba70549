"""Windows and joins against Kafka Streams, and a window against plain Spark."""
