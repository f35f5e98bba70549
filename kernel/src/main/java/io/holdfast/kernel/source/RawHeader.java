package io.holdfast.kernel.source;

/** A header of a record as it came; its value may be null. */
public record RawHeader(String name, byte[] value) {}
