package io.holdfast.kernel.task;

/** A value of a table and its time. */
public record Stamped(Object value, long timestamp) {}
