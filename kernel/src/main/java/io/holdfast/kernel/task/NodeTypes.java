package io.holdfast.kernel.task;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/** The types of a node's output. */
public record NodeTypes(DataType key, DataType value) implements Serializable {}
