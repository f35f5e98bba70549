package io.holdfast.kernel.source;

/** A record as it came from Kafka: timestamp in milliseconds, key null if there is none, value null for a delete, headers null if none. */
public record RawRecord(String topic, int partition, long offset, long timestamp, byte[] key, byte[] value, RawHeader[] headers) {}
