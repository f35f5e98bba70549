package io.holdfast.kernel.records;

/** A record as it came: time in milliseconds; no key, no value (a delete) and no headers are null. */
public record RawRecord(
    String topic, int partition, long offset, long timestamp, byte[] key, byte[] value, RawHeader[] headers) {}
