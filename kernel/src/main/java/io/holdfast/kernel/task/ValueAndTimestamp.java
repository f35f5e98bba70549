package io.holdfast.kernel.task;

/** A value of a table and its time. */
public record ValueAndTimestamp(Object value, long timestamp) {}
