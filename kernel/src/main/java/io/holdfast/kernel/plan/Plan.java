package io.holdfast.kernel.plan;

import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.Program;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * A compiled app: the program of the readers, and the program of each stage.
 *
 * @param topics the topics that are read from Kafka
 * @param tables those of the topics that are tables
 * @param idle after how many milliseconds without a record a topic is idle, so that its time advances by the clock, for topics with ticks; 0: never
 * @param wall whether tasks use the wall clock
 * @param frames the nodes that read a DataFrame
 */
public record Plan(
    String app, List<String> topics, List<String> frames, List<String> tables, Map<String, Long> idle, boolean wall, IngestProgram ingest,
    List<Program> stages, Map<String, NodeSpec> nodes)
    implements Serializable {}
